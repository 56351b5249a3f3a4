// SPDX-License-Identifier: Apache-2.0
// processors: 2
// BiCGSTAB on matrices that are not symmetric, against elimination.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "linear/krylov.h"

enum { N = 300 };

typedef struct dense {
  double a[N][N], mass[N];
  int products, nonfinite_at;
} dense;

static firn_status apply(void *user, const firn_real *x, firn_real *y) {
  dense *d = user;
  d->products++;
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++) sum += d->a[i][j] * (double)x[j];
    y[i] = (firn_real)sum;
  }
  if (d->products == d->nonfinite_at) y[7] = (firn_real)NAN;
  return FIRN_OK;
}

static void precondition(void *user, const firn_real *r, firn_real *z, size_t first, size_t count) {
  const dense *d = user;
  for (size_t i = 0; i < count; i++) z[i] = (firn_real)((double)r[i] / d->mass[first + i]);
}

static double draw(uint64_t i, double lo, double hi) {
  return lo + (hi - lo) * firn_uniform(firn_philox4x32(11, i, 0, 0).v[0]);
}

// Strong diagonal, and off it as much of a skew part as of a symmetric one; masses from 1 to 100.
static dense *make(void) {
  dense *d = calloc(1, sizeof *d);
  assert_non_null(d);
  for (int i = 0; i < N; i++) {
    d->mass[i] = pow(10, draw((uint64_t)i, 0, 2));
    for (int j = 0; j < N; j++) {
      double off = draw((uint64_t)(1000 + N * i + j), -1, 1) / sqrt(N);
      d->a[i][j] = d->mass[i] * (i == j ? 3 + off : off);
    }
  }
  return d;
}

static void eliminate(const dense *d, double *b) {
  double(*a)[N] = malloc(sizeof d->a);
  memcpy(a, d->a, sizeof d->a);
  for (int j = 0; j < N; j++)
    for (int i = j + 1; i < N; i++) {
      double f = a[i][j] / a[j][j];
      for (int k = j; k < N; k++) a[i][k] -= f * a[j][k];
      b[i] -= f * b[j];
    }
  for (int i = N; i-- > 0;) {
    for (int k = i + 1; k < N; k++) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  free(a);
}

typedef struct solved {
  firn_linear_result result;
  alignas(64) firn_real x[N + 16];
} solved;

static void solve(dense *d, int threads, double tolerance, int most, solved *out) {
  firn_context *context;
  firn_context_def def = firn_default_context_def();
  def.threads = threads;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  firn_linear_system system = {.context = context,
                               .count = N,
                               .block = 3,
                               .chunk = 258,
                               .user = d,
                               .apply = apply,
                               .precondition = precondition};
  alignas(64) firn_real r[N + 16] = {0};
  size_t size = (firn_bicgstab_workspace(N) * sizeof *r + 63) / 64 * 64;
  firn_real *workspace = aligned_alloc(64, size);
  double reference2 = 0;
  memset(out->x, 0, sizeof out->x);
  for (int i = 0; i < N; i++) {
    r[i] = (firn_real)(d->mass[i] * draw((uint64_t)(500 + i), -1, 1));
    reference2 += (double)r[i] * (double)r[i] / d->mass[i];
  }
  assert_int_equal(
      firn_bicgstab_solve(&system, tolerance, reference2, most, out->x, r, workspace, &out->result),
      FIRN_OK);
  free(workspace);
  firn_context_destroy(context);
}

static void finds_what_elimination_finds(void **state) {
  (void)state;
  dense *d = make();
  double exact[N], off = 0, size = 0;
  solved s;
  bool is_double = sizeof(firn_real) == sizeof(double);
  for (int i = 0; i < N; i++)
    exact[i] = (double)(firn_real)(d->mass[i] * draw((uint64_t)(500 + i), -1, 1));
  eliminate(d, exact);
  solve(d, 2, is_double ? 1e-12 : 1e-6, 100, &s);
  assert_true(s.result.converged && !s.result.breakdown);
  assert_in_range(s.result.iterations, 5, 40);
  for (int i = 0; i < N; i++) {
    off += pow((double)s.x[i] - exact[i], 2);
    size += exact[i] * exact[i];
  }
  assert_true(sqrt(off / size) < (is_double ? 1e-11 : 1e-5));
  free(d);
}

static void answer_does_not_depend_on_threads(void **state) {
  (void)state;
  dense *d = make();
  solved one, seven;
  solve(d, 1, 1e-5, 100, &one);
  solve(d, 7, 1e-5, 100, &seven);
  assert_memory_equal(one.x, seven.x, sizeof one.x);
  assert_int_equal(one.result.iterations, seven.result.iterations);
  free(d);
}

// Each of the first products in turn is not finite: the answer is, and tells.
static void breakdown_leaves_a_finite_answer(void **state) {
  (void)state;
  dense *d = make();
  for (int k = 1; k < 8; k++) {
    solved s;
    d->products = 0;
    d->nonfinite_at = k;
    solve(d, 2, 1e-5, 100, &s);
    assert_true(s.result.breakdown && !s.result.converged);
    for (int i = 0; i < N; i++) assert_true(isfinite(s.x[i]));
  }
  free(d);
}

static void limit_of_iterations_holds(void **state) {
  (void)state;
  dense *d = make();
  solved s;
  solve(d, 2, 1e-5, 2, &s);
  assert_true(!s.result.converged && s.result.iterations == 2);
  assert_true(d->products == 4 && s.result.residual > 1e-5 && s.result.residual < 1);
  free(d);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_what_elimination_finds),
      cmocka_unit_test(answer_does_not_depend_on_threads),
      cmocka_unit_test(breakdown_leaves_a_finite_answer),
      cmocka_unit_test(limit_of_iterations_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
