// labels: M11
// SPDX-License-Identifier: Apache-2.0
// SVD, polar decomposition and eigenvectors: the reference in double, and the lanes on every
// instruction set.
#include "math/sample.h"

#include "support/lane_kernels.h"

enum { CASES = 100000 };

// Random matrices; rotations within 1e-9; sigma = (1, 1e-6, 1e-9); and the singular, reflected,
// scaled and exact ones that break careless code.
static firn_mat3 draw(sample *s, int i) {
  firn_mat3 a = sample_rotation(s), b = sample_rotation(s), d;
  switch (i % 8) {
  case 0: return sample_matrix(s, 2);
  case 1: return firn_mat3_axpy(1, sample_matrix(s, 1e-9), a);
  case 2: d = firn_mat3_diag(1, 1e-6, 1e-9); break;
  case 3: d = firn_mat3_diag(1, 1, -sample_decades(s, -3, 0)); break;
  case 4: d = firn_mat3_diag(1, sample_decades(s, -12, 0), 0); break;
  case 5: d = firn_mat3_diag(sample_uniform(s, 0.9, 1.1), 1, 1); break;
  case 6: d = firn_mat3_diag(0, 0, i % 16 == 6 ? 0 : 1); break;
  default: return firn_mat3_scale(sample_decades(s, -3, 3), sample_matrix(s, 1));
  }
  return firn_mat3_mul_nt(firn_mat3_mul(a, d), b);
}

typedef struct quality {
  double recon;  // |F - U S V^T| / |F|
  double ortho;  // |U^T U - I|, |V^T V - I|
  double det;    // |det U - 1|, |det V - 1|
  double order;  // S not descending, relative to the largest
  double values; // singular values against the reference, relative to the largest
} quality;

static void judge(quality *q, firn_mat3 F, firn_mat3 U, const double S[3], firn_mat3 V) {
  firn_mat3 I = firn_mat3_identity();
  double size = fmax(firn_mat3_norm(F), 1e-300);
  firn_mat3 back = firn_mat3_mul_nt(firn_mat3_mul(U, firn_mat3_diag(S[0], S[1], S[2])), V);
  worst(&q->recon, firn_mat3_norm(firn_mat3_sub(F, back)) / size);
  worst(&q->ortho, firn_mat3_norm(firn_mat3_sub(firn_mat3_mul_tn(U, U), I)));
  worst(&q->ortho, firn_mat3_norm(firn_mat3_sub(firn_mat3_mul_tn(V, V), I)));
  worst(&q->det, firn_mat3_det(U) - 1);
  worst(&q->det, firn_mat3_det(V) - 1);
  worst(&q->order, fmax(0, fmax(S[1] - S[0], fabs(S[2]) - S[1])) / size);
}

static void reference_svd_is_accurate_to_1e_13(void **state) {
  (void)state;
  sample s = {11, 0};
  quality q = {0};
  for (int i = 0; i < CASES; i++) {
    firn_mat3 F = draw(&s, i), U, V;
    double S[3];
    firn_svd3(F, &U, S, &V);
    judge(&q, F, U, S, V);
  }
  assert_below(q.recon, 1e-13);
  assert_below(q.ortho, 1e-13);
  assert_below(q.det, 1e-13);
  assert_below(q.order, 1e-15);
}

// F = A diag(1, 1e-6, 1e-9) B^T is only known to 1e-16 (1e-7 of the smallest value); a diagonal
// matrix behind a rotation is known exactly, and there Jacobi must return 1e-9 to 1e-14 of itself,
// which no method through F^T F can.
static void reference_svd_keeps_small_values_to_their_own_precision(void **state) {
  (void)state;
  sample s = {12, 0};
  double error[3] = {0};
  for (int i = 0; i < 1000; i++) {
    // Columns orthogonal but for the rotation on the left, which costs only relative precision.
    firn_mat3 F = firn_mat3_mul(sample_rotation(&s), firn_mat3_diag(1e-9, 1, 1e-6)), U, V;
    double S[3];
    firn_svd3(F, &U, S, &V);
    worst(error, S[0] - 1);
    worst(error + 1, S[1] / 1e-6 - 1);
    worst(error + 2, S[2] / 1e-9 - 1);
  }
  assert_below(error[0], 1e-14);
  assert_below(error[1], 1e-14);
  assert_below(error[2], 1e-14);
}

