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

// Hardening by density, chosen for an emitter of grains or given, needs the bound as well.
static void density_is_bounded_too(void **state) {
  (void)state;
  static const struct {
    const char *with, *mpm;
  } cases[] = {{"particles: 9, velocity: [0, -1, 0]", ""},
               {"velocity: [0, -1, 0]", "mpm: {hardening: density}\n"},
               {"snowfall: 5", "mpm: {hardening: jp}\n"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char rest[300];
    snprintf(rest, sizeof rest,
             "%semitters: [{shape: {box: {center: [0, 5, 0], size: [1, 1, 1]}}, %s}]\n",
             cases[i].mpm, cases[i].with);
    least_is(TWO("velocity: [1, 0, 0]", "sticky: true"), "", rest, 0.6);
  }
}

static void hear(void *user, firn_log_level level, const char *message) {
  char *all = user;
  size_t used = strlen(all);
  if (level == FIRN_LOG_INFO) snprintf(all + used, 1000 - used, "%s\n", message);
}

// A note names the choice once, and how to do without it.
static void the_choice_is_told(void **state) {
  (void)state;
  static const struct {
    const char *materials, *sticky;
    bool told;
  } cases[] = {{"{snow: {}, ice: {density: 500}}", "true", true},
               {"{snow: {jp_range: [0, 2]}, ice: {}}", "true", true},
               {"{snow: {jp_range: [0, .inf]}}", "true", false},
               {"{snow: {}}", "false", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1000], all[1000] = "";
    snprintf(text, sizeof text,
             "firn: 1\nh: 15 cm\nmaterials: %s\ncolliders: [{" BALL
             ", velocity: [1, 0, 0]}, {" FLOOR
             ", sticky: %s}]\nsnow: [{shape: {box: {center: [0, 3, 0], size: [1, 1, 1]}}, "
             "material: snow}]\n",
             cases[i].materials, cases[i].sticky);
    firn_context_def def = firn_default_context_def();
    def.log = hear;
    def.log_user = all;
    firn_context *own;
    firn_scene *scene;
    assert_int_equal(firn_context_create(&def, &own), FIRN_OK);
    if (firn_scene_read(own, "a.yaml", text, strlen(text), 0, NULL, &scene) != FIRN_OK)
      fail_msg("%s in\n%s", firn_context_message(own), text);
    const char *said = strstr(all, "jp_range: [0.6, .inf] is chosen");
    if ((said != NULL) != cases[i].told) fail_msg("case %zu: %s", i, all);
    if (said) assert_null(strstr(strstr(said, "chosen") + 1, "chosen"));
    if (said) assert_non_null(strstr(said, ".jp_range: [0, .inf] is the printed form"));
    firn_scene_destroy(scene);
    firn_context_destroy(own);
  }
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
      cmocka_unit_test(density_is_bounded_too),
      cmocka_unit_test(the_choice_is_told),
      cmocka_unit_test(snow_is_not_shot_off),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
