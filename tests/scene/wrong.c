// SPDX-License-Identifier: Apache-2.0
// The corpus of wrong scenes: each file of tests/scene/wrong says in its first line what is to be
// said about it, and nothing else may be:
//     # expect: LINE:COLUMN: beginning of the message
//     # expect: FILE:LINE:COLUMN: the same in a file that it includes
// Several messages are separated by " # ".
#include <firn/firn.h>

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define FOLDER FIRN_TEST_SOURCE_DIR "/tests/scene/wrong"

static bool ends_with(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

static int is_scene(const struct dirent *entry) {
  return ends_with(entry->d_name, ".yaml");
}

// Splits the i-th expectation of the line into its parts; false past the last.
typedef struct {
  char file[100];
  int line, column;
  char message[400];
} expectation;

static bool expectation_get(const char *line, int i, expectation *out) {
  for (; i > 0; i--) {
    line = strstr(line, " # ");
    if (!line) return false;
    line += 3;
  }
  char text[600];
  const char *end = strstr(line, " # ");
  snprintf(text, sizeof text, "%.*s", (int)(end ? (size_t)(end - line) : strlen(line)), line);
  int used = 0;
  out->file[0] = 0;
  if (sscanf(text, "%d:%d: %n", &out->line, &out->column, &used) != 2 || used == 0)
    if (sscanf(text, "%99[^:]:%d:%d: %n", out->file, &out->line, &out->column, &used) != 3)
      fail_msg("cannot read the expectation '%s'", text);
  snprintf(out->message, sizeof out->message, "%s", text + used);
  assert_true(strlen(out->message) >= 5);
  return true;
}

static void judge(const char *name, const char *line, const firn_scene *scene) {
  int count = firn_scene_error_count(scene), expected = 0;
  expectation e;
  for (; expectation_get(line, expected, &e); expected++) {
    const firn_scene_error *error = firn_scene_error_get(scene, expected);
    if (!error) {
      fail_msg("%s: only %d messages", name, count);
      return;
    }
    const char *file = e.file[0] ? e.file : name;
    bool same = error->line == e.line && error->column == e.column &&
                strncmp(error->message, e.message, strlen(e.message)) == 0 &&
                ends_with(error->file, file);
    if (!same)
      fail_msg("%s: expected %s:%d:%d: %s\nfound %s:%d:%d: %s", name, file, e.line, e.column,
               e.message, error->file, error->line, error->column, error->message);
  }
  if (count != expected)
    fail_msg("%s: %d messages, expected %d; the last: %s", name, count, expected,
             firn_scene_error_get(scene, count - 1)->message);
}

static void every_wrong_scene_is_told_where_and_why(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  firn_context *context;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(chdir(FOLDER), 0); // messages name files as they were given
  struct dirent **entries;
  int count = scandir(FOLDER, &entries, is_scene, alphasort);
  assert_true(count >= 60);
  for (int i = 0; i < count; i++) {
    const char *name = entries[i]->d_name;
    char line[600];
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    static const char prefix[] = "# expect: ";
    if (strncmp(line, prefix, sizeof prefix - 1) != 0) fail_msg("%s: no expectation", name);
    firn_scene *scene = NULL;
    firn_status status = firn_scene_load(context, name, 0, NULL, &scene);
    if (status != FIRN_ERROR_SCENE || !scene) fail_msg("%s: %s", name, firn_status_name(status));
    judge(name, line + sizeof prefix - 1, scene);
    firn_scene_destroy(scene);
    free(entries[i]);
  }
  free(entries);
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_wrong_scene_is_told_where_and_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
