// SPDX-License-Identifier: Apache-2.0
// The search for the balance of settled snow stops within a round where the caller wants to.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <firn/firn.h>

#include "scene/scene.h"

static const char text[] = "firn: 1\nh: 5 cm\nsnow:\n"
                           "  - {shape: {box: {center: [0, 0.3, 0], size: [0.6, 0.6, 0.6]}}, "
                           "settled: true}\n"
                           "colliders:\n  - {shape: {half_space: {}}}\n";

typedef struct watch {
  int asked, stop_at; // of the questions; < 0: never
  int rounds, rounds_after;
} watch;

static bool stop(void *user) {
  watch *w = user;
  return w->asked++ == w->stop_at;
}

static void note(void *user, const firn_activity *activity) {
  watch *w = user;
  if (!strstr(activity->what, "out of balance")) return;
  w->rounds++;
  w->rounds_after += w->stop_at >= 0 && w->asked > w->stop_at;
}

static firn_status first_step(watch *w) {
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  def.activity = note;
  def.stop = stop;
  def.activity_user = def.stop_user = w;
  firn_context *context;
  firn_scene *scene = NULL;
  firn_sim *sim = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(firn_scene_read(context, "a.yaml", text, strlen(text), 0, NULL, &scene),
                   FIRN_OK);
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_OK);
  firn_status status = firn_sim_step(sim, 1, NULL);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return status;
}

static void a_search_stops_within_a_round(void **state) {
  (void)state;
  watch whole = {.stop_at = -1};
  assert_int_equal(first_step(&whole), FIRN_OK);
  assert_true(whole.rounds >= 3);
  for (int at = 0; at < whole.rounds; at++) {
    watch w = {.stop_at = at};
    assert_int_equal(first_step(&w), FIRN_CANCELLED);
    assert_int_equal(w.rounds, at + 1);
    assert_int_equal(w.rounds_after, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_search_stops_within_a_round)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
