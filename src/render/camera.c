// SPDX-License-Identifier: Apache-2.0
#include "render/camera.h"

#define TURN 6.28318530717958648f

bool firn_camera_aim(firn_v3 eye, firn_v3 target, firn_v3 up, firn_camera_pose *out) {
  firn_v3 view = firn_v3_sub(target, eye);
  if (!(firn_v3_dot(view, view) > 0)) return false;
  firn_v3 forward = firn_v3_unit(view);
  firn_v3 right = firn_v3_cross(forward, firn_v3_unit(up));
  if (!(firn_v3_dot(right, right) > 1e-8f)) { // looking along up: -z is at the top of the picture
    right = firn_v3_cross(forward, (firn_v3){0, 0, -1});
    if (!(firn_v3_dot(right, right) > 1e-8f)) right = (firn_v3){1, 0, 0};
  }
  right = firn_v3_unit(right);
  *out = (firn_camera_pose){eye, right, firn_v3_cross(right, forward), forward};
  return true;
}

// Between two poses: the eye moves straight, the axes turn and stay square to each other.
static firn_camera_pose between(const firn_camera *c, float time) {
  firn_v3 forward = firn_v3_unit(firn_v3_mix(c->open.forward, c->shut.forward, time));
  firn_v3 up = firn_v3_mix(c->open.up, c->shut.up, time);
  firn_v3 right = firn_v3_unit(firn_v3_cross(forward, up));
  return (firn_camera_pose){firn_v3_mix(c->open.eye, c->shut.eye, time), right,
                            firn_v3_cross(right, forward), forward};
}

// From the square to the unit disc, neighbours staying neighbours (Shirley and Chiu 1997).
static void disc(const float u[2], float *x, float *y) {
  float a = 2 * u[0] - 1, b = 2 * u[1] - 1;
  if (a == 0 && b == 0) {
    *x = *y = 0;
    return;
  }
  float r, phi;
  if (fabsf(a) > fabsf(b)) {
    r = a;
    phi = TURN / 8 * (b / a);
  } else {
    r = b;
    phi = TURN / 4 - TURN / 8 * (a / b);
  }
  *x = r * cosf(phi);
  *y = r * sinf(phi);
}

firn_ray firn_camera_ray(const firn_camera *camera, float x, float y, const float lens[2],
                         float time) {
  firn_camera_pose pose = between(camera, time);
  float half = camera->half_height + time * camera->half_height_change;
  float aperture = camera->aperture + time * camera->aperture_change;
  float pixel = 2 * half / (float)camera->height;
  float a = (x - 0.5f * (float)camera->width) * pixel;
  float b = (0.5f * (float)camera->height - y) * pixel;
  firn_v3 from = pose.eye, side = {0, 0, 0};
  if (aperture > 0) { // all points of the lens aim at one point of the plane in focus
    float p, q;
    disc(lens, &p, &q);
    side = firn_v3_add(firn_v3_scale(aperture * p, pose.right),
                       firn_v3_scale(aperture * q, pose.up));
    from = firn_v3_add(from, side);
    side = firn_v3_scale(1 / (camera->focus + time * camera->focus_change), side);
  }
  firn_v3 along = firn_v3_add(pose.forward,
                              firn_v3_add(firn_v3_scale(a, pose.right), firn_v3_scale(b, pose.up)));
  return (firn_ray){from, firn_v3_unit(firn_v3_sub(along, side)), time};
}
