// SPDX-License-Identifier: Apache-2.0
// labels: P1
// The kernel of smoothed particles: a partition of the whole, smooth, and its slope is its derivative.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/sph_kernel.h"

static const double PI = 3.14159265358979323846;

// Simpson over both pieces, each a polynomial of degree 5 with r^2: exact but for (1/N)^4.
static void it_integrates_to_one(void **state) {
  (void)state;
  enum { N = 400 };
  double sum = 0;
  for (int k = 0; k <= 2 * N; k++) {
    double r = 2.0 * k / (2 * N), w = k == 0 || k == 2 * N ? 1 : k % 2 ? 4 : 2;
    sum += w * 4 * PI * r * r * (double)firn_sph_kernel((firn_real)r) * (1.0 / N) / 3;
  }
  assert_true(fabs(sum - 1) < (sizeof(firn_real) == 4 ? 1e-6 : 1e-9));
}

// Central differences of a cubic: exact but for h^2 times its third derivative, 4.5/pi, over 6, and for
// rounding over h.
static void slope_is_the_derivative(void **state) {
  (void)state;
  double h = sizeof(firn_real) == 4 ? 3e-3 : 1e-5, most = 0;
  for (int k = 1; k < 200; k++) {
    double r = 0.01 * k;
    if (fabs(r - 1) < 2 * h || r > 2 - 2 * h) continue;
    double d = ((double)firn_sph_kernel((firn_real)(r + h)) -
                (double)firn_sph_kernel((firn_real)(r - h))) /
               (2 * h);
    most = fmax(most, fabs(d - r * (double)firn_sph_slope((firn_real)r)));
  }
  assert_true(most < (sizeof(firn_real) == 4 ? 5e-5 : 1e-9));
}

static void it_is_smooth_where_its_pieces_meet(void **state) {
  (void)state;
  double eps = (double)FIRN_REAL_EPS;
  firn_real below = (firn_real)(1 - 4 * eps);
  assert_true(fabs((double)(firn_sph_kernel(below) - firn_sph_kernel(1))) < 10 * eps);
  assert_true(fabs((double)(firn_sph_slope(below) - firn_sph_slope(1))) < 10 * eps);
  assert_true(firn_sph_kernel(2) == 0 && firn_sph_slope(2) == 0);
  assert_true(firn_sph_kernel(3) == 0 && firn_sph_slope(3) == 0);
  assert_true(fabs((double)firn_sph_kernel(0) - 1 / PI) < eps);
  assert_true(isfinite(firn_sph_slope(0)) && firn_sph_slope(0) < 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_integrates_to_one),
      cmocka_unit_test(slope_is_the_derivative),
      cmocka_unit_test(it_is_smooth_where_its_pieces_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
