// labels: M8 M9 M10
// SPDX-License-Identifier: Apache-2.0
// The force differential that the implicit solver applies, on every instruction set: against finite
// differences of the printed stress, its symmetry, its spectrum, and the positive variant.
#include "material/setup.h"

#include "material/corotated.h"

enum { N = 10000 };

typedef struct arrays {
  firn_real *s, *mu, *lambda, *G, *A;
} arrays;

static arrays arrays_new(size_t n) {
  return (arrays){new_reals(6 * n), new_reals(n), new_reals(n), new_reals(9 * n), new_reals(9 * n)};
}

static void arrays_free(arrays *a) {
  free(a->s), free(a->mu), free(a->lambda), free(a->G), free(a->A);
}

// Stretches in the yield box or in [0.3, 2], now and then two or three equal, with hardening.
static void draw(sample *s, size_t n, arrays *a) {
  for (size_t i = 0; i < n; i++) {
    double d[3], hard = sample_decades(s, -1, 2);
    for (int k = 0; k < 3; k++)
      d[k] = i % 2 ? sample_uniform(s, -0.7, 1) : sample_uniform(s, -THETA_C, THETA_S);
    if (i % 5 == 1) d[1] = d[0];
    if (i % 15 == 1) d[2] = d[0];
    soa_set_symmetric(a->s, n, i, sample_congruence(sample_rotation(s), d));
    soa_set_matrix(a->G, n, i, sample_matrix(s, 1));
    a->mu[i] = (firn_real)(MU * hard);
    a->lambda[i] = (firn_real)(LAMBDA * hard);
  }
}

static firn_mat3 stretch_of(const arrays *a, size_t n, size_t i) {
  return firn_mat3_axpy(1, soa_symmetric(a->s, n, i), firn_mat3_identity());
}

// The size of the operator: 2 mu G S^2 and lambda J (2J - 1) tr G I are its largest parts.
static double size_of(const arrays *a, size_t n, size_t i) {
  firn_mat3 S = stretch_of(a, n, i);
  double J = firn_mat3_det(S);
  return (double)a->mu[i] * firn_mat3_dot(S, S) + (double)a->lambda[i] * J * (2 * J + 1);
}

// A = dP[G S] S. Some 20 products and sums an entry, and a solve with condition number
// (s_1 + s_2)/(s_2 + s_3) <= 6, all on average far below: 20 u of the operator's size (measured 10). Central differences (see
// oracle.c) add 1e-8; M8 asks 1e-6.
static void differential_matches_differences_of_the_printed_stress(void **state) {
  (void)state;
  const double eps = 1e-5;
  arrays a = arrays_new(N);
  sample s = {51, 0};
  draw(&s, N, &a);
  static const int corotated[] = {FIRN_LAW_SNOW, FIRN_LAW_ELASTIC};
  for_each_isa(isa) for (int c = 0; c < 2; c++) {
    const firn_material_row row = table2(corotated[c]);
    firn_law_kernels_get(isa)->differential(&row, false, N, a.s, a.mu, a.lambda, a.G, a.A);
    double fd_error = 0, error = 0;
    for (size_t i = 0; i < N; i++) {
      firn_mat3 S = stretch_of(&a, N, i), G = soa_matrix(a.G, N, i), A = soa_matrix(a.A, N, i);
      double mu = (double)a.mu[i], lambda = (double)a.lambda[i];
      double size = size_of(&a, N, i) * firn_mat3_norm(G);
      firn_mat3 d = firn_mat3_mul(G, S);
      firn_mat3 up = firn_oracle_stress(firn_mat3_axpy(eps, d, S), mu, lambda);
      firn_mat3 down = firn_oracle_stress(firn_mat3_axpy(-eps, d, S), mu, lambda);
      firn_mat3 fd = firn_mat3_scale(1 / (2 * eps), firn_mat3_sub(up, down));
      worst(&fd_error, firn_mat3_norm(firn_mat3_sub(A, firn_mat3_mul(fd, S))) / size);
      firn_mat3 exact = firn_mat3_mul(firn_oracle_differential(S, d, mu, lambda), S);
      worst(&error, firn_mat3_norm(firn_mat3_sub(A, exact)) / size);
    }
    assert_below(fd_error, 1e-6 + 20 * FIRN_REAL_EPS / 2);
    assert_below(error, 20 * FIRN_REAL_EPS / 2);
  }
  arrays_free(&a);
}

// H : A[G] = G : A[H], the symmetry conjugate residuals rely on.
static void differential_is_symmetric(void **state) {
  (void)state;
  arrays a = arrays_new(N);
  firn_real *B = new_reals(9 * N), *H = new_reals(9 * N);
  sample s = {52, 0};
  draw(&s, N, &a);
  for (size_t i = 0; i < N; i++) soa_set_matrix(H, N, i, sample_matrix(&s, 1));
  for_each_isa(isa) for (int psd = 0; psd < 2; psd++) {
    const firn_law_kernels *k = firn_law_kernels_get(isa);
    const firn_material_row row = table2(FIRN_LAW_SNOW);
    k->differential(&row, psd, N, a.s, a.mu, a.lambda, a.G, a.A);
    k->differential(&row, psd, N, a.s, a.mu, a.lambda, H, B);
    double error = 0;
    for (size_t i = 0; i < N; i++) {
      firn_mat3 G = soa_matrix(a.G, N, i), h = soa_matrix(H, N, i);
      double gh = firn_mat3_dot(G, soa_matrix(B, N, i)),
             hg = firn_mat3_dot(h, soa_matrix(a.A, N, i));
      double size = size_of(&a, N, i) * firn_mat3_norm(G) * firn_mat3_norm(h);
      worst(&error, (gh - hg) / size);
    }
    assert_below(error, (psd ? 40 : 20) * FIRN_REAL_EPS / 2);
#ifdef FIRN_DOUBLE
    assert_below(error, 1e-12);
#endif
  }
  arrays_free(&a), free(B), free(H);
}

