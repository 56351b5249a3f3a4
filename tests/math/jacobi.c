// SPDX-License-Identifier: Apache-2.0
// Jacobi's rotations on symmetric matrices of several sizes.
#include "math/sample.h"

#include "base/order.h"
#include "math/jacobi.h"

enum { MOST = 9, CASES = 300 };

// Rotations of random pairs of axes by random angles: any frame of det +1 may come out.
static void draw_frame(sample *s, int n, double *q) {
  for (int i = 0; i < n * n; i++) q[i] = i % (n + 1) == 0;
  for (int k = 0; k < 4 * n * n; k++) {
    int a = (int)sample_uniform(s, 0, n), b = (int)sample_uniform(s, 0, n);
    if (a == b) continue;
    double angle = sample_uniform(s, 0, 6.3), c = cos(angle), t = sin(angle);
    for (int r = 0; r < n; r++) {
      double x = q[n * r + a], y = q[n * r + b];
      q[n * r + a] = c * x - t * y;
      q[n * r + b] = t * x + c * y;
    }
  }
}

// A = q diag(l) q^T.
static void compose(int n, const double *q, const double *l, double *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += q[n * i + k] * l[k] * q[n * j + k];
      a[n * i + j] = sum;
    }
}

// By Gauss with row pivots; a is destroyed.
static double determinant(int n, double *a) {
  double det = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++)
      if (fabs(a[n * i + k]) > fabs(a[n * best + k])) best = i;
    for (int j = 0; j < n && best != k; j++) {
      double x = a[n * k + j];
      a[n * k + j] = a[n * best + j];
      a[n * best + j] = x;
    }
    det *= best == k ? a[n * k + k] : -a[n * k + k];
    for (int i = k + 1; i < n; i++)
      for (int j = n - 1; j >= k; j--) a[n * i + j] -= a[n * i + k] / a[n * k + k] * a[n * k + j];
  }
  return det;
}

// Spectra with gaps from 1 down to nothing, of either sign and any scale. The frame is made of up to
// 4 n^2 = 324 rotations and the solver makes as many again, each off by an epsilon at random: 1e-13 of
// the norm leaves a factor of ten.
static void finds_the_spectrum_and_a_right_handed_frame(void **state) {
  (void)state;
  sample s = {17, 0};
  double values = 0, back = 0, frame = 0, handed = 0;
  for (int i = 0; i < CASES; i++) {
    int n = 1 + i % MOST;
    double q[MOST * MOST], a[MOST * MOST], v[MOST * MOST], again[MOST * MOST], l[MOST], got[MOST];
    double size = sample_decades(&s, -12, 12), most = 0;
    for (int k = 0; k < n; k++) {
      double gap = k % 3 == 1 ? 0 : sample_decades(&s, -14, 0);
      l[k] = size * (k && i % 2 ? l[k - 1] / size + gap : sample_uniform(&s, -1, 1));
      most = fmax(most, fabs(l[k]));
    }
    draw_frame(&s, n, q);
    compose(n, q, l, a);
    memcpy(again, a, sizeof again);
    for (int r = 0; r < n; r++)
      for (int c = 0; c < r; c++) a[n * r + c] = NAN; // the lower triangle is not read
    firn_jacobi(n, a, v);
    for (int k = 0; k < n; k++) got[k] = a[(n + 1) * k];
    compose(n, v, got, a);
    for (int k = 0; k < n * n; k++) worst(&back, (a[k] - again[k]) / most);
    for (int k = 0; k < n; k++) q[k] = 1;
    compose(n, v, q, a);
    for (int k = 0; k < n * n; k++) worst(&frame, a[k] - (k % (n + 1) == 0));
    worst(&handed, determinant(n, v) - 1);
    qsort(got, (size_t)n, sizeof *got, firn_order_doubles);
    qsort(l, (size_t)n, sizeof *l, firn_order_doubles);
    for (int k = 0; k < n; k++) worst(&values, (got[k] - l[k]) / most);
  }
  assert_below(values, 1e-13);
  assert_below(back, 1e-13);
  assert_below(frame, 1e-13);
  assert_below(handed, 1e-13);
}

// [[2, 1], [1, 2]] has 1 and 3, along the diagonals; without room for vectors the values are the same.
static void two_by_two_is_as_by_hand(void **state) {
  (void)state;
  double a[4] = {2, 1, 1, 2}, alone[4] = {2, 1, 1, 2}, v[4];
  firn_jacobi(2, a, v);
  firn_jacobi(2, alone, NULL);
  assert_below(fabs(a[0] - 1) + fabs(a[3] - 3), 1e-15);
  assert_true(a[1] == 0 && a[2] == 0);
  for (int k = 0; k < 4; k++) assert_below(fabs(v[k]) - sqrt(0.5), 1e-15);
  assert_true(v[0] * v[2] < 0 && v[1] * v[3] > 0);
  assert_memory_equal(a, alone, sizeof a);
}

static void nothing_and_diagonals_stay_as_they_are(void **state) {
  (void)state;
  double zero[9] = {0}, diagonal[9] = {3, 0, 0, 0, -1, 0, 0, 0, 3}, v[9];
  const double want[9] = {3, 0, 0, 0, -1, 0, 0, 0, 3}, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  firn_jacobi(3, zero, v);
  assert_memory_equal(v, one, sizeof one);
  firn_jacobi(3, diagonal, v);
  assert_memory_equal(v, one, sizeof one);
  assert_memory_equal(diagonal, want, sizeof want);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_the_spectrum_and_a_right_handed_frame),
      cmocka_unit_test(two_by_two_is_as_by_hand),
      cmocka_unit_test(nothing_and_diagonals_stay_as_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
