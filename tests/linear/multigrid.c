// SPDX-License-Identifier: Apache-2.0
// processors: 2
// Multigrid as a preconditioner: symmetric, and good for the same few iterations at any size.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "linear/mixed.h"
#include "linear/multigrid_kernels.h"
#include "support/context.h"

enum { CELLS = FIRN_MG_CELLS };

// A ball-shaped pool in a box of n^3 cells, filled to a surface that is not flat: walls that cut faces at
// random heights, and air above that holds cells as a ghost fluid does. Or closed, or all of a box that
// repeats itself.
typedef struct pool {
  int n;
  bool closed, periodic;
  double wall; // cells; thickness of a wall through the middle with a gap, 0: none
  firn_multigrid mg;
  size_t count; // of a vector
} pool;

static bool is_wet(const pool *p, int i, int j, int k) {
  double c = p->n / 2.0, x = i + 0.5 - c, y = j + 0.5 - c, z = k + 0.5 - c;
  if (p->periodic) return true;
  if (i < 0 || j < 0 || k < 0 || i >= p->n || j >= p->n || k >= p->n) return false;
  if (p->wall > 0 && fabs(x) < p->wall / 2 && !(fabs(z) < p->n / 8.0 && y < 0)) return false;
  if (!p->closed && y > 0.1 * p->n + 0.04 * p->n * sin(9.0 * i / p->n)) return false;
  return x * x + y * y + z * z < 0.9 * c * c;
}

// Air above the water, which is at height 0; all else that is not wet is wall.
static bool is_air(const pool *p, int i, int j, int k) {
  double c = p->n / 2.0, x = i + 0.5 - c, y = j + 0.5 - c, z = k + 0.5 - c;
  return !p->periodic && !p->closed && !is_wet(p, i, j, k) && y > 0 &&
         x * x + y * y + z * z < 0.9 * c * c;
}

// The same from both sides of a face.
static double weight(int i, int j, int k, int axis) {
  uint64_t id = (uint64_t)(((i * 131 + j) * 131 + k) * 3 + axis);
  return id % 5 ? 1 : 0.3 + 0.7 * firn_uniform(firn_philox4x32(3, id, 1, 0).v[0]);
}

static void fill(const pool *p, size_t b, firn_real *c) {
  const int32_t *at = p->mg.level[0].at[b];
  for (int n = 0; n < CELLS; n++) {
    int q[3] = {4 * at[0] + (n >> 4), 4 * at[1] + (n >> 2 & 3), 4 * at[2] + (n & 3)};
    bool wet = is_wet(p, q[0], q[1], q[2]);
    double hold = 0;
    for (int d = 0; d < 6; d++) {
      int to[3] = {q[0], q[1], q[2]}, face[3];
      to[d / 2] += d % 2 ? 1 : -1;
      for (int a = 0; a < 3; a++) face[a] = (d % 2 ? to[a] : q[a] + 4 * p->n) % p->n;
      double w = weight(face[0] % p->n, face[1] % p->n, face[2] % p->n, d / 2);
      bool other = is_wet(p, to[0], to[1], to[2]);
      c[d * CELLS + n] = (firn_real)(wet && other ? w : 0);
      if (wet && is_air(p, to[0], to[1], to[2])) hold += w / (0.05 + 0.9 * (n % 7) / 7.0);
    }
    c[FIRN_MG_HOLD * CELLS + n] = (firn_real)hold;
  }
}

static pool make(firn_context *of, int n, bool closed, bool periodic, double wall) {
  pool p = {.n = n, .closed = closed, .periodic = periodic, .wall = wall};
  size_t room = (size_t)(n / 4) * (size_t)(n / 4) * (size_t)(n / 4), count = 0;
  int32_t(*at)[3] = malloc(room * sizeof *at), period[3] = {0};
  uint8_t *uniform = calloc(room, 1);
  for (int i = 0; i < n / 4; i++)
    for (int j = 0; j < n / 4; j++)
      for (int k = 0; k < n / 4; k++) {
        bool any = false;
        for (int m = 0; m < CELLS; m++)
          any = any || is_wet(&p, 4 * i + (m >> 4), 4 * j + (m >> 2 & 3), 4 * k + (m & 3));
        if (!any) continue;
        memcpy(at[count++], (const int32_t[3]){i, j, k}, sizeof *at);
      }
  for (int a = 0; a < 3 && periodic; a++) period[a] = n / 4;
  firn_multigrid_init(&p.mg, of);
  assert_int_equal(firn_multigrid_layout(&p.mg, count, (const int32_t(*)[3])at, uniform, period),
                   FIRN_OK);
  for (size_t b = 0; b < count; b++) fill(&p, b, firn_multigrid_block(&p.mg, b));
  firn_multigrid_finish(&p.mg);
  p.count = count * CELLS;
  free(at);
  free(uniform);
  return p;
}

