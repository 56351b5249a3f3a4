// labels: M6 M7
// SPDX-License-Identifier: Apache-2.0
// Snow that nothing touches: free fall follows the discrete parabola, uniform motion stays uniform
// wherever the grid is, and a kilometre from the origin everything is as it is at the origin. Lone
// particles among it leave the grid and do the same.
#include "support/mpm_case.h"

static const double H = 0.02;

static void add_ball(const mpm_case *c, double radius) {
  firn_fill_def fill = firn_default_fill_def();
  const double middle[3] = {0.3 * c->h, -0.4 * c->h, 0.1 * c->h};
  fill.shape = firn_sphere(middle, radius);
  fill.seeding = FIRN_SEEDING_JITTERED;
  must(c, firn_sim_fill(c->sim, &fill));
}

// Eight particles far from the ball and from each other.
enum { LONE = 8 };
static void add_lone(const mpm_case *c) {
  double x[3 * LONE];
  for (int i = 0; i < LONE; i++) {
    for (int a = 0; a < 3; a++) {
      double side = (i >> a & 1 ? 15.3 : -14.4) + 0.37 * i;
      x[3 * i + a] = side * c->h;
    }
  }
  mpm_case_add(c, LONE, x, 8);
}

static void set_all(const mpm_case *c, const double velocity[3]) {
  double *v = mpm_case_new(c, 3);
  for (size_t i = 0; i < mpm_case_count(c); i++) memcpy(v + 3 * i, velocity, 3 * sizeof *v);
  mpm_case_write(c, "velocity", v);
  free(v);
}

typedef struct flight {
  double velocity; // m/s, worst difference
  double position; // cells
  double strain;
} flight;

// How far velocities and positions are off v and x0 + shift.
static flight compare(const mpm_case *c, const double *x0, const double v[3],
                      const double shift[3]) {
  double *x = mpm_case_read(c, "position"), *u = mpm_case_read(c, "velocity"),
         *e = mpm_case_read(c, "strain");
  flight f = {0};
  for (size_t i = 0; i < mpm_case_count(c); i++) {
    for (size_t a = 0; a < 3; a++) {
      worst(&f.velocity, u[3 * i + a] - v[a]);
      worst(&f.position, (x[3 * i + a] - x0[3 * i + a] - shift[a]) / c->h);
    }
    for (size_t k = 0; k < 6; k++) worst(&f.strain, e[6 * i + k]);
  }
  free(x);
  free(u);
  free(e);
  return f;
}

// ------------------------------------------------------------------------------------------ M6

typedef struct fall {
  const char *name;
  double alpha;
  firn_integrator integrator;
} fall;

