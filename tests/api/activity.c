// SPDX-License-Identifier: Apache-2.0
// What a context says that it is doing: each part of long work, in order, and nothing that depends
// on a clock.
#include "../cache/scratch.h"

#include <firn/firn.h>

static const char cube[] = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\n"
                           "v -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
                           "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n";

static const char scene_text[] =
    "firn: 1\nh: 4 cm\nframes: 2\nfps: 100 Hz\n"
    "snow:\n  - {shape: {box: {center: [0, 10 cm, 0], size: [40 cm, 20 cm, 40 cm]}}, settled: "
    "true}\n"
    "colliders:\n  - {name: ground, shape: {half_space: {}}}\n"
    "  - {name: cube, shape: {mesh: {file: cube.obj}, scale: 0.1, move: [0, 40 cm, 0]}}\n";

// The reported activities, a line each: "what done/total".
typedef struct journal {
  char text[20000];
  size_t used;
} journal;

static void on_activity(void *user, const firn_activity *a) {
  journal *j = user;
  if (j->used < sizeof j->text - 300)
    j->used += (size_t)snprintf(j->text + j->used, 300, "%s %llu/%llu\n", a->what,
                                (unsigned long long)a->done, (unsigned long long)a->total);
}

// Where the lines stand in this order; each begins after the one before.
static void expect(const journal *j, int count, const char *const *lines) {
  const char *at = j->text;
  for (int i = 0; i < count; i++) {
    const char *found = strstr(at, lines[i]);
    if (!found) {
      fail_msg("no '%s' in\n%s", lines[i], at);
      return;
    }
    at = found + strlen(lines[i]);
  }
}

static void forget(journal *j) {
  memset(j, 0, sizeof *j);
}

static void long_work_says_its_parts(void **state) {
  scratch *s = *state;
  static journal j;
  char scene_path[1024], run[1024];
  firn_context_def context_def = firn_default_context_def();
  context_def.threads = 1;
  context_def.activity = on_activity;
  context_def.activity_user = &j;
  firn_context *context;
  assert_int_equal(firn_context_create(&context_def, &context), FIRN_OK);
  firn_file_put(s->context, scratch_path(s, "cube.obj"), cube, sizeof cube - 1);
  snprintf(scene_path, sizeof scene_path, "%s", scratch_path(s, "bed.yaml"));
  snprintf(run, sizeof run, "%s", scratch_path(s, "run"));
  firn_file_put(s->context, scene_path, scene_text, sizeof scene_text - 1);

  firn_scene *scene;
  forget(&j);
  assert_int_equal(firn_scene_load(context, scene_path, 0, NULL, &scene), FIRN_OK);
  expect(&j, 5,
         (const char *const[]){"reading ", "distances to 12 triangles 0/4\n", "triangles 1/4\n",
                               "triangles 2/4\n", "triangles 3/4\n"});

  forget(&j);
  firn_run_def def = firn_default_run_def();
  def.folder = run;
  assert_int_equal(firn_run(scene, &def), FIRN_OK);
  expect(&j, 2, (const char *const[]){"building snow[0] 0/0\n", "settled snow: "});
  assert_non_null(strstr(j.text, "iteration 0/0\n"));
  assert_null(strstr(j.text, "writing frame")); // of so few particles it takes no time

  forget(&j);
  def.resume = true;
  assert_int_equal(firn_run(scene, &def), FIRN_OK);
  expect(&j, 4,
         (const char *const[]){"checking frames 0/3\n", "checking frames 1/3\n",
                               "checking frames 2/3\n", "loading "});
  firn_scene_destroy(scene);

  forget(&j);
  firn_export_def out = firn_default_export_def();
  out.source = run;
  assert_int_equal(firn_export(context, &out), FIRN_OK);
  expect(&j, 3,
         (const char *const[]){"exporting frames 0/3\n", "exporting frames 1/3\n",
                               "exporting frames 2/3\n"});

  forget(&j);
  firn_plot_def plot = firn_default_plot_def();
  plot.source = run;
  assert_int_equal(firn_plot(context, &plot, scratch_path(s, "a.svg")), FIRN_OK);
  expect(&j, 2, (const char *const[]){"plot: reading ", "plot: drawing 0/0\n"});
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(long_work_says_its_parts, scratch_open, scratch_close),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
