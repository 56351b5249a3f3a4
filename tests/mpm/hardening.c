// SPDX-License-Identifier: Apache-2.0
// labels: M35 slow
// Packed snow is stiffer: waves in a bar of J_P = 0.9 run e^{xi (1 - J_P)/2} = e^{1/2} times as fast
// as in one of J_P = 1.
#include "support/mpm_case.h"

static const double PI = 3.14159265358979323846;
static const double H = 0.01; // m
enum { WAVE = 32, STEPS = 100 };

static void standing_wave(void *user, const double x[3], double v[3]) {
  const double *amplitude = user;
  v[0] = *amplitude * sin(2 * PI * x[0] / (WAVE * H));
}

// Frequency of the fundamental, rad/s, by explicit steps of 0.4 h/c. The two bars take the same
// steps in their own time, so that what the scheme does to a wave is the same for both.
static double frequency(const mpm_variant *v, double jp) {
  double speed = sqrt(M_WAVE * exp(XI * (1 - jp)) / DENSITY);
  firn_sim_def def = mpm_elastic_def(v, H);
  const int cells[3] = {WAVE, 4, 4}, lo[3] = {0, 0, 0};
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = true;
    def.period_cells[a] = cells[a];
  }
  def.mpm.dt = 0.4 * H / speed;
  firn_material_def snow = firn_default_material_def();
  assert_true(snow.hardening == XI);
  mpm_case c = mpm_case_open(v, &def, &snow);
  mpm_case_lattice(&c, lo, cells, 1);
  double *packed = mpm_case_new(&c, 1), one = 1, amplitude = 1e-4 * speed; // far from yielding
  for (size_t i = 0; i < mpm_case_count(&c); i++) packed[i] = jp;
  mpm_case_write(&c, "jp", packed);
  free(packed);
  mpm_case_set_velocity(&c, standing_wave, &amplitude);
  double *at = mpm_case_read(&c, "position"), t[STEPS], y[STEPS];
  for (int i = 0; i < STEPS; i++) {
    mpm_case_steps(&c, 1);
    double *u = mpm_case_read(&c, "velocity");
    t[i] = firn_sim_time(c.sim);
    y[i] = mpm_case_amplitude(&c, u, at, standing_wave, &one);
    free(u);
  }
  free(at);
  packed = mpm_case_read(&c, "jp");
  for (size_t i = 0; i < mpm_case_count(&c); i++) {
    assert_within(v, "J_P", packed[i], jp, EPS); // through log and exp; nothing has yielded
  }
  free(packed);
  mpm_sine fit = mpm_fit_sine(STEPS, t, y, 2 * PI * speed / (WAVE * H));
  mpm_case_close(&c);
  return fit.omega;
}

static void packed_bar_is_faster_by_the_hardening(void **state) {
  (void)state;
  for_each_variant(v) {
    double loose = frequency(v, 1), packed = frequency(v, 0.9);
    mpm_report(v, "%.4f and %.4f rad/s, ratio %.6f of %.6f", packed, loose, packed / loose,
               exp(0.5));
    assert_relative(v, "ratio of the wave speeds", packed / loose, exp(0.5), 5e-3);
    // And each is right by itself, less the dispersion of the scheme, (kh)^2/3 at most.
    double exact = 2 * PI * sqrt(M_WAVE / DENSITY) / (WAVE * H);
    assert_relative(v, "frequency, rad/s", loose, exact, 0.02);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packed_bar_is_faster_by_the_hardening),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
