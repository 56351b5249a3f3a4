// SPDX-License-Identifier: Apache-2.0
// labels: M21
// The blend of PIC and FLIP on what the grid does not see: two particles at the same place with
// opposite velocities give it no momentum, so there is neither force nor strain, and each step
// leaves alpha of their velocities.
#include "support/mpm_case.h"

static const double H = 0.02, ALPHA = 0.95; // m
static const double SPEED[3] = {3, -2, 1};  // m/s
static const double TIME = 5e-3;            // s

// Steps a pair over TIME with steps of dt; the velocity and the way of one of the two, over SPEED.
static void fly(const mpm_variant *v, double dt, bool rescale, bool pic, double *velocity,
                double *way) {
  firn_sim_def def = mpm_printed_def(v, H);
  firn_material_def material = mpm_elastic_material();
  def.mpm.flip = ALPHA;
  def.mpm.flip_rescale = rescale;
  def.mpm.advect_pic = pic;
  def.mpm.dt = dt;
  mpm_case c = mpm_case_open(v, &def, &material);
  const double x[6] = {0.3 * H, 1.7 * H, -0.2 * H, 0.3 * H, 1.7 * H, -0.2 * H};
  double u[6];
  for (int a = 0; a < 3; a++) {
    u[a] = SPEED[a];
    u[3 + a] = -SPEED[a];
  }
  mpm_case_add(&c, 2, x, 8);
  mpm_case_write(&c, "velocity", u);
  mpm_case_steps(&c, pic ? (int)lround(TIME / dt) : 1);
  double *now = mpm_case_read(&c, "velocity"), *at = mpm_case_read(&c, "position");
  *velocity = now[0] / SPEED[0];
  *way = (at[0] - x[0]) / SPEED[0];
  for (int a = 0; a < 6; a++) {
    // The same for all components and for both: a rounding or two of each step.
    assert_within(v, "velocity of a component", now[a] / u[a], *velocity, TIME / dt * EPS);
    assert_within(v, "way of a component", (at[a] - x[a]) / u[a], *way, 8 * EPS * H);
  }
  free(now);
  free(at);
  mpm_case_close(&c);
}

// D-3: with the blend scaled to the step, 0.95 of it is left every 5e-4 s, whatever the step; as
// printed, every step. Each step rounds alpha v and alpha itself, one way perhaps: 2 eps. What the
// grid sees after all, by rounding, stays, so this is of the first velocity.
static void the_blend_forgets_by_time_or_by_steps(void **state) {
  (void)state;
  for_each_variant(v) {
    if (is_apic(v)) continue;
    for (int n = 5; n <= 500; n *= 10) {
      double left, way, tolerance = 2 * EPS * n;
      fly(v, TIME / n, true, true, &left, &way);
      assert_within(v, "velocity left, by time", left, pow(ALPHA, TIME / 5e-4), tolerance);
      assert_below(v, "way with the grid's velocity, m", way, 8 * EPS * H);
      fly(v, TIME / n, false, true, &left, &way);
      assert_within(v, "velocity left, by steps", left, pow(ALPHA, n), tolerance);
    }
  }
}

// D-2: as printed, particles move with the blended velocity. Positions are rounded at 2 cells.
static void particles_move_with_the_blended_velocity_as_printed(void **state) {
  (void)state;
  for_each_variant(v) {
    if (is_apic(v)) continue;
    double left, way;
    fly(v, 1e-3, false, false, &left, &way);
    assert_within(v, "way with the blended velocity, m s/m", way, 1e-3 * ALPHA, 8 * EPS * H);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_blend_forgets_by_time_or_by_steps),
      cmocka_unit_test(particles_move_with_the_blended_velocity_as_printed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
