// SPDX-License-Identifier: Apache-2.0
// labels: F8
// timeout: 60
// What belongs to cells is carried from those of reference to those that run: the rate of shear at
// which snow yields, and the viscosity of the blend of FLIP.
#include "support/flip_case.h"

static const double PI = 3.14159265358979323846;

typedef struct yielding {
  size_t plastic; // cells of inner
  size_t inner;
  double mu; // Pa s, of one of them
} yielding;

// Snow in cells of h that is sheared at |D| = rate, in 1/s, along no axis of the grid, under a
// pressure.
static yielding shear_at(double h, double dt, double rate, double reference_h) {
  flip_plan plan = flip_default_plan();
  plan.h = h;
  plan.flip.dt = dt;
  plan.flip.reference_h = reference_h;
  plan.material.density = 200;
  plan.material.yield_angle = PI / 6;
  plan.material.yield_cohesion = 15;
  flip_case c = flip_case_open(&plan);
  flip_case_box(&c, (const int[3]){0, 0, 0}, (const int[3]){8, 8, 8}, 0, NULL);
  flip_case_prepare(&c, dt);
  flip *s = flip_case_solver(&c);
  // u = rate sqrt(2) t (n . x) with n and t at right angles: |D| = rate, div u = 0.
  const double n[3] = {2.0 / 3, 2.0 / 3, 1.0 / 3}, t[3] = {-2.0 / 3, 1.0 / 3, 2.0 / 3};
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++) {
      size_t i = FLIP_CELLS * g + (size_t)cell;
      double x[3];
      flip_corner(s, g, cell, x);
      for (int a = 0; a < 3; a++) {
        double along = 0;
        for (int k = 0; k < 3; k++) along += n[k] * (x[k] + (k == a ? 0 : 0.5)) * h;
        s->u[a][i] = (firn_real)(rate * sqrt(2) * t[a] * along);
      }
      s->p[i] = 100 / flip_pascals(s, i);
    }
  firn_real *mu = calloc(FLIP_CELLS * s->grid.count, sizeof *mu);
  assert_non_null(mu);
  flip_yield(s, mu);
  yielding out = {0};
  for (size_t g = 0; g < s->grid.count; g++)
    for (int cell = 0; cell < FLIP_CELLS; cell++) {
      double x[3];
      bool inner = true;
      flip_corner(s, g, cell, x);
      for (int a = 0; a < 3; a++) inner = inner && x[a] > 0 && x[a] < 7;
      if (!inner) continue;
      out.inner++;
      out.plastic += flip_bit(s->plastic, FLIP_CELLS * g + (size_t)cell);
      out.mu = (double)mu[FLIP_CELLS * g + (size_t)cell];
    }
  free(mu);
  flip_case_close(&c);
  return out;
}

// At any cells snow yields beyond |D| = bound dt/(density h_r^2), and then bears its bound, 2 mu
// |D|. As printed the rate goes with 1/h^2. Slopes are differences of velocities of some 0.5 m/s
// over those of some 0.05 m/s: 10 EPS of them.
static void snow_yields_at_the_rate_of_reference(void **state) {
  (void)state;
  static const double h[3] = {0.02, 0.031, 0.05}, dt[3] = {5e-3, 5e-3, 2e-3};
  const double h_r = 0.02, bound = sqrt(2) * 0.5 * 100 + 15, tiny = 100 * EPS;
  for (int k = 0; k < 3; k++) {
    for (int printed = 0; printed < 2; printed++) {
      double length = printed ? h[k] : h_r, rate = bound * dt[k] / (200 * length * length);
      for (int beyond = 0; beyond < 2; beyond++) {
        double D = rate * (beyond ? 1 + tiny : 1 - tiny);
        yielding y = shear_at(h[k], dt[k], D, printed ? 0 : h_r);
        assert_int_equal(y.inner, 6 * 6 * 6);
        assert_int_equal(y.plastic, beyond ? y.inner : 0);
        if (beyond) assert_relative("viscosity", y.mu, bound / (2 * D), 100 * EPS);
      }
    }
  }
}

// Water in a box of 4 x N x 4 cells that repeats itself, 1.6 m along y, with a wave of velocities
// along x. Particles are off their lattice by up to a tenth of a cell.
static void add_wave(const flip_case *c, int N, double *x, double *v) {
  firn_particles_def def = firn_default_particles_def();
  size_t next = 0;
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 2 * N; j++)
      for (int k = 0; k < 8; k++) {
        const int at[3] = {i, j, k};
        for (size_t a = 0; a < 3; a++, next++) {
          x[next] = (at[a] / 2.0 + 0.25 + flip_random(7, next, -0.1, 0.1)) * c->h;
          v[next] = 0;
        }
        v[next - 3] = 0.1 * sin(2 * PI / 1.6 * x[next - 2]);
      }
  def.count = next / 3;
  def.position = x;
  def.velocity = v;
  must(c, firn_sim_add_particles(c->sim, &def));
}

static double amplitude(const flip_case *c) {
  double *x = flip_case_read(c, "position", 3), *v = flip_case_read(c, "velocity", 3), sum = 0;
  for (size_t i = 0; i < flip_case_count(c); i++)
    sum += v[3 * i] * sin(2 * PI / 1.6 * x[3 * i + 1]);
  sum *= 2.0 / (double)flip_case_count(c);
  free(x), free(v);
  return sum;
}

// m^2/s: nu of the decay exp(-nu k^2 t) of such a wave, in cells of 1.6 m / N.
static double viscosity_of_transfer(int N, double reference_h) {
  enum { STEPS = 20, MOST = 40 };
  flip_plan plan = flip_default_plan();
  const int n[3] = {4, N, 4};
  double *x = malloc(3 * 8 * 2 * MOST * 8 * sizeof *x),
         *v = malloc(3 * 8 * 2 * MOST * 8 * sizeof *v);
  double k = 2 * PI / 1.6;
  assert_non_null(x);
  assert_non_null(v);
  plan.h = 1.6 / N;
  plan.flip.flip = 0.9;
  plan.flip.reference_h = reference_h;
  for (int a = 0; a < 3; a++) {
    plan.periodic[a] = true;
    plan.period[a] = n[a];
  }
  flip_case c = flip_case_open(&plan);
  add_wave(&c, N, x, v);
  double before = amplitude(&c);
  assert_relative("at first", before, 0.1, 0.05);
  flip_case_steps(&c, STEPS);
  double nu = -log(amplitude(&c) / before) / (k * k * STEPS * plan.flip.dt);
  free(x), free(v);
  flip_case_close(&c);
  return nu;
}

// Of a wave a step takes the share (1 - flip) (1 - G), G being what is left of it on the grid: 1 -
// G is c (k h)^2 but for (k h)^2/4 of that, which is 2.5 % with 20 cells and 0.6 % with 40. As
// printed nu goes with h^2.
static void the_blend_keeps_its_viscosity(void **state) {
  (void)state;
  double coarse = viscosity_of_transfer(20, 0.08), fine = viscosity_of_transfer(40, 0.08),
         printed = viscosity_of_transfer(40, 0);
  flip_report("nu %g %g, printed %g m^2/s\n", coarse, fine, printed);
  assert_relative("as printed", viscosity_of_transfer(20, 0), coarse, 1e-12);
  assert_relative("nu of finer cells", fine, coarse, 0.03);
  assert_within("as printed", printed / coarse, 0.25, 0.03 * 0.25);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_yields_at_the_rate_of_reference),
      cmocka_unit_test(the_blend_keeps_its_viscosity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
