// SPDX-License-Identifier: Apache-2.0
// Snow that comes grain by grain packs: by default a scene whose emitters have a rate hardens by density.
#include "scene/setup.h"

#define WORLD                                                                                      \
  "firn: 1\nh: 6 cm\nmaterials: {flakes: {density: 100}}\n"                                        \
  "colliders: [{shape: {half_space: {}}}]\n"
#define SKY                                                                                        \
  "emitters: [{shape: {box: {center: [0, 40 cm, 0], size: [36 cm, 6 cm, 36 cm]}}, "                \
  "material: flakes, velocity: [0, -1 m/s, 0], stop: 0.5 s, "

static firn_scene *read_with_sky(const char *rest) {
  char text[1000];
  snprintf(text, sizeof text, WORLD SKY "%s", rest);
  return read_scene(text);
}

static void choice_is(const char *rest, const char *hardening, const char *volume) {
  firn_scene *scene = read_with_sky(rest);
  const firn_value *mpm = firn_value_find(scene->root, "mpm");
  assert_string_equal(firn_value_text(mpm, "hardening"), hardening);
  assert_string_equal(firn_value_text(mpm, "volume"), volume);
  firn_scene_destroy(scene);
}

static void emitters_with_a_rate_choose_density(void **state) {
  (void)state;
  choice_is("snowfall: 1 mm/s}]\n", "density", "nominal");
  choice_is("particles: 10 1/s}]\n", "density", "nominal");
  choice_is("volume: 1e-3 m^3/s}]\n", "density", "nominal");
  choice_is("mass: 1 kg/s}]\n", "density", "nominal");
  choice_is("}]\n", "jp", "density"); // an inflow is whole
  choice_is("mass: 1 kg/s}]\nmpm: {hardening: jp}\n", "jp", "density");
  choice_is("mass: 1 kg/s}]\nmpm: {hardening: density}\n", "density", "density");
  choice_is("mass: 1 kg/s}]\nmpm: {volume: density}\n", "density", "density");
}

// m, the mean height of flakes of 10 mm of water, 10 cm of snow, half a second after the last one.
static double mean_height(const char *mpm) {
  char rest[200];
  snprintf(rest, sizeof rest, "snowfall: 20 mm/s}]\n%s", mpm);
  firn_scene *scene = read_with_sky(rest);
  firn_sim *sim = build(scene);
  firn_sums sums;
  assert_int_equal(firn_sim_advance(sim, 1, NULL, NULL), FIRN_OK);
  assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
  assert_true(firn_sim_count(sim) > 200);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  return sums.center[1];
}

// As deep as they fell they would lie at 5 cm in the mean, less where the heap runs apart or is packed to three
// times the density; contact begins up to a cell above the ground. By plastic flow they stand far above that.
static void flakes_come_down(void **state) {
  (void)state;
  double packed = mean_height(""), printed = mean_height("mpm: {hardening: jp}\n");
  print_message("mean height: %g m, as printed %g m\n", packed, printed);
  assert_true(packed > 0.05 / 3 && packed < 0.11);
  assert_true(printed > 1.5 * packed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(emitters_with_a_rate_choose_density),
      cmocka_unit_test(flakes_come_down),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
