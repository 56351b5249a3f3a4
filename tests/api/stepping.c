// SPDX-License-Identifier: Apache-2.0
// Time: it moves with nothing in it, ends where it was told to, and stops when asked.
#include "api/setup.h"

typedef struct watch {
  int calls, stop_at; // stop_at 0: never
  double time, dt_sum, dt_max;
} watch;

static bool look(void *user, firn_sim *sim, const firn_step *step) {
  watch *w = user;
  w->calls++;
  w->dt_sum += step->dt;
  if (step->dt > w->dt_max) w->dt_max = step->dt;
  assert_true(step->dt > 0);
  assert_true(firn_sim_time(sim) > w->time); // time only moves on
  w->time = firn_sim_time(sim);
  return w->calls != w->stop_at;
}

static void an_empty_world_has_time(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  firn_sim *sim = make_sim(context, &def);
  firn_step step;
  MUST(context, firn_sim_step(sim, 0, &step));
  const double longest = fmax(5e-4, 0.05 * def.h); // s
  assert_true(step.dt == longest && firn_sim_time(sim) == step.dt);
  MUST(context, firn_sim_step(sim, 1e-5, &step));
  assert_true(step.dt == 1e-5);
  MUST(context, firn_sim_step(sim, (double)INFINITY, &step)); // no limit
  assert_true(step.dt == longest);
  MUST(context, firn_sim_advance(sim, 0.25, NULL, NULL));

  // It has no particles, no mass, and bounds of zero size; none of this is nan.
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  assert_true(sums.mass == 0 && sums.center[1] == 0);
  assert_true(sums.bounds_min[0] == 0 && sums.bounds_max[0] == 0);
  static const struct {
    const char *name;
    double value;
  } stats[] = {{"jp_min", 1}, {"jp_mean", 1}, {"density_max", 0}, {"yielded", 0}, {"redone", 0}};
  for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
    double value = -1;
    MUST(context, firn_sim_stat(sim, stats[i].name, &value));
    assert_true(value == stats[i].value);
  }
  assert_int_equal(firn_sim_count(sim), 0);

  // Snow may come later.
  add_ball(context, sim);
  MUST(context, firn_sim_advance(sim, 0.001, NULL, NULL));
  firn_sim_destroy(sim);

  // A given step is kept.
  def.mpm.dt = 1e-3;
  sim = make_sim(context, &def);
  MUST(context, firn_sim_step(sim, 0, &step));
  assert_true(step.dt == 1e-3);
  firn_sim_destroy(sim);
  drop_context(context);
}

static void a_duration_ends_exactly(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_sim(context, NULL);
  add_ball(context, sim);
  // Numbers that steps do not divide, some shorter than a step, one longer than many.
  const double durations[] = {1.0 / 96, 1e-9, 0.00123456789, 3.3e-5, 0, 1.0 / 3, 1e-15};
  double end = 0;
  for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
    watch w = {.time = end};
    if (i == 5) { // thirds of a second are long: without snow
      firn_sim_destroy(sim);
      sim = make_sim(context, NULL);
      end = w.time = 0;
    }
    end += durations[i];
    MUST(context, firn_sim_advance(sim, durations[i], look, &w));
    assert_true(firn_sim_time(sim) == end);
    // The steps are those that were reported, and no crumb was left over.
    assert_true(fabs(w.dt_sum - durations[i]) <= 1e-12 * (end + 1));
  }
  firn_sim_destroy(sim);

  // Far from zero, where time itself is rounded to 1e-13 s.
  firn_sim_def def = firn_default_sim_def();
  def.mpm.dt_max = 1; // s, to get there soon
  sim = make_sim(context, &def);
  MUST(context, firn_sim_advance(sim, 1000, NULL, NULL));
  assert_true(firn_sim_time(sim) == 1000);
  add_ball(context, sim);
  watch w = {.time = 1000};
  MUST(context, firn_sim_advance(sim, 0.001, look, &w));
  assert_true(firn_sim_time(sim) == 1000 + 0.001);
  firn_sim_destroy(sim);
  drop_context(context);
}

