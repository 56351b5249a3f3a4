// SPDX-License-Identifier: Apache-2.0
// Snow between sticky bodies that move: by default J_P is bounded and nodes that they hold are
// under PIC.
#include <math.h>

#include "scene/setup.h"

#define WORLD "firn: 1\nh: 15 cm\nmaterials: {snow: {density: 200%s}}\n"

static void least_is(const char *colliders, const char *material, const char *rest, double least) {
  char text[2000];
  snprintf(text, sizeof text,
           WORLD "snow: [{shape: {box: {center: [0, 3, 0], size: [1, 1, 1]}}}]\n%s%s", material,
           colliders, rest);
  firn_scene *scene = read_scene(text);
  const firn_value *snow = firn_value_find(firn_value_find(scene->root, "materials"), "snow"),
                   *range = firn_value_find(snow, "jp_range");
  assert_true(range->number[0] == least && isinf(range->number[1]));
  firn_scene_destroy(scene);
}

#define BALL             "shape: {sphere: {center: [0, 1, 0], radius: 30 cm}}"
#define FLOOR            "shape: {half_space: {}}"
#define TWO(ball, floor) "colliders: [{" BALL ", " ball "}, {" FLOOR ", " floor "}]\n"

static void sticky_bodies_that_move_bound_jp(void **state) {
  (void)state;
  least_is(TWO("velocity: [1, 0, 0]", "sticky: true"), "", "", 0.6);
  least_is(TWO("spin: [1, 0, 0], sticky: true", "friction: 0"), "", "", 0.6);
  least_is(TWO("load: {mass: 10}", "sticky: true"), "", "", 0.6);
  least_is(TWO("motion: {angle: 1}", "sticky: {keys: [[0, false], [1, true]]}"), "", "", 0.6);
  least_is("colliders: [{sticky: true, parts: [{" BALL ", motion: {velocity: [1, 0, 0]}}]}]\n", "",
           "", 0.6);
  least_is(TWO("velocity: [1, 0, 0]", "sticky: false"), "", "", 0);
  least_is(TWO("velocity: [0, 0, 0]", "sticky: true"), "", "", 0);
  least_is(TWO("velocity: [1, 0, 0]", "sticky: true"), ", jp_range: [0, .inf]", "", 0);
  least_is(TWO("velocity: [1, 0, 0]", "sticky: true"), ", jp_range: [0.3, .inf]", "", 0.3);
  least_is(TWO("velocity: [1, 0, 0]", "sticky: true"), "", "solver: sph\n", 0);
}

// m/s: the largest speed of snow that a body 5 cm above sticky ground goes through at 8 m/s.
static double largest_speed(const char *material, const char *mpm) {
  char text[2000];
  snprintf(text, sizeof text,
           WORLD "snow: [{shape: {box: {center: [0, 15 cm, 0], size: [2.4 m, 30 cm, 0.8 m]}}}]\n"
                 "colliders:\n  - {sticky: true, shape: {half_space: {}}}\n"
                 "  - {sticky: true, velocity: [8, 0, 0],\n"
                 "     shape: {box: {center: [-1.9 m, 45 cm, 0], size: [1.2 m, 80 cm, 60 cm]}}}\n"
                 "%s",
           material, mpm);
  firn_scene *scene = read_scene(text);
  firn_sim *sim = build(scene);
  firn_sums sums;
  double most = 0;
  for (int i = 0; i < 60; i++) {
    assert_int_equal(firn_sim_advance(sim, 1.0 / 240, NULL, NULL), FIRN_OK);
    assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
    most = fmax(most, sums.speed_max);
  }
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  return most;
}

// A body that throws snow off without loss gives it twice its speed, and a jet is at most twice as
// quick again: beyond that a run warns (api/run_watch.c).
static void snow_is_not_shot_off(void **state) {
  (void)state;
  double most = largest_speed("", ""),
         printed = largest_speed(", jp_range: [0, .inf]", "mpm: {sticky_transfer: blend}\n");
  print_message("largest speed: %g m/s, as printed %g m/s\n", most, printed);
  assert_true(most < 4 * 8);
  assert_true(printed > 4 * 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sticky_bodies_that_move_bound_jp),
      cmocka_unit_test(snow_is_not_shot_off),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
