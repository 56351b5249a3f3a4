// labels: M39
// SPDX-License-Identifier: Apache-2.0
// The laws on b_E - I, on every instruction set and by both ways, against the printed law on F_E.
#include "material/setup.h"

#include "material/corotated.h"

enum { N = 5000 };

// The oracle rounds too, at size 1 rather than |e|: eigenvectors, SVD and products, each 20 u.
static const double ORACLE = 100 * DBL_EPSILON / 2;

// The strain sizes of the draws: at rest, elastic, around yield, badly crushed or torn.
static const double SIZES[] = {1e-7, 1e-4, 0.02, 0.06, 0.6};
enum { SIZE_COUNT = sizeof SIZES / sizeof *SIZES };

// Trial states: separate, double and triple stretches with gaps of 1e-3 to 1e-12 and none, stretches
// on the yield limits, aligned with the axes and not.
static firn_mat3 draw(sample *s, size_t i, double size) {
  double d[3], gap = i % 4 ? sample_decades(s, -12, -3) : 0;
  for (int k = 0; k < 3; k++) d[k] = sample_uniform(s, -size, size);
  if (i % 3 == 1) d[1] = d[0] + gap;
  if (i % 9 == 1) d[2] = d[0] - gap * sample_uniform(s, -1, 1);
  if (i % 7 == 1) d[0] = (i % 2 ? THETA_S : -THETA_C) + gap * (i % 4 < 2 ? 1 : -1);
  if (i % 21 == 1) d[1] = d[0];
  for (int k = 0; k < 3; k++) d[k] = d[k] * (2 + d[k]); // sigma^2 - 1
  firn_mat3 q = i % 5 ? sample_rotation(s) : firn_mat3_identity();
  return sample_congruence(q, d);
}

typedef struct arrays {
  firn_real *e, *ln_jp, *tau, *hard;
} arrays;

static arrays arrays_new(size_t n) {
  return (arrays){new_reals(6 * n), new_reals(n), new_reals(6 * n), new_reals(n)};
}

static void arrays_free(arrays *a) {
  free(a->e), free(a->ln_jp), free(a->tau), free(a->hard);
}

// What the printed law says of a state, from its elastic left stretch.
typedef struct answer {
  firn_mat3 e, tau;
  double ln_jp, hard, psi;
} answer;

static firn_mat3 left_stretch(firn_mat3 e, double *least) {
  double l[3];
  firn_mat3 q;
  firn_sym3_eigen(e, l, &q);
  *least = 1e300;
  for (int k = 0; k < 3; k++) {
    l[k] = sqrt(1 + l[k]);
    if (l[k] < *least) *least = l[k];
  }
  return sample_congruence(q, l);
}

static answer printed_law(int law, double soften, firn_mat3 e, double ln_jp) {
  double least, J_P = exp(ln_jp);
  firn_mat3 F = left_stretch(e, &least);
  answer out = {.hard = 1};
  if (law == FIRN_LAW_SNOW) {
    F = firn_oracle_return(F, (double)(firn_real)THETA_C, (double)(firn_real)THETA_S,
                           FIRN_LAW_MIN_STRETCH, &J_P);
    out.hard = exp(XI * (1 - J_P) * (J_P > 1 ? soften : 1));
  }
  double mu = (double)(firn_real)MU * out.hard, lambda = (double)(firn_real)LAMBDA * out.hard;
  out.ln_jp = log(J_P);
  out.e = firn_mat3_sub(firn_mat3_mul_nt(F, F), firn_mat3_identity());
  out.tau = firn_mat3_mul_nt(firn_oracle_stress(F, mu, lambda), F);
  out.psi = firn_oracle_energy(F, mu, lambda);
  return out;
}

