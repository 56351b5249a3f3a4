// SPDX-License-Identifier: Apache-2.0
// labels: M13 slow
// A column of snow between smooth walls, under its own weight.
#include "support/mpm_case.h"

static const double HEIGHT = 0.5, G = 9.81; // m, m/s^2

typedef struct rest {
  double top;    // m, how far the top has sunk
  double stress; // largest error of vertical stress, over the weight above: of particles 5 h from
                 // the floor and 2 h from the top ...
  double smooth; // ... and of its average over a spline around nodes more than 2 h from both
  double noise;  // m/s, fastest particle
} rest;

static double spline(const mpm_variant *v, double s) {
  double a = fabs(s);
  if (is_cubic(v)) return a < 1 ? a * a * a / 2 - a * a + 2.0 / 3 : a < 2 ? pow(2 - a, 3) / 6 : 0;
  return a < 0.5 ? 0.75 - a * a : a < 1.5 ? (1.5 - a) * (1.5 - a) / 2 : 0;
}

// APIC's gradient, sum w r u/D, of u that bends is off by C_3 u''/(2 D), where C_3 = sum w r^3 is
// +-3/64 h^3 at the quarters of a cell for quadratic splines and 0 for cubic ones. Here M u'' is
// rho g: over rho g h, for particles at a quarter and at three quarters of a cell.
static double gradient_error(const mpm_variant *v, double z) {
  if (!is_apic(v) || is_cubic(v)) return 0;
  return (z - floor(z) < 0.5 ? 1 : -1) * (3.0 / 64) / (2 * 0.25);
}

// Lets a column of n cells sink until it rests. Nothing varies across it, so one particle a cell
// will do there, and periodic sides are smooth walls. Backward Euler in steps of half the period of
// the slowest mode, omega = pi c/(2 H), takes all but 1/(1 + (omega dt)^2)^(1/2) = 0.3 of its
// amplitude a step, more of the others': 18 steps leave 1e-9 of it.
static rest let_sink(const mpm_variant *v, int n) {
  double h = HEIGHT / n;
  firn_sim_def def = mpm_elastic_def(v, h);
  firn_material_def material = mpm_elastic_material();
  def.gravity[1] = -G;
  def.periodic[0] = def.periodic[2] = true;
  def.period_cells[0] = def.period_cells[2] = 4;
  def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  def.mpm.flip = 0;
  def.mpm.dt = 0.05;
  // Of what gravity adds in a step: velocities are good to 5e-8 m/s, and 5e-11.
  def.mpm.tolerance = by_precision(1e-7, 1e-10);
  def.mpm.max_iterations = 400;
  mpm_case c = mpm_case_open(v, &def, &material);
  firn_collider_def ground = firn_default_collider_def();
  ground.sticky = true;
  must(&c, firn_sim_add_collider(c.sim, &ground, NULL));
  size_t count = 0;
  double *at = malloc((size_t)(2 * n * 16) * 3 * sizeof *at);
  assert_non_null(at);
  for (int j = 0; j < 2 * n; j++) {
    for (int k = 0; k < 16; k++, count++) {
      at[3 * count] = (k / 4 + 0.5) * h;
      at[3 * count + 1] = (j + 0.5) / 2 * h;
      at[3 * count + 2] = (k % 4 + 0.5) * h;
    }
  }
  mpm_case_add(&c, count, at, 2);
  mpm_case_steps(&c, 18);

  rest r = {0};
  double *x = mpm_case_read(&c, "position"), *strain = mpm_case_read(&c, "strain");
  double *u = mpm_case_read(&c, "velocity");
  double *sum = calloc((size_t)n + 1, sizeof *sum), *share = calloc((size_t)n + 1, sizeof *share);
  assert_true(sum && share);
  for (size_t i = 0; i < count; i++) {
    // Uniaxial, so that Cauchy's stress is Piola's, M (s - 1), at any stretch.
    double stress = M_WAVE * (sqrt(1 + strain[6 * i + 1]) - 1);
    double z = at[3 * i + 1], weight = DENSITY * G * (HEIGHT - z);
    for (size_t a = 0; a < 3; a++) worst(&r.noise, u[3 * i + a]);
    if (z > 5 * h && z < HEIGHT - 2 * h) {
      double known = gradient_error(v, z / h) * DENSITY * G * h;
      worst(&r.stress, (stress - known) / weight + 1);
    }
    for (int j = 0; j <= n; j++) {
      double w = spline(v, z / h - j);
      sum[j] += w * stress;
      share[j] += w;
    }
  }
  for (int j = 3; j <= n - 3; j++) {
    worst(&r.smooth, sum[j] / share[j] / (DENSITY * G * (HEIGHT - j * h)) + 1);
  }
  // The last particles are h/4 below the top, and sink less by what is between.
  r.top = at[3 * (count - 1) + 1] - x[3 * (count - 1) + 1];
  r.top += DENSITY * G / (2 * M_WAVE) * (h / 4) * (h / 4);
  free(sum);
  free(share);
  free(at);
  free(x);
  free(strain);
  free(u);
  mpm_case_close(&c);
  return r;
}

// Holding the nodes at and below the floor puts the plane that does not move some way below it. By
// solving for the displacements of nodes 1, 2, ... of a long chain under a constant stress, two
// particles a cell as above, it is this far below, in h.
static double shift_of_floor(const mpm_variant *v) {
  if (is_cubic(v)) return is_apic(v) ? 0.35998 : 0.43507;
  return is_apic(v) ? 0.17370 : 0.30882;
}

// Strained by rho g H/M, what is between makes the column sink too far by twice that over H. Strain
// itself, 1.3 %, moves particles against the grid and the coefficient by about as much: 0.02. The
// error is of first order, so that two resolutions tell the limit, of which the case asks 0.2 %.
//
// The same nodes, zeroes among the coefficients of a spline, leave a layer above the floor in which
// strain swings about its value from particle to particle, by up to a third and -0.4 times as much
// each cell further up, at any resolution. So the 2 % that the case asks of stress are asked of
// averages over a spline, and of single particles from 5 h on.
static void a_column_sinks_under_its_weight(void **state) {
  (void)state;
  double expected = DENSITY * G * HEIGHT * HEIGHT / (2 * M_WAVE);
  assert_true(fabs(expected - 3.1532e-3) < 5e-8);
  for_each_variant(v) {
    double top[2], error[2];
    for (int k = 0; k < 2; k++) {
      int n = 16 << k;
      rest r = let_sink(v, n);
      top[k] = r.top;
      error[k] = r.top / expected - 1;
      mpm_report(v,
                 "%d cells: sinks %.5f mm, error %.5f = %.4f h/H, stress to %.2e, smoothed %.2e, "
                 "moves %.1e m/s",
                 n, 1e3 * r.top, error[k], error[k] * n, r.stress, r.smooth, r.noise);
      assert_below(v, "error of stress", r.stress, 0.02);
      assert_below(v, "error of smoothed stress", r.smooth, 0.02);
      // It rests: what is left moves it by less than 1e-6 of its sinking in a step.
      assert_below(v, "velocity", r.noise, 1e-6 * expected / 0.05);
    }
    double limit = 2 * top[1] - top[0], order = log2(error[0] / error[1]);
    mpm_report(v, "limit %.5f mm, off by %.2e, order %.3f", 1e3 * limit, limit / expected - 1,
               order);
    assert_relative(v, "sinking in the limit", limit, expected, 2e-3);
    assert_within(v, "order of the error", order, 1, 0.05);
    assert_within(v, "error over h/H", error[1] * 32, 2 * shift_of_floor(v), 0.02);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_column_sinks_under_its_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
