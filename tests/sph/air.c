// SPDX-License-Identifier: Apache-2.0
// labels: P17
// Wind and snow that falls through it: single flakes, flakes that shield each other, a block.
#include "support/sph_case.h"

static const firn_air AIR = {FIRN_AIR_DENSITY, FIRN_AIR_VISCOSITY};
static const double STILL[3] = {0, 0, 0};

static sph_case open_air(const sph_plan *plan, const double velocity[3]) {
  sph_case c = sph_case_open(plan);
  firn_wind_def wind = firn_default_wind_def();
  memcpy(wind.velocity, velocity, sizeof wind.velocity);
  must(&c, firn_sim_set_wind(c.sim, &wind));
  return c;
}

// A flake of 5 mm and 40 kg/m^3 falls at 2.5214 m/s and drifts with the wind, by height u / v_t, at steps
// of any length.
static void flake_falls_at_its_terminal_velocity_and_drifts(void **state) {
  (void)state;
  const double fall = 2.5214, u = 1.5;
  for (int k = 0; k < 2; k++) {
    sph_plan plan = sph_default_plan();
    plan.spacing = 5e-3;
    plan.material.density = 40;
    plan.gravity[1] = -9.81;
    plan.sph.dt = k ? 0.05 : 0;
    sph_case c = open_air(&plan, (const double[3]){u, 0, 0});
    sph_case_add(&c, 1, (const double[3]){0.003, 12, 0.004});
    sph_case_advance(&c, 3); // by then it is as quick as it gets
    double *x = sph_case_read(&c, "position", 3), *v = sph_case_read(&c, "velocity", 3);
    assert_relative("speed", -v[1], fall, 1e-3);
    assert_relative("drift", v[0], u, 1e-3);
    sph_case_advance(&c, 1);
    double *y = sph_case_read(&c, "position", 3);
    assert_relative("shift", (y[0] - x[0]) / (x[1] - y[1]), u / fall, 1e-3);
    free(x), free(v), free(y);
    sph_case_close(&c);
  }
}

// What a step of wind gives to particles at rest, [count][3] m/s.
static double *blow(sph_case *c, size_t count, const double *x, double dt) {
  sph_case_add(c, count, x);
  must(c, firn_sim_step(c->sim, dt, NULL));
  return sph_case_read(c, "velocity", 3);
}

static double expected(double d, double crowd, double exposure, const double wind[3], double dt) {
  double a[3];
  firn_wind_acceleration(&AIR, d, 400, crowd, exposure, STILL, wind, dt, a);
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * dt;
}

// Two flakes at 1.9 spacings: the one in front feels all of the wind, the other what 1 - cos leaves.
static void flakes_shield_each_other(void **state) {
  (void)state;
  const double dt = 1e-4, wind[3] = {3, -2, 6}, speed = 7;
  const double cosines[] = {1, 0.8, 0.3, 0};
  for (int k = 0; k < 4; k++) {
    for (int across = 0; across < 2;
         across++) { // the second time with the border of a block between
      sph_plan plan = sph_default_plan();
      sph_case c = open_air(&plan, wind);
      double d = c.d, cosine = cosines[k], sine = sqrt(1 - cosine * cosine), x[6];
      const double side[3] = {2 / sqrt(5), 0, -1 / sqrt(5)}; // not quite across: made so
      double dot = 0, n[3], norm = 0;
      for (int a = 0; a < 3; a++) dot += side[a] * wind[a] / speed;
      for (int a = 0; a < 3; a++) {
        n[a] = side[a] - dot * wind[a] / speed;
        norm += n[a] * n[a];
      }
      for (int a = 0; a < 3; a++) {
        double along = cosine * wind[a] / speed + sine * n[a] / sqrt(norm);
        x[a] = across ? 0 : 0.04;
        x[3 + a] = x[a] + 1.9 * d * along;
      }
      double *v = blow(&c, 2, x, dt);
      for (int i = 0; i < 2; i++) {
        double got = sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] +
                          v[3 * i + 2] * v[3 * i + 2]);
        double want = expected(d, 1 / 25.3, i ? 1 - cosine : 1, wind, dt);
        assert_within(i ? "behind" : "in front", got, want, 1e-5 * expected(d, 0, 1, wind, dt));
      }
      free(v);
      sph_case_close(&c);
    }
  }
}

// A lattice in a wind along it: those in front feel it, as one of the 17 neighbours that they have, or 11
// at an edge and 7 at a corner; all others stand right behind somebody.
static void wind_reaches_the_front_of_a_block_only(void **state) {
  (void)state;
  enum { N = 7 };
  const double dt = 1e-5, wind[3] = {0, 0, -20};
  sph_plan plan = sph_default_plan();
  plan.threads = 2;
  // No stiffness, so that what air does to a particle is all that moves it.
  plan.material.young = 1e-3;
  sph_case c = open_air(&plan, wind);
  const double apart = 1.001; // spacings: those at two are out of reach
  double x[3 * N * N * N];
  for (int i = 0; i < N * N * N; i++) {
    const int at[3] = {i / N / N, i / N % N, i % N};
    for (int a = 0; a < 3; a++) x[3 * i + a] = 0.013 + apart * c.d * at[a];
  }
  double *v = blow(&c, N * N * N, x, dt), rest = expected(c.d, 0, 1, wind, dt);
  static const int near[] = {17, 11, 7};
  for (int i = 0; i < N * N * N; i++) {
    const int at[3] = {i / N / N, i / N % N, i % N};
    int border = 0;
    for (int a = 0; a < 2; a++) border += at[a] == 0 || at[a] == N - 1;
    double want = at[2] == N - 1 ? expected(c.d, near[border] / 25.3, 1, wind, dt) : 0;
    assert_within("blown", -v[3 * i + 2], want, 1e-3 * rest);
  }
  free(v);
  sph_case_close(&c);
}

// What wind gives is entered in the ledger: nothing else moves a flake, and it loses nothing.
static void the_ledger_knows_of_wind(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  sph_case c = open_air(&plan, (const double[3]){5, 0, 0});
  sph_case_add(&c, 1, (const double[3]){0, 0, 0});
  sph_case_advance(&c, 0.5);
  firn_sums sums;
  must(&c, firn_sim_sums(c.sim, &sums));
  assert_true(sums.energy_kinetic > 0.01 * 0.5 * sums.mass * 25);
  assert_below("lost", sums.energy_lost, 1e-5 * sums.energy_kinetic);
  sph_case_close(&c);
}

// Dust in a storm: it is as quick as the air at once, steps are what speeds ask for, and nothing fails.
static void storms_do_not_shorten_steps_for_long(void **state) {
  (void)state;
  sph_plan plan = sph_default_plan();
  plan.spacing = 1e-3;
  plan.material.density = 1;
  sph_case c = open_air(&plan, (const double[3]){100, 0, 0});
  sph_case_add(&c, 1, (const double[3]){0, 0, 0});
  sph_case_advance(&c, 0.05);
  firn_step step;
  must(&c, firn_sim_step(c.sim, 0, &step));
  double *v = sph_case_read(&c, "velocity", 3);
  assert_relative("speed", v[0], 100, 0.05);
  assert_relative("step", step.dt, 0.4 * c.d / v[0], 0.01);
  free(v);
  sph_case_close(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flake_falls_at_its_terminal_velocity_and_drifts),
      cmocka_unit_test(flakes_shield_each_other),
      cmocka_unit_test(wind_reaches_the_front_of_a_block_only),
      cmocka_unit_test(the_ledger_knows_of_wind),
      cmocka_unit_test(storms_do_not_shorten_steps_for_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
