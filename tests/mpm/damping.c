// SPDX-License-Identifier: Apache-2.0
// labels: M22 M23 M24b slow
// timeout: 120
// The semi-implicit step as a time integrator: its damping and phase are those of the scalar theory,
// it tends to the explicit step, and it never makes energy.
//
// For an oscillator of frequency omega, with s = (omega dt)^2 and a = 1/(1 + beta s), each step
// shrinks the amplitude by sqrt a and turns the phase by phi, cos phi = (1 + a - s a)/(2 sqrt a):
// damped for every beta > 0, also for beta = 1/2, because positions move with the new velocity.
#include "base/isa.h"
#include "support/mpm_case.h"

static const double PI = 3.14159265358979323846;
static const double H = 0.01; // m

// --------------------------------------------------------------------------------- M22: a wave

enum { WAVE = 64 }; // cells in a wave length, and steps in a period at c dt/h = 1

static void standing_wave(void *user, const double x[3], double v[3]) {
  const double *amplitude = user;
  v[0] = *amplitude * sin(2 * PI * x[0] / (WAVE * H));
}

// A periodic bar of one particle a cell, enough for a wave that varies along it alone.
static mpm_case open_wave(const mpm_variant *v, double beta, double dt) {
  firn_sim_def def = mpm_elastic_def(v, H);
  const int cells[3] = {WAVE, 4, 4}, lo[3] = {0, 0, 0};
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = true;
    def.period_cells[a] = cells[a];
  }
  def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  def.mpm.beta = beta;
  def.mpm.dt = dt;
  def.mpm.tolerance = by_precision(1e-6, 1e-8);
  firn_material_def elastic = mpm_elastic_material();
  mpm_case c = mpm_case_open(v, &def, &elastic);
  mpm_case_lattice(&c, lo, cells, 1);
  return c;
}

static void implicit_wave_decays_and_lags_as_an_oscillator(void **state) {
  (void)state;
  static const double betas[] = {1, 0.5};
  double speed = sqrt(M_WAVE / DENSITY), dt = H / speed, amplitude = 1e-4 * speed;
  double kh = 2 * PI / WAVE;
  for_each_variant(v) {
    // Dispersion of the scheme (M14): (kh)^2 times D for FLIP, half of it for APIC.
    double dispersion = 1 - kh * kh * basis_d(v) * (is_apic(v) ? 0.5 : 1);
    for (int b = 0; b < 2; b++) {
      double s = pow(kh * dispersion, 2), a = 1 / (1 + betas[b] * s); // omega dt = k h c dt/h
      double turn = acos((1 + a - s * a) / (2 * sqrt(a)));
      mpm_case c = open_wave(v, betas[b], dt);
      mpm_case_set_velocity(&c, standing_wave, &amplitude);
      double *at = mpm_case_read(&c, "position"), t[WAVE + 1], y[WAVE + 1], one = 1;
      for (int i = 0; i <= WAVE; i++) {
        double *u = mpm_case_read(&c, "velocity");
        t[i] = i;
        y[i] = mpm_case_amplitude(&c, u, at, standing_wave, &one);
        free(u);
        if (i < WAVE) mpm_case_steps(&c, 1);
      }
      mpm_sine fit = mpm_fit_sine(WAVE + 1, t, y, turn);
      double left = exp(-fit.gamma * WAVE), expected = pow(a, 0.5 * WAVE);
      mpm_report(v,
                 "beta %.1f: phase %.6f of %.6f a step (%.3f %%), amplitude after a period %.5f "
                 "of %.5f (%.3f %%); residual %.1e",
                 betas[b], fit.omega, turn, 100 * (fit.omega / turn - 1), left, expected,
                 100 * (left / expected - 1), fit.residual);
      assert_relative(v, "phase of a step", fit.omega, turn, 5e-3);
      assert_relative(v, "amplitude after a period", left, expected, 5e-3);
      assert_below(v, "residual of the fit", fit.residual, 1e-3);
      assert_true(expected < 0.9); // it does decay
      free(at);
      mpm_case_close(&c);
    }
  }
}

// ------------------------------------------------------------------- M23, M24b: a free block

// A block of 4 cells that shears, stretches and turns.
static void wobble(void *user, const double x[3], double v[3]) {
  const double *amplitude = user, k = PI / (4 * H);
  v[0] = *amplitude * (cos(k * x[0]) + 0.5 * sin(k * x[1]));
  v[1] = *amplitude * (0.7 * cos(k * x[1]) - 0.3 * cos(k * x[2]));
  v[2] = *amplitude * (0.5 * cos(k * (x[0] + x[2])) - 0.2 * cos(k * x[0]));
}

