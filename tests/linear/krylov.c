// SPDX-License-Identifier: Apache-2.0
// processors: 2
// How the Krylov solvers behave: threads, iteration counts, breakdown, memory, arguments.
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "linear/lattice.h"
#include "support/context.h"

static const firn_krylov KINDS[] = {FIRN_KRYLOV_CR, FIRN_KRYLOV_MINRES, FIRN_KRYLOV_CG};
enum { KINDS_COUNT = 3 };

// ------------------------------------------------------------------- a system of 2x2 blocks, B = I

// Two grid blocks of pairs (a, b; b, c), the same for each pair but scaled by its scale.
enum { BLOCK = 256, SMALL = 2 * BLOCK };
typedef struct small {
  firn_linear_system system;
  double a, b, c;
  double scale[SMALL];
  double preconditioner; // B^-1
  atomic_bool strayed;   // a range that is not of whole blocks
  int products;
  int fail_at;      // number of the product that returns an error, from 1; 0: none
  int nonfinite_at; // likewise, that has a nan in it
  alignas(64) firn_real x[SMALL];
  alignas(64) firn_real r[SMALL];
  alignas(64) firn_real workspace[6 * SMALL];
} small;

static firn_status small_apply(void *user, const firn_real *x, firn_real *y) {
  small *s = user;
  if (++s->products == s->fail_at) {
    return firn_fail(s->system.context, FIRN_ERROR_DOMAIN, "product %d failed", s->products);
  }
  for (size_t i = 0; i < s->system.count; i += 2) {
    double u = (double)x[i], v = (double)x[i + 1];
    y[i] = (firn_real)(s->scale[i] * (s->a * u + s->b * v));
    y[i + 1] = (firn_real)(s->scale[i] * (s->b * u + s->c * v));
  }
  if (s->products == s->nonfinite_at) y[s->system.count - 5] = (firn_real)NAN;
  return FIRN_OK;
}

static void small_precondition(void *user, const firn_real *r, firn_real *z, size_t first,
                               size_t count) {
  small *s = user;
  size_t block = s->system.block;
  if (count == 0 || first % block || count % block || first + count > s->system.count)
    atomic_store(&s->strayed, true);
  for (size_t i = 0; i < count; i++) z[i] = (firn_real)s->preconditioner * r[i];
}

static void small_init(small *s, double a, double b, double c) {
  memset(s, 0, sizeof *s);
  s->system = (firn_linear_system){.context = context,
                                   .count = SMALL,
                                   .block = BLOCK,
                                   .chunk = BLOCK,
                                   .user = s,
                                   .apply = small_apply,
                                   .precondition = small_precondition};
  s->a = a, s->b = b, s->c = c;
  s->preconditioner = 1;
  for (int i = 0; i < SMALL; i++) s->scale[i] = 1;
}

// From x = 0, with r = (right, 0) in each pair if !both, else (right, right).
static firn_status small_solve(small *s, firn_krylov kind, double right, bool both,
                               double tolerance, int max_iterations, firn_linear_result *result) {
  assert_true(firn_krylov_workspace(kind, SMALL) <= sizeof s->workspace / sizeof *s->workspace);
  s->products = 0;
  for (int i = 0; i < SMALL; i++) {
    s->x[i] = 0;
    s->r[i] = i % 2 == 0 || both ? (firn_real)right : 0;
  }
  firn_status status = firn_krylov_solve(kind, &s->system, tolerance, SMALL * right * right,
                                         max_iterations, s->x, s->r, s->workspace, result);
  assert_false(atomic_load(&s->strayed));
  return status;
}

// ------------------------------------------------------------------------------------------- tests

