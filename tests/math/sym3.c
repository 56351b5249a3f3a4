// SPDX-License-Identifier: Apache-2.0
// The closed-form split of sym3_lane.h, above all where eigenvalues meet.
#include "math/sample.h"

#include "support/lane_kernels.h"

enum { N = 60000 };

// Spectra m + p (l_0, l_1, l_2): well separated, double within a gap of 1e-1 ... 1e-12 of p (both on
// top and at the bottom), triple within such a gap of |m|, diagonal, planar, zero.
static firn_mat3 draw(sample *s, int i) {
  double size = sample_decades(s, -8, 0), m = sample_uniform(s, -1, 1) * size;
  double gap = i % 7 == 0 ? 0 : sample_decades(s, -12, -1) * size;
  double side = i % 2 ? size : -size, d[3] = {m, m + gap, m + side};
  firn_mat3 q = sample_rotation(s);
  switch (i % 5) {
  case 0: d[1] = m + sample_uniform(s, -1, 1) * size; break;
  case 1: break;
  case 2: d[2] = m + sample_uniform(s, -1, 1) * gap; break;
  case 3: q = firn_mat3_identity(); break;
  default: // rotated in one coordinate plane only
    q = firn_mat3_identity();
    double c = cos(size * 1e3), t = sin(size * 1e3);
    q.m[0] = q.m[4] = c;
    q.m[1] = -t;
    q.m[3] = t;
  }
  return sample_congruence(q, d);
}

// sym3_lane.h promises eigenvalues to 15 u of the deviator's size p plus the rounding of m, and P and
// N/g that give A back: f = identity is the case where no error can hide in f. With f = clamp, a
// function with kinks placed inside the gap, the result must still be right to the eigenvalues' error.
// Entries of A are rounded to working precision before the reference sees them.
static void closed_form_is_accurate_for_every_spectrum(void **state) {
  (void)state;
  firn_real *A = new_reals(6 * N), *l = new_reals(3 * N);
  firn_real *P = new_reals(6 * N), *M = new_reals(6 * N);
  sample s = {31, 0};
  for (size_t i = 0; i < N; i++) soa_set_symmetric(A, N, i, draw(&s, (int)i));
  soa_set_symmetric(A, N, 0, firn_mat3_diag(0, 0, 0));
  soa_set_symmetric(A, N, 1, firn_mat3_diag(0.01, 0.01, 0.01));
  soa_set_symmetric(A, N, 2, firn_mat3_diag(0, 0, -0.05)); // the oedometer
  for_each_isa(isa) {
    firn_lane_kernels_get(isa)->split(N, A, l, P, M);
    double values = 0, identity = 0, clamped = 0;
    for (size_t i = 0; i < N; i++) {
      firn_mat3 a = soa_symmetric(A, N, i), p = soa_symmetric(P, N, i), q, exact, back;
      firn_mat3 n = soa_symmetric(M, N, i);
      double v[3] = {(double)l[i], (double)l[N + i], (double)l[2 * N + i]}, e[3];
      double size = fmax(firn_mat3_norm(a), 1e-30);
      firn_sym3_eigen(a, e, &q);
      // eigenvalues, both sorted
      double sv[3] = {fmin(fmin(v[0], v[1]), v[2]), 0, fmax(fmax(v[0], v[1]), v[2])};
      double se[3] = {fmin(fmin(e[0], e[1]), e[2]), 0, fmax(fmax(e[0], e[1]), e[2])};
      sv[1] = v[0] + v[1] + v[2] - sv[0] - sv[2];
      se[1] = e[0] + e[1] + e[2] - se[0] - se[2];
      for (int c = 0; c < 3; c++) worst(&values, (sv[c] - se[c]) / size);
      // f(A) for f = id and f = clamp to a window that ends inside the spectrum
      for (int kink = 0; kink < 2; kink++) {
        double lo = kink ? (se[0] + se[1]) / 2 : -1e300, hi = kink ? (se[1] + se[2]) / 2 : 1e300;
        double f[3], g[3];
        for (int c = 0; c < 3; c++) {
          f[c] = fmin(fmax(v[c], lo), hi);
          g[c] = fmin(fmax(e[c], lo), hi);
        }
        double mean = (f[1] + f[2]) / 2, half = (f[1] - f[2]) / 2;
        back = firn_mat3_axpy(f[0] - mean, p, firn_mat3_diag(mean, mean, mean));
        back = firn_mat3_axpy(half, n, back);
        exact = sample_congruence(q, g);
        worst(kink ? &clamped : &identity, firn_mat3_norm(firn_mat3_sub(back, exact)) / size);
      }
    }
    double u = FIRN_REAL_EPS / 2;
    assert_below(values, 15 * u);
    assert_below(identity, 25 * u); // measured 17 u
    assert_below(clamped, 30 * u);
  }
  free(A), free(l), free(P), free(M);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_form_is_accurate_for_every_spectrum),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return failed + cmocka_run_group_tests(tests, flush_denormals, NULL);
}