static bool exists(const pool *p, size_t i) {
  const firn_real *c = firn_multigrid_block(&p->mg, i / CELLS);
  return c[FIRN_MG_INVERSE * CELLS + i % CELLS] > 0;
}

// Noise in all cells; without a mean where A is singular.
static double *noise(const pool *p, uint32_t stream) {
  double *v = calloc(p->count, sizeof *v), sum = 0, cells = 0;
  for (size_t i = 0; i < p->count; i++) {
    if (!exists(p, i)) continue;
    v[i] = 2 * firn_uniform(firn_philox4x32(5, i, stream, 0).v[0]) - 1;
    sum += v[i];
    cells++;
  }
  for (size_t i = 0; i < p->count && (p->closed || p->periodic); i++)
    if (exists(p, i)) v[i] -= sum / cells;
  return v;
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static int solve(firn_context *of, pool *p, double *x) {
  double *r = noise(p, 0), reference = sqrt(dot(r, r, p->count));
  firn_mixed_system system = {of, p->count, &p->mg, firn_multigrid_apply, firn_multigrid_cycle};
  void *workspace = malloc(firn_mixed_workspace(p->count));
  firn_linear_result result;
  firn_mixed_solve(&system, 1e-6, reference, 60, x, r, workspace, &result);
  assert_true(result.converged);
  assert_int_equal(result.indefinite, 0);
  free(workspace);
  free(r);
  return result.iterations;
}

static void operator_and_cycle_are_symmetric(void **state) {
  (void)state;
  double tolerance = sizeof(firn_real) == 4 ? 1e-5 : 1e-12;
  for (int periodic = 0; periodic < 2; periodic++) {
    pool p = make(context, 24, false, periodic, 0);
    size_t n = p.count;
    double *a = noise(&p, 1), *b = noise(&p, 2), *za = calloc(n, sizeof *za),
           *zb = calloc(n, sizeof *zb);
    firn_real *ra = calloc(n + FIRN_MIXED_PAD, sizeof *ra),
              *rb = calloc(n + FIRN_MIXED_PAD, sizeof *rb);
    firn_multigrid_cycle(&p.mg, a, ra);
    firn_multigrid_cycle(&p.mg, b, rb);
    double bra = 0, arb = 0, ara = 0;
    for (size_t i = 0; i < n; i++) {
      bra += b[i] * (double)ra[i];
      arb += a[i] * (double)rb[i];
      ara += a[i] * (double)ra[i];
    }
    assert_true(ara > 0);
    assert_true(fabs(bra - arb) < tolerance * ara);
    for (size_t i = 0; i < n; i++) ra[i] = (firn_real)a[i], rb[i] = (firn_real)b[i];
    firn_multigrid_apply(&p.mg, ra, za);
    firn_multigrid_apply(&p.mg, rb, zb);
    assert_true(fabs(dot(b, za, n) - dot(a, zb, n)) < tolerance * dot(a, za, n));
    free(a), free(b), free(za), free(zb), free(ra), free(rb);
    firn_multigrid_free(&p.mg);
  }
}

static void iterations_hardly_grow_with_size(void **state) {
  (void)state;
  int before = 0;
  for (int n = 16; n <= 64; n *= 2) {
    pool p = make(context, n, false, false, 0);
    double *x = calloc(p.count, sizeof *x);
    int iterations = solve(context, &p, x);
    if (getenv("FIRN_TEST_VERBOSE")) printf("%d cells across: %d\n", n, iterations);
    assert_true(iterations <= 12);
    assert_true(before == 0 || iterations <= before + 2);
    before = iterations;
    free(x);
    firn_multigrid_free(&p.mg);
  }
}

static void closed_periodic_and_walled_pools_converge(void **state) {
  (void)state;
  static const struct {
    int n;
    bool closed, periodic;
    double wall;
    int most;
  } cases[] = {{32, true, false, 0, 14},
               {32, false, true, 0, 14},
               {12, false, true, 0, 14},
               {32, false, false, 1, 30}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    pool p = make(context, cases[i].n, cases[i].closed, cases[i].periodic, cases[i].wall);
    double *x = calloc(p.count, sizeof *x);
    int iterations = solve(context, &p, x);
    if (getenv("FIRN_TEST_VERBOSE")) printf("case %zu: %d\n", i, iterations);
    assert_true(iterations <= cases[i].most);
    free(x);
    firn_multigrid_free(&p.mg);
  }
}

static void threads_do_not_matter(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  firn_context *seven;
  def.threads = 7;
  assert_int_equal(firn_context_create(&def, &seven), FIRN_OK);
  pool p = make(context, 24, false, false, 0), q = make(seven, 24, false, false, 0);
  double *x = calloc(p.count, sizeof *x), *y = calloc(p.count, sizeof *y);
  solve(context, &p, x);
  solve(seven, &q, y);
  assert_memory_equal(x, y, p.count * sizeof *x);
  free(x), free(y);
  firn_multigrid_free(&p.mg);
  firn_multigrid_free(&q.mg);
  firn_context_destroy(seven);
}

// One product, residual and sweep of a block, by plain C and by the context's instructions: the same bits.
static void compare_block(const firn_multigrid *mg, size_t b) {
  const firn_mg_level *l = &mg->level[0];
  firn_real r[2][CELLS], y[2][CELLS];
  double product[2][CELLS];
  for (int k = 0; k < 2; k++) {
    const firn_mg_kernels *kernels = k ? mg->kernels : &firn_mg_scalar;
    kernels->residual(l, l->x, b, r[k]);
    kernels->relax(l, l->x, b, FIRN_R(0.8), y[k]);
    kernels->multiply(l, l->x, b, product[k]);
    kernels->prolong(l, l->b + CELLS * b, b, y[k]);
  }
  assert_memory_equal(r[0], r[1], sizeof *r);
  assert_memory_equal(y[0], y[1], sizeof *y);
  assert_memory_equal(product[0], product[1], sizeof *product);
}

static void instructions_do_not_matter(void **state) {
  (void)state;
  const int32_t period[3] = {2, 2, 2}, at[8][3] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1},
                                                   {1, 0, 0}, {1, 0, 1}, {1, 1, 0}, {1, 1, 1}};
  static const uint8_t uniform[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  pool p = make(context, 24, false, false, 0);
  firn_multigrid even;
  firn_multigrid_init(&even, context);
  assert_int_equal(firn_multigrid_layout(&even, 8, at, uniform, period), FIRN_OK);
  firn_multigrid_finish(&even);
  bool quick = sizeof(firn_real) == sizeof(float) && firn_isa_best() != FIRN_ISA_SCALAR;
  assert_int_equal(p.mg.kernels != &firn_mg_scalar, quick);
  for (int k = 0; k < 2; k++) {
    firn_multigrid *mg = k ? &even : &p.mg;
    firn_mg_level *l = &mg->level[0];
    for (size_t i = 0; i < CELLS * l->count; i++) {
      l->x[i] = (firn_real)(2 * firn_uniform(firn_philox4x32(5, i, 1, 0).v[0]) - 1);
      l->b[i] = (firn_real)(2 * firn_uniform(firn_philox4x32(5, i, 2, 0).v[0]) - 1);
    }
    for (size_t b = 0; b < l->count; b++) compare_block(mg, b);
  }
  firn_multigrid_free(&even);
  firn_multigrid_free(&p.mg);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operator_and_cycle_are_symmetric),
      cmocka_unit_test(iterations_hardly_grow_with_size),
      cmocka_unit_test(closed_periodic_and_walled_pools_converge),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(instructions_do_not_matter),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