static void the_answer_does_not_depend_on_threads(void **state) {
  (void)state;
  const int threads[] = {1, 2, 7};
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_real *first_x = NULL;
    size_t size = 0;
    firn_linear_result first = {0};
    for (int t = 0; t < 3; t++) {
      firn_context_def def = firn_default_context_def();
      def.threads = threads[t];
      firn_context *own;
      assert_int_equal(firn_context_create(&def, &own), FIRN_OK);
      lattice l;
      lattice_create(&l, own, 21, 20, 13, 0.1, 10, true);
      l.system.chunk = 5 * BLOCK; // 18 chunks, the last one short
      assert_true(l.system.count % l.system.chunk != 0);
      firn_status status;
      firn_linear_result result = lattice_solve(&l, KINDS[k], 1e-4, 200, &status);
      assert_true(result.converged && result.iterations > 5);
      if (t == 0) {
        first = result;
        size = l.system.count * sizeof *first_x;
        first_x = firn_alloc(context, size, "first");
        memcpy(first_x, l.x, size);
      }
      assert_memory_equal(l.x, first_x, size);
      assert_int_equal(result.iterations, first.iterations);
      assert_true(result.residual == first.residual);
      lattice_destroy(&l);
      firn_context_destroy(own);
    }
    firn_free(context, first_x, size);
  }
}

// Blocks are not coupled in the small system, so the others must come out as in a solve of all of
// them, though what lies in the still ones is poison.
static void still_blocks_stay_and_do_not_disturb_the_rest(void **state) {
  (void)state;
  enum { BLOCKS = SMALL / BLOCK };
  uint8_t still[BLOCKS];
  for (int b = 0; b < BLOCKS; b++) still[b] = b % 2 == 0;
  for (int k = 0; k < KINDS_COUNT; k++) {
    static small whole, part;
    firn_linear_result of_whole, of_part;
    small_init(&whole, 3, 1, 2);
    assert_int_equal(small_solve(&whole, KINDS[k], 1, false, 1e-5, 50, &of_whole), FIRN_OK);
    small_init(&part, 3, 1, 2);
    part.system.still = still;
    part.system.chunk = 2 * BLOCK;
    for (size_t i = 0; i < sizeof part.workspace / sizeof *part.workspace; i++) {
      part.workspace[i] = (firn_real)NAN;
    }
    double rest = 0;
    for (int i = 0; i < SMALL; i++) {
      bool stays = still[i / BLOCK];
      part.x[i] = stays ? 7 : 0;
      part.r[i] = stays ? (firn_real)NAN : i % 2 == 0;
      rest += !stays;
    }
    assert_int_equal(firn_krylov_solve(KINDS[k], &part.system, 1e-5, rest, 50, part.x, part.r,
                                       part.workspace, &of_part),
                     FIRN_OK);
    assert_true(of_part.converged && !of_part.breakdown);
    assert_int_equal(of_part.iterations, of_whole.iterations);
    for (int i = 0; i < SMALL; i++) {
      double expected = still[i / BLOCK] ? 7 : (double)whole.x[i];
      // The scalars are sums over fewer blocks, of equal parts: they round differently.
      assert_float_equal(part.x[i], expected, 8 * FIRN_REAL_EPS);
    }
  }
}

// Pairs solve for themselves, so the answer is known; what lies in still blocks and behind the vectors
// is poison.
static void a_block_may_have_any_number_of_reals(void **state) {
  (void)state;
  const size_t sizes[] = {1, 2, 6, 100, 256};
  for (int k = 0; k < KINDS_COUNT * 5; k++) {
    static small s;
    static uint8_t still[SMALL];
    firn_linear_result result;
    size_t block = sizes[k / KINDS_COUNT], count = SMALL / block * block;
    small_init(&s, 3, 1, 2);
    s.system.block = block;
    s.system.count = count;
    s.system.chunk = (BLOCK + block - 1) / block * block;
    s.system.still = still;
    memset(still, 0, sizeof still);
    double reference2 = 0;
    size_t work = firn_krylov_workspace(KINDS[k % KINDS_COUNT], count);
    assert_true(work < sizeof s.workspace / sizeof *s.workspace);
    for (size_t i = 0; i < work; i++) s.workspace[i] = (firn_real)NAN;
    s.workspace[work] = 12345;
    for (size_t i = 0; i < SMALL; i++) {
      // The third block, and the second of a pair if a block holds but one.
      size_t first = i / 2 * 2 / block;
      still[i / block] = first == 2 || first == 3;
      bool stays = still[i / block] || i >= count;
      s.scale[i] = 1 + (double)(i / 2 % 3);
      s.x[i] = stays ? 7 : 0;
      s.r[i] = stays ? (firn_real)NAN : i % 2 == 0;
      if (!stays) reference2 += i % 2 == 0;
    }
    assert_int_equal(firn_krylov_solve(KINDS[k % KINDS_COUNT], &s.system, 1e-6, reference2, 60, s.x,
                                       s.r, s.workspace, &result),
                     FIRN_OK);
    assert_true(result.converged);
    assert_false(atomic_load(&s.strayed));
    assert_true(s.workspace[work] == 12345);
    for (size_t i = 0; i < SMALL; i++) {
      // (3 1; 1 2)^-1 (1; 0) = (2; -1) / 5; the residual is 1e-6 of a right-hand side of length 16.
      double expected = (i % 2 == 0 ? 0.4 : -0.2) / s.scale[i];
      if (still[i / block] || i >= count) expected = 7;
      assert_float_equal(s.x[i], expected, 16e-6);
    }
  }
}

