// SPDX-License-Identifier: Apache-2.0
// Gradient noise: range, smoothness, slope.
#include "geometry/noise.h"

#include "geometry/shape_case.h"

static double noise_at(uint64_t seed, const double x[3]) {
  return firn_noise3(seed, x[0], x[1], x[2], NULL);
}

static void far_and_wide(uint64_t i, double x[3]) {
  const double lo[3] = {-50, -50, -50}, hi[3] = {50, 50, 50};
  case_point(lo, hi, 11, i, x);
}

static void noise_stays_within_one_and_its_slope_within_the_bound(void **state) {
  (void)state;
  double top = 0, steep = 0, sum = 0, square = 0;
  enum { N = 300000 };
  for (uint64_t i = 0; i < N; i++) {
    double x[3], g[3];
    far_and_wide(i, x);
    // The middle of a cell is where the steepest and the highest places may be.
    if (i % 3 == 0) {
      for (int a = 0; a < 3; a++) x[a] = floor(x[a]) + 0.5;
    }
    double v = firn_noise3(5, x[0], x[1], x[2], g);
    top = fmax(top, fabs(v));
    steep = fmax(steep, sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    sum += v;
    square += v * v;
  }
  print_message("at most %.3f, slope at most %.3f of %.3f, mean square %.3f\n", top, steep,
                FIRN_NOISE_SLOPE, square / N);
  assert_true(top <= 1 && top > 0.7);
  assert_true(steep <= FIRN_NOISE_SLOPE && steep > 0.5 * FIRN_NOISE_SLOPE);
  // One feature a cell: about as many independent values as points, so 5 sigma is 5 / sqrt(N) of
  // the standard deviation.
  assert_true(fabs(sum / N) < 5 * sqrt(square / N / N));
  assert_true(square / N > 0.03); // it is not flat
}

static void noise_is_zero_on_whole_numbers(void **state) {
  (void)state;
  for (int i = -5; i < 5; i++) assert_true(firn_noise3(1, i, 2 * i, 7 - i, NULL) == 0);
}

// First and second derivatives: the given gradient against central differences of the value, and
// differences of the gradient across faces of the lattice against those beside them.
static void noise_has_two_continuous_derivatives(void **state) {
  (void)state;
  const double e = 1e-5;
  for (uint64_t i = 0; i < 5000; i++) {
    double x[3], g[3];
    far_and_wide(i, x);
    if (i % 2) x[i % 3] = floor(x[i % 3]); // on a face
    firn_noise3(5, x[0], x[1], x[2], g);
    double before[3], after[3], here[3];
    memcpy(here, g, sizeof g);
    for (int a = 0; a < 3; a++) {
      double y[3] = {x[0], x[1], x[2]};
      y[a] = x[a] + e;
      double up = firn_noise3(5, y[0], y[1], y[2], after);
      y[a] = x[a] - e;
      double down = firn_noise3(5, y[0], y[1], y[2], before);
      // Third derivatives are below 200: e^2 200 / 6, and rounding of 1e-16 / e.
      assert_true(fabs((up - down) / (2 * e) - g[a]) < 1e-8);
      for (int b = 0; b < 3; b++) {
        double right = (after[b] - here[b]) / e, left = (here[b] - before[b]) / e;
        assert_true(fabs(right - left) < 200 * e + 1e-9);
      }
    }
  }
}

static void seeds_are_different_worlds(void **state) {
  (void)state;
  double product = 0, square = 0;
  enum { N = 20000 };
  for (uint64_t i = 0; i < N; i++) {
    double x[3];
    far_and_wide(i, x);
    product += noise_at(1, x) * noise_at(2, x);
    square += noise_at(1, x) * noise_at(1, x);
  }
  assert_true(fabs(product / square) < 5 / sqrt(N));
}

static void octaves_stay_within_one_and_their_slope_within_the_bound(void **state) {
  (void)state;
  for (int octaves = 1; octaves <= 6; octaves++) {
    double bound = firn_noise3_octaves_slope(octaves), steep = 0;
    for (uint64_t i = 0; i < 20000; i++) {
      double x[3], y[3], g[3];
      far_and_wide(i, x);
      double v = firn_noise3_octaves(9, octaves, x[0], x[1], x[2], g);
      assert_true(fabs(v) <= 1);
      double l = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
      steep = fmax(steep, l);
      if (i % 100) continue;
      for (int a = 0; a < 3; a++) y[a] = x[a] + 1e-6 * g[a] / l;
      double rise = firn_noise3_octaves(9, octaves, y[0], y[1], y[2], NULL) - v;
      assert_true(fabs(rise / 1e-6 - l) < 1e-3);
    }
    assert_true(steep <= bound && steep > 0.2 * bound);
  }
  assert_true(firn_noise3_octaves(9, 0, 0.5, 0.5, 0.5, NULL) == 0);
}

static void noise_is_finite_everywhere(void **state) {
  (void)state;
  const double far[] = {1e10, -1e14, 1e15, 1e300, -1e308};
  for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
    double g[3], v = firn_noise3(3, far[i], 0.3, far[i] / 3, g);
    assert_true(fabs(v) <= 1 && isfinite(g[0] + g[1] + g[2]));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_stays_within_one_and_its_slope_within_the_bound),
      cmocka_unit_test(noise_is_zero_on_whole_numbers),
      cmocka_unit_test(noise_has_two_continuous_derivatives),
      cmocka_unit_test(seeds_are_different_worlds),
      cmocka_unit_test(octaves_stay_within_one_and_their_slope_within_the_bound),
      cmocka_unit_test(noise_is_finite_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
