// SPDX-License-Identifier: Apache-2.0
// Tables of a run: rows are added whole and cut after a frame.
#include "scratch.h"

#include <firn/firn.h>

#include "cache/csv.h"
#include "cache/probes.h"

static const char header[] = "frame,name,value\n";

static void put(scratch *s, const char *text) {
  assert_int_equal(firn_file_put(s->context, scratch_path(s, "t.csv"), text, strlen(text)),
                   FIRN_OK);
}

static void append(scratch *s, const char *text) {
  assert_int_equal(firn_csv_append(s->context, scratch_path(s, "t.csv"), text, strlen(text)),
                   FIRN_OK);
}

static void assert_holds(scratch *s, const char *expected) {
  char *text;
  size_t n;
  scratch_read(s, "t.csv", &text, &n);
  assert_string_equal(text, expected);
  firn_free(s->context, text, n + 1);
}

static void half_a_row_is_cut_off_before_the_next(void **state) {
  scratch *s = *state;
  assert_int_equal(firn_csv_create(s->context, scratch_path(s, "t.csv"), header), FIRN_OK);
  append(s, "0,a,1\n");
  put(s, "frame,name,value\n0,a,1\n1,a");
  append(s, "1,a,2\n1,b,3\n");
  assert_holds(s, "frame,name,value\n0,a,1\n1,a,2\n1,b,3\n");
}

static void rows_after_a_frame_are_dropped_and_others_keep_their_bytes(void **state) {
  scratch *s = *state;
  put(s, "frame,name,value\n1,a,1\n1,b,1.50\n2,a,2\n2,b,2\n3,a");
  assert_int_equal(firn_csv_truncate(s->context, scratch_path(s, "t.csv"), header, 2, NULL),
                   FIRN_OK);
  assert_holds(s, "frame,name,value\n1,a,1\n1,b,1.50\n2,a,2\n2,b,2\n");
  assert_int_equal(firn_csv_truncate(s->context, scratch_path(s, "t.csv"), header, 1, NULL),
                   FIRN_OK);
  assert_holds(s, "frame,name,value\n1,a,1\n1,b,1.50\n");
  assert_int_equal(firn_csv_truncate(s->context, scratch_path(s, "t.csv"), header, 0, NULL),
                   FIRN_OK);
  assert_holds(s, header);
}

static void what_is_no_table_is_left_alone(void **state) {
  scratch *s = *state;
  put(s, "frame,name\n0,a\n");
  assert_int_equal(firn_csv_truncate(s->context, scratch_path(s, "t.csv"), header, 0, NULL),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "t.csv", "frame,name,value");
  assert_holds(s, "frame,name\n0,a\n");
  put(s, "frame,name,value\n0,a,1\nb,2,3\n4,a,4\n");
  assert_int_equal(firn_csv_truncate(s->context, scratch_path(s, "t.csv"), header, 3, NULL),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "t.csv:3");
  assert_holds(s, "frame,name,value\n0,a,1\nb,2,3\n4,a,4\n");
  assert_int_equal(firn_csv_truncate(s->context, scratch_path(s, "none.csv"), header, 3, NULL),
                   FIRN_ERROR_IO);
}

static void names_do_not_break_rows(void **state) {
  (void)state;
  char out[64];
  const struct {
    const char *text, *cell;
  } cases[] = {{"ground", "ground"},
               {"a,b", "\"a,b\""},
               {"the \"end\"", "\"the \"\"end\"\"\""},
               {"two\nlines", "\"two lines\""}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    out[firn_csv_print_text(out, cases[i].text)] = 0;
    assert_string_equal(out, cases[i].cell);
  }
}