static void iterations_are_as_many_as_distinct_eigenvalues(void **state) {
  (void)state;
  static small s;
  const double values[] = {1, 2, 3, 5, 8};
  small_init(&s, 1, 0, 1);
  for (int i = 0; i < SMALL; i++) s.scale[i] = values[i / 2 % 5];
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result result;
    // Rounding is amplified by the condition, 8, and some: four digits above eps are enough.
    double tolerance = 1e4 * FIRN_REAL_EPS;
    assert_int_equal(small_solve(&s, KINDS[k], 1, true, tolerance, 50, &result), FIRN_OK);
    assert_true(result.converged);
    assert_int_equal(result.iterations, 5);
    assert_int_equal(s.products, 5);
    assert_true(result.residual <= tolerance);
    for (int i = 0; i < SMALL; i++)
      assert_true(fabs((double)s.x[i] * s.scale[i / 2 * 2] - 1) < 8 * tolerance * sqrt(SMALL));
  }
}

static void an_exact_preconditioner_needs_one_iteration(void **state) {
  (void)state;
  static small s;
  small_init(&s, 4, 0, 4);
  s.preconditioner = 0.25;
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result result;
    assert_int_equal(small_solve(&s, KINDS[k], 3, true, 1e-6, 50, &result), FIRN_OK);
    assert_true(result.converged);
    assert_int_equal(result.iterations, 1);
    for (int i = 0; i < SMALL; i++) assert_true(fabs((double)s.x[i] - 0.75) < 1e-6);
  }
}

static void norm_of_sixteen(void *user, const firn_real *r, firn_real *y, size_t first,
                            size_t count) {
  (void)user, (void)first;
  for (size_t i = 0; i < count; i++) y[i] = 16 * r[i];
}

// A norm that counts residuals four times makes CR go on until they are a quarter, from the first look on, and changes
// no iterate.
static void cr_stops_by_the_norm_it_is_given(void **state) {
  (void)state;
  static small s;
  firn_linear_result plain, given, tight;
  small_init(&s, 4, 1, 2);
  for (size_t i = 0; i < SMALL; i++) s.scale[i] = 1 + 0.01 * (double)(i / 2 % 97);
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 3, false, 1e-3, 50, &plain), FIRN_OK);
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 3, false, 0.25e-3, 50, &tight), FIRN_OK);
  firn_real first = s.x[0];
  s.system.norm = norm_of_sixteen;
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 3, false, 1e-3, 50, &given), FIRN_OK);
  assert_true(plain.converged && tight.converged && given.converged);
  assert_true(tight.iterations > plain.iterations);
  assert_int_equal(given.iterations, tight.iterations);
  assert_true(s.x[0] == first);
  assert_true(fabs(given.residual / tight.residual - 4) < 1e-6);
  // Half of all is 0, so r is at first 0.7 of the reference.
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 3, false, 0.8, 50, &given), FIRN_OK);
  assert_true(given.iterations > 0);
  s.system.norm = NULL;
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 3, false, 0.8, 50, &plain), FIRN_OK);
  assert_int_equal(plain.iterations, 0);
}

