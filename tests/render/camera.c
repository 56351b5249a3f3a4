// SPDX-License-Identifier: Apache-2.0
// The camera: where pixels lie in space, what is sharp, and how it moves.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "render/camera.h"

static firn_camera_pose aim(const double eye[3], const double target[3], const double up[3]) {
  firn_camera_def def = {.fov = 0.5};
  memcpy(def.eye, eye, sizeof def.eye);
  memcpy(def.target, target, sizeof def.target);
  memcpy(def.up, up, sizeof def.up);
  return firn_camera_pose_of(&def, (const double[3]){0, 0, 0});
}

static firn_camera make(void) {
  firn_camera c = {.half_height = 0.4f, .focus = 5, .width = 320, .height = 200};
  c.open = aim((double[]){1, 2, 3}, (double[]){-2, 1, -4}, (double[]){0, 1, 0});
  c.shut = c.open;
  return c;
}

// Pixel that a point is seen in, by the rules of projection.
static void project(const firn_camera *c, const firn_camera_pose *pose, firn_v3 p, float *x,
                    float *y) {
  firn_v3 d = firn_v3_sub(p, pose->eye);
  float z = firn_v3_dot(d, pose->forward), half = 0.5f * (float)c->height;
  *x = 0.5f * (float)c->width + firn_v3_dot(d, pose->right) / z / c->half_height * half;
  *y = half - firn_v3_dot(d, pose->up) / z / c->half_height * half;
}

static void a_pinhole_projects_back_to_the_pixel(void **state) {
  (void)state;
  firn_camera c = make();
  const float lens[2] = {0.3f, 0.8f};
  for (int j = 0; j <= 16; j++) {
    for (int i = 0; i <= 25; i++) {
      const float x = 12.5f * (float)i, y = 12.5f * (float)j;
      firn_ray ray = firn_camera_ray(&c, x, y, lens, 0.5f);
      assert_float_equal(firn_v3_dot(ray.along, ray.along), 1, 1e-6);
      assert_true(ray.from.x == 1 && ray.from.y == 2 && ray.from.z == 3);
      float u, v;
      project(&c, &c.open, firn_ray_at(&ray, 7), &u, &v);
      assert_float_equal(u, x, 2e-4);
      assert_float_equal(v, y, 2e-4);
    }
  }
  // The middle looks at the target; the top row at what is above.
  firn_ray middle = firn_camera_ray(&c, 160, 100, lens, 0);
  firn_v3 to = firn_v3_unit((firn_v3){-3, -1, -7});
  assert_float_equal(firn_v3_dot(middle.along, to), 1, 1e-6);
  assert_true(firn_camera_ray(&c, 160, 0, lens, 0).along.y > middle.along.y);
  // And the field of view is what it was said to be, vertically.
  firn_ray top = firn_camera_ray(&c, 160, 0, lens, 0);
  assert_float_equal(acosf(firn_v3_dot(top.along, middle.along)), atanf(0.4f), 1e-4);
}

static void what_is_in_focus_is_sharp_and_the_rest_blurs_by_the_lens(void **state) {
  (void)state;
  firn_camera c = make();
  c.aperture = 0.1f;
  float widest = 0;
  for (int i = 0; i < 400; i++) {
    const float lens[2] = {firn_noise((uint32_t)(2 * i)), firn_noise((uint32_t)(2 * i + 1))};
    firn_ray ray = firn_camera_ray(&c, 250, 60, lens, 0);
    firn_v3 off = firn_v3_sub(ray.from, c.open.eye);
    float r = sqrtf(firn_v3_dot(off, off));
    assert_true(r <= 0.1001f);
    assert_float_equal(firn_v3_dot(off, c.open.forward), 0, 1e-6); // the lens is flat
    float z = firn_v3_dot(ray.along, c.open.forward), u, v;
    project(&c, &c.open, firn_ray_at(&ray, (5 - firn_v3_dot(off, c.open.forward)) / z), &u, &v);
    assert_float_equal(u, 250, 1e-3);
    assert_float_equal(v, 60, 1e-3);
    // Twice as far the circle is as large as the lens would be at the focus: aperture / focus / 2
    // in tangents.
    firn_v3 far = firn_ray_at(&ray, 10 / z);
    project(&c, &c.open, far, &u, &v);
    widest = fmaxf(widest, hypotf(u - 250, v - 60));
  }
  assert_float_equal(widest, 0.1 / 10 / 0.4 * 100, 0.1);
}