static void a_probe_without_snow_has_empty_averages(void **state) {
  scratch *s = *state;
  const firn_probe_def defs[] = {{.name = "in"}, {.name = NULL}};
  const firn_probe probes[] = {
      {.count = 2, .mass = 0.5, .center = {1, 2, 3}, .velocity = {4, 5, 6}}, {.count = 0}};
  const double density[2] = {400}, stress[12] = {1, 2, 3, 4, 5, 6};
  const firn_probe_columns columns = {
      .count = 4,
      .column = {
          {"density", 1, density}, {"jp", 1, NULL}, {"stress", 6, stress}, {"flux", 3, stress}}};
  const char *path = scratch_path(s, "t.csv");
  assert_int_equal(firn_probes_create(s->context, path, &columns), FIRN_OK);
  assert_int_equal(firn_probes_append(s->context, path, 7, 0.25, defs, probes, 2, &columns),
                   FIRN_OK);
  char *text;
  size_t n;
  scratch_read(s, "t.csv", &text, &n);
  const char *rows = strchr(text, '\n') + 1;
  assert_string_equal(rows, "7,0.25,in,2,0.5,1,2,3,4,5,6,400,,1,2,3,4,5,6,1,2,3\n"
                            "7,0.25,probe_1,0,0,,,,,,,,,,,,,,,,,\n");
  assert_non_null(strstr(text, ",density,jp,stress_xx,stress_yy,stress_zz,stress_xy,stress_xz,"
                               "stress_yz,flux_x,flux_y,flux_z\n"));
  // As many cells as the header has names.
  size_t commas = 0, cells = 0;
  for (const char *c = text; *c != '\n'; c++) commas += *c == ',';
  for (const char *c = rows; *c != '\n'; c++) cells += *c == ',';
  assert_int_equal(commas, cells);
  firn_free(s->context, text, n + 1);
}

// Fields of any shape that a solver may have, and as many of them, with names as long as they get.
static void averages_of_any_shape_have_a_name_each(void **state) {
  static const char name[] = "a_field_whose_name_is_as_long_as_the_name_of_a_field_in_a_frame";
  scratch *s = *state;
  const firn_probe_def def = {.name = "in"};
  const firn_probe probe = {.count = 2};
  double mean[FIRN_PROBE_COMPONENTS];
  for (int i = 0; i < FIRN_PROBE_COMPONENTS; i++) mean[i] = -1.23456789e-123;
  firn_probe_columns columns = {.count = FIRN_PROBE_COLUMNS,
                                .column = {{"affine", 9, mean}, {"pair", 2, mean}}};
  for (int i = 2; i < FIRN_PROBE_COLUMNS; i++)
    columns.column[i] = (firn_probe_column){name, FIRN_PROBE_COMPONENTS, mean};
  const char *path = scratch_path(s, "t.csv");
  assert_int_equal(firn_probes_create(s->context, path, &columns), FIRN_OK);
  assert_int_equal(firn_probes_append(s->context, path, 0, 0, &def, &probe, 1, &columns), FIRN_OK);
  assert_int_equal(firn_probes_truncate(s->context, path, &columns, 0), FIRN_OK);
  char *text;
  size_t n, commas[2] = {0};
  scratch_read(s, "t.csv", &text, &n);
  assert_non_null(strstr(text, ",affine_xx,affine_xy,affine_xz,affine_yx,affine_yy,affine_yz,"
                               "affine_zx,affine_zy,affine_zz,pair_0,pair_1,a_field"));
  int line = 0;
  for (const char *c = text; *c && line < 2; line += *c++ == '\n') commas[line] += *c == ',';
  assert_int_equal(commas[0], 10 + 9 + 2 + 14 * 9);
  assert_int_equal(commas[1], commas[0]);
  firn_free(s->context, text, n + 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(half_a_row_is_cut_off_before_the_next),
      TEST(rows_after_a_frame_are_dropped_and_others_keep_their_bytes),
      TEST(what_is_no_table_is_left_alone),
      TEST(names_do_not_break_rows),
      TEST(a_probe_without_snow_has_empty_averages),
      TEST(averages_of_any_shape_have_a_name_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