// Tolerances, u = unit roundoff, |e| the norm of the trial strain, sigma the least trial stretch:
//   e      25 u |e| for the spectral functions (sym3_lane.h), and rounding of the oracle
//   ln J_P 1/2 d(sigma^2)/sigma^2 a stretch: 3 x 25 u |e| / sigma^2, plus 4 u |ln J_P| for sum and log
//   hard   xi J_P times that, in tension times h/l; 1 - J_P rounds to u max(1, J_P); exp adds 2 u and u
//          |its argument|
//   tau    stress is at most 2 M |e| hard for the strains that survive the return
static void check_softening(firn_isa isa, int law, bool by_jacobi, double size, double soften) {
  const firn_law_kernels *k = firn_law_kernels_get(isa);
  const double u = FIRN_REAL_EPS / 2, M = LAMBDA + 2 * MU;
  firn_material_row row = table2(law);
  row.soften = (firn_real)soften;
  arrays a = arrays_new(N);
  firn_real *before = new_reals(6 * N), *jp_before = new_reals(N), *psi = new_reals(N);
  sample s = {61, 0};
  for (size_t i = 0; i < N; i++) {
    soa_set_symmetric(a.e, N, i, draw(&s, i, size));
    a.ln_jp[i] = i % 2 ? (firn_real)sample_uniform(&s, -0.5, 0.1) : 0;
  }
  memcpy(before, a.e, 6 * N * sizeof *before);
  memcpy(jp_before, a.ln_jp, N * sizeof *jp_before);
  k->law_return(law, &row, NULL, by_jacobi, N, a.e, a.ln_jp, a.tau, a.hard);
  k->energy(law, &row, N, a.e, a.hard, psi);

  double e = 0, jp = 0, hard = 0, tau = 0, energy = 0;
  for (size_t i = 0; i < N; i++) {
    firn_mat3 trial = soa_symmetric(before, N, i);
    answer want = printed_law(law, soften, trial, (double)jp_before[i]);
    double least, norm = firn_mat3_norm(trial), J_P = exp(want.ln_jp);
    left_stretch(trial, &least);
    double tol_e = 25 * u * norm + ORACLE;
    double tol_jp = 75 * u * norm / (least * least) + 4 * u * fabs(want.ln_jp) + ORACLE;
    // Where J_P is 1 within its own rounding either exponent may apply.
    double times = XI * (J_P > 1 - tol_jp ? fmax(1, soften) : 1);
    double tol_hard = times * (J_P * tol_jp + u * fmax(1, J_P) * (2 + fabs(1 - J_P))) + 4 * u;
    double stress = 2 * M * want.hard * (law == FIRN_LAW_SNOW ? fmin(norm, 0.1) : norm);
    if (law == FIRN_LAW_ELASTIC) stress *= (1 + norm) * (1 + norm), tol_hard = 0;
    double tol_tau = 2 * M * want.hard * tol_e * (1 + norm) * (1 + norm) +
                     stress * (tol_hard + 8 * u);
    worst(&e, firn_mat3_norm(firn_mat3_sub(soa_symmetric(a.e, N, i), want.e)) / tol_e);
    worst(&jp, ((double)a.ln_jp[i] - want.ln_jp) / tol_jp);
    worst(&hard, ((double)a.hard[i] / want.hard - 1) / fmax(tol_hard, 1e-300)); // exact if elastic
    double own = firn_law_hardening(&row, (double)a.ln_jp[i]);
    worst(&hard, (own / want.hard - 1) / fmax(tol_hard, 1e-300));
    worst(&tau, firn_mat3_norm(firn_mat3_sub(soa_symmetric(a.tau, N, i), want.tau)) / tol_tau);
    double strain = fmax(firn_mat3_norm(want.e), 1e-30);
    double tol_psi = stress * strain * (tol_hard + 8 * u) +
                     2 * M * want.hard * (1 + norm) * (1 + norm) * (strain * tol_e + 1e-31);
    worst(&energy, ((double)psi[i] - want.psi) / tol_psi);
  }
  assert_below(e, 1);
  assert_below(jp, 1);
  assert_below(hard, 1);
  assert_below(tau, 1);
  assert_below(energy, 1);
  arrays_free(&a), free(before), free(jp_before), free(psi);
}

static void check(firn_isa isa, int law, bool by_jacobi, double size) {
  check_softening(isa, law, by_jacobi, size, 1);
}

// h/l of 0.5 and 2 in tension, as printed in compression. By 3 floats would underflow where snow is torn.
static void snow_softens_in_tension_over_a_length(void **state) {
  (void)state;
  for_each_isa(isa) for (int c = 0; c < SIZE_COUNT; c++) {
    for (int by_jacobi = 0; by_jacobi < 2; by_jacobi++) {
      check_softening(isa, FIRN_LAW_SNOW, by_jacobi, SIZES[c], 0.5);
      check_softening(isa, FIRN_LAW_SNOW, by_jacobi, SIZES[c], 2);
    }
  }
}

static void snow_by_closed_form_is_the_printed_law(void **state) {
  (void)state;
  for_each_isa(isa) for (int c = 0; c < SIZE_COUNT; c++) check(isa, FIRN_LAW_SNOW, false, SIZES[c]);
}

