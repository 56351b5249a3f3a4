// SPDX-License-Identifier: Apache-2.0
#include "render/camera.h"

#include <string.h>

#include "math/vec3.h"

#define TURN 6.28318530717958648f

// ---------------------------------------------------------------------------------------- placing

static double length3(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void to_unit(double v[3]) {
  double n = length3(v);
  for (int a = 0; a < 3; a++) v[a] /= n;
}

// Unit vectors of a camera that looks along a direction; up may be anything.
static void axes(const double along[3], const double up[3], double right[3], double over[3],
                 double forward[3]) {
  static const double choice[3][3] = {{0, 1, 0}, {0, 0, -1}, {1, 0, 0}};
  memcpy(forward, along, 3 * sizeof *along);
  to_unit(forward);
  cross(forward, up, right);
  for (int i = 0; i < 3 && !(length3(right) > 1e-3 * length3(up)); i++) {
    cross(forward, choice[i], right);
    if (length3(right) > 1e-3) break;
  }
  to_unit(right);
  cross(right, forward, over);
}

bool firn_camera_is_fitted(const firn_camera_def *camera) {
  return camera->eye[0] == camera->target[0] && camera->eye[1] == camera->target[1] &&
         camera->eye[2] == camera->target[2];
}

firn_status firn_camera_check(firn_context *context, const firn_camera_def *camera) {
  if (!firn_finite3(camera->eye) || !firn_finite3(camera->target) || !firn_finite3(camera->up) ||
      !firn_finite3(camera->view))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "camera: eye (%g %g %g), target (%g %g %g), up and view must be finite",
                     camera->eye[0], camera->eye[1], camera->eye[2], camera->target[0],
                     camera->target[1], camera->target[2]);
  if (!(camera->fov > 0 && camera->fov < 3.1))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "camera: a field of view of %g rad; it must be above 0 and below 3.1",
                     camera->fov);
  if (!(camera->aperture >= 0 && isfinite(camera->aperture)) ||
      !(camera->focus >= 0 && isfinite(camera->focus)))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "camera: aperture %g m and focus %g m must be finite and not below 0",
                     camera->aperture, camera->focus);
  return FIRN_OK;
}

void firn_camera_fit(firn_camera_def *camera, const double low[3], const double high[3],
                     double aspect) {
  static const double usual[3] = {-0.35, -0.3, -1};
  if (!(camera->fov > 0)) camera->fov = 0.5;
  if (!(length3(camera->up) > 0)) camera->up[1] = 1;
  if (!(length3(camera->view) > 0)) memcpy(camera->view, usual, sizeof usual);
  double right[3], over[3], forward[3], half_y = tan(camera->fov / 2), half_x = half_y * aspect;
  axes(camera->view, camera->up, right, over, forward);
  double distance = 0, size = 0;
  for (int a = 0; a < 3; a++) {
    camera->target[a] = 0.5 * (low[a] + high[a]);
    size = fmax(size, high[a] - low[a]);
  }
  for (int i = 0; i < 8; i++) {
    double p[3];
    for (int a = 0; a < 3; a++) p[a] = (i >> a & 1 ? high[a] : low[a]) - camera->target[a];
    double x = fabs(dot(p, right)), y = fabs(dot(p, over)), z = dot(p, forward);
    distance = fmax(distance, fmax(x / (0.9 * half_x), y / (0.9 * half_y)) - z);
  }
  distance = fmax(distance, size > 0 ? 0.5 * size : 1);
  for (int a = 0; a < 3; a++) camera->eye[a] = camera->target[a] - distance * forward[a];
}

firn_camera_pose firn_camera_pose_of(const firn_camera_def *camera, const double origin[3]) {
  double along[3], right[3], up[3], forward[3];
  for (int a = 0; a < 3; a++) along[a] = camera->target[a] - camera->eye[a];
  axes(along, camera->up, right, up, forward);
  return (firn_camera_pose){.eye = {(float)(camera->eye[0] - origin[0]),
                                    (float)(camera->eye[1] - origin[1]),
                                    (float)(camera->eye[2] - origin[2])},
                            .right = {(float)right[0], (float)right[1], (float)right[2]},
                            .up = {(float)up[0], (float)up[1], (float)up[2]},
                            .forward = {(float)forward[0], (float)forward[1], (float)forward[2]}};
}

bool firn_camera_sees(const firn_camera_def *camera, double aspect, size_t count,
                      const double *position, double radius) {
  double along[3], right[3], up[3], forward[3];
  for (int a = 0; a < 3; a++) along[a] = camera->target[a] - camera->eye[a];
  axes(along, camera->up, right, up, forward);
  double half_y = tan(camera->fov / 2), half_x = half_y * aspect, rim_x = radius * hypot(1, half_x),
         rim_y = radius * hypot(1, half_y);
  for (size_t i = 0; i < count; i++) {
    double p[3];
    for (int a = 0; a < 3; a++) p[a] = position[3 * i + (size_t)a] - camera->eye[a];
    double z = dot(p, forward); // what is not finite is in no view
    if (z > -radius && fabs(dot(p, right)) < half_x * z + rim_x &&
        fabs(dot(p, up)) < half_y * z + rim_y)
      return true;
  }
  return false;
}

void firn_sun_beside(const firn_camera_def *camera, double direction[3]) {
  static const double usual[3] = {-0.35, -0.3, -1}, top[3] = {0, 1, 0};
  double along[3], right[3], up[3], forward[3];
  for (int a = 0; a < 3; a++) along[a] = camera->target[a] - camera->eye[a];
  if (!(length3(along) > 0)) memcpy(along, camera->view, sizeof along);
  if (!(length3(along) > 0)) memcpy(along, usual, sizeof along);
  axes(along, top, right, up, forward);
  right[1] = 0;
  forward[1] = 0;
  to_unit(right);
  if (length3(forward) > 1e-3) to_unit(forward);
  for (int a = 0; a < 3; a++) direction[a] = -0.85 * right[a] + 0.3 * forward[a] + 0.58 * top[a];
  to_unit(direction);
}

// ------------------------------------------------------------------------------------------- rays

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
