// SPDX-License-Identifier: Apache-2.0
// labels: P21
// Forces of scene files: each kind is what its keys say, at the time that they say it.
#include "scene/setup.h"

#include <math.h>

#define SCENE                                                                                      \
  "firn: 1\nh: 2 cm\ngravity: [0, 0, 0]\nmpm: {dt: 1 ms}\n"                                        \
  "snow: [{shape: {sphere: {center: [1, 0, 0], radius: 3 cm}}}]\nforces:\n"

// The mean velocity after 100 steps of 1 ms, each with what is keyed for its beginning.
static void blow(const char *forces, double out[3]) {
  char text[2000];
  snprintf(text, sizeof text, "%s%s", SCENE, forces);
  firn_scene *scene = read_scene(text);
  firn_sim *sim;
  firn_sums sums;
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(firn_scene_apply(scene, sim), FIRN_OK);
    assert_int_equal(firn_sim_step(sim, 0, NULL), FIRN_OK);
  }
  assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
  for (int a = 0; a < 3; a++) out[a] = sums.momentum[a] / sums.mass;
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void assert_near(const double v[3], double x, double y, double z, double near) {
  if (fabs(v[0] - x) < near && fabs(v[1] - y) < near && fabs(v[2] - z) < near) return;
  fail_msg("(%.9g %.9g %.9g) instead of (%g %g %g)", v[0], v[1], v[2], x, y, z);
}

static void each_kind_does_what_it_says(void **state) {
  (void)state;
  double v[3];
  blow("  - uniform: {acceleration: [1, -2, 3]}\n", v);
  assert_near(v, 0.1, -0.2, 0.3, 1e-5);
  // 10 m/s^2 i / 100 over steps i = 0 to 99.
  blow("  - uniform: {acceleration: {keys: [[0 s, [0, 0, 0]], [100 ms, [10, 0, 0]]]}}\n", v);
  assert_near(v, 0.01 * 0.1 * 99 * 50 * 0.1, 0, 0, 1e-5);
  // The ball goes 1 cm of the metre between, a third of that on the mean, and its middle lies off by a
  // millimetre or two: 0.2 times 2 % for a force that falls with the square.
  blow("  - attractor: {center: [0, 0, 0], strength: 2, radius: 1}\n", v);
  assert_near(v, -0.2, 0, 0, 4e-3);
  blow("  - attractor: {axis: [0, 0, 1], strength: -2, radius: 50 cm, falloff: 1}\n", v);
  assert_near(v, 0.1, 0, 0, 4e-3);
  blow("  - attractor: {strength: 2, reach: 90 cm}\n", v);
  assert_near(v, 0, 0, 0, 1e-9);
  blow("  - vortex: {strength: 2}\n", v);
  assert_near(v, 0, 0, -0.2, 4e-3);
  // 3 (1 - (1 + k dt)^-100), and the other way for half of it.
  double rest = pow(1.01, -100);
  blow("  - drag: {rate: 10, velocity: [3 m/s, 0, 0]}\n", v);
  assert_near(v, 3 * (1 - rest), 0, 0, 1e-4);
  blow(
      "  - drag: {rate: {keys: [[0 s, 10], [50 ms, 0]], interpolate: step}, velocity: [3, 0, 0]}\n",
      v);
  assert_near(v, 3 * (1 - sqrt(rest)), 0, 0, 1e-4);
  // One after the other.
  blow("  - uniform: {acceleration: [1, 0, 0]}\n  - uniform: {acceleration: [0, 0, 2]}\n", v);
  assert_near(v, 0.1, 0, 0.2, 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_does_what_it_says)};
  return cmocka_run_group_tests(tests, open_context, close_context);
}