static void cr_and_minres_take_the_same_steps_and_never_grow_the_residual(void **state) {
  (void)state;
  lattice l;
  lattice_create(&l, context, 6, 5, 7, 0.1, 10, true);
  size_t size = l.system.count * sizeof *l.x;
  firn_real *x = firn_alloc(context, size, "x");
  double first = 0, last = INFINITY;
  for (int steps = 0; steps < 12; steps++) {
    firn_status status;
    firn_linear_result cr = lattice_solve(&l, FIRN_KRYLOV_CR, 0, steps, &status);
    memcpy(x, l.x, size);
    firn_linear_result minres = lattice_solve(&l, FIRN_KRYLOV_MINRES, 0, steps, &status);
    assert_int_equal(cr.iterations, steps);
    assert_int_equal(minres.iterations, steps);
    assert_false(cr.converged || cr.breakdown || minres.converged || minres.breakdown);
    assert_true(cr.residual < last);
    last = cr.residual;
    if (steps == 0) first = last;
    // Few enough steps that Lanczos has not yet lost orthogonality: rounding times the condition,
    // below 200, and a few roundings a step.
    double close = 200 * 10 * FIRN_REAL_EPS;
    assert_true(fabs(cr.residual - minres.residual) <= close * (cr.residual + 1));
    for (size_t i = 0; i < l.system.count; i++)
      assert_true(fabs((double)x[i] - (double)l.x[i]) <= close);
  }
  assert_true(last < 0.1 * first);
  firn_free(context, x, size);
  lattice_destroy(&l);
}

// sqrt(r'B^-1 r / reference2) of x as it is.
static double true_residual(lattice *l) {
  for (size_t i = 0; i < l->nodes; i++)
    for (size_t c = 0; c < 3; c++) l->node[i].in[c] = (double)l->x[4 * i + c];
  lattice_product(l);
  double sum = 0;
  for (size_t i = 0; i < l->nodes; i++) {
    lattice_node *n = &l->node[i];
    double v[3];
    for (int c = 0; c < 3; c++) v[c] = n->mass * (double)(firn_real)n->velocity[c] - n->out[c];
    lattice_project(n, v);
    for (int c = 0; c < 3; c++) sum += v[c] * v[c] / n->mass;
  }
  return sqrt(sum / l->reference2);
}

static void the_reported_residual_is_that_of_x(void **state) {
  (void)state;
  lattice l;
  lattice_create(&l, context, 6, 5, 7, 0.1, 10, true);
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_status status;
    firn_linear_result result = lattice_solve(&l, KINDS[k], 1e-3, 200, &status);
    assert_true(result.converged && result.residual <= 1e-3);
    // The recursive residual leaves the true one by rounding of x, of order 1, times |A|, below 200.
    assert_true(fabs(true_residual(&l) - result.residual) < 200 * 10 * FIRN_REAL_EPS);
    firn_linear_result before = lattice_solve(&l, KINDS[k], 1e-3, result.iterations - 1, &status);
    assert_false(before.converged);
    assert_true(before.residual > 1e-3);
    assert_true(fabs(true_residual(&l) - before.residual) < 200 * 10 * FIRN_REAL_EPS);
  }
  lattice_destroy(&l);
}

static void nothing_to_do_takes_no_iteration(void **state) {
  (void)state;
  static small s;
  small_init(&s, 2, 1, 2);
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result result;
    assert_int_equal(small_solve(&s, KINDS[k], 0, true, 1e-4, 50, &result), FIRN_OK); // reference 0
    assert_true(result.converged);
    assert_int_equal(result.iterations, 0);
    assert_int_equal(s.products, 0);
    assert_true(result.residual == 0);
    for (int i = 0; i < SMALL; i++) assert_true(s.x[i] == 0);

    firn_linear_system empty = s.system;
    empty.count = 0;
    assert_int_equal(firn_krylov_solve(KINDS[k], &empty, 0, 0, 9, NULL, NULL, NULL, &result),
                     FIRN_OK);
    assert_true(result.converged && result.iterations == 0);
  }
}

static void negative_curvature_is_counted_and_survived(void **state) {
  (void)state;
  static small s;
  small_init(&s, -3, 1, -2); // negative definite: every direction is one of negative curvature
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result result;
    assert_int_equal(small_solve(&s, KINDS[k], 1, false, 1e-5, 50, &result), FIRN_OK);
    assert_true(result.converged);
    assert_int_equal(result.iterations, 2);
    assert_int_equal(result.indefinite, 2);
    for (int i = 0; i < SMALL; i += 2) { // (-3, 1; 1, -2) (-0.4, -0.2) = (1, 0)
      assert_true(fabs((double)s.x[i] + 0.4) < 1e-5);
      assert_true(fabs((double)s.x[i + 1] + 0.2) < 1e-5);
    }
  }
}

