// SPDX-License-Identifier: Apache-2.0
// The folder of a run: which files count, in which order, and which are chosen.
#include "scratch.h"

#include <firn/folder.h>

static void touch(scratch *s, const char *name) {
  assert_int_equal(firn_file_put(s->context, scratch_path(s, name), "", 0), FIRN_OK);
}

static firn_folder *open_folder(scratch *s, const char *path) {
  firn_folder *folder;
  assert_int_equal(firn_folder_open(s->context, path, &folder), FIRN_OK);
  return folder;
}

static void assert_numbers(const firn_folder *folder, firn_folder_kind kind, int count,
                           const int *numbers) {
  assert_int_equal(firn_folder_count(folder, kind), count);
  for (int i = 0; i < count; i++) {
    char name[64];
    const char *file = firn_folder_file(folder, kind, i);
    assert_int_equal(firn_folder_number(folder, kind, i), numbers[i]);
    snprintf(name, sizeof name, "/%s_%05d.hdf", kind == FIRN_FOLDER_FRAME ? "frame" : "checkpoint",
             numbers[i]);
    assert_non_null(strstr(file, name));
    assert_int_equal(access(file, R_OK), 0);
  }
}

static void files_are_listed_by_number(void **state) {
  scratch *s = *state;
  static const char *const names[] = {
      "frame_00010.hdf",      "frame_00002.hdf",      "frame_99999.hdf",   "frame_00000.hdf",
      "checkpoint_00010.hdf", "checkpoint_00009.hdf", "frame_3.hdf",       "frame_000004.hdf",
      "frame_00005.hdf.part", "frame_00006.png",      "a_frame_00007.hdf", "frame_-0001.hdf"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) touch(s, names[i]);
  firn_folder *folder = open_folder(s, s->folder);
  assert_string_equal(firn_folder_path(folder), s->folder);
  assert_null(firn_folder_scene(folder));
  assert_numbers(folder, FIRN_FOLDER_FRAME, 4, (const int[]){0, 2, 10, 99999});
  assert_numbers(folder, FIRN_FOLDER_CHECKPOINT, 2, (const int[]){9, 10});
  firn_folder_close(folder);
  touch(s, "scene.yaml");
  folder = open_folder(s, s->folder);
  assert_string_equal(firn_folder_scene(folder), scratch_path(s, "scene.yaml"));
  firn_folder_close(folder);
}

static void a_range_leaves_both_ends_and_every_so_many(void **state) {
  scratch *s = *state;
  static const struct {
    int first, last, every, count, number[8];
  } cases[] = {
      {0, -1, 1, 7, {0, 1, 2, 3, 5, 6, 9}},
      {2, 5, 1, 3, {2, 3, 5}},
      {1, -1, 2, 4, {1, 3, 5, 9}},
      {9, 9, 7, 1, {9}},
  };
  for (int i = 0; i < 10; i++) {
    char name[32];
    snprintf(name, sizeof name, "frame_%05d.hdf", i);
    if (i != 4 && i != 7 && i != 8) touch(s, name);
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    firn_folder *folder = open_folder(s, s->folder);
    assert_int_equal(firn_folder_select(folder, cases[i].first, cases[i].last, cases[i].every),
                     FIRN_OK);
    assert_numbers(folder, FIRN_FOLDER_FRAME, cases[i].count, cases[i].number);
    firn_folder_close(folder);
  }
  firn_folder *folder = open_folder(s, s->folder);
  assert_int_equal(firn_folder_select(folder, 0, -1, 0), FIRN_ERROR_ARGUMENT);
  assert_message(s, s->folder, "every = 0");
  assert_int_equal(firn_folder_count(folder, FIRN_FOLDER_FRAME), 7);
  assert_int_equal(firn_folder_select(folder, 7, 8, 1), FIRN_ERROR_ARGUMENT);
  assert_message(s, s->folder, "frames 0 to 9", "none of those");
  firn_folder_close(folder);
}

