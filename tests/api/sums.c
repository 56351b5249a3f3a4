// SPDX-License-Identifier: Apache-2.0
// processors: 2
// Sums and fields are taken by all threads, and are the same bits at any number of them.
#include "api/setup.h"

#include <float.h>

enum { RUNS = 3, FIELDS = 32, AT_MOST = 9 };

static const int threads[RUNS] = {1, 2, 7};

typedef struct seen {
  size_t count;
  firn_sums sums;
  double stats[64]; // jp_min, jp_mean, density_max, yielded, ...
  int fields;
  double *field[FIELDS];
  int components[FIELDS];
} seen;

// A ball on a floor, some of it taken away, so that rows are not ids, and one particle that is not
// sorted yet.
static double stat_of(firn_context *context, firn_sim *sim, const char *name) {
  double value = -1;
  MUST(context, firn_sim_stat(sim, name, &value));
  return value;
}

static void look(int run, seen *out) {
  firn_context *context = make_context(threads[run], FIRN_ISA_AUTO);
  firn_sim *sim = make_sim(context, NULL);
  double h = firn_sim_h(sim);
  firn_window_def window = firn_default_window_def();
  window.min[0] = -5 * h;
  window.velocity[0] = 7 * h / 0.01;
  MUST(context, firn_sim_set_window(sim, &window));
  add_ball(context, sim);
  size_t before = firn_sim_count(sim);
  MUST(context, firn_sim_advance(sim, 0.01, NULL, NULL));
  assert_true(firn_sim_count(sim) < before);
  MUST(context, add_one(sim, 0, 20 * h, 0));
  memset(out, 0, sizeof *out);
  out->count = firn_sim_count(sim);
  MUST(context, firn_sim_measure(sim, &out->sums, out->stats));
  firn_field_info info;
  for (; firn_sim_field(sim, out->fields, &info) == FIRN_OK; out->fields++) {
    assert_true(out->fields < FIELDS);
    out->components[out->fields] = info.components;
    out->field[out->fields] = read_field(context, sim, info.name, info.components);
  }
  firn_sim_destroy(sim);
  drop_context(context);
}

static void drop(seen *s) {
  for (int f = 0; f < s->fields; f++) free(s->field[f]);
}

static void sums_and_fields_do_not_depend_on_threads(void **state) {
  (void)state;
  seen one, many;
  look(0, &one);
  assert_true(one.stats[3] > 0); // it did strike
  for (int run = 1; run < RUNS; run++) {
    look(run, &many);
    assert_int_equal(many.count, one.count);
    assert_memory_equal(&many.sums, &one.sums, sizeof one.sums);
    assert_memory_equal(many.stats, one.stats, 4 * sizeof *one.stats);
    for (int f = 0; f < one.fields; f++) {
      size_t n = one.count * (size_t)one.components[f];
      assert_memory_equal(many.field[f], one.field[f], n * sizeof(double));
    }
    drop(&many);
  }
  drop(&one);
}

// Each sum against a plain one over the fields, in long double. The sum of n terms in parts differs
// from it by n DBL_EPSILON of the terms' sizes at most.
static void sums_are_those_of_the_fields(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_sim *sim = make_sim(context, NULL);
  add_ball(context, sim);
  MUST(context, firn_sim_advance(sim, 0.01, NULL, NULL));
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  double *x = read_field(context, sim, "position", 3), *v = read_field(context, sim, "velocity", 3);
  double *m = read_field(context, sim, "mass", 1), *jp = read_field(context, sim, "jp", 1);
  double *density = read_field(context, sim, "density", 1);
  size_t n = firn_sim_count(sim);
  long double sum[AT_MOST] = {0}, size[AT_MOST] = {0};
  double jp_min = INFINITY, density_max = 0, low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < n; i++) {
    long double term[AT_MOST] = {m[i], jp[i]};
    for (size_t c = 0; c < 3; c++) {
      term[2 + c] = (long double)m[i] * v[3 * i + c];
      term[5 + c] = (long double)m[i] * x[3 * i + c];
      term[8] += 0.5L * m[i] * v[3 * i + c] * v[3 * i + c];
    }
    for (int k = 0; k < AT_MOST; k++) {
      sum[k] += term[k];
      size[k] += fabsl(term[k]);
    }
    jp_min = fmin(jp_min, jp[i]);
    density_max = fmax(density_max, density[i]);
    low = fmin(low, x[3 * i + 1]);
    high = fmax(high, x[3 * i + 1]);
  }
  const double told[AT_MOST] = {sums.mass,
                                stat_of(context, sim, "jp_mean") * (double)n,
                                sums.momentum[0],
                                sums.momentum[1],
                                sums.momentum[2],
                                sums.center[0] * sums.mass,
                                sums.center[1] * sums.mass,
                                sums.center[2] * sums.mass,
                                sums.energy_kinetic};
  for (int k = 0; k < AT_MOST; k++) {
    assert_true(fabsl(told[k] - sum[k]) <= (double)n * DBL_EPSILON * size[k]);
  }
  assert_true(stat_of(context, sim, "jp_min") == jp_min &&
              stat_of(context, sim, "density_max") == density_max);
  assert_true(sums.bounds_min[1] == low && sums.bounds_max[1] == high);
  free(x);
  free(v);
  free(m);
  free(jp);
  free(density);
  firn_sim_destroy(sim);
  drop_context(context);
}

static void nothing_has_empty_sums(void **state) {
  (void)state;
  firn_context *context = make_context(2, FIRN_ISA_AUTO);
  firn_sim *sim = make_sim(context, NULL);
  firn_sums sums;
  MUST(context, firn_sim_sums(sim, &sums));
  assert_true(sums.mass == 0 && sums.bounds_min[0] == 0 && sums.bounds_max[2] == 0);
  assert_true(stat_of(context, sim, "jp_min") == 1 && stat_of(context, sim, "yielded") == 0);
  firn_sim_destroy(sim);
  drop_context(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_and_fields_do_not_depend_on_threads),
      cmocka_unit_test(sums_are_those_of_the_fields),
      cmocka_unit_test(nothing_has_empty_sums),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