// The operator dP of one stretch as a 9x9 matrix: dP[X] = A[X S^-1] S^-1, S diagonal here.
static void assemble(const firn_law_kernels *k, bool psd, const double sigma[3], double H[9][9]) {
  const firn_material_row row = table2(FIRN_LAW_SNOW);
  firn_real s[6 * 9] = {0}, mu[9], lambda[9], G[9 * 9] = {0}, A[9 * 9];
  for (size_t c = 0; c < 9; c++) {
    for (size_t d = 0; d < 3; d++) s[9 * d + c] = (firn_real)(sigma[d] - 1);
    mu[c] = (firn_real)MU;
    lambda[c] = (firn_real)LAMBDA;
    G[9 * c + c] = (firn_real)(1 / sigma[c % 3]);
  }
  k->differential(&row, psd, 9, s, mu, lambda, G, A);
  for (size_t c = 0; c < 9; c++)
    for (size_t r = 0; r < 9; r++) H[r][c] = (double)A[9 * r + c] / sigma[r % 3];
}

// Weyl: eigenvalues move by at most the norm of the error: 20 u times a size of up to 50 mu (J is up to
// 8). Measured 220 u.
static void spectrum_is_the_closed_form_and_positive_after_projection(void **state) {
  (void)state;
  for_each_isa(isa) {
    const firn_law_kernels *k = firn_law_kernels_get(isa);
    sample s = {53, 0};
    double error = 0, projected = 0, lowest = 0;
    for (int i = 0; i < 500; i++) {
      double sigma[3], H[9][9], got[9], want[9], A[9][9] = {{0}};
      for (int c = 0; c < 3; c++)
        sigma[c] = i % 2 ? sample_uniform(&s, 0.3, 2)
                         : sample_uniform(&s, 1 - THETA_C, 1 + THETA_S);
      for (int c = 0; c < 3; c++) sigma[c] = 1 + (double)(firn_real)(sigma[c] - 1);
      firn_mat3 stretch;
      firn_oracle_spectrum(sigma, MU, LAMBDA, &stretch, &want[0], &want[3]);
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) A[r][c] = stretch.m[3 * r + c];
      for (int c = 0; c < 6; c++) A[3 + c][3 + c] = want[c];
      eigenvalues9(A, want);
      assemble(k, false, sigma, H);
      eigenvalues9(H, got);
      for (int c = 0; c < 9; c++) worst(&error, (got[c] - want[c]) / MU);
      // The projection keeps the positive eigenvalues and puts the others at 0.
      assemble(k, true, sigma, H);
      eigenvalues9(H, got);
      if (got[0] / MU < lowest) lowest = got[0] / MU;
      for (int c = 0; c < 9; c++) worst(&projected, (got[c] - fmax(want[c], 0)) / MU);
    }
    double tolerance = 20 * 50 * FIRN_REAL_EPS / 2;
    assert_below(error, tolerance);
    assert_below(projected, tolerance);
    assert_below(-lowest, tolerance);
#ifdef FIRN_DOUBLE
    assert_below(error, 1e-10);
#endif
  }
}

// G : A[G] >= 0 for every G, also where the exact operator is indefinite.
static void projected_differential_never_gains_energy(void **state) {
  (void)state;
  arrays a = arrays_new(N);
  sample s = {54, 0};
  draw(&s, N, &a);
  // Spins and shears, which pick out the twists that go negative under compression.
  for (size_t i = 0; i < N; i += 2) {
    firn_vec3 w = firn_vec3_make(sample_uniform(&s, -1, 1), sample_uniform(&s, -1, 1),
                                 sample_uniform(&s, -1, 1));
    soa_set_matrix(a.G, N, i, firn_mat3_skew(w));
  }
  for_each_isa(isa) {
    const firn_law_kernels *k = firn_law_kernels_get(isa);
    const firn_material_row row = table2(FIRN_LAW_SNOW);
    double least = 0;
    int indefinite = 0;
    for (int psd = 0; psd < 2; psd++) {
      k->differential(&row, psd, N, a.s, a.mu, a.lambda, a.G, a.A);
      for (size_t i = 0; i < N; i++) {
        firn_mat3 G = soa_matrix(a.G, N, i);
        double q = firn_mat3_dot(G, soa_matrix(a.A, N, i)) /
                   ((double)a.mu[i] * firn_mat3_dot(G, G));
        if (!psd) indefinite += q < -1e-3;
        if (psd && !(q >= least)) least = q;
      }
    }
    assert_true(indefinite > N / 20); // the projection has something to do
    assert_below(-least, 20 * FIRN_REAL_EPS / 2);
  }
  arrays_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differential_matches_differences_of_the_printed_stress),
      cmocka_unit_test(differential_is_symmetric),
      cmocka_unit_test(spectrum_is_the_closed_form_and_positive_after_projection),
      cmocka_unit_test(projected_differential_never_gains_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