// v = v0 + N dt g and x = x0 + N dt v0 + dt^2 g N (N + 1)/2, for any blend, explicit or not.
//
// Float: with v on its own lattice of eps v/2 or eps v, adding the same dt g in each step is rounded
// the same way each time: up to eps/2 |v| a step, N steps, |v| <= 5 m/s. The gradient that rounding
// seems to be makes strain, 2 eps |v| dt/h a step, so stress, but only within the snow and small.
// Positions gather what velocity has lost, dt/h N times half of it, and 2 eps of their own a step.
static void free_fall_follows_the_discrete_parabola(void **state) {
  (void)state;
  static const fall falls[] = {
      {"FLIP, explicit", 1, FIRN_INTEGRATOR_EXPLICIT},
      {"PIC, explicit", 0, FIRN_INTEGRATOR_EXPLICIT},
      {"blend, implicit", 0.95, FIRN_INTEGRATOR_IMPLICIT},
  };
  enum { STEPS = 40 };
  const double dt = 5e-4, v0[3] = {3, 2, -4}, g[3] = {1, -9.81, 0.5};
  for_each_variant(v) {
    for (size_t k = 0; k < sizeof falls / sizeof *falls; k++) {
      if (is_apic(v) && k == 1) continue; // APIC knows no blend
      firn_sim_def def = mpm_printed_def(v, H);
      firn_material_def material = firn_default_material_def();
      memcpy(def.gravity, g, sizeof g);
      def.mpm.flip = falls[k].alpha;
      def.mpm.integrator = falls[k].integrator;
      def.mpm.tolerance = 1e-6;
      def.mpm.dt = dt;
      def.mpm.flight = true;
      mpm_case c = mpm_case_open(v, &def, &material);
      add_ball(&c, 2.5 * H);
      add_lone(&c);
      double *x0 = mpm_case_read(&c, "position"), want_v[3], way[3], n = STEPS;
      set_all(&c, v0);
      mpm_case_steps(&c, STEPS);
      assert_int_equal(mpm_case_stat(&c, "flying"), LONE);
      for (int a = 0; a < 3; a++) {
        want_v[a] = v0[a] + n * dt * g[a];
        way[a] = n * dt * v0[a] + dt * dt * g[a] * n * (n + 1) / 2;
      }
      flight f = compare(&c, x0, want_v, way);
      double of_v = 5 * n * EPS / 2, of_x = n * dt / H * of_v / 2 + 2 * n * EPS;
      mpm_report(v, "%-16s v %.2g of %.2g m/s, x %.2g of %.2g cells, strain %.2g", falls[k].name,
                 f.velocity, of_v, f.position, of_x, f.strain);
      assert_below(v, "velocity", f.velocity, of_v);
      assert_below(v, "position, cells", f.position, of_x);
      free(x0);
      mpm_case_close(&c);
    }
  }
}

// ------------------------------------------------------------------------------------------ M7

// A thousand steps through some 300 cells and 75 blocks along each axis.
//
// Each step interpolates velocity anew (APIC) or adds a difference (FLIP). The rounding of 64 terms
// is random but for a bias that the order of a sum may have: eps/4 of |v| a step, 12 m/s, are
// allowed. (Weights whose sum is off one by their constants' rounding would have 1.06 eps.) Positions
// gather half of that, and 2 eps of a cell a step of their own. The gradient that particles see is
// sum |grad w| = 2/h times eps |v|, dt times that in strain, on both sides of b, at random:
// 2 x 2 x 12 dt/h sqrt(1000) = 38 eps; four times that is allowed. In double the case asks 1e-12.
static void uniform_motion_stays_uniform(void **state) {
  (void)state;
  enum { STEPS = 1000 };
  const double dt = 5e-4, v0[3] = {11, -7, 12};
  for_each_variant(v) {
    firn_sim_def def = mpm_elastic_def(v, H);
    firn_material_def material = mpm_elastic_material();
    def.mpm.dt = dt;
    def.mpm.flight = true;
    mpm_case c = mpm_case_open(v, &def, &material);
    mpm_case_jittered(&c, (const int[]){-1, -1, -1}, (const int[]){1, 1, 1}, 2, 0.5, 5);
    add_lone(&c);
    double *x0 = mpm_case_read(&c, "position"), way[3], n = STEPS;
    set_all(&c, v0);
    mpm_case_steps(&c, STEPS);
    assert_int_equal(mpm_case_stat(&c, "flying"), LONE);
    for (int a = 0; a < 3; a++) way[a] = n * dt * v0[a];
    flight f = compare(&c, x0, v0, way);
    mpm_report(v, "v %.2g eps m/s, x %.2g eps cells, strain %.2g eps", f.velocity / EPS,
               f.position / EPS, f.strain / EPS);
    double of_v = 12 * n * EPS / 4, of_x = n * dt / H * of_v / 2 + 2 * n * EPS;
    assert_below(v, "velocity", f.velocity, of_v);
    assert_below(v, "position, cells", f.position, of_x);
    assert_below(v, "strain", f.strain, 150 * EPS);
    free(x0);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_fall_follows_the_discrete_parabola),
      cmocka_unit_test(uniform_motion_stays_uniform),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