static void snow_by_jacobi_is_the_printed_law(void **state) {
  (void)state;
  for_each_isa(isa) for (int c = 0; c < SIZE_COUNT; c++) check(isa, FIRN_LAW_SNOW, true, SIZES[c]);
}

static void elastic_law_is_the_printed_energy_without_yield(void **state) {
  (void)state;
  for_each_isa(isa) for (int c = 0; c < SIZE_COUNT; c++) {
    check(isa, FIRN_LAW_ELASTIC, false, SIZES[c]);
    check(isa, FIRN_LAW_ELASTIC, true, SIZES[c]);
  }
}

// Rest is exactly stress-free, and what did not yield is not touched: no bit of e or ln J_P drifts.
static void rest_and_elastic_states_stay_to_the_bit(void **state) {
  (void)state;
  firn_material_row row = table2(FIRN_LAW_SNOW);
  enum { COUNT = 37 };
  for_each_isa(isa) for (int by_jacobi = 0; by_jacobi < 2; by_jacobi++) {
    firn_real e[6 * COUNT] = {0}, b[6 * COUNT], jp[COUNT] = {0}, tau[6 * COUNT], hard[COUNT];
    const firn_law_kernels *k = firn_law_kernels_get(isa);
    k->law_return(FIRN_LAW_SNOW, &row, NULL, by_jacobi, COUNT, e, jp, tau, hard);
    for (int i = 0; i < 6 * COUNT; i++) assert_true(e[i] == 0 && tau[i] == 0);
    for (int i = 0; i < COUNT; i++) assert_true(jp[i] == 0 && hard[i] == 1);
    sample s = {62, 0};
    for (size_t i = 0; i < COUNT; i++) {
      double d[3];
      for (int c = 0; c < 3; c++) d[c] = sample_uniform(&s, -0.95 * THETA_C, 0.95 * THETA_S) * 2;
      soa_set_symmetric(e, COUNT, i, sample_congruence(sample_rotation(&s), d));
      jp[i] = (firn_real)0.1;
    }
    soa_set_symmetric(e, COUNT, 5, firn_mat3_diag(0.1, -0.2, 0)); // this one yields
    memcpy(b, e, sizeof e);
    k->law_return(FIRN_LAW_SNOW, &row, NULL, by_jacobi, COUNT, e, jp, tau, hard);
    for (size_t i = 0; i < COUNT; i++)
      for (size_t c = 0; c < 6; c++)
        if (i != 5) assert_true(e[c * COUNT + i] == b[c * COUNT + i] && jp[i] == (firn_real)0.1);
    assert_true(e[5] != b[5] && jp[5] != (firn_real)0.1);
  }
}

// A second return of a returned state changes at most rounding: 25 u |e| beyond the limit.
static void return_is_idempotent(void **state) {
  (void)state;
  firn_material_row row = table2(FIRN_LAW_SNOW);
  for_each_isa(isa) {
    const firn_law_kernels *k = firn_law_kernels_get(isa);
    arrays a = arrays_new(N), b = arrays_new(N);
    sample s = {63, 0};
    for (size_t i = 0; i < N; i++) soa_set_symmetric(a.e, N, i, draw(&s, i, 0.3));
    k->law_return(FIRN_LAW_SNOW, &row, NULL, false, N, a.e, a.ln_jp, a.tau, a.hard);
    memcpy(b.e, a.e, 6 * N * sizeof *a.e);
    memcpy(b.ln_jp, a.ln_jp, N * sizeof *a.ln_jp);
    k->law_return(FIRN_LAW_SNOW, &row, NULL, false, N, b.e, b.ln_jp, b.tau, b.hard);
    double e = 0, jp = 0;
    for (size_t i = 0; i < 6 * N; i++) worst(&e, (double)(a.e[i] - b.e[i]));
    for (size_t i = 0; i < N; i++) worst(&jp, (double)(a.ln_jp[i] - b.ln_jp[i]));
    // |e| <= 0.09 after the return, but e was rounded from a trial of up to 0.7 x sqrt 3
    assert_below(e, 25 * 1.2 * FIRN_REAL_EPS / 2);
    assert_below(jp, 75 * 1.2 * FIRN_REAL_EPS / 2);
    arrays_free(&a), arrays_free(&b);
  }
}