// Some 20 rotations of 3 to 4 roundings on entries of size 1 give 60 u at the very worst in any
// norm used; measured 25 u and less. The reference is exact in comparison.
static void lane_svd_and_polar_agree_with_the_reference(void **state) {
  (void)state;
  const size_t n = 20000;
  firn_real *F = new_reals(9 * n), *U = new_reals(9 * n), *S = new_reals(3 * n);
  firn_real *V = new_reals(9 * n), *R = new_reals(9 * n), *T = new_reals(6 * n);
  sample s = {13, 0};
  for (size_t i = 0; i < n; i++) soa_set_matrix(F, n, i, draw(&s, (int)i));
  for_each_isa(isa) {
    const firn_lane_kernels *k = firn_lane_kernels_get(isa);
    k->svd(n, F, U, S, V);
    k->polar(n, F, R, T);
    quality q = {0};
    double polar = 0, rotation = 0, same = 0;
    for (size_t i = 0; i < n; i++) {
      firn_mat3 f = soa_matrix(F, n, i), r = soa_matrix(R, n, i), t = soa_symmetric(T, n, i);
      double v[3] = {(double)S[i], (double)S[n + i], (double)S[2 * n + i]}, exact[3];
      double size = fmax(firn_mat3_norm(f), 1e-300);
      judge(&q, f, soa_matrix(U, n, i), v, soa_matrix(V, n, i));
      firn_mat3 u0, v0;
      firn_svd3(f, &u0, exact, &v0);
      for (int c = 0; c < 3; c++) {
        // A value that is zero to rounding may come out with either sign.
        double noise = 50 * FIRN_REAL_EPS * size;
        double d = fabs(exact[c]) < noise ? fabs(v[c]) - fabs(exact[c]) : v[c] - exact[c];
        worst(&q.values, d / size);
      }
      worst(&polar, firn_mat3_norm(firn_mat3_sub(f, firn_mat3_mul(r, t))) / size);
      worst(&rotation, firn_mat3_norm(firn_mat3_sub(firn_mat3_mul_tn(r, r), firn_mat3_identity())));
      worst(&rotation, firn_mat3_det(r) - 1);
      if (exact[1] + exact[2] > 0.1 * size) { // where R is well determined
        firn_mat3 r0 = firn_mat3_mul_nt(u0, v0);
        worst(&same, firn_mat3_norm(firn_mat3_sub(r, r0)));
      }
    }
    double u = FIRN_REAL_EPS / 2;
    assert_below(q.recon, 60 * u);
    assert_below(q.ortho, 60 * u);
    assert_below(q.det, 60 * u);
    assert_below(q.order, 60 * u);
    assert_below(q.values, 60 * u);
    assert_below(polar, 120 * u);
    assert_below(rotation, 120 * u);
    assert_below(same, 10 * 60 * u);
#ifdef FIRN_DOUBLE
    assert_below(q.recon, 1e-13);
    assert_below(q.ortho, 1e-13);
#endif
  }
  free(F), free(U), free(S), free(V), free(R), free(T);
}

// Symmetric matrices of every scale and degeneracy: A Q = Q l, Q a rotation.
static void jacobi_finds_a_frame_for_degenerate_matrices(void **state) {
  (void)state;
  const size_t n = 20000;
  firn_real *A = new_reals(6 * n), *l = new_reals(3 * n), *Q = new_reals(9 * n);
  sample s = {14, 0};
  for (size_t i = 0; i < n; i++) {
    double size = sample_decades(&s, -6, 1), gap = i % 3 ? sample_decades(&s, -9, -1) : 0;
    double d[3] = {size, size * (1 + gap), i % 2 ? size : -size};
    soa_set_symmetric(A, n, i, sample_congruence(sample_rotation(&s), d));
  }
  soa_set_symmetric(A, n, 0, firn_mat3_diag(0, 0, 0));
  soa_set_symmetric(A, n, 1, firn_mat3_diag(3, 3, 3));
  double u = FIRN_REAL_EPS / 2;
  for_each_isa(isa) {
    double residual = 0, ortho = 0;
    firn_lane_kernels_get(isa)->eigen(n, A, l, Q);
    for (size_t i = 0; i < n; i++) {
      firn_mat3 a = soa_symmetric(A, n, i), q = soa_matrix(Q, n, i);
      double d[3] = {(double)l[i], (double)l[n + i], (double)l[2 * n + i]};
      firn_mat3 back = sample_congruence(q, d);
      worst(&residual, firn_mat3_norm(firn_mat3_sub(a, back)) / fmax(firn_mat3_norm(a), 1e-300));
      worst(&ortho, firn_mat3_norm(firn_mat3_sub(firn_mat3_mul_tn(q, q), firn_mat3_identity())));
      worst(&ortho, firn_mat3_det(q) - 1);
    }
    assert_below(residual, 60 * u);
    assert_below(ortho, 60 * u);
  }
  double residual = 0;
  for (size_t i = 0; i < n; i++) {
    firn_mat3 a = soa_symmetric(A, n, i), q;
    double d[3];
    firn_sym3_eigen(a, d, &q);
    firn_mat3 back = sample_congruence(q, d);
    worst(&residual, firn_mat3_norm(firn_mat3_sub(a, back)) / fmax(firn_mat3_norm(a), 1e-300));
  }
  assert_below(residual, 1e-14);
  free(A), free(l), free(Q);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_svd_is_accurate_to_1e_13),
      cmocka_unit_test(reference_svd_keeps_small_values_to_their_own_precision),
      cmocka_unit_test(lane_svd_and_polar_agree_with_the_reference),
      cmocka_unit_test(jacobi_finds_a_frame_for_degenerate_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