static void the_lens_is_covered_evenly(void **state) {
  (void)state;
  firn_camera c = make();
  c.aperture = 1;
  double inner = 0, x = 0;
  enum { N = 128 };
  for (int i = 0; i < N * N; i++) {
    const float lens[2] = {((float)(i % N) + 0.5f) / N, ((float)(i / N) + 0.5f) / N};
    firn_v3 off = firn_v3_sub(firn_camera_ray(&c, 160, 100, lens, 0).from, c.open.eye);
    inner += firn_v3_dot(off, off) < 0.25f;
    x += (double)firn_v3_dot(off, c.open.right);
  }
  assert_float_equal(inner / (N * N), 0.25, 0.01); // half the radius, a quarter of the area
  assert_float_equal(x / (N * N), 0, 1e-3);
}

static void poses_are_interpolated_while_the_shutter_is_open(void **state) {
  (void)state;
  firn_camera c = make();
  const float lens[2] = {0.5f, 0.5f};
  c.shut = aim((double[]){1, 2, 5}, (double[]){-2, 3, -4}, (double[]){0, 1, 0});
  for (int k = 0; k < 2; k++) { // the ends are the poses themselves
    const firn_camera_pose *pose = k ? &c.shut : &c.open;
    firn_ray ray = firn_camera_ray(&c, 40, 170, lens, (float)k);
    float u, v;
    project(&c, pose, firn_ray_at(&ray, 3), &u, &v);
    assert_float_equal(u, 40, 1e-3);
    assert_float_equal(v, 170, 1e-3);
  }
  firn_ray half = firn_camera_ray(&c, 160, 100, lens, 0.5f);
  assert_float_equal(half.from.z, 4, 1e-6);
  assert_float_equal(half.time, 0.5, 0);
  firn_ray a = firn_camera_ray(&c, 160, 100, lens, 0), b = firn_camera_ray(&c, 160, 100, lens, 1);
  assert_float_equal(firn_v3_dot(half.along, a.along), firn_v3_dot(half.along, b.along), 1e-6);
}

// A dolly zoom: the camera draws back while its field narrows, so that what is at the target keeps its
// size at every moment.
static void the_lens_changes_along_with_the_pose(void **state) {
  (void)state;
  firn_camera c = {.half_height = 0.4f, .focus = 5, .width = 320, .height = 200};
  const double target[3] = {0, 0, 0}, up[3] = {0, 1, 0};
  c.open = aim((double[]){0, 0, 2}, target, up);
  c.shut = aim((double[]){0, 0, 2.1}, target, up);
  c.half_height_change = 0.4f * 2 / 2.1f - 0.4f;
  c.aperture = 0.1f;
  c.aperture_change = 0.1f;
  c.focus_change = -2;
  for (int k = 0; k <= 4; k++) {
    const float time = 0.25f * (float)k, middle[2] = {0.5f, 0.5f}, rim[2] = {1, 0.5f};
    firn_ray ray = firn_camera_ray(&c, 160, 0, middle, time);
    // The product of two straight lines for a constant: off by (0.05 / 2)^2 in the middle at most.
    assert_float_equal(firn_ray_at(&ray, -ray.from.z / ray.along.z).y, 0.8, 1e-3);
    ray = firn_camera_ray(&c, 160, 100, rim, time);
    assert_float_equal(ray.from.x, 0.1f + 0.1f * time, 1e-6);
    assert_float_equal(firn_ray_at(&ray, (2 * time - 5) / ray.along.z).x, 0, 1e-5);
  }
}

static void a_camera_can_look_straight_down(void **state) {
  (void)state;
  const double origin[3] = {0, 0, 0};
  firn_camera_pose pose = aim((double[]){0, 5, 0}, origin, (double[]){0, 1, 0});
  assert_float_equal(pose.up.z, -1, 1e-6);
  assert_float_equal(firn_v3_dot(pose.right, pose.right), 1, 1e-6);
  pose = aim((double[]){0, 0, 5}, origin, (double[]){0, 0, 1});
  assert_float_equal(firn_v3_dot(pose.right, pose.forward), 0, 1e-6);
  assert_float_equal(firn_v3_dot(pose.right, pose.right), 1, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pinhole_projects_back_to_the_pixel),
      cmocka_unit_test(what_is_in_focus_is_sharp_and_the_rest_blurs_by_the_lens),
      cmocka_unit_test(the_lens_is_covered_evenly),
      cmocka_unit_test(poses_are_interpolated_while_the_shutter_is_open),
      cmocka_unit_test(the_lens_changes_along_with_the_pose),
      cmocka_unit_test(a_camera_can_look_straight_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