// Elements flattened to nothing, or past it by rounding, count as FIRN_LAW_MIN_STRETCH thick.
static void flattened_elements_stay_finite(void **state) {
  (void)state;
  firn_material_row row = table2(FIRN_LAW_SNOW);
  for_each_isa(isa) for (int by_jacobi = 0; by_jacobi < 2; by_jacobi++) {
    firn_real e[12] = {-1, -1, 0, -1, 0, (firn_real)-1.01, 0, 0, 0, 0, 0, 0}; // [6][2]
    firn_real jp[2] = {0}, tau[12], hard[2];
    firn_law_kernels_get(isa)->law_return(FIRN_LAW_SNOW, &row, NULL, by_jacobi, 2, e, jp, tau,
                                          hard);
    // sigma^2 = 1e-6 is e = -1 + 1e-6, which floats resolve to u/2 = 3e-8: ln sigma to 0.015.
    double cut = log(1e-3 / (1 - THETA_C)), tol = 1e6 * FIRN_REAL_EPS / 8 + 10 * FIRN_REAL_EPS;
    assert_below(fabs((double)jp[0] - cut), tol);
    assert_below(fabs((double)jp[1] - 3 * cut), 3 * tol);
    for (int i = 0; i < 12; i++) assert_true(isfinite(e[i]) && isfinite(tau[i]));
    assert_below(fabs((double)e[1] - (0.975 * 0.975 - 1)), 8 * FIRN_REAL_EPS);
  }
}

static void bounds_on_jp_limit_hardening(void **state) {
  (void)state;
  firn_material_row row = table2(FIRN_LAW_SNOW);
  row.ln_jp_lo = (firn_real)log(0.6);
  row.ln_jp_hi = (firn_real)log(20.0);
  for_each_isa(isa) {
    firn_real e[12] = {(firn_real)-0.8, 5, (firn_real)-0.8, 5, 0, 5, 0, 0, 0, 0, 0, 0};
    firn_real jp[2] = {(firn_real)-0.1, (firn_real)2.5}, tau[12], hard[2];
    firn_law_kernels_get(isa)->law_return(FIRN_LAW_SNOW, &row, NULL, false, 2, e, jp, tau, hard);
    assert_true(jp[0] == row.ln_jp_lo && jp[1] == row.ln_jp_hi);
    assert_below(fabs((double)hard[0] / exp(4) - 1), 20 * FIRN_REAL_EPS);
    assert_true(hard[1] >= 0 && hard[1] < (firn_real)1e-37); // e^-190, or flushed to zero
  }
}

// A nan anywhere in the state reaches the stress, where the solver looks for it, and stays.
static void nan_is_not_swallowed(void **state) {
  (void)state;
  firn_material_row row = table2(FIRN_LAW_SNOW);
  for_each_isa(isa) for (int by_jacobi = 0; by_jacobi < 2; by_jacobi++) for (int c = 0; c < 7;
                                                                             c++) {
    enum { COUNT = 20, BAD = 13 };
    firn_real e[7 * COUNT] = {0}, tau[6 * COUNT], hard[COUNT]; // the seventh component is ln J_P
    for (int i = 0; i < COUNT; i++) e[i] = (firn_real)(0.01 * (i % 3));
    e[c * COUNT + BAD] = NAN;
    firn_law_kernels_get(isa)->law_return(FIRN_LAW_SNOW, &row, NULL, by_jacobi, COUNT, e,
                                          e + 6 * COUNT, tau, hard);
    for (int i = 0; i < COUNT; i++) {
      for (int t = 0; t < 6; t++) assert_true(!isnan(tau[t * COUNT + i]) == (i != BAD));
      assert_true(!isnan(e[c * COUNT + i]) == (i != BAD));
    }
  }
}

