// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// Snow that begins with strain: settled, or under a stress that is given.
#include "support/sph_case.h"

enum { WIDE = 8, LAYERS = 16 };

// A column of elastic snow, periodic to the sides, under gravity from the first step on.
static double sag(bool settled, double *speed, double *weight) {
  sph_plan plan = sph_default_plan();
  plan.gravity[1] = -9.81;
  plan.periodic[0] = plan.periodic[2] = true;
  plan.period[0] = plan.period[2] = WIDE;
  sph_case c = sph_case_open(&plan);
  int floor = sph_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, 0);
  firn_fill_def fill = firn_default_fill_def();
  double top = LAYERS * c.d, side = WIDE * c.d / 2;
  fill.shape = firn_box((const double[3]){side, top / 2, side},
                        (const double[3]){side, top / 2, side});
  fill.seeding = FIRN_SEEDING_LATTICE;
  fill.settled = settled;
  must(&c, firn_sim_fill(c.sim, &fill));
  firn_sums before, after;
  must(&c, firn_sim_sums(c.sim, &before));
  *speed = 0;
  for (int k = 0; k < 20; k++) {
    sph_case_advance(&c, 0.005);
    must(&c, firn_sim_sums(c.sim, &after));
    *speed = fmax(*speed, fabs(after.momentum[1] / after.mass));
  }
  firn_collider_force force;
  firn_sim_collider_force_reset(c.sim);
  sph_case_advance(&c, 0.2);
  must(&c, firn_sim_collider_force(c.sim, floor, &force));
  *weight = -force.force[1] / (9.81 * before.mass);
  sph_case_close(&c);
  return before.center[1] - after.center[1];
}

// Its weight would press 16 cm of snow by rho g H^2 / 3 M = 0.2 mm in the mean, and sudden gravity by up to
// twice that.
static void settled_snow_hardly_sags(void **state) {
  (void)state;
  double settled_speed, speed, on_floor, unsettled;
  double settled = sag(true, &settled_speed, &on_floor), plain = sag(false, &speed, &unsettled);
  sph_report("settled: %.3e m, %.3e m/s; else %.3e m, %.3e m/s", settled, settled_speed, plain,
             speed);
  assert_true(plain > 1e-4);
  assert_true(fabs(settled) < 0.4 * plain);
  assert_true(settled_speed < 0.4 * speed);
  // And the floor carries what it weighs.
  assert_within("force on the floor, weights", on_floor, 1, 0.01);
}

// Samples lie on the surface of a collider alone: what began inside it would never come out.
static void no_snow_is_laid_inside_a_collider(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  sph_case c = sph_case_open(&plan);
  const double middle[3] = {0.01, 0.02, 0}, radius = 0.05;
  firn_collider_def ball = firn_default_collider_def();
  ball.shape = firn_sphere(middle, radius);
  must(&c, firn_sim_add_collider(c.sim, &ball, NULL));
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_box((const double[3]){0, 0, 0}, (const double[3]){0.08, 0.08, 0.08});
  fill.seeding = FIRN_SEEDING_LATTICE;
  must(&c, firn_sim_fill(c.sim, &fill));
  double *x = sph_case_read(&c, "position", 3), volume = 4.0 / 3 * 3.14159265 * pow(5, 3);
  for (size_t i = 0; i < sph_case_count(&c); i++) {
    double r2 = 0;
    for (size_t a = 0; a < 3; a++) r2 += pow(x[3 * i + a] - middle[a], 2);
    assert_true(r2 >= pow(radius, 2));
  }
  assert_relative("particles", (double)sph_case_count(&c), 16 * 16 * 16 - volume, 0.01);
  free(x);
  sph_case_close(&c);
}

typedef struct load {
  double value[6];
} load;

static void as_given(void *user, const double position[3], double *out) {
  const load *l = user;
  (void)position;
  memcpy(out, l->value, sizeof l->value);
}

static void stress_and_strain_are_those_given(void **state) {
  (void)state;
  static const firn_sph_split splits[] = {FIRN_SPH_SPLIT_LAME, FIRN_SPH_SPLIT_DEVIATORIC,
                                          FIRN_SPH_SPLIT_COMBINED};
  for (int k = 0; k < 6; k++) {
    bool stress = k % 2;
    load l = {{-400, -900, 120, 150, -60, 90}};
    if (!stress) l = (load){{-0.012, -0.03, 0.004, 0.003, -0.001, 0.002}};
    sph_plan plan = sph_default_plan();
    plan.sph.split = splits[k / 2];
    sph_case c = sph_case_open(&plan);
    firn_fill_def fill = firn_default_fill_def();
    fill.shape = firn_box((const double[3]){0, 0, 0}, (const double[3]){0.04, 0.04, 0.04});
    fill.seeding = FIRN_SEEDING_LATTICE;
    fill.start_user = &l;
    if (stress)
      fill.stress_at = as_given;
    else
      fill.strain_at = as_given;
    must(&c, firn_sim_fill(c.sim, &fill));
    double *found = sph_case_read(&c, stress ? "stress" : "strain", 6), off = 0;
    double *jp = sph_case_read(&c, "jp", 1);
    for (size_t i = 0; i < sph_case_count(&c); i++) {
      for (size_t m = 0; m < 6; m++) worst(&off, found[6 * i + m] - l.value[m]);
      assert_within("J_P", jp[i], 1, by_precision(1e-5, 1e-12));
    }
    // float: 58 kPa times a strain of 1e-7
    assert_below(stress ? "stress" : "strain", off,
                 stress ? by_precision(0.05, 1e-6) : by_precision(1e-7, 1e-14));
    free(found);
    free(jp);
    // More than the snow holds is refused, with words.
    l.value[1] = stress ? -9000 : -0.2;
    assert_int_equal(firn_sim_fill(c.sim, &fill), FIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(firn_context_message(c.context), "without yielding"));
    sph_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settled_snow_hardly_sags),
      cmocka_unit_test(no_snow_is_laid_inside_a_collider),
      cmocka_unit_test(stress_and_strain_are_those_given),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
