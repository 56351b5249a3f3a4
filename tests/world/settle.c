// SPDX-License-Identifier: Apache-2.0
// Snow that is laid down settled carries the weight above it from the first step on.
#include <stdio.h>
#include <unistd.h>

#include "support/mpm_case.h"

static const double H = 0.02, G = 9.81, DEPTH = 0.24; // m, m/s^2, m

static bool sleep_on = false, filled = true;
static const firn_variation_def *varied = NULL;

static mpm_case open_bed(const mpm_variant *v, bool settled, double gravity) {
  firn_sim_def def = mpm_printed_def(v, H);
  def.mpm.sleep = sleep_on;
  def.gravity[1] = -gravity;
  def.periodic[0] = def.periodic[2] = true;
  def.period_cells[0] = def.period_cells[2] = 8;
  def.mpm.volume_nominal = true;
  def.mpm.dt = 0;
  firn_material_def snow = firn_default_material_def();
  mpm_case c = mpm_case_open(v, &def, &snow);
  firn_collider_def floor = firn_default_collider_def();
  must(&c, firn_sim_add_collider(c.sim, &floor, NULL));
  firn_fill_def bed = firn_default_fill_def();
  const double middle[3] = {4 * H, DEPTH / 2, 4 * H}, half[3] = {4 * H, DEPTH / 2, 4 * H};
  bed.shape = firn_box(middle, half);
  bed.seeding = FIRN_SEEDING_LATTICE;
  bed.settled = settled;
  bed.variation = varied;
  bed.variation_count = varied != NULL;
  if (filled) must(&c, firn_sim_fill(c.sim, &bed));
  return c;
}

static void stress_carries_the_weight_above(void **state) {
  (void)state;
  const mpm_variant *v = mpm_variant_at(0);
  mpm_case c = open_bed(v, true, G);
  double *x = mpm_case_read(&c, "position"), *stress = mpm_case_read(&c, "stress");
  for (size_t i = 0; i < mpm_case_count(&c); i++) {
    // Marching to the surface ends within a twentieth of a cell above it; strain is kept to eps,
    // and the stress is M times that.
    double weight = DENSITY * G * (DEPTH - x[3 * i + 1]);
    assert_within(v, "vertical stress", stress[6 * i + 1], -weight,
                  0.05 * H * DENSITY * G + 4 * EPS * M_WAVE);
    assert_within(v, "side stress", stress[6 * i], -weight * LAMBDA / M_WAVE,
                  0.05 * H * DENSITY * G + 4 * EPS * M_WAVE + 2 * weight * weight / M_WAVE);
  }
  free(x);
  free(stress);
  mpm_case_close(&c);
}

// The upper half is twice as dense, or has every second particle only. Besides what is said above, where
// the density jumps half of a quadrature's step of h/2 may be on the wrong side.
static void stress_carries_the_weight_of_what_varies(void **state) {
  (void)state;
  const mpm_variant *v = mpm_variant_at(0);
  for (int how = 0; how < 2; how++) {
    firn_variation_def upper = firn_default_variation_def();
    upper.of = how ? FIRN_PROPERTY_PACKING : FIRN_PROPERTY_DENSITY;
    upper.by = FIRN_VARIATION_HEIGHT;
    upper.range[0] = DEPTH / 2;
    upper.factor = how ? 0.5 : 2;
    varied = &upper;
    mpm_case c = open_bed(v, true, G);
    varied = NULL;
    double *x = mpm_case_read(&c, "position"), *stress = mpm_case_read(&c, "stress");
    size_t low = 0;
    for (size_t i = 0; i < mpm_case_count(&c); i++) {
      double y = x[3 * i + 1], below = fmax(DEPTH / 2 - y, 0);
      double weight = DENSITY * G * (below + upper.factor * (DEPTH - y - below));
      assert_within(v, "vertical stress", stress[6 * i + 1], -weight,
                    (2 * 0.05 + 0.25) * H * DENSITY * G + 4 * EPS * M_WAVE);
      low += y < DEPTH / 2;
    }
    assert_true(low > mpm_case_count(&c) / 4 && low < mpm_case_count(&c));
    free(x);
    free(stress);
    mpm_case_close(&c);
  }
}

static void what_would_yield_stays_at_the_yield_stretch(void **state) {
  (void)state;
  const mpm_variant *v = mpm_variant_at(0);
  mpm_case c = open_bed(v, true, 10 * G);
  double *x = mpm_case_read(&c, "position"), *e = mpm_case_read(&c, "strain");
  double least = (1 - THETA_C) * (1 - THETA_C) - 1;
  int held = 0;
  for (size_t i = 0; i < mpm_case_count(&c); i++) {
    double s = 1 - DENSITY * 10 * G * (DEPTH - x[3 * i + 1]) / M_WAVE;
    assert_true(e[6 * i + 1] >= least - 8 * EPS);
    if (s < 1 - 1.1 * THETA_C) {
      assert_within(v, "strain", e[6 * i + 1], least, 8 * EPS);
      held++;
    }
  }
  assert_true(held > 100);
  free(x);
  free(e);
  mpm_case_close(&c);
}