// Each particle of its own material in one call gives the bits of one call a material.
static void parameters_may_differ_from_particle_to_particle(void **state) {
  (void)state;
  enum { COUNT = 101, MATERIALS = 3 };
  firn_material_row rows[MATERIALS];
  for (int m = 0; m < MATERIALS; m++) {
    rows[m] = table2(FIRN_LAW_SNOW);
    rows[m].mu *= (firn_real)(1 + m);
    rows[m].lambda *= (firn_real)(2 - m * 0.5);
    rows[m].lo *= (firn_real)(1 + 0.5 * m);
    rows[m].hi *= (firn_real)(1 - 0.25 * m);
    rows[m].hardening += (firn_real)m;
    rows[m].ln_jp_lo = (firn_real)(-0.02 * (m + 1));
    rows[m].ln_jp_hi = (firn_real)(0.01 * (m + 1));
  }
  for_each_isa(isa) {
    const firn_law_kernels *k = firn_law_kernels_get(isa);
    arrays all = arrays_new(COUNT);
    int32_t id[COUNT];
    sample s = {64, 0};
    firn_real *start = new_reals(6 * COUNT);
    for (size_t i = 0; i < COUNT; i++) {
      id[i] = (int32_t)(sample_uniform(&s, 0, MATERIALS));
      soa_set_symmetric(start, COUNT, i, draw(&s, i, 0.08));
    }
    memcpy(all.e, start, 6 * COUNT * sizeof *start);
    k->law_return(FIRN_LAW_SNOW, rows, id, false, COUNT, all.e, all.ln_jp, all.tau, all.hard);
    for (int m = 0; m < MATERIALS; m++) {
      arrays one = arrays_new(COUNT);
      memcpy(one.e, start, 6 * COUNT * sizeof *start);
      k->law_return(FIRN_LAW_SNOW, rows + m, NULL, false, COUNT, one.e, one.ln_jp, one.tau,
                    one.hard);
      for (size_t i = 0; i < COUNT; i++) {
        if (id[i] != m) continue;
        assert_true(all.ln_jp[i] == one.ln_jp[i] && all.hard[i] == one.hard[i]);
        for (size_t c = 0; c < 6; c++) {
          assert_true(all.e[c * COUNT + i] == one.e[c * COUNT + i]);
          assert_true(all.tau[c * COUNT + i] == one.tau[c * COUNT + i]);
        }
      }
      arrays_free(&one);
    }
    arrays_free(&all), free(start);
  }
}

// b' = (I + D) b (I + D)^T and S = sqrt(b), against double. Six products of |D| |e|: 12 u (|e| + 2|D|).
static void strain_is_pushed_and_its_root_taken(void **state) {
  (void)state;
  const double u = FIRN_REAL_EPS / 2;
  firn_real *e = new_reals(6 * N), *D = new_reals(9 * N), *before = new_reals(6 * N);
  firn_real *S = new_reals(6 * N);
  for_each_isa(isa) for (int c = 0; c < SIZE_COUNT; c++) {
    sample s = {65, 0};
    double push = 0, root = 0;
    for (size_t i = 0; i < N; i++) {
      soa_set_symmetric(e, N, i, draw(&s, i, SIZES[c]));
      soa_set_matrix(D, N, i, sample_matrix(&s, SIZES[c]));
    }
    memcpy(before, e, 6 * N * sizeof *e);
    firn_law_kernels_get(isa)->stretch(N, e, S);
    firn_law_kernels_get(isa)->push(N, D, e);
    for (size_t i = 0; i < N; i++) {
      firn_mat3 I = firn_mat3_identity(), e0 = soa_symmetric(before, N, i);
      firn_mat3 d = soa_matrix(D, N, i), X = firn_mat3_axpy(1, d, I);
      firn_mat3 b = firn_mat3_mul_nt(firn_mat3_mul(X, firn_mat3_axpy(1, e0, I)), X);
      double size = firn_mat3_norm(e0) + 2 * firn_mat3_norm(d) + firn_mat3_dot(d, d), least;
      firn_mat3 error = firn_mat3_sub(soa_symmetric(e, N, i), firn_mat3_sub(b, I));
      worst(&push, firn_mat3_norm(error) / (12 * u * size + ORACLE));
      firn_mat3 want = firn_mat3_sub(left_stretch(e0, &least), I);
      error = firn_mat3_sub(soa_symmetric(S, N, i), want);
      worst(&root, firn_mat3_norm(error) / (25 * u * firn_mat3_norm(e0) / least + ORACLE));
    }
    assert_below(push, 1);
    assert_below(root, 1);
  }
  free(e), free(D), free(before), free(S);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_by_closed_form_is_the_printed_law),
      cmocka_unit_test(snow_by_jacobi_is_the_printed_law),
      cmocka_unit_test(snow_softens_in_tension_over_a_length),
      cmocka_unit_test(elastic_law_is_the_printed_energy_without_yield),
      cmocka_unit_test(rest_and_elastic_states_stay_to_the_bit),
      cmocka_unit_test(return_is_idempotent),
      cmocka_unit_test(flattened_elements_stay_finite),
      cmocka_unit_test(bounds_on_jp_limit_hardening),
      cmocka_unit_test(nan_is_not_swallowed),
      cmocka_unit_test(parameters_may_differ_from_particle_to_particle),
      cmocka_unit_test(strain_is_pushed_and_its_root_taken),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return failed + cmocka_run_group_tests(tests, flush_denormals, NULL);
}
