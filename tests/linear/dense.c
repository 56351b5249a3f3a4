// SPDX-License-Identifier: Apache-2.0
// labels: M29
// The Krylov solvers against dense factorisations of the same matrix, at most 300 unknowns.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "linear/lattice.h"
#include "support/context.h"

enum { MAX = 300 };

// The symmetric matrix C = M^-1/2 T'A T M^-1/2, where T spans the range of P. In it the mass inner
// product is the usual one, so that its eigenvalues are those the solvers see.
typedef struct dense {
  int n;
  double a[MAX][MAX], factor[MAX][MAX];
  double b[MAX], x[MAX];
  int pivot[MAX];
} dense;

static void scatter(lattice *l, const double *y) {
  int k = 0;
  for (size_t i = 0; i < l->nodes; i++) {
    lattice_node *n = &l->node[i];
    double axes[3][3];
    memset(n->in, 0, sizeof n->in);
    for (int a = 0, count = lattice_basis(n, axes); a < count; a++, k++)
      for (int c = 0; c < 3; c++) n->in[c] += axes[a][c] * y[k] / sqrt(n->mass);
  }
}

static int gather(const lattice *l, double *y, bool of_x) {
  int k = 0;
  for (size_t i = 0; i < l->nodes; i++) {
    const lattice_node *n = &l->node[i];
    double axes[3][3];
    for (int a = 0, count = lattice_basis(n, axes); a < count; a++, k++) {
      y[k] = 0;
      for (int c = 0; c < 3; c++) {
        y[k] += of_x ? axes[a][c] * ((double)l->x[4 * i + (size_t)c] - n->velocity[c]) *
                           sqrt(n->mass)
                     : axes[a][c] * n->out[c] / sqrt(n->mass);
      }
    }
  }
  return k;
}

// Assembles C, and b = M^-1/2 T'(M v - A v). The velocities are first rounded to firn_real, so that
// both solvers start from the same ones.
static void assemble(lattice *l, dense *d) {
  for (size_t i = 0; i < l->nodes; i++) {
    lattice_node *n = &l->node[i];
    for (int c = 0; c < 3; c++) {
      n->velocity[c] = (double)(firn_real)n->velocity[c];
      n->in[c] = n->velocity[c];
    }
  }
  lattice_product(l);
  for (size_t i = 0; i < l->nodes; i++) {
    lattice_node *n = &l->node[i];
    for (int c = 0; c < 3; c++) n->out[c] = n->mass * n->velocity[c] - n->out[c];
  }
  d->n = gather(l, d->b, false);
  double unit[MAX] = {0};
  for (int j = 0; j < d->n; j++) {
    unit[j] = 1;
    scatter(l, unit);
    lattice_product(l);
    gather(l, d->a[j], false);
    unit[j] = 0;
  }
}

// False if the matrix is not positive definite.
static bool cholesky(dense *d) {
  for (int j = 0; j < d->n; j++) {
    for (int i = j; i < d->n; i++) {
      double sum = d->a[i][j];
      for (int k = 0; k < j; k++) sum -= d->factor[i][k] * d->factor[j][k];
      if (i == j && !(sum > 0)) return false;
      d->factor[i][j] = i == j ? sqrt(sum) : sum / d->factor[j][j];
    }
  }
  return true;
}

static void cholesky_solve(const dense *d, const double *b, double *x) {
  for (int i = 0; i < d->n; i++) {
    double sum = b[i];
    for (int k = 0; k < i; k++) sum -= d->factor[i][k] * x[k];
    x[i] = sum / d->factor[i][i];
  }
  for (int i = d->n; i-- > 0;) {
    for (int k = i + 1; k < d->n; k++) x[i] -= d->factor[k][i] * x[k];
    x[i] /= d->factor[i][i];
  }
}

