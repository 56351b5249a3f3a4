// SPDX-License-Identifier: Apache-2.0
// Files are made under a name of their own: nothing that stands in their way is written through.
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>

#include <firn/firn.h>

#include "cache/archive.h"
#include "cache/csv.h"
#include "render/png.h"

// A file that nobody may change, and a link to it of that name.
static void link_victim(scratch *s, const char *name) {
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "victim"), "precious", 8), FIRN_OK);
  assert_int_equal(symlink("victim", scratch_path(s, name)), 0);
}

static void assert_victim_whole(scratch *s) {
  char *text;
  size_t size;
  scratch_read(s, "victim", &text, &size);
  assert_string_equal(text, "precious");
  firn_free(s->context, text, size + 1);
}

static bool is_link(scratch *s, const char *name) {
  struct stat info;
  return lstat(scratch_path(s, name), &info) == 0 && S_ISLNK(info.st_mode);
}

static firn_status write_archive(scratch *s, const char *path) {
  firn_archive *a;
  FIRN_TRY(firn_archive_create(s->context, path, &a));
  firn_archive_write(a, "x", FIRN_ARCHIVE_F64, 1, 1, &(double){1});
  return firn_archive_commit(a);
}

static firn_status write_picture(scratch *s, const char *path) {
  return firn_png_write(s->context, path, 1, 1, (const uint8_t[3]){1, 2, 3});
}

static firn_status write_text(scratch *s, const char *path) {
  return firn_file_put(s->context, path, "x", 1);
}

static firn_status try_name(scratch *s, const char *path) {
  return firn_file_try(s->context, path, 1000);
}

static void no_link_is_written_through(void **state) {
  scratch *s = *state;
  static firn_status (*const write[])(scratch *, const char *) = {write_archive, write_picture,
                                                                  write_text, try_name};
  for (size_t i = 0; i < sizeof write / sizeof *write; i++) {
    link_victim(s, "a.part");
    assert_int_equal(write[i](s, scratch_path(s, "a")), FIRN_OK);
    assert_victim_whole(s);
    assert_false(is_link(s, "a.part"));
    unlink(scratch_path(s, "a"));
    if (write[i] == try_name) continue;
    link_victim(s, "a"); // the name itself: replaced
    assert_int_equal(write[i](s, scratch_path(s, "a")), FIRN_OK);
    assert_victim_whole(s);
    assert_false(is_link(s, "a"));
    unlink(scratch_path(s, "a"));
  }
}

static void a_table_that_is_a_link_is_left_alone(void **state) {
  scratch *s = *state;
  link_victim(s, "t.csv");
  assert_int_equal(firn_csv_append(s->context, scratch_path(s, "t.csv"), "1,2\n", 4),
                   FIRN_ERROR_IO);
  assert_message(s, "t.csv", "link");
  assert_victim_whole(s);
  assert_true(is_link(s, "t.csv"));
}

// To rename a file onto /dev/null would be the end of it.
static void what_is_no_plain_file_is_left_alone(void **state) {
  scratch *s = *state;
  assert_int_equal(mkfifo(scratch_path(s, "pipe"), 0666), 0);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "pipe"), "x", 1), FIRN_ERROR_IO);
  assert_message(s, "pipe", "not a plain file");
  char *text; // nobody writes into it: to wait would be for ever
  size_t size;
  assert_int_equal(firn_file_get(s->context, scratch_path(s, "pipe"), &text, &size), FIRN_ERROR_IO);
  assert_message(s, "pipe", "not a plain file");
  firn_archive *archive;
  assert_int_not_equal(firn_archive_open(s->context, scratch_path(s, "pipe"), &archive), FIRN_OK);
  int fd;
  assert_int_equal(firn_file_update(s->context, scratch_path(s, "pipe"), 0, &fd), FIRN_ERROR_IO);
  assert_int_equal(fd, -1);
  assert_int_equal(symlink("/dev/null", scratch_path(s, "null")), 0);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "null"), "x", 1), FIRN_ERROR_IO);
  assert_true(is_link(s, "null"));
  assert_int_equal(mkdir(scratch_path(s, "folder.part"), 0777), 0);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "folder"), "x", 1), FIRN_ERROR_IO);
  assert_message(s, "folder.part");
}

// Of two that write the same file at once, the one whose temporary file was taken away fails; what the
// other has half written does not get the name.
static void a_temporary_file_of_somebody_else_is_not_renamed(void **state) {
  scratch *s = *state;
  char path[sizeof s->path], part[FIRN_PATH_SIZE], same[FIRN_PATH_SIZE];
  int first, second;
  snprintf(path, sizeof path, "%s", scratch_path(s, "a"));
  assert_int_equal(firn_file_begin(s->context, path, part, &first), FIRN_OK);
  assert_int_equal(write(first, "whole", 5), 5);
  assert_int_equal(firn_file_begin(s->context, path, same, &second), FIRN_OK);
  assert_int_equal(write(second, "ha", 2), 2);
  assert_int_equal(firn_file_finish(s->context, path, part, first), FIRN_ERROR_IO);
  assert_message(s, "a.part");
  assert_false(scratch_exists(s, "a"));
  assert_int_equal(write(second, "lf", 2), 2);
  assert_int_equal(firn_file_finish(s->context, path, same, second), FIRN_OK);
  char *text;
  size_t size;
  scratch_read(s, "a", &text, &size);
  assert_string_equal(text, "half");
  firn_free(s->context, text, size + 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(no_link_is_written_through),
      TEST(a_table_that_is_a_link_is_left_alone),
      TEST(what_is_no_plain_file_is_left_alone),
      TEST(a_temporary_file_of_somebody_else_is_not_renamed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