// Left alone, a bed rings with an amplitude of density G DEPTH^2 / 2 M = 0.7 mm; one that was laid
// down settled only gives way to what the grid makes of its two surfaces.
static void a_settled_bed_hardly_moves(void **state) {
  (void)state;
  const mpm_variant *v = mpm_variant_at(0);
  double sunk[2];
  for (int settled = 0; settled < 2; settled++) {
    mpm_case c = open_bed(v, settled, G);
    double start = mpm_case_sums(&c).center[1], least = start;
    while (firn_sim_time(c.sim) < 0.025) { // about half a period
      must(&c, firn_sim_step(c.sim, 0, NULL));
      double now = mpm_case_sums(&c).center[1];
      if (now < least) least = now;
    }
    sunk[settled] = start - least;
    mpm_report(v, "%s: sinks by %.4f cells", settled ? "settled" : "loose", sunk[settled] / H);
    mpm_case_close(&c);
  }
  assert_true(sunk[0] > 0.01 * H);
  assert_true(sunk[1] < 0.15 * sunk[0]);
}

// Without having been watched first. What was not laid down at rest must not hang in the air.
static void settled_snow_sleeps_from_the_first_step(void **state) {
  (void)state;
  sleep_on = true;
  for (int settled = 0; settled < 2; settled++) {
    mpm_case c = open_bed(mpm_variant_at(0), settled, G);
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    assert_int_equal(step.asleep, settled ? mpm_case_count(&c) : 0);
    firn_fill_def ball = firn_default_fill_def(); // unsettled, and moves nothing yet
    const double center[3] = {4 * H, DEPTH + 5 * H, 4 * H};
    ball.shape = firn_sphere(center, 2 * H);
    must(&c, firn_sim_fill(c.sim, &ball));
    must(&c, firn_sim_step(c.sim, 0, &step));
    assert_true(mpm_case_sums(&c).momentum[1] < 0);
    mpm_case_close(&c);
  }
  sleep_on = false;
}

// Settled or not, what was given a velocity must not be put to sleep.
static void settled_snow_that_moves_stays_awake(void **state) {
  (void)state;
  sleep_on = true;
  for (int how = 0; how < 3; how++) {
    filled = false;
    mpm_case c = open_bed(mpm_variant_at(0), false, G);
    filled = true;
    firn_fill_def slab = firn_default_fill_def();
    const double middle[3] = {4 * H, DEPTH / 4, 4 * H}, half[3] = {4 * H, DEPTH / 4, 4 * H};
    slab.shape = firn_box(middle, half);
    slab.settled = true;
    if (how == 1) slab.spin[1] = 1e-3;
    if (how == 0) slab.velocity[0] = 1e-3;
    must(&c, firn_sim_fill(c.sim, &slab));
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    assert_int_equal(step.asleep, how == 2 ? mpm_case_count(&c) : 0);
    mpm_case_close(&c);
  }
  sleep_on = false;
}

// That it was laid down at rest is not forgotten between filling and the first step.
static void settled_snow_sleeps_after_a_restart(void **state) {
  (void)state;
  char path[64];
  snprintf(path, sizeof path, "/tmp/firn-settle-%d.hdf", (int)getpid());
  sleep_on = true;
  mpm_case c = open_bed(mpm_variant_at(0), true, G);
  must(&c, firn_sim_save(c.sim, path));
  filled = false;
  mpm_case later = open_bed(mpm_variant_at(0), true, G);
  filled = true;
  must(&later, firn_sim_load(later.sim, path));
  firn_step step;
  must(&later, firn_sim_step(later.sim, 0, &step));
  assert_int_equal(step.asleep, mpm_case_count(&c));
  mpm_case_close(&c);
  mpm_case_close(&later);
  sleep_on = false;
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stress_carries_the_weight_above),
      cmocka_unit_test(stress_carries_the_weight_of_what_varies),
      cmocka_unit_test(what_would_yield_stays_at_the_yield_stretch),
      cmocka_unit_test(a_settled_bed_hardly_moves),
      cmocka_unit_test(settled_snow_sleeps_from_the_first_step),
      cmocka_unit_test(settled_snow_that_moves_stays_awake),
      cmocka_unit_test(settled_snow_sleeps_after_a_restart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
