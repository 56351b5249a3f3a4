// SPDX-License-Identifier: Apache-2.0
// timeout: 900
// long
// What sleep does to the walking scene: the final surface and the centre of mass, against a run in
// which nothing ever sleeps, are off by less than a hundredth of a cell.
//
// The surface is the highest particle of columns of two cells. Where feet have thrown snow about, that
// is a single grain on top of others, which any difference in rounding puts elsewhere: of 414 columns
// of a wide bed, 89 differ by more than a tenth of a cell then, to either side, and their mean says
// nothing. So the tenth of the columns that differ most is left out at either end; what is left would
// show if the bed had sunk, or had been held up.
#include "support/mpm_case.h"

enum { COLUMNS = 512 };

typedef struct outcome {
  double center[3]; // m
  double *top;      // m, [COLUMNS][COLUMNS]: the highest particle; -1: none
  double asleep;    // mean share
} outcome;

static double *find_top(size_t count, const double *x, double h) {
  double *top = malloc(sizeof *top * COLUMNS * COLUMNS);
  for (int i = 0; i < COLUMNS * COLUMNS; i++) top[i] = -1;
  for (size_t p = 0; p < count; p++) {
    int i = (int)floor(x[3 * p] / (2 * h)) + COLUMNS / 2;
    int k = (int)floor(x[3 * p + 2] / (2 * h)) + COLUMNS / 2;
    if (i < 0 || i >= COLUMNS || k < 0 || k >= COLUMNS) continue;
    top[i * COLUMNS + k] = fmax(top[i * COLUMNS + k], x[3 * p + 1]);
  }
  return top;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// m, of the columns that both have, without the tenths that differ most.
static double surface_difference(const double *a, const double *b) {
  double *d = malloc(sizeof *d * COLUMNS * COLUMNS), sum = 0;
  size_t n = 0;
  for (int i = 0; i < COLUMNS * COLUMNS; i++) {
    if (a[i] >= 0 && b[i] >= 0) d[n++] = a[i] - b[i];
  }
  assert_true(n > 350);
  qsort(d, n, sizeof *d, by_size);
  for (size_t i = n / 10; i < n - n / 10; i++) sum += d[i];
  free(d);
  return sum / (double)(n - 2 * (n / 10));
}

static outcome walk(bool sleep) {
  firn_context_def context_def = firn_default_context_def();
  const char *overrides[] = {sleep ? "mpm.sleep=true" : "mpm.sleep=false", "quality=0.2",
                             "snow.bed.shape.box.size=[2.9 m, 22 cm, 1.3 m]"};
  firn_context *context;
  firn_scene *scene;
  firn_sim *sim;
  assert_int_equal(firn_context_create(&context_def, &context), FIRN_OK);
  assert_int_equal(firn_scene_load(context, "walking", 3, overrides, &scene), FIRN_OK);
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_OK);
  outcome o = {.asleep = 0};
  double end = firn_scene_frames(scene) * firn_scene_frame_seconds(scene);
  int steps = 0;
  for (; firn_sim_time(sim) < end; steps++) {
    firn_step step;
    assert_int_equal(firn_scene_apply(scene, sim), FIRN_OK);
    assert_int_equal(firn_sim_step(sim, 0, &step), FIRN_OK);
    o.asleep += (double)step.asleep / (double)firn_sim_count(sim);
  }
  o.asleep /= steps;
  firn_sums sums;
  assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
  memcpy(o.center, sums.center, sizeof o.center);
  size_t count = firn_sim_count(sim);
  double *x = malloc(count * 3 * sizeof *x);
  assert_int_equal(firn_sim_read(sim, "position", x), FIRN_OK);
  o.top = find_top(count, x, firn_sim_h(sim));
  free(x);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return o;
}

static void sleep_hardly_changes_where_the_walk_leaves_the_snow(void **state) {
  (void)state;
  outcome with = walk(true), without = walk(false);
  double h = 0.01 / 0.2, surface = surface_difference(with.top, without.top);
  print_message("asleep %.0f %%; centre off by %.4f %.4f %.4f cells, surface by %.4f\n",
                100 * with.asleep, (with.center[0] - without.center[0]) / h,
                (with.center[1] - without.center[1]) / h, (with.center[2] - without.center[2]) / h,
                surface / h);
  assert_true(with.asleep > 0.4 && without.asleep == 0);
  for (int a = 0; a < 3; a++) assert_true(fabs(with.center[a] - without.center[a]) < 0.01 * h);
  assert_true(fabs(surface) < 0.01 * h);
  free(with.top);
  free(without.top);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sleep_hardly_changes_where_the_walk_leaves_the_snow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