static mpm_case open_block(const mpm_variant *v, firn_integrator integrator, double dt,
                           double amplitude) {
  firn_sim_def def = mpm_elastic_def(v, H);
  def.mpm.integrator = integrator;
  def.mpm.dt = dt;
  def.mpm.tolerance = by_precision(1e-7, 1e-12);
  def.mpm.max_iterations = 1000;
  firn_material_def elastic = mpm_elastic_material();
  mpm_case c = mpm_case_open(v, &def, &elastic);
  const int lo[3] = {0, 0, 0}, hi[3] = {4, 4, 4};
  mpm_case_lattice(&c, lo, hi, 2);
  mpm_case_set_velocity(&c, wobble, &amplitude);
  return c;
}

static void implicit_step_tends_to_the_explicit_one(void **state) {
  (void)state;
  enum { HALVINGS = 5, STEPS = 8 };
  double speed = sqrt(M_WAVE / DENSITY), longest = 0.2 * H / speed, amplitude = 1e-3 * speed;
  for_each_scheme(v, firn_isa_best()) {
    double difference[HALVINGS + 1];
    for (int i = 0; i <= HALVINGS; i++) {
      double dt = ldexp(longest, -i), *u[2];
      mpm_case c[2] = {open_block(v, FIRN_INTEGRATOR_EXPLICIT, dt, amplitude),
                       open_block(v, FIRN_INTEGRATOR_IMPLICIT, dt, amplitude)};
      for (int k = 0; k < 2; k++) {
        mpm_case_steps(&c[k], STEPS << i);
        u[k] = mpm_case_read(&c[k], "velocity");
      }
      double sum = 0;
      size_t n = 3 * mpm_case_count(&c[0]);
      for (size_t k = 0; k < n; k++) sum += (u[1][k] - u[0][k]) * (u[1][k] - u[0][k]);
      difference[i] = sqrt(sum / (double)n);
      for (int k = 0; k < 2; k++) {
        free(u[k]);
        mpm_case_close(&c[k]);
      }
    }
    double order = log2(difference[HALVINGS - 1] / difference[HALVINGS]);
    mpm_report(v, "differences %.2e %.2e ... %.2e m/s, last order %.3f", difference[0],
               difference[1], difference[HALVINGS], order);
    assert_true(order > 0.9 && order < 1.1);
    // The first is a real difference, not rounding.
    assert_true(difference[0] > 0.02 * amplitude);
  }
}

// Kinetic energy with APIC's affine part, and elastic energy.
static double energy_of(const mpm_case *c) {
  firn_sums sums = mpm_case_sums(c);
  double affine = 0;
  if (is_apic(c->variant)) {
    double *g = mpm_case_read(c, "affine"), *mass = mpm_case_read(c, "mass");
    for (size_t i = 0; i < 9 * mpm_case_count(c); i++) {
      affine += 0.5 * mass[i / 9] * basis_d(c->variant) * H * H * g[i] * g[i];
    }
    free(g);
    free(mass);
  }
  return sums.energy_kinetic + sums.energy_elastic + affine;
}

// The largest gain in one of 100 steps, over the energy at the start.
static double largest_gain(const mpm_variant *v, firn_integrator integrator, double courant) {
  double speed = sqrt(M_WAVE / DENSITY), amplitude = 1e-3 * speed;
  mpm_case c = open_block(v, integrator, courant * H / speed, amplitude);
  double start = energy_of(&c), last = start, gain = -INFINITY;
  for (int i = 0; i < 100; i++) {
    mpm_case_steps(&c, 1);
    double now = energy_of(&c);
    gain = fmax(gain, (now - last) / start);
    last = now;
  }
  mpm_report(v, "%s, c dt/h = %.2f: largest gain in a step %.2e, left after 100 %.3f",
             integrator == FIRN_INTEGRATOR_EXPLICIT ? "explicit" : "beta 1", courant, gain,
             last / start);
  mpm_case_close(&c);
  return gain;
}

static void free_block_never_gains_energy(void **state) {
  (void)state;
  static const double courants[] = {0.25, 1, 4};
  // In float the sums see velocities and strains with errors of eps/2 each, independent of each
  // other: far less than eps of the whole.
  double slack = by_precision(EPS, 1e-10);
  for_each_scheme(v, firn_isa_best()) {
    for (int k = 0; k < 3; k++) {
      double gain = largest_gain(v, FIRN_INTEGRATOR_IMPLICIT, courants[k]);
      if (!(gain <= slack)) {
        fail_msg("%s, c dt/h = %g: energy grows by %.2e in a step", v->name, courants[k], gain);
      }
    }
    // Explicit steps give and take: the measure sees it.
    assert_true(largest_gain(v, FIRN_INTEGRATOR_EXPLICIT, 0.25) > 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(implicit_wave_decays_and_lags_as_an_oscillator),
      cmocka_unit_test(implicit_step_tends_to_the_explicit_one),
      cmocka_unit_test(free_block_never_gains_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