static void zero_curvature_breaks_cr_and_cg_but_not_minres(void **state) {
  (void)state;
  static small s;
  small_init(&s, 0, 1, 0);
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result result;
    assert_int_equal(small_solve(&s, KINDS[k], 1, false, 1e-5, 50, &result), FIRN_OK);
    bool survives = KINDS[k] == FIRN_KRYLOV_MINRES;
    assert_true(result.converged == survives);
    assert_true(result.breakdown != survives);
    assert_int_equal(result.iterations, survives ? 2 : 0);
    for (int i = 0; i < SMALL; i++) assert_true(s.x[i] == (i % 2 && survives ? 1 : 0));
  }
}

static void a_singular_matrix_breaks_down(void **state) {
  (void)state;
  static small s;
  small_init(&s, 0, 0, 0);
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result result;
    assert_int_equal(small_solve(&s, KINDS[k], 1, true, 1e-5, 50, &result), FIRN_OK);
    assert_true(result.breakdown && !result.converged);
    assert_true(fabs(result.residual - 1) < 1e-12);
    for (int i = 0; i < SMALL; i++) assert_true(s.x[i] == 0);
  }
}

static void a_preconditioner_that_is_not_positive_breaks_down(void **state) {
  (void)state;
  static small s;
  small_init(&s, 2, 1, 2);
  s.preconditioner = -1;
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result result;
    assert_int_equal(small_solve(&s, KINDS[k], 1, true, 1e-5, 50, &result), FIRN_OK);
    assert_true(result.breakdown && !result.converged);
    assert_int_equal(result.iterations, 0);
  }
}

static void a_product_that_is_not_finite_leaves_x_where_it_was_good(void **state) {
  (void)state;
  static small s;
  const double values[] = {1, 2, 3, 5, 8};
  for (int k = 0; k < KINDS_COUNT; k++) {
    small_init(&s, 1, 0, 1);
    for (int i = 0; i < SMALL; i++) s.scale[i] = values[i / 2 % 5];
    firn_linear_result good, bad;
    firn_real x[SMALL];
    assert_int_equal(small_solve(&s, KINDS[k], 1, true, 0, 3, &good), FIRN_OK);
    memcpy(x, s.x, sizeof x);
    s.nonfinite_at = 4;
    assert_int_equal(small_solve(&s, KINDS[k], 1, true, 0, 50, &bad), FIRN_OK);
    assert_true(bad.breakdown && !bad.converged);
    assert_int_equal(bad.iterations, 3);
    assert_true(bad.residual == good.residual);
    assert_memory_equal(s.x, x, sizeof x);

    // A right-hand side that is not finite is one that no iteration can help.
    assert_int_equal(small_solve(&s, KINDS[k], NAN, true, 1e-4, 50, &bad), FIRN_OK);
    assert_true(bad.breakdown && !bad.converged && s.products == 0);
    assert_int_equal(small_solve(&s, KINDS[k], INFINITY, true, 1e-4, 50, &bad), FIRN_OK);
    assert_true(bad.breakdown && !bad.converged && s.products == 0);
  }
}

static void a_product_that_fails_passes_its_status_on(void **state) {
  (void)state;
  static small s;
  const double values[] = {1, 2, 3, 5, 8};
  small_init(&s, 1, 0, 1);
  for (int i = 0; i < SMALL; i++) s.scale[i] = values[i / 2 % 5];
  for (int k = 0; k < KINDS_COUNT; k++) {
    firn_linear_result good, bad;
    firn_real x[SMALL];
    s.fail_at = 0;
    assert_int_equal(small_solve(&s, KINDS[k], 1, true, 0, 2, &good), FIRN_OK);
    memcpy(x, s.x, sizeof x);
    s.fail_at = 3;
    assert_int_equal(small_solve(&s, KINDS[k], 1, true, 0, 50, &bad), FIRN_ERROR_DOMAIN);
    assert_string_equal(firn_context_message(context), "product 3 failed");
    assert_int_equal(bad.iterations, 2);
    assert_false(bad.converged);
    assert_memory_equal(s.x, x, sizeof x);
  }
}

