// SPDX-License-Identifier: Apache-2.0
// The h at which flip and the softening in tension are as printed: in scenes, that of quality 1.
#include <math.h>

#include "scene/setup.h"

#include "api/sim.h"
#include "solver/mpm/mpm.h"

#define SNOW "firn: 1\nsnow: [{shape: {box: {center: [0, 3, 0], size: [1, 1, 1]}}}]\n"

static const firn_value *reference(const firn_scene *scene) {
  return firn_value_find(firn_value_find(scene->root, "mpm"), "reference_h");
}

// Also of a scene that goes on from the resolved one, as a resume does.
static void reference_is(const char *rest, double expected) {
  char text[1000];
  snprintf(text, sizeof text, SNOW "%s", rest);
  firn_scene *scene = read_scene(text), *again = read_scene(firn_scene_resolved_text(scene));
  assert_true(reference(scene)->number[0] == expected);
  assert_true(reference(again)->number[0] == expected && reference(again)->given);
  assert_string_equal(firn_scene_resolved_text(again), firn_scene_resolved_text(scene));
  firn_scene_destroy(scene);
  firn_scene_destroy(again);
}

static void reference_h_is_that_of_quality_1(void **state) {
  (void)state;
  reference_is("h: 15 cm\n", 0.15);
  reference_is("h: 15 cm\nquality: 0.3\n", 0.15);
  reference_is("spacing: 7 cm\nquality: 0.3\n", 2 * 0.07);
  reference_is("spacing: 7 cm\nquality: 0.3\nsolver: sph\n", 2 * 0.07); // should mpm take it over
  reference_is("h: 15 cm\nquality: 0.3\nmpm: {reference_h: 0}\n", 0);
  reference_is("h: 15 cm\nquality: 0.3\nmpm: {reference_h: 2 cm}\n", 0.02);
}

// What the solver makes of it: alpha, which at quality 1 is as printed to the bit, and h/l, which a
// softening_length takes over.
static void solver_is(const char *rest, double times, double soften) {
  char text[1000];
  snprintf(text, sizeof text, SNOW "%s", rest);
  firn_scene *scene = read_scene(text);
  firn_sim *sim = build(scene);
  const mpm *m = sim->solver;
  assert_true(mpm_flip_share(m, 2e-4) == pow(0.95, 2e-4 / 5e-4 * times));
  assert_true(sim->world.material[0].soften == (firn_real)soften);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void quality_carries_viscosity_by_h_and_leaves_cracks(void **state) {
  (void)state;
  solver_is("h: 0.125\n", 1, 1);
  solver_is("h: 0.125\nquality: 0.5\n", 0.5, 2);
  solver_is("h: 0.125\nquality: 2\n", 2, 0.5);
  solver_is("h: 0.125\nquality: 0.5\nmpm: {reference_h: 0}\n", 1, 1);
  solver_is("h: 0.125\nquality: 0.5\nmaterials: {snow: {softening_length: 0.0625}}\n", 0.5, 4);
  solver_is("h: 0.125\nmaterials: {snow: {softening_length: 1e-30}}\n", 1, 1e6); // h/l is finite
}

// As the program changes it between steps; the other solvers soften as printed.
static void softening_follows_material_and_settings(void **state) {
  (void)state;
  firn_scene *scene = read_scene(SNOW "h: 0.125\nquality: 0.5\n");
  firn_sim *sim = build(scene);
  firn_material_def snow = firn_default_material_def();
  uint64_t changes = sim->world.changes;
  assert_int_equal(firn_sim_set_material(sim, 0, &snow), FIRN_OK);
  assert_true(sim->world.changes == changes); // the same, so nothing wakes
  snow.softening_length = 0.5;
  assert_int_equal(firn_sim_set_material(sim, 0, &snow), FIRN_OK);
  assert_true(sim->world.material[0].soften == (firn_real)0.5);
  snow.softening_length = 0;
  assert_int_equal(firn_sim_set_material(sim, 0, &snow), FIRN_OK);
  firn_mpm_def def = firn_default_mpm_def();
  assert_int_equal(firn_sim_settings(sim, "mpm", &def, sizeof def), FIRN_OK);
  def.reference_h = 1;
  assert_int_equal(firn_sim_set_mpm(sim, &def), FIRN_OK);
  assert_true(sim->world.material[0].soften == (firn_real)0.25);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  scene = read_scene(SNOW "h: 0.125\nquality: 0.5\nsolver: sph\n");
  sim = build(scene);
  assert_true(sim->world.material[0].soften == 1);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_h_is_that_of_quality_1),
      cmocka_unit_test(quality_carries_viscosity_by_h_and_leaves_cracks),
      cmocka_unit_test(softening_follows_material_and_settings),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