// Gaussian elimination with row pivoting: takes any regular matrix.
static void eliminate(dense *d) {
  memcpy(d->factor, d->a, sizeof d->a);
  for (int j = 0; j < d->n; j++) {
    int p = j;
    for (int i = j; i < d->n; i++)
      if (fabs(d->factor[i][j]) > fabs(d->factor[p][j])) p = i;
    d->pivot[j] = p;
    for (int k = 0; k < d->n; k++) {
      double t = d->factor[j][k];
      d->factor[j][k] = d->factor[p][k];
      d->factor[p][k] = t;
    }
    for (int i = j + 1; i < d->n; i++) {
      double f = d->factor[i][j] /= d->factor[j][j];
      for (int k = j + 1; k < d->n; k++) d->factor[i][k] -= f * d->factor[j][k];
    }
  }
}

static void eliminate_solve(const dense *d, const double *b, double *x) {
  memcpy(x, b, (size_t)d->n * sizeof *x);
  for (int j = 0; j < d->n; j++) {
    double t = x[j];
    x[j] = x[d->pivot[j]];
    x[d->pivot[j]] = t;
  }
  for (int j = 0; j < d->n; j++)
    for (int i = j + 1; i < d->n; i++) x[i] -= d->factor[i][j] * x[j];
  for (int j = d->n; j-- > 0;) {
    x[j] /= d->factor[j][j];
    for (int i = 0; i < j; i++) x[i] -= d->factor[i][j] * x[j];
  }
}

