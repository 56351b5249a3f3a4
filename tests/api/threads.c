// SPDX-License-Identifier: Apache-2.0
// processors: 2
// Contexts keep to themselves: two in two threads at once do as each would alone, and the caller's
// floating-point mode is the caller's.
#include "api/setup.h"

#include <fenv.h>
#include <pthread.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "support/checker.h"

// ------------------------------------------------------------------------------------- at once

typedef struct job {
  int threads;
  bool implicit;
  uint64_t seed;
  double time;
  size_t count;
  double *x, *jp;
  pthread_barrier_t *start; // NULL: alone
} job;

static void *work(void *user) {
  job *j = user;
  if (j->start) pthread_barrier_wait(j->start);
  firn_context *context = make_context(j->threads, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.seed = j->seed;
  def.mpm.transfer = j->implicit ? FIRN_TRANSFER_FLIP : FIRN_TRANSFER_APIC;
  def.mpm.integrator = j->implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  firn_sim *sim = make_sim(context, &def);
  add_ball(context, sim);
  MUST(context, firn_sim_advance(sim, under_valgrind() ? 0.003 : 0.015, NULL, NULL));
  // A failure of one must not be heard by the other.
  if (!j->implicit) {
    MUST_FAIL(context, firn_sim_read(sim, "colour", &j->time), FIRN_ERROR_ARGUMENT, "colour");
  }
  j->time = firn_sim_time(sim);
  j->count = firn_sim_count(sim);
  j->x = read_field(context, sim, "position", 3);
  j->jp = read_field(context, sim, "jp", 1);
  if (j->implicit) assert_string_equal(firn_context_message(context), "");
  firn_sim_destroy(sim);
  drop_context(context);
  return NULL;
}

static void two_contexts_at_once_do_as_one_after_the_other(void **state) {
  (void)state;
  job alone[2] = {{.threads = 2, .seed = 1}, {.threads = 2, .seed = 2, .implicit = true}};
  job together[2] = {alone[0], alone[1]};
  for (int i = 0; i < 2; i++) work(&alone[i]);
  pthread_barrier_t start;
  assert_int_equal(pthread_barrier_init(&start, NULL, 2), 0);
  pthread_t thread;
  together[0].start = together[1].start = &start;
  assert_int_equal(pthread_create(&thread, NULL, work, &together[1]), 0);
  work(&together[0]);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_barrier_destroy(&start);
  for (int i = 0; i < 2; i++) {
    const job *a = &alone[i], *b = &together[i];
    assert_true(a->time == b->time);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->x, b->x, 3 * a->count * sizeof *a->x);
    assert_memory_equal(a->jp, b->jp, a->count * sizeof *a->jp);
    free(a->x);
    free(a->jp);
    free(b->x);
    free(b->jp);
  }
  // The two were different runs, or the comparison would prove less.
  assert_true(alone[0].count != alone[1].count || alone[0].seed != alone[1].seed);
}

// ----------------------------------------------------------------------------------------- mode

#if defined(__x86_64__)

// All but the six bits that record what has happened.
static unsigned mode(void) {
  return _mm_getcsr() & ~0x3fu;
}

// Valgrind has its own idea of the mode.
static bool mode_is_kept(unsigned wanted) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(wanted);
  bool kept = mode() == wanted;
  _mm_setcsr(before);
  return kept;
}

// Runs a ball of every kind of step in a caller's mode, and checks it after each call.
static double *run_in_mode(unsigned wanted, int threads, size_t *count) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(wanted);
  firn_context *context = make_context(threads, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  firn_material_def snow = firn_default_material_def();
  firn_fill_def ball = firn_default_fill_def();
  firn_collider_def ground = firn_default_collider_def();
  firn_sums sums;
  firn_step step;
  firn_sim *sim;
  ball.shape = firn_sphere((double[]){0, 0.05, 0}, 0.03);
  ball.velocity[1] = -3;
  def.mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
#define KEEPS(call)                                                                                \
  do {                                                                                             \
    MUST(context, call);                                                                           \
    if (mode() != wanted) fail_msg("%s left the mode at %#x, not %#x", #call, mode(), wanted);     \
  } while (0)
  KEEPS(firn_sim_create(context, &def, &sim));
  KEEPS(firn_sim_add_material(sim, &snow, NULL));
  KEEPS(firn_sim_add_collider(sim, &ground, NULL));
  KEEPS(firn_sim_fill(sim, &ball));
  int steps = under_valgrind() ? 3 : 20;
  for (int i = 0; i < steps; i++) KEEPS(firn_sim_step(sim, 0, &step));
  assert_true(step.implicit);
  KEEPS(firn_sim_advance(sim, under_valgrind() ? 0.0005 : 0.002, NULL, NULL));
  KEEPS(firn_sim_sums(sim, &sums));
  double *x = read_field(context, sim, "position", 3);
  if (mode() != wanted) fail_msg("firn_sim_read left the mode at %#x", mode());
  *count = firn_sim_count(sim);
  firn_sim_destroy(sim);
  assert_int_equal(mode(), wanted);
  drop_context(context);
  _mm_setcsr(before);
  return x;
#undef KEEPS
}

enum { MASKED = 0x1f80, FLUSH = 0x8040, UPWARD = 0x4000 };

static void the_callers_mode_stays_as_it_was(void **state) {
  (void)state;
  const unsigned modes[] = {MASKED, MASKED | FLUSH, MASKED | UPWARD};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (!mode_is_kept(modes[i])) {
      print_message("mode %#x: not tested, this machine does not keep it\n", modes[i]);
      continue;
    }
    size_t count;
    free(run_in_mode(modes[i], 2, &count));
  }
}

// Workers of OpenMP outlive a region, with the mode they were left in.
static void set_workers(unsigned wanted, int threads) {
#pragma omp parallel num_threads(threads)
  _mm_setcsr(wanted);
}

// The library computes in one mode, whatever the caller's or the workers': otherwise some threads
// would round one way and some another, and the bytes would depend on who did what.
static void a_callers_rounding_does_not_reach_the_workers_nor_the_result(void **state) {
  (void)state;
  if (!mode_is_kept(MASKED | UPWARD)) skip();
  size_t count[3];
  unsigned before = _mm_getcsr();
  double *x[3] = {run_in_mode(MASKED, 1, &count[0])};
  set_workers(MASKED, 3);
  x[1] = run_in_mode(MASKED | UPWARD, 2, &count[1]);
  set_workers(MASKED | UPWARD, 3);
  x[2] = run_in_mode(MASKED, 3, &count[2]);
  set_workers(before, 3);
  for (int i = 1; i < 3; i++) {
    assert_int_equal(count[i], count[0]);
    assert_memory_equal(x[i], x[0], 3 * count[0] * sizeof **x);
  }
  for (int i = 0; i < 3; i++) free(x[i]);
}

#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_contexts_at_once_do_as_one_after_the_other),
#if defined(__x86_64__)
    cmocka_unit_test(the_callers_mode_stays_as_it_was),
    cmocka_unit_test(a_callers_rounding_does_not_reach_the_workers_nor_the_result),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
