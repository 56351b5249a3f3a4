// SPDX-License-Identifier: Apache-2.0
// timeout: 30
// Files that are no scenes: what is wrong with them is told soon, and not at endless length.
#include "setup.h"

#include <time.h>

// A text made of repeated pieces.
static char *repeat(const char *head, const char *piece, int count, const char *tail) {
  size_t n = strlen(piece), size = strlen(head) + n * (size_t)count + strlen(tail) + 1;
  char *text = malloc(size), *at = text + strlen(head);
  assert_non_null(text);
  for (size_t i = 0; head[i]; i++) text[i] = head[i];
  for (int i = 0; i < count; i++, at += n) memcpy(at, piece, n);
  memcpy(at, tail, strlen(tail) + 1);
  return text;
}

// Reads what must be refused. The time is the processor's, ten times what it takes and a tenth or less
// of what it took when it grew as the square.
static firn_scene *refuse(char *text) {
  firn_scene *scene;
  clock_t start = clock();
  assert_int_equal(firn_scene_read(context, "t.yaml", text, strlen(text), 0, NULL, &scene),
                   FIRN_ERROR_SCENE);
  assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
  free(text);
  return scene;
}

static void deep_nesting_is_told_at_once(void **state) {
  (void)state;
  static const struct {
    const char *piece;
    int column; // of the 64th piece: the root is a map
  } cases[] = {{"[", 70}, {"{a: ", 7 + 4 * 63}, {"- ", 0}};
  for (int i = 0; i < 3; i++) {
    bool block = cases[i].piece[0] == '-';
    firn_scene *scene = refuse(
        repeat(block ? "firn: 1\nsnow:\n  " : "firn: 1\nsnow: ", cases[i].piece, 200000, "1\n"));
    const firn_scene_error *e = firn_scene_error_get(scene, 0);
    assert_int_equal(firn_scene_error_count(scene), 1);
    assert_int_equal(e->line, block ? 3 : 2);
    assert_int_equal(e->column, block ? 3 + 2 * 63 : cases[i].column);
    assert_non_null(strstr(e->message, "nested too deeply: more than 64"));
    firn_scene_destroy(scene);
  }
}

// Only what anchors repeat is bounded: 20,000 bodies, written out, are 240,000 values and more.
static void a_long_list_is_read(void **state) {
  (void)state;
  enum { BODIES = 20000 };
  char *bodies = repeat("", "  - {shape: {sphere: {center: [0, 0, 0], radius: 1}}}\n", BODIES, "");
  char *text = malloc(strlen(bodies) + 200);
  assert_non_null(text);
  sprintf(text,
          "firn: 1\nh: 1\nsnow: [{shape: {sphere: {center: [0, 0, 0], radius: 9}}}]\n"
          "colliders:\n%s",
          bodies);
  free(bodies);
  firn_scene *scene;
  if (firn_scene_read(context, "t.yaml", text, strlen(text), 0, NULL, &scene) != FIRN_OK)
    fail_msg("%s", firn_context_message(context));
  free(text);
  firn_scene_destroy(scene);
}

static char *many_keys(int count) {
  char *text = malloc(20 * (size_t)count + 20);
  assert_non_null(text);
  int n = sprintf(text, "firn: 1\n");
  for (int i = 0; i < count; i++) n += sprintf(text + n, "key%d: 1\n", i);
  return text;
}

static void of_many_errors_the_first_are_listed(void **state) {
  (void)state;
  firn_scene *scene = refuse(many_keys(5000));
  assert_int_equal(firn_scene_error_count(scene), 101);
  for (int i = 0; i < 100; i++) {
    const firn_scene_error *e = firn_scene_error_get(scene, i);
    assert_int_equal(e->line, i + 2);
    assert_non_null(strstr(e->message, "unknown key"));
  }
  assert_non_null(strstr(firn_scene_error_get(scene, 100)->message, "more errors"));
  firn_scene_destroy(scene);
  scene = refuse(many_keys(60000));
  assert_int_equal(firn_scene_error_count(scene), 1);
  assert_non_null(strstr(firn_scene_error_get(scene, 0)->message, "more than 10000 keys"));
  firn_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(deep_nesting_is_told_at_once, open_context, close_context),
      cmocka_unit_test_setup_teardown(a_long_list_is_read, open_context, close_context),
      cmocka_unit_test_setup_teardown(of_many_errors_the_first_are_listed, open_context,
                                      close_context),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
