// SPDX-License-Identifier: Apache-2.0
// labels: slow
// long in double
// timeout: 120
// Every switch does something, and none that is not meant to changes much: a block that is pressed together
// by gravity on a floor, once for each.
#include "support/sph_case.h"

enum { WIDE = 8, LAYERS = 10 };

typedef struct outcome {
  double height, speed, lowest, density, iterations; // spacings, m/s, spacings, of rest, a step
} outcome;

static outcome press(const firn_sph_def *def) {
  sph_plan plan = sph_default_plan();
  plan.spacing = 0.03;
  plan.material.young = 20e3;
  plan.sph = *def;
  plan.sph.dt = 1e-3;
  plan.gravity[1] = -30;
  plan.gravity[0] = 3; // shear, too
  plan.periodic[0] = plan.periodic[2] = true;
  plan.period[0] = plan.period[2] = WIDE;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, 1);
  const double corner[3] = {c.d / 2, c.d / 2, c.d / 2};
  sph_case_lattice(&c, (const int[3]){WIDE, LAYERS, WIDE}, corner, 0.01);
  enum { STEPS = 200 };
  double iterations = 0;
  for (int k = 0; k < STEPS; k++) {
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    iterations += step.iterations;
  }
  firn_sums sums;
  must(&c, firn_sim_sums(c.sim, &sums));
  outcome o = {sums.center[1] / c.d, sums.speed_max, sums.bounds_min[1] / c.d,
               sph_case_stat(&c, "density_max") / 400, iterations / STEPS};
  sph_case_close(&c);
  return o;
}

static void every_switch_presses_snow_alike(void **state) {
  (void)state;
  static const char *const name[] = {
      "default",     "jacobi",  "bicgstab",   "cold",      "deviatoric",    "combined",
      "alternating", "tracked", "divergence", "f_predict", "rotation",      "friction",
      "akinci",      "depth 0", "iisph",      "walls",     "walls combined"};
  enum { COUNT = sizeof name / sizeof *name };
  outcome first = {0};
  for (int k = 0; k < COUNT; k++) {
    firn_sph_def def = firn_default_sph_def();
    if (k == 1) def.pressure_solver = FIRN_SPH_JACOBI;
    if (k == 2) def.shear_solver = FIRN_SPH_BICGSTAB;
    if (k == 3) def.warm_start = false;
    if (k == 4) def.split = FIRN_SPH_SPLIT_DEVIATORIC;
    if (k == 4) def.alternations = 3;
    if (k == 5) def.split = FIRN_SPH_SPLIT_COMBINED;
    if (k == 6) def.alternations = 3;
    if (k == 7) def.rest_density_tracked = true;
    if (k == 8) def.source_divergence = def.rest_density_tracked = true;
    if (k == 9) def.f_predict_printed = true;
    if (k == 10) def.rotation_printed = true;
    if (k == 11) def.friction_printed = true;
    if (k == 12) def.boundary_density_akinci = true;
    if (k == 13) def.boundary_depth = 0;
    if (k == 14) def.pressure = FIRN_SPH_PRESSURE_IISPH;
    if (k >= 15) def.walls_printed = false;
    if (k == 16) def.split = FIRN_SPH_SPLIT_COMBINED;
    outcome o = press(&def);
    if (k == 0) first = o;
    sph_report("%-11s height %.4f, lowest %.3f, density %.3f, speed %.4f m/s, %.1f iterations",
               name[k], o.height, o.lowest, o.density, o.speed, o.iterations);
    assert_true(isfinite(o.height) && o.speed < 1);
    assert_true(o.lowest > -0.3);
    // At rest on the surface it would be 5 spacings high, less what 1.8 kPa in the middle press it by.
    // Gravity comes at once, and what it overshoots by is plastic: hardening by the volume that clamps took
    // comes to other heights, and so does a floor that takes up no room.
    bool stays = k == 14, deep = k == 13, other = k == 7 || k == 8 || k == 12;
    double expected = stays ? 5 : first.height + (deep ? 0.4 : 0);
    assert_within(name[k], o.height, expected, deep ? 0.15 : other ? 0.17 : 0.1);
    if (k == 1) assert_true(o.iterations > first.iterations);
    if (k > 0) assert_true(memcmp(&o, &first, sizeof o) != 0);
  }
}

// Below 0 the weight is 1.5 on walls as printed; 0 is none, so that snow sinks in.
static void no_weight_is_not_the_default(void **state) {
  (void)state;
  firn_sph_def def = firn_default_sph_def();
  assert_true(def.psi < 0);
  def.barrier = false;
  outcome by_walls = press(&def);
  def.psi = 1.5;
  outcome printed = press(&def);
  def.psi = 0;
  outcome none = press(&def);
  sph_report("psi 1.5: lowest %.3f, none: lowest %.3f", printed.lowest, none.lowest);
  assert_memory_equal(&by_walls, &printed, sizeof printed);
  assert_true(none.lowest < printed.lowest - 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_switch_presses_snow_alike),
      cmocka_unit_test(no_weight_is_not_the_default),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
