// labels: M14 M15 M16 M17 slow
// SPDX-License-Identifier: Apache-2.0
// Standing waves in a periodic bar: speed, dispersion, and its order.
#include "mpm/standing_wave.h"

// Relative shift of the frequency over -(k h)^2, for two particles a cell, at a quarter and three
// quarters of it. FLIP smooths by the spline from particle to node and back, sum w r^2 = D each, and
// takes gradients with sum grad w r^3 = T: D/2 + T/6. Cubic: D = 1/3, T = 1; quadratic: D = 1/4,
// T = 3/4 on average over a cell and 13/16 at its quarters. APIC does not smooth (to this order);
// its gradient is sum w r v/D, which makes it C_4/(6 D) - C_3^2/(8 D^2).
static double dispersion(const mpm_variant *v) {
  double d = basis_d(v);
  if (is_apic(v)) return wave_c4(v) / (6 * d) - wave_c3(v) * wave_c3(v) / (8 * d * d);
  return d / 2 + (is_cubic(v) ? 1.0 : 13.0 / 16) / 6;
}

// And that of the time step: 2 sin(omega dt/2) = omega_0 dt.
static double expected_shift(const mpm_variant *v, const wave *w) {
  double kh = wave_kh(w), phase = wave_phase(w);
  return -dispersion(v) * kh * kh + phase * phase / 24;
}

// A quarter of a period tells the frequency to 3e-3 of its shift.
static const double SHORT = 0.25;
static const double SMALL = 1e-4;

// M14 asks 2 %; terms of order (k h)^4 are 0.3 % at 64 cells. M15: order 2, at least 1.9.
static void pressure_waves_have_the_dispersion_of_the_scheme(void **state) {
  (void)state;
  for_each_variant(v) {
    double last = 0, order = 10;
    for (int n = 16; n <= (v->isa == FIRN_ISA_SCALAR ? 64 : 128); n *= 2) {
      wave w = wave_of(n, 0, SMALL, SHORT, 1);
      mpm_sine fit = wave_run(v, &w);
      double shift = fit.omega - 1, expected = expected_shift(v, &w);
      mpm_report(v, "%3d cells: shift %.5e, expected %.5e, ratio %.4f", n, shift, expected,
                 shift / expected);
      if (n == 64) assert_relative(v, "shift of the frequency", shift, expected, 0.01);
      // In float the fit is good to 3e-6, 1 % of so small a shift.
      if (n == 128) assert_relative(v, "shift of the frequency", shift, expected, 0.02);
      if (last != 0) order = fmin(order, log2(last / shift));
      last = shift;
    }
    mpm_report(v, "order %.3f", order);
    assert_true(order >= 1.9);
  }
}

// Uniaxial stress is linear in strain, M (s - 1), so a tenth of strain oscillates as little does.
// Particles are then displaced by up to a cell; what that does to the dispersion above, of order
// strain^2 (k h)^2, is below the 1e-4 that the case asks, at 64 cells; at 32 four times as much.
static void large_pressure_waves_have_the_same_frequency(void **state) {
  (void)state;
  for_each_variant(v) {
    int n = v->isa == FIRN_ISA_SCALAR ? 32 : 64;
    wave little = wave_of(n, 0, SMALL, SHORT, 1), large = wave_of(n, 0, 0.1, 1, 1);
    double difference = wave_run(v, &large).omega - wave_run(v, &little).omega;
    mpm_report(v, "strain 0.1, %d cells: frequency differs by %.2e", n, difference);
    assert_below(v, "change of frequency", difference, 1e-4 * (64.0 / n) * (64.0 / n));
  }
}

// Shear: the same dispersion. M17 asks 1 % of the speed; the shift of 32 cells, 0.4 to 1.3 % of it,
// is met to 2 % (terms of (k h)^4 are 1 % of it).
static void shear_waves_travel_with_their_speed(void **state) {
  (void)state;
  assert_true(fabs(sqrt(MU / DENSITY) - 12.08) < 0.005);
  for_each_variant(v) {
    wave w = wave_of(32, 1 + (v->isa == FIRN_ISA_AVX2), SMALL, SHORT, 1);
    double shift = wave_run(v, &w).omega - 1, expected = expected_shift(v, &w);
    mpm_report(v, "shear: shift %.5e, expected %.5e, ratio %.4f", shift, expected,
               shift / expected);
    assert_relative(v, "shift of the frequency", shift, expected, 0.02);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pressure_waves_have_the_dispersion_of_the_scheme),
      cmocka_unit_test(large_pressure_waves_have_the_same_frequency),
      cmocka_unit_test(shear_waves_travel_with_their_speed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
