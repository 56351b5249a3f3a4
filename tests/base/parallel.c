// SPDX-License-Identifier: Apache-2.0
// The parallel loop: every thread in firn's floating-point mode, as many as the context has.
#include "base/parallel.h"

#include <fenv.h>
#include <float.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ITEMS = 1000, MOST = 7 };

static firn_context *context_of(int threads) {
  firn_context_def def = firn_default_context_def();
  def.threads = threads;
  firn_context *context;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

// Volatile keeps the compiler from working it out itself.
static bool flushes(void) {
  volatile float small = FLT_MIN, half = 0.5f;
  volatile float result = small * half;
  return result == 0;
}

// Valgrind flushes nothing, and other processors have no such mode.
static bool mode_is_emulated(void) {
  unsigned mode = firn_fp_enter();
  bool flushed = flushes();
  firn_fp_leave(mode);
  return !flushed;
}

static void every_index_comes_once_by_any_number_of_threads(void **state) {
  (void)state;
  for (int threads = 1; threads <= MOST; threads += 3) {
    firn_context *context = context_of(threads);
    int seen[ITEMS] = {0}, team = 0, largest = -1;
    FIRN_PARALLEL_FOR(context, schedule(dynamic, 4) reduction(max : team, largest))
    for (int i = 0; i < ITEMS; i++) {
      seen[i]++;
      team = omp_get_num_threads();
      largest = i > largest ? i : largest;
    }
    for (int i = 0; i < ITEMS; i++) assert_int_equal(seen[i], 1);
    assert_int_equal(team, threads);
    assert_int_equal(largest, ITEMS - 1);
    firn_context_destroy(context);
  }
}

static void shares_cover_every_index_once(void **state) {
  (void)state;
  static const size_t counts[] = {0, 1, MOST - 1, ITEMS};
  for (int threads = 1; threads <= MOST; threads += 3) {
    firn_context *context = context_of(threads);
    for (int k = 0; k < 4; k++) {
      int seen[ITEMS + 1] = {0};
      FIRN_SHARED_FOR(context, walk, counts[k]) seen[walk.at]++;
      for (size_t i = 0; i <= ITEMS; i++) assert_int_equal(seen[i], i < counts[k]);
    }
    firn_context_destroy(context);
  }
}

// Whoever has the first index waits for all others, those of his own share too.
static void who_is_done_helps(void **state) {
  (void)state;
  firn_context *context = context_of(2);
  int done = 0;
  FIRN_SHARED_FOR(context, walk, ITEMS) {
    while (walk.at == 0 && __atomic_load_n(&done, __ATOMIC_RELAXED) < ITEMS - 1) sched_yield();
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
  }
  assert_int_equal(done, ITEMS);
  firn_context_destroy(context);
}

static void what_is_handed_out_may_be_small(void **state) {
  (void)state;
  unsigned mode = firn_fp_enter(), flushing = firn_fp_keep_small();
  assert_false(flushes());
  firn_fp_leave(flushing);
  assert_true(flushes() || mode_is_emulated());
  firn_fp_leave(mode);
}

static void every_thread_works_in_the_mode_and_gives_its_own_back(void **state) {
  (void)state;
  if (mode_is_emulated()) skip();
  firn_context *context = context_of(MOST);
  bool inside[MOST] = {0}, loop[MOST] = {0}, after[MOST];
  FIRN_PARALLEL(context) {
    inside[omp_get_thread_num()] = flushes();
  }
  FIRN_PARALLEL_FOR(context, schedule(static, 1))
  for (int i = 0; i < MOST; i++) loop[i] = flushes();
    // The team of the loops above waits in its own mode: the same threads come again.
#pragma omp parallel num_threads(firn_team_of(context))
  after[omp_get_thread_num()] = flushes();
  for (int i = 0; i < MOST; i++) {
    assert_true(inside[i]);
    assert_true(loop[i]);
    assert_false(after[i]);
  }
  firn_context_destroy(context);
}

static void the_callers_rounding_reaches_no_thread(void **state) {
  (void)state;
  if (mode_is_emulated()) skip();
  firn_context *context = context_of(MOST);
  fenv_t environment;
  fegetenv(&environment);
  fesetround(FE_UPWARD);
  volatile double one = 1, tiny = 1e-30;
  bool nearest[MOST] = {0};
  FIRN_PARALLEL(context) {
    volatile double sum = one + tiny;
    nearest[omp_get_thread_num()] = sum == 1;
  }
  volatile double sum = one + tiny;
  fesetenv(&environment);
  for (int i = 0; i < MOST; i++) assert_true(nearest[i]);
  assert_true(sum > 1); // and the caller has his own again
  firn_context_destroy(context);
}

static void count_flushes(firn_context *context, int n, int *count) {
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (int k = 0; k < n; k++) count[k] += flushes();
}

static void a_loop_within_a_loop_stays_with_its_thread(void **state) {
  (void)state;
  if (mode_is_emulated()) skip();
  firn_context *context = context_of(3);
  int inner[3][5] = {{0}};
  bool still[3] = {0};
  FIRN_PARALLEL_FOR(context, schedule(static, 1))
  for (int i = 0; i < 3; i++) {
    count_flushes(context, 5, inner[i]);
    still[i] = flushes();
  }
  for (int i = 0; i < 3; i++) {
    assert_true(still[i]);
    for (int k = 0; k < 5; k++) assert_int_equal(inner[i][k], 1);
  }
  firn_context_destroy(context);
}

static bool flushes_within_scope(void) {
  FIRN_FP_SCOPE;
  return flushes();
}

static void a_scope_ends_where_its_block_does(void **state) {
  (void)state;
  if (mode_is_emulated()) skip();
  assert_false(flushes());
  assert_true(flushes_within_scope());
  assert_false(flushes());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_index_comes_once_by_any_number_of_threads),
      cmocka_unit_test(shares_cover_every_index_once),
      cmocka_unit_test(who_is_done_helps),
      cmocka_unit_test(what_is_handed_out_may_be_small),
      cmocka_unit_test(every_thread_works_in_the_mode_and_gives_its_own_back),
      cmocka_unit_test(the_callers_rounding_reaches_no_thread),
      cmocka_unit_test(a_loop_within_a_loop_stays_with_its_thread),
      cmocka_unit_test(a_scope_ends_where_its_block_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
