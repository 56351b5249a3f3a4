// SPDX-License-Identifier: Apache-2.0
// Outlines in previews: of a ball, the cone that touches it, from an oblique camera beside it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "api/preview_outline.h"
#include "support/context.h"

enum { WIDTH = 200, HEIGHT = 120 };
static const uint8_t color[3] = {10, 200, 30};
static uint8_t rgb[HEIGHT][WIDTH][3];

static firn_outline_def view_from(const double eye[3], const double target[3], double fov) {
  firn_camera_def camera = {.up = {0, 1, 0}, .fov = fov};
  memcpy(camera.eye, eye, sizeof camera.eye);
  memcpy(camera.target, target, sizeof camera.target);
  firn_outline_def def = {.width = WIDTH,
                          .height = HEIGHT,
                          .camera = firn_camera_pose_of(&camera, target),
                          .half_height = (float)tan(fov / 2),
                          .color = color};
  memcpy(def.origin, target, sizeof def.origin);
  return def;
}

static int draw(const firn_outline_def *def, const firn_shape_def *made) {
  firn_shape *shape;
  memset(rgb, 0, sizeof rgb);
  assert_int_equal(firn_shape_make(context, made, "test", &shape), FIRN_OK);
  assert_int_equal(firn_preview_outline(context, def, shape, 0, &rgb[0][0][0]), FIRN_OK);
  firn_shape_release(shape);
  int count = 0;
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) count += memcmp(rgb[y][x], color, 3) == 0;
  return count;
}

static double dot(firn_v3 a, const double b[3]) {
  return (double)a.x * b[0] + (double)a.y * b[1] + (double)a.z * b[2];
}

// Where a point is seen, in pixels.
static void project(const firn_outline_def *def, const double p[3], double out[2]) {
  const firn_camera_pose *c = &def->camera;
  double r[3] = {p[0] - def->origin[0] - (double)c->eye.x, p[1] - def->origin[1] - (double)c->eye.y,
                 p[2] - def->origin[2] - (double)c->eye.z};
  double away = dot(c->forward, r), unit = HEIGHT / (2 * (double)def->half_height * away);
  out[0] = 0.5 * WIDTH + unit * dot(c->right, r);
  out[1] = 0.5 * HEIGHT - unit * dot(c->up, r);
}

// The ball of radius R around C touches the cone of rays at angle asin(R / D) to its middle, D
// away: on a circle of radius R cos(angle), R sin(angle) before the middle.
static void the_outline_of_a_ball_is_where_rays_touch_it(void **state) {
  (void)state;
  static const double eye[3] = {1.3, 2.1, 3.7}, target[3] = {0.2, 0.4, -0.1};
  double C[3] = {0.55, 0.3, 0.35}, R = 0.37, way[3], D = 0;
  firn_outline_def def = view_from(eye, target, 0.55);
  firn_shape_def ball = firn_sphere(C, R);
  int count = draw(&def, &ball);
  for (int a = 0; a < 3; a++) D += (C[a] - eye[a]) * (C[a] - eye[a]);
  D = sqrt(D);
  for (int a = 0; a < 3; a++) way[a] = (C[a] - eye[a]) / D;
  double side[3] = {way[2], 0, -way[0]}, length = sqrt(side[0] * side[0] + side[2] * side[2]);
  for (int a = 0; a < 3; a++) side[a] /= length;
  double over[3] = {way[1] * side[2] - way[2] * side[1], way[2] * side[0] - way[0] * side[2],
                    way[0] * side[1] - way[1] * side[0]};
  double rim = R * sqrt(1 - R * R / D / D), before = R * R / D, round = 0, last[2] = {0, 0};
  for (int k = 0; k <= 400; k++) {
    double angle = 2 * 3.14159265358979323846 * k / 400, p[3], at[2], nearest = 1e9;
    for (int a = 0; a < 3; a++)
      p[a] = C[a] - before * way[a] + rim * (cos(angle) * side[a] + sin(angle) * over[a]);
    project(&def, p, at);
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++)
        if (memcmp(rgb[y][x], color, 3) == 0)
          nearest = fmin(nearest, hypot(x + 0.5 - at[0], y + 0.5 - at[1]));
    // Half a diagonal of a pixel, and half a pixel by which a ray may pass.
    if (nearest > 1.3) fail_msg("at %g rad the line is %g pixels away", angle, nearest);
    if (k) round += hypot(at[0] - last[0], at[1] - last[1]);
    memcpy(last, at, sizeof last);
  }
  // One pixel wide: a line across pixels at any slope takes 0.7 to 1.42 a pixel of its length.
  assert_true(count > 0.7 * round && count < 1.42 * round);
}

static void what_has_no_outline_leaves_the_picture(void **state) {
  (void)state;
  static const double eye[3] = {0, 0, 3}, target[3] = {0, 0, 0};
  firn_outline_def def = view_from(eye, target, 0.5);
  firn_shape_def ground = firn_half_space((double[]){0, 0, 0}, (double[]){0, 1, 0});
  assert_int_equal(draw(&def, &ground), 0); // has no end
  firn_shape_def behind = firn_sphere((double[]){0, 0, 6}, 0.5);
  assert_int_equal(draw(&def, &behind), 0);
  firn_shape_def around = firn_sphere((double[]){0, 0, 3}, 9);
  draw(&def, &around); // the camera is in it: there is nothing but the frame of the picture
  for (int y = 1; y < HEIGHT - 1; y++)
    for (int x = 1; x < WIDTH - 1; x++) assert_memory_not_equal(rgb[y][x], color, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_outline_of_a_ball_is_where_rays_touch_it),
      cmocka_unit_test(what_has_no_outline_leaves_the_picture),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
