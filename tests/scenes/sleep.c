// SPDX-License-Identifier: Apache-2.0
// timeout: 900
// long
// What sleep does to the walking scene: the final surface and the centre of mass, against a run in
// which nothing ever sleeps, are off by less than a hundredth of a cell.
#include "support/mpm_case.h"

enum { COLUMNS = 512 };

typedef struct outcome {
  double center[3]; // m
  double surface;   // m, mean over columns of two cells of the highest particle
  double asleep;    // mean share
} outcome;

static double mean_surface(size_t count, const double *x, double h) {
  static double top[COLUMNS][COLUMNS];
  double sum = 0;
  int used = 0;
  for (int i = 0; i < COLUMNS; i++)
    for (int k = 0; k < COLUMNS; k++) top[i][k] = -1;
  for (size_t p = 0; p < count; p++) {
    int i = (int)floor(x[3 * p] / (2 * h)) + COLUMNS / 2;
    int k = (int)floor(x[3 * p + 2] / (2 * h)) + COLUMNS / 2;
    if (i < 0 || i >= COLUMNS || k < 0 || k >= COLUMNS) continue;
    if (x[3 * p + 1] > top[i][k]) top[i][k] = x[3 * p + 1];
  }
  for (int i = 0; i < COLUMNS; i++) {
    for (int k = 0; k < COLUMNS; k++) {
      if (top[i][k] < 0) continue;
      sum += top[i][k];
      used++;
    }
  }
  return sum / used;
}

static outcome walk(bool sleep) {
  firn_context_def context_def = firn_default_context_def();
  const char *overrides[] = {sleep ? "mpm.sleep=true" : "mpm.sleep=false", "quality=0.2"};
  firn_context *context;
  firn_scene *scene;
  firn_sim *sim;
  assert_int_equal(firn_context_create(&context_def, &context), FIRN_OK);
  assert_int_equal(firn_scene_load(context, "walking", 2, overrides, &scene), FIRN_OK);
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
  o.surface = mean_surface(count, x, firn_sim_h(sim));
  free(x);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return o;
}

static void sleep_hardly_changes_where_the_walk_leaves_the_snow(void **state) {
  (void)state;
  outcome with = walk(true), without = walk(false);
  double h = 0.01 / 0.2;
  print_message("asleep %.0f %%; centre off by %.4f %.4f %.4f cells, surface by %.4f\n",
                100 * with.asleep, (with.center[0] - without.center[0]) / h,
                (with.center[1] - without.center[1]) / h, (with.center[2] - without.center[2]) / h,
                (with.surface - without.surface) / h);
  assert_true(with.asleep > 0.3 && without.asleep == 0);
  for (int a = 0; a < 3; a++) assert_true(fabs(with.center[a] - without.center[a]) < 0.01 * h);
  assert_true(fabs(with.surface - without.surface) < 0.01 * h);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sleep_hardly_changes_where_the_walk_leaves_the_snow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
