// SPDX-License-Identifier: Apache-2.0
// timeout: 60
// Runs whose memory runs out: they say so, leak nothing, and what is on disk can be gone on with.
#include "scratch.h"

#include <firn/firn.h>

#include "support/books.h"

static const char scene_text[] =
    "firn: 1\n"
    "h: 3 cm\n"
    "frames: 2\n"
    "fps: 1000 Hz\n"
    "snow:\n"
    "  - shape: {sphere: {center: [0, 5 cm, 0], radius: 4 cm}}\n"
    "  - points: {file: more.csv}\n"
    "colliders:\n"
    "  - {name: ground, shape: {half_space: {}}, forces: true}\n"
    "probes:\n"
    "  - {name: low, box: {center: [0, 0, 0], size: [10 cm, 6 cm, 10 cm]}}\n"
    "output: {precision: 16, fields: [velocity, stress, strain_rate]}\n";

// Loads the scene and runs it; the first failure ends it.
static firn_status run(scratch *s, const char *folder, bool resume, books *b) {
  firn_context *context;
  firn_scene *scene = NULL;
  char path[1100], scene_path[1100];
  snprintf(path, sizeof path, "%s/%s", s->folder, folder);
  snprintf(scene_path, sizeof scene_path, "%s/ball.yaml", s->folder);
  firn_status status = books_context(b, 1, &context);
  if (status != FIRN_OK) return status;
  status = firn_scene_load(context, scene_path, 0, NULL, &scene);
  if (status == FIRN_OK) {
    firn_run_def run_def = firn_default_run_def();
    run_def.folder = path;
    run_def.resume = resume;
    run_def.overwrite = !resume;
    status = firn_run(scene, &run_def);
  }
  if (status != FIRN_OK && status != FIRN_ERROR_MEMORY) {
    print_error("%s\n", firn_context_message(context));
  }
  firn_scene_destroy(scene);
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
  assert_int_equal(b->bytes, 0);
  return status;
}

static void compare(scratch *s, const char *folder, const char *name) {
  char a[300], b[300];
  snprintf(a, sizeof a, "whole/%s", name);
  snprintf(b, sizeof b, "%s/%s", folder, name);
  assert_same_bytes(s, a, b);
}

static void a_run_out_of_memory_leaks_nothing_and_can_be_resumed(void **state) {
  scratch *s = *state;
  books whole = {0};
  assert_int_equal(
      firn_file_put(s->context, scratch_path(s, "ball.yaml"), scene_text, sizeof scene_text - 1),
      FIRN_OK);
  static const char points[] = "x,y,z\n0,0.1,0\n0.01,0.1,0\n"; // copied into the folder
  assert_int_equal(
      firn_file_put(s->context, scratch_path(s, "more.csv"), points, sizeof points - 1), FIRN_OK);
  assert_int_equal(run(s, "whole", false, &whole), FIRN_OK);
  print_message("%zu allocations\n", whole.calls);
  enum { POINTS = 32 };
  size_t failed = 0;
  for (size_t i = 0; i < POINTS; i++) {
    books b = {.refuse_at = 1 + i * whole.calls / POINTS};
    firn_status status = run(s, "out", false, &b);
    // Some are asked for in vain and done without.
    assert_true(status == FIRN_OK || status == FIRN_ERROR_MEMORY);
    failed += status == FIRN_ERROR_MEMORY;
    // Once more while it resumes, then in peace.
    books again = {.refuse_at = 1 + (i * 7919) % whole.calls};
    status = run(s, "out", true, &again);
    assert_true(status == FIRN_OK || status == FIRN_ERROR_MEMORY);
    books peace = {0};
    assert_int_equal(run(s, "out", true, &peace), FIRN_OK);
    compare(s, "out", "frame_00000.hdf");
    compare(s, "out", "frame_00002.hdf");
    compare(s, "out", "probes.csv");
    compare(s, "out", "colliders.csv");
    compare(s, "out", "files/more.csv");
    compare(s, "out", "files/sums.txt");
  }
  assert_true(failed > POINTS * 9 / 10);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_run_out_of_memory_leaks_nothing_and_can_be_resumed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