static void a_duration_that_is_none_is_refused(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *sim = make_sim(context, NULL);
  const double bad[] = {-1, (double)NAN, (double)INFINITY, (double)-INFINITY};
  const char *const text[] = {"-1", "nan", "inf", "-inf"};
  for (int i = 0; i < 4; i++) {
    MUST_FAIL(context, firn_sim_advance(sim, bad[i], NULL, NULL), FIRN_ERROR_ARGUMENT, "duration",
              text[i]);
  }
  MUST_FAIL(context, firn_sim_step(sim, (double)NAN, NULL), FIRN_ERROR_ARGUMENT, "limit", "nan");
  assert_true(firn_sim_time(sim) == 0);
  MUST(context, firn_sim_step(sim, 0, NULL)); // bad arguments break nothing
  firn_sim_destroy(sim);
  drop_context(context);
}

// A run that is stopped and taken up again: where it is stopped, the state is whole.
static void a_cancelled_run_can_go_on(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.mpm.dt = 0x1p-13; // s, so that every part of a second is exact
  firn_sim *straight = make_sim(context, &def), *halting = make_sim(context, &def);
  add_ball(context, straight);
  add_ball(context, halting);
  for (int i = 0; i < 40; i++) MUST(context, firn_sim_step(straight, 0, NULL));
  watch w = {.stop_at = 7};
  MUST_FAIL(context, firn_sim_advance(halting, 1, look, &w), FIRN_CANCELLED, "cancelled");
  assert_int_equal(w.calls, 7);
  assert_true(firn_sim_time(halting) == 7 * 0x1p-13);
  firn_sums sums;
  MUST(context, firn_sim_sums(halting, &sums));
  for (int i = 7; i < 40; i++) MUST(context, firn_sim_step(halting, 0, NULL));
  double *a = read_field(context, straight, "position", 3);
  double *b = read_field(context, halting, "position", 3);
  assert_memory_equal(a, b, 3 * firn_sim_count(straight) * sizeof *a);
  free(a);
  free(b);
  firn_sim_destroy(straight);
  firn_sim_destroy(halting);
  drop_context(context);
}

// A limit is never passed, and splits into equal parts.
static void a_step_keeps_its_limit(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim_def def = firn_default_sim_def();
  def.mpm.dt = 1e-4;
  firn_sim *sim = make_sim(context, &def);
  add_ball(context, sim);
  const double limit[] = {1e-6, 1e-4, 1.5e-4, 2.5e-4, 1e300};
  const double expected[] = {1e-6, 1e-4, 0.75e-4, 2.5e-4 / 3, 1e-4};
  for (int i = 0; i < 5; i++) {
    firn_step step;
    MUST(context, firn_sim_step(sim, limit[i], &step));
    assert_true(fabs(step.dt - expected[i]) < 1e-12 * expected[i]);
  }
  firn_sim_destroy(sim);
  drop_context(context);
}

// Looking changes nothing: every field and the sums, between all steps.
static void looking_changes_nothing(void **state) {
  (void)state;
  firn_context *context = make_context(1, FIRN_ISA_AUTO);
  firn_sim *seen = make_sim(context, NULL), *unseen = make_sim(context, NULL);
  add_ball(context, seen);
  add_ball(context, unseen);
  size_t count = firn_sim_count(seen);
  double *value = malloc(9 * count * sizeof *value), *other = malloc(9 * count * sizeof *other);
  assert_true(value && other);
  firn_field_info info;
  for (int i = 0; i < 60; i++) {
    firn_sums sums;
    for (int f = 0; firn_sim_field(seen, f, &info) == FIRN_OK; f++) {
      MUST(context, firn_sim_read(seen, info.name, value));
    }
    MUST(context, firn_sim_sums(seen, &sums));
    MUST(context, firn_sim_step(seen, 0, NULL));
    MUST(context, firn_sim_step(unseen, 0, NULL));
  }
  assert_true(firn_sim_time(seen) == firn_sim_time(unseen));
  for (int f = 0; firn_sim_field(seen, f, &info) == FIRN_OK; f++) {
    MUST(context, firn_sim_read(seen, info.name, value));
    MUST(context, firn_sim_read(unseen, info.name, other));
    assert_memory_equal(value, other, (size_t)info.components * count * sizeof *value);
  }
  double yielded = 0;
  MUST(context, firn_sim_stat(seen, "yielded", &yielded));
  assert_true(yielded > 0); // the ball has met the floor, so there was something to disturb
  free(value);
  free(other);
  firn_sim_destroy(seen);
  firn_sim_destroy(unseen);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_world_has_time),
      cmocka_unit_test(a_duration_ends_exactly),
      cmocka_unit_test(a_duration_that_is_none_is_refused),
      cmocka_unit_test(a_cancelled_run_can_go_on),
      cmocka_unit_test(a_step_keeps_its_limit),
      cmocka_unit_test(looking_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