static void a_file_is_a_folder_of_one(void **state) {
  scratch *s = *state;
  touch(s, "frame_00003.hdf");
  touch(s, "frame_00004.hdf");
  touch(s, "flake.hdf");
  firn_folder *folder = open_folder(s, scratch_path(s, "frame_00004.hdf"));
  assert_numbers(folder, FIRN_FOLDER_FRAME, 1, (const int[]){4});
  assert_string_equal(firn_folder_path(folder), s->folder);
  firn_folder_close(folder);
  folder = open_folder(s, scratch_path(s, "flake.hdf"));
  assert_int_equal(firn_folder_number(folder, FIRN_FOLDER_FRAME, 0), 0);
  assert_string_equal(firn_folder_file(folder, FIRN_FOLDER_FRAME, 0), s->path);
  firn_folder_close(folder);
  char before[1024];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(s->folder), 0);
  folder = open_folder(s, "flake.hdf");
  assert_int_equal(chdir(before), 0);
  assert_string_equal(firn_folder_path(folder), ".");
  firn_folder_close(folder);
}

static void nothing_is_told_apart(void **state) {
  scratch *s = *state;
  firn_folder *folder;
  assert_int_equal(firn_folder_open(s->context, scratch_path(s, "none"), &folder), FIRN_ERROR_IO);
  assert_null(folder);
  assert_message(s, "none", "No such file");
  folder = open_folder(s, s->folder);
  assert_int_equal(firn_folder_count(folder, FIRN_FOLDER_FRAME), 0);
  assert_int_equal(firn_folder_select(folder, 0, -1, 1), FIRN_ERROR_ARGUMENT);
  assert_message(s, s->folder, "holds no frames");
  firn_folder_close(folder);
  firn_folder_close(NULL);
}

static void without_a_folder_or_a_table_there_is_nothing(void **state) {
  scratch *s = *state;
  assert_null(firn_folder_path(NULL));
  assert_null(firn_folder_scene(NULL));
  assert_int_equal(firn_folder_count(NULL, FIRN_FOLDER_FRAME), 0);
  assert_int_equal(firn_folder_number(NULL, FIRN_FOLDER_FRAME, 0), -1);
  assert_null(firn_folder_file(NULL, FIRN_FOLDER_FRAME, 0));
  assert_int_equal(firn_folder_select(NULL, 0, -1, 1), FIRN_ERROR_ARGUMENT);
  touch(s, "frame_00003.hdf");
  firn_folder *folder = open_folder(s, s->folder);
  for (int i = -1; i <= 1; i += 2) {
    assert_int_equal(firn_folder_number(folder, FIRN_FOLDER_FRAME, i), -1);
    assert_null(firn_folder_file(folder, FIRN_FOLDER_FRAME, i));
  }
  assert_int_equal(firn_folder_count(folder, (firn_folder_kind)7), 0);
  firn_folder_close(folder);
  assert_int_equal(firn_table_rows(NULL), 0);
  assert_int_equal(firn_table_columns(NULL), 0);
  assert_null(firn_table_name(NULL, 0));
  assert_null(firn_table_column(NULL, "x"));
  firn_table_close(NULL);
}

// A header of many names over many empty lines: 20 KB that would ask for 800 MB.
static void a_table_has_no_more_cells_than_its_file_has_bytes(void **state) {
  scratch *s = *state;
  enum { N = 10000 };
  char *text = malloc(2 * N);
  assert_non_null(text);
  memset(text, ',', N);
  memset(text + N, '\n', N);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "t.csv"), text, 2 * N), FIRN_OK);
  free(text);
  firn_table *table;
  assert_int_equal(firn_table_open(s->context, scratch_path(s, "t.csv"), NULL, &table),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "t.csv", "fewer cells");
  assert_true(firn_context_peak_bytes(s->context) < 1000000);
  const char good[] = "a,b,c\n1,2,3\n4,,6\n,,\n7,";
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "t.csv"), good, sizeof good - 1),
                   FIRN_OK);
  assert_int_equal(firn_table_open(s->context, scratch_path(s, "t.csv"), NULL, &table), FIRN_OK);
  assert_int_equal(firn_table_rows(table), 3);
  assert_null(firn_table_column(table, NULL));
  firn_table_close(table);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(files_are_listed_by_number),
      TEST(a_range_leaves_both_ends_and_every_so_many),
      TEST(a_file_is_a_folder_of_one),
      TEST(nothing_is_told_apart),
      TEST(without_a_folder_or_a_table_there_is_nothing),
      TEST(a_table_has_no_more_cells_than_its_file_has_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