static void only_the_workspace_that_was_asked_for_is_touched(void **state) {
  (void)state;
  enum { GUARD = 64 };
  lattice l;
  lattice_create(&l, context, 9, 9, 9, 0.1, 10,
                 true); // chunks of one block: as many sums as can be
  for (int k = 0; k < KINDS_COUNT; k++) {
    size_t count = l.system.count, size = firn_krylov_workspace(KINDS[k], count);
    size_t total = 3 * (size + 2 * GUARD);
    firn_real *memory = firn_alloc(context, total * sizeof *memory, "guarded");
    for (size_t i = 0; i < total; i++) memory[i] = (firn_real)12345;
    firn_real *workspace = memory + GUARD, *x = workspace + size + GUARD, *r = x + count + GUARD;
    lattice_reset(&l);
    memcpy(x, l.x, count * sizeof *x);
    memcpy(r, l.r, count * sizeof *r);
    firn_linear_result result;
    assert_int_equal(
        firn_krylov_solve(KINDS[k], &l.system, 1e-4, l.reference2, 100, x, r, workspace, &result),
        FIRN_OK);
    assert_true(result.converged);
    size_t touched = 0;
    for (size_t i = 0; i < total; i++) {
      const firn_real *at = memory + i;
      bool in_work = at >= workspace && at < workspace + size;
      bool in_vectors = (at >= x && at < x + count) || (at >= r && at < r + count);
      if (!in_work && !in_vectors) assert_true(*at == (firn_real)12345);
      touched += in_work && *at != (firn_real)12345;
    }
    assert_int_equal(touched, size); // and all of it is needed
    for (size_t i = 0; i < count; i += 4) assert_true(x[i + 3] == 0);
    firn_free(context, memory, total * sizeof *memory);
  }
  assert_int_equal(firn_krylov_workspace((firn_krylov)17, 256), 0);
  lattice_destroy(&l);
}

static void bad_arguments_are_named(void **state) {
  (void)state;
  static small s;
  small_init(&s, 2, 1, 2);
  firn_linear_result result;
  s.system.count = 100;
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 1, true, 1e-4, 5, &result), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "count 100"));
  s.system.count = SMALL;
  s.system.chunk = 0;
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 1, true, 1e-4, 5, &result), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "chunk 0"));
  s.system.chunk = BLOCK;
  s.system.block = 300;
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 1, true, 1e-4, 5, &result), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "blocks of 300"));
  s.system.block = BLOCK;
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 1, true, NAN, 5, &result), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "tolerance nan"));
  assert_int_equal(small_solve(&s, FIRN_KRYLOV_CR, 1, true, 1, -1, &result), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "max_iterations -1"));
  assert_int_equal(small_solve(&s, (firn_krylov)17, 1, true, 1, 5, &result), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "17"));
  assert_int_equal(s.products, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_answer_does_not_depend_on_threads),
      cmocka_unit_test(still_blocks_stay_and_do_not_disturb_the_rest),
      cmocka_unit_test(a_block_may_have_any_number_of_reals),
      cmocka_unit_test(iterations_are_as_many_as_distinct_eigenvalues),
      cmocka_unit_test(an_exact_preconditioner_needs_one_iteration),
      cmocka_unit_test(cr_stops_by_the_norm_it_is_given),
      cmocka_unit_test(cr_and_minres_take_the_same_steps_and_never_grow_the_residual),
      cmocka_unit_test(the_reported_residual_is_that_of_x),
      cmocka_unit_test(nothing_to_do_takes_no_iteration),
      cmocka_unit_test(negative_curvature_is_counted_and_survived),
      cmocka_unit_test(zero_curvature_breaks_cr_and_cg_but_not_minres),
      cmocka_unit_test(a_singular_matrix_breaks_down),
      cmocka_unit_test(a_preconditioner_that_is_not_positive_breaks_down),
      cmocka_unit_test(a_product_that_is_not_finite_leaves_x_where_it_was_good),
      cmocka_unit_test(a_product_that_fails_passes_its_status_on),
      cmocka_unit_test(only_the_workspace_that_was_asked_for_is_touched),
      cmocka_unit_test(bad_arguments_are_named),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