static double norm(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// Largest |eigenvalue| over smallest, by power iteration with C and with its inverse; both are
// approached from the safe side but for a few percent.
static double condition(const dense *d, void (*solve)(const dense *, const double *, double *)) {
  double large = 0, small = 0, x[MAX] = {0}, y[MAX] = {0}, z[MAX] = {0};
  for (int i = 0; i < d->n; i++) x[i] = z[i] = 1 + 0.1 * (i % 7);
  for (int k = 0; k < 300; k++) {
    for (int i = 0; i < d->n; i++) {
      y[i] = 0;
      for (int j = 0; j < d->n; j++) y[i] += d->a[i][j] * x[j];
    }
    large = norm(d->n, y);
    for (int i = 0; i < d->n; i++) x[i] = y[i] / large;
    solve(d, z, y);
    small = 1 / norm(d->n, y);
    for (int i = 0; i < d->n; i++) z[i] = y[i] * small;
  }
  return large / small;
}

// Error bound, relative to the solution in the mass norm: the solve ends with a residual of tol in
// units of |b| <= |C| |x|, and the recursive residual has then left the true one by at most
// eps |C| |x| an iteration (Greenbaum 1997), half of that by rounding x, r and the product; the
// error is larger than the residual by 1/|C^-1|.
static double bound(double kappa, double tolerance, int iterations) {
  return kappa * (tolerance + FIRN_REAL_EPS * sqrt(iterations));
}

static const double TOLERANCE = 4 * FIRN_REAL_EPS;

// Solves and returns the error in the mass norm, relative to the solution.
static double solve_and_compare(lattice *l, dense *d, firn_krylov kind,
                                firn_linear_result *result) {
  firn_status status;
  // The tolerance is relative to the residual here, which is all that the dense solver sees too.
  *result = lattice_solve(l, kind, TOLERANCE * norm(d->n, d->b) / sqrt(l->reference2), 400,
                          &status);
  assert_int_equal(status, FIRN_OK);
  assert_true(result->converged);
  assert_false(result->breakdown);
  assert_int_equal(result->iterations, l->products);
  double x[MAX];
  gather(l, x, true);
  for (int i = 0; i < d->n; i++) x[i] -= d->x[i];
  return norm(d->n, x) / norm(d->n, d->x);
}

static void expect_small_error(const char *name, double error, double kappa,
                               const firn_linear_result *result) {
  double limit = bound(kappa, TOLERANCE, result->iterations);
  print_message("%s: error %.2g, bound %.2g, condition %.3g, %d iterations, %d indefinite\n", name,
                error, limit, kappa, result->iterations, result->indefinite);
#ifdef FIRN_DOUBLE
  assert_true(limit < 1e-9); // the catalogue's tolerance
#endif
  assert_true(error <= limit);
}

static dense matrix;

static void compare_definite(bool constrained) {
  lattice l;
  lattice_create(&l, context, 5, 5, 4, 0.1, 30, constrained);
  assemble(&l, &matrix);
  assert_in_range(matrix.n, 150, 300);
  assert_true(cholesky(&matrix));
  cholesky_solve(&matrix, matrix.b, matrix.x);
  double kappa = condition(&matrix, cholesky_solve);
  const char *const names[] = {"cr", "minres", "cg"};
  for (int kind = FIRN_KRYLOV_CR; kind <= FIRN_KRYLOV_CG; kind++) {
    firn_linear_result result;
    double error = solve_and_compare(&l, &matrix, (firn_krylov)kind, &result);
    expect_small_error(names[kind], error, kappa, &result);
    assert_int_equal(result.indefinite, 0);
  }
  lattice_destroy(&l);
}

static void all_solvers_match_cholesky(void **state) {
  (void)state;
  compare_definite(false);
}

static void all_solvers_match_cholesky_on_the_range_of_the_projector(void **state) {
  (void)state;
  compare_definite(true);
}

static void cr_and_minres_match_elimination_on_an_indefinite_matrix(void **state) {
  (void)state;
  for (int constrained = 0; constrained < 2; constrained++) {
    lattice l;
    lattice_create(&l, context, 5, 5, 4, -0.44, 1, constrained);
    assemble(&l, &matrix);
    assert_false(cholesky(&matrix)); // or this would prove nothing new
    eliminate(&matrix);
    eliminate_solve(&matrix, matrix.b, matrix.x);
    double kappa = condition(&matrix, eliminate_solve);
    const char *const names[] = {"cr", "minres"};
    for (int kind = FIRN_KRYLOV_CR; kind <= FIRN_KRYLOV_MINRES; kind++) {
      firn_linear_result result;
      double error = solve_and_compare(&l, &matrix, (firn_krylov)kind, &result);
      expect_small_error(names[kind], error, kappa, &result);
      assert_true(result.indefinite > 0);
    }
    lattice_destroy(&l);
  }
}

static void constrained_values_stay(void **state) {
  (void)state;
  lattice l;
  lattice_create(&l, context, 5, 5, 4, 0.1, 30, true);
  for (int kind = FIRN_KRYLOV_CR; kind <= FIRN_KRYLOV_CG; kind++) {
    firn_status status;
    firn_linear_result result = lattice_solve(&l, (firn_krylov)kind, 1e-4, 400, &status);
    assert_true(result.converged && result.iterations > 3);
    int held = 0, slipping = 0, moved = 0;
    for (size_t i = 0; i < l.nodes; i++) {
      const lattice_node *n = &l.node[i];
      double along = 0;
      for (size_t c = 0; c < 3; c++) {
        double change = (double)l.x[4 * i + c] - (double)(firn_real)n->velocity[c];
        if (n->hold == LATTICE_HELD) assert_true(change == 0);
        if (n->hold == LATTICE_FREE) moved += change != 0;
        along += change * n->normal[c];
      }
      held += n->hold == LATTICE_HELD;
      slipping += n->hold == LATTICE_SLIP;
      // Each of at most 100 iterations rounds x, of order 1, once and its direction, of order 1 too
      // when summed, a few times.
      if (n->hold == LATTICE_SLIP) assert_true(fabs(along) < 4 * 100 * FIRN_REAL_EPS);
      assert_true(l.x[4 * i + 3] == 0);
    }
    assert_true(held > 5 && slipping > 5 && moved > 100);
  }
  lattice_destroy(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_solvers_match_cholesky),
      cmocka_unit_test(all_solvers_match_cholesky_on_the_range_of_the_projector),
      cmocka_unit_test(cr_and_minres_match_elimination_on_an_indefinite_matrix),
      cmocka_unit_test(constrained_values_stay),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
