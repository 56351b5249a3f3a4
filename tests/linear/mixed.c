// SPDX-License-Identifier: Apache-2.0
// processors: 2
// Conjugate gradients in two precisions: the residual that they tell is the true one, also in float,
// at any number of threads, and for a singular matrix.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "linear/mixed.h"
#include "support/context.h"

// -u'' on a line of cells, held at both ends or, closed, at none; the preconditioner is the diagonal,
// which differs from cell to cell by what weights there are.
enum { N = 9000 };
typedef struct line {
  bool closed, breaks;
  double weight[N + 1]; // of the faces
  double x[N], r[N], b[N];
} line;

static double diagonal(const line *l, int i) {
  return l->weight[i] + l->weight[i + 1];
}

static double product(const line *l, int i, double before, double here, double after) {
  return diagonal(l, i) * here - l->weight[i] * before - l->weight[i + 1] * after;
}

static void apply(void *user, const firn_real *p, double *y) {
  const line *l = user;
  for (int i = 0; i < N; i++)
    y[i] = product(l, i, i ? (double)p[i - 1] : 0, (double)p[i], i < N - 1 ? (double)p[i + 1] : 0);
  if (l->breaks) y[N / 2] = (double)NAN;
}

static void precondition(void *user, const double *r, firn_real *z) {
  const line *l = user;
  for (int i = 0; i < N; i++) z[i] = (firn_real)(r[i] / diagonal(l, i));
}

// Faces of weight 1 with a thin one here and there. The load changes its sign often, or x would be so large
// that its own rounding shows.
static line *make(bool closed) {
  line *l = calloc(1, sizeof *l);
  assert_non_null(l);
  l->closed = closed;
  double sum = 0;
  for (int i = 0; i <= N; i++) l->weight[i] = i % 60 ? 1 : 1e-2;
  if (closed) l->weight[0] = l->weight[N] = 0;
  for (int i = 0; i < N; i++) sum += l->b[i] = sin(0.3 * i);
  for (int i = 0; i < N && closed; i++) l->b[i] -= sum / N;
  memcpy(l->r, l->b, sizeof l->r);
  return l;
}

static double norm(const double *a) {
  double sum = 0;
  for (int i = 0; i < N; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

static double true_residual(const line *l) {
  double r[N];
  for (int i = 0; i < N; i++)
    r[i] = l->b[i] - product(l, i, i ? l->x[i - 1] : 0, l->x[i], i < N - 1 ? l->x[i + 1] : 0);
  return norm(r) / norm(l->b);
}

static firn_linear_result solve(firn_context *of, line *l, double tolerance, int most) {
  firn_mixed_system system = {of, N, l, apply, precondition};
  size_t bytes = firn_mixed_workspace(N);
  void *workspace = firn_alloc(of, bytes, "test");
  firn_linear_result result;
  memset(workspace, 0xff, bytes); // nan
  firn_mixed_solve(&system, tolerance, norm(l->b), most, l->x, l->r, workspace, &result);
  firn_free(of, workspace, bytes);
  return result;
}

// A solve all in float stops some 1e-4 of the way.
static void the_residual_is_the_true_one(void **state) {
  (void)state;
  for (int closed = 0; closed < 2; closed++) {
    line *l = make(closed);
    firn_linear_result result = solve(context, l, 1e-9, 20000);
    assert_true(result.converged);
    assert_true(result.residual <= 1e-9);
    assert_true(true_residual(l) <= 2e-9);
    assert_int_equal(result.indefinite, 0);
    free(l);
  }
}

static void threads_do_not_matter(void **state) {
  (void)state;
  line *l = make(false), *other = make(false);
  firn_context_def def = firn_default_context_def();
  firn_context *seven;
  def.threads = 7;
  assert_int_equal(firn_context_create(&def, &seven), FIRN_OK);
  solve(context, l, 1e-6, 500);
  solve(seven, other, 1e-6, 500);
  assert_memory_equal(l->x, other->x, sizeof l->x);
  assert_true(norm(l->x) > 0);
  firn_context_destroy(seven);
  free(l);
  free(other);
}

static void odd_starts_end_well(void **state) {
  (void)state;
  // Nothing to do.
  line *l = make(false);
  memset(l->r, 0, sizeof l->r);
  firn_linear_result result = solve(context, l, 1e-6, 10);
  assert_true(result.converged && result.iterations == 0 && result.residual == 0);
  // Not enough iterations.
  memcpy(l->r, l->b, sizeof l->r);
  result = solve(context, l, 1e-12, 3);
  assert_true(!result.converged && !result.breakdown && result.iterations == 3);
  // A nan from outside leaves x alone.
  double before[N];
  memcpy(before, l->x, sizeof before);
  memcpy(l->r, l->b, sizeof l->r);
  l->breaks = true;
  result = solve(context, l, 1e-6, 10);
  assert_true(result.breakdown && !result.converged && result.iterations == 0);
  assert_memory_equal(before, l->x, sizeof before);
  l->r[3] = (double)NAN;
  assert_true(solve(context, l, 1e-6, 10).breakdown);
  free(l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_residual_is_the_true_one),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(odd_starts_end_well),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
