// SPDX-License-Identifier: Apache-2.0
// A scene is taken to a time without a step: bodies and keyed values are those of the time, the
// snow stays.
#include <math.h>

#include "scene/setup.h"

static const char text[] =
    "firn: 1\nh: 4 cm\n"
    "snow:\n  - shape: {box: {center: [0, 20 cm, 0], size: [20 cm, 20 cm, 20 cm]}}\n"
    "colliders:\n  - {name: ground, shape: {half_space: {}}, friction: {keys: [[0 s, 0.2], [2 s, "
    "0.6]]}}\n"
    "  - {name: block, shape: {box: {center: [1, 1, 0], size: [20 cm, 20 cm, 20 cm]}},"
    " motion: {velocity: [0.5, 0, -0.25]}}\n";

static void bodies_and_keys_follow_and_snow_stays(void **state) {
  (void)state;
  firn_scene *scene = read_scene(text);
  firn_sim *sim = build(scene);
  size_t n = firn_sim_count(sim), bytes = 3 * n * sizeof(double);
  double *before = malloc(bytes), *after = malloc(bytes);
  assert_non_null(before);
  assert_non_null(after);
  assert_int_equal(firn_sim_read(sim, "position", before), FIRN_OK);
  static const double times[] = {1.7, 0.3}; // back again, too
  for (int i = 0; i < 2; i++) {
    firn_collider_state body, ground;
    assert_int_equal(firn_scene_pose(scene, sim, times[i]), FIRN_OK);
    assert_true(firn_sim_time(sim) == times[i]);
    assert_int_equal(firn_sim_collider(sim, 1, &body), FIRN_OK);
    assert_int_equal(firn_sim_collider(sim, 0, &ground), FIRN_OK);
    // Products and a sum of doubles.
    assert_true(fabs(body.pivot[0] - (1 + 0.5 * times[i])) < 1e-14);
    assert_true(fabs(body.pivot[2] + 0.25 * times[i]) < 1e-14);
    assert_true(fabs(ground.friction - (0.2 + 0.2 * times[i])) < 1e-14);
  }
  assert_int_equal(firn_sim_read(sim, "position", after), FIRN_OK);
  assert_memory_equal(before, after, bytes);
  free(before);
  free(after);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void other_times_are_refused(void **state) {
  (void)state;
  firn_scene *scene = read_scene(text);
  firn_sim *sim = build(scene);
  static const double wrong[] = {-1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(firn_scene_pose(scene, sim, wrong[i]), FIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(firn_context_message(context), "must be finite and not below 0"));
  }
  assert_true(firn_sim_time(sim) == 0);
  assert_int_equal(firn_scene_pose(scene, NULL, 1), FIRN_ERROR_ARGUMENT);
  assert_int_equal(firn_scene_pose(NULL, sim, 1), FIRN_ERROR_ARGUMENT);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_and_keys_follow_and_snow_stays),
      cmocka_unit_test(other_times_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
