// labels: M8 M9 M10
// SPDX-License-Identifier: Apache-2.0
// The printed law (corotated.h) against finite differences and its own spectrum. It is the oracle of
// everything else, so it is held to what mathematics says and to nothing of ours.
#include "material/setup.h"

#include "material/corotated.h"

enum { CASES = 10000 };

// F = U diag(sigma) V^T: in the yield box (even i) or with sigma in [0.3, 2].
static firn_mat3 draw(sample *s, int i, double sigma[3]) {
  for (int k = 0; k < 3; k++)
    sigma[k] = i % 2 ? sample_uniform(s, 0.3, 2) : sample_uniform(s, 1 - THETA_C, 1 + THETA_S);
  firn_mat3 U = sample_rotation(s), V = sample_rotation(s);
  return firn_mat3_mul_nt(firn_mat3_mul(U, firn_mat3_diag(sigma[0], sigma[1], sigma[2])), V);
}

// Central differences with eps = 1e-5: truncation eps^2 times third derivatives (about 10 of the
// first), rounding 1e-16/eps = 1e-11 of the function itself: 1e-9 together; the case asks 1e-6.
static const double EPS = 1e-5;

static void stress_is_the_derivative_of_the_energy(void **state) {
  (void)state;
  sample s = {41, 0};
  double error = 0;
  for (int i = 0; i < CASES; i++) {
    double sigma[3];
    firn_mat3 F = draw(&s, i, sigma), d = sample_matrix(&s, 1);
    double up = firn_oracle_energy(firn_mat3_axpy(EPS, d, F), MU, LAMBDA);
    double down = firn_oracle_energy(firn_mat3_axpy(-EPS, d, F), MU, LAMBDA);
    double exact = firn_mat3_dot(firn_oracle_stress(F, MU, LAMBDA), d);
    worst(&error, ((up - down) / (2 * EPS) - exact) / (MU * firn_mat3_norm(d)));
  }
  assert_below(error, 1e-8);
}

static void differential_is_the_derivative_of_the_stress(void **state) {
  (void)state;
  sample s = {42, 0};
  double error = 0;
  for (int i = 0; i < CASES; i++) {
    double sigma[3];
    firn_mat3 F = draw(&s, i, sigma), d = sample_matrix(&s, 1);
    firn_mat3 up = firn_oracle_stress(firn_mat3_axpy(EPS, d, F), MU, LAMBDA);
    firn_mat3 down = firn_oracle_stress(firn_mat3_axpy(-EPS, d, F), MU, LAMBDA);
    firn_mat3 exact = firn_oracle_differential(F, d, MU, LAMBDA);
    firn_mat3 fd = firn_mat3_scale(1 / (2 * EPS), firn_mat3_sub(up, down));
    worst(&error, firn_mat3_norm(firn_mat3_sub(fd, exact)) / (MU * firn_mat3_norm(d)));
  }
  assert_below(error, 1e-6);
  assert_below(error, 1e-8); // what the estimate above promises
}

static void rotation_and_cofactor_changes_match_differences(void **state) {
  (void)state;
  sample s = {43, 0};
  double rotation = 0, cofactor = 0;
  for (int i = 0; i < CASES; i++) {
    double sigma[3];
    firn_mat3 F = draw(&s, i, sigma), d = sample_matrix(&s, 1), up, down, T;
    firn_polar3(firn_mat3_axpy(EPS, d, F), &up, &T);
    firn_polar3(firn_mat3_axpy(-EPS, d, F), &down, &T);
    firn_mat3 fd = firn_mat3_scale(1 / (2 * EPS), firn_mat3_sub(up, down));
    worst(&rotation, firn_mat3_norm(firn_mat3_sub(fd, firn_oracle_rotation_change(F, d))));
    up = firn_mat3_cofactor(firn_mat3_axpy(EPS, d, F));
    down = firn_mat3_cofactor(firn_mat3_axpy(-EPS, d, F));
    fd = firn_mat3_scale(1 / (2 * EPS), firn_mat3_sub(up, down));
    worst(&cofactor, firn_mat3_norm(firn_mat3_sub(fd, firn_oracle_cofactor_change(F, d))));
  }
  assert_below(rotation, 1e-7);
  assert_below(cofactor, 1e-7);
}

static void differential_is_symmetric(void **state) {
  (void)state;
  sample s = {44, 0};
  double error = 0;
  for (int i = 0; i < CASES; i++) {
    double sigma[3];
    firn_mat3 F = draw(&s, i, sigma), a = sample_matrix(&s, 1), b = sample_matrix(&s, 1);
    double ab = firn_mat3_dot(a, firn_oracle_differential(F, b, MU, LAMBDA));
    double ba = firn_mat3_dot(b, firn_oracle_differential(F, a, MU, LAMBDA));
    worst(&error, (ab - ba) / (MU * firn_mat3_norm(a) * firn_mat3_norm(b)));
  }
  assert_below(error, 1e-12);
}

static void closed_form_spectrum_is_that_of_the_assembled_hessian(void **state) {
  (void)state;
  sample s = {45, 0};
  double error = 0;
  int negative = 0;
  for (int i = 0; i < 1000; i++) {
    double sigma[3], H[9][9], got[9], want[9], A[9][9] = {{0}};
    firn_mat3 F = draw(&s, i, sigma), stretch;
    for (int c = 0; c < 9; c++) {
      firn_mat3 unit = firn_mat3_diag(0, 0, 0);
      unit.m[c] = 1;
      firn_mat3 column = firn_oracle_differential(F, unit, MU, LAMBDA);
      for (int r = 0; r < 9; r++) H[r][c] = column.m[r];
    }
    firn_oracle_spectrum(sigma, MU, LAMBDA, &stretch, &want[0], &want[3]);
    for (int k = 0; k < 6; k++) negative += want[k] < 0;
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) A[r][c] = stretch.m[3 * r + c];
    for (int k = 0; k < 6; k++) A[3 + k][3 + k] = want[k];
    eigenvalues9(H, got);
    eigenvalues9(A, want);
    for (int k = 0; k < 9; k++) worst(&error, (got[k] - want[k]) / MU);
  }
  assert_below(error, 1e-10);
  assert_true(negative > 100); // compression makes twists negative: the sign has been seen
}

// By hand: -5765 Pa at sigma = 0.975 (uniform compression).
static void twist_is_negative_in_packed_snow(void **state) {
  (void)state;
  double sigma[3] = {0.975, 0.975, 0.975}, flip[3], twist[3];
  firn_mat3 stretch;
  firn_oracle_spectrum(sigma, MU, LAMBDA, &stretch, flip, twist);
  for (int k = 0; k < 3; k++) assert_true(fabs(twist[k] + 5765) < 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stress_is_the_derivative_of_the_energy),
      cmocka_unit_test(differential_is_the_derivative_of_the_stress),
      cmocka_unit_test(rotation_and_cofactor_changes_match_differences),
      cmocka_unit_test(differential_is_symmetric),
      cmocka_unit_test(closed_form_spectrum_is_that_of_the_assembled_hessian),
      cmocka_unit_test(twist_is_negative_in_packed_snow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
