// SPDX-License-Identifier: Apache-2.0
// Tables of a run: rows are added whole, read back in whatever form, and cut after a frame.
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

// Opens t.csv and leaves the rows up to a frame; returns the status of opening.
static firn_status cut(scratch *s, int last, firn_rows *seen) {
  firn_rows rows;
  size_t size;
  FIRN_TRY(firn_rows_open(s->context, scratch_path(s, "t.csv"), header, &rows));
  assert_int_equal(firn_rows_cut(&rows, scratch_path(s, "t.csv"), last, &size), FIRN_OK);
  if (seen) *seen = rows;
  firn_rows_close(&rows);
  char *text;
  size_t n;
  scratch_read(s, "t.csv", &text, &n);
  assert_int_equal(n, size);
  firn_free(s->context, text, n + 1);
  return FIRN_OK;
}

static void rows_after_a_frame_are_dropped_and_others_keep_their_bytes(void **state) {
  scratch *s = *state;
  put(s, "frame,name,value\n1,a,1\n1,b,1.50\n2,a,2\n2,b,2\n3,a");
  assert_int_equal(cut(s, 2, NULL), FIRN_OK);
  assert_holds(s, "frame,name,value\n1,a,1\n1,b,1.50\n2,a,2\n2,b,2\n");
  assert_int_equal(cut(s, 1, NULL), FIRN_OK);
  assert_holds(s, "frame,name,value\n1,a,1\n1,b,1.50\n");
  assert_int_equal(cut(s, 0, NULL), FIRN_OK);
  assert_holds(s, header);
}

static void what_is_no_table_is_left_alone(void **state) {
  scratch *s = *state;
  put(s, "frame,name\n0,a\n");
  assert_int_equal(cut(s, 0, NULL), FIRN_ERROR_FORMAT);
  assert_message(s, "t.csv", "frame,name,value");
  assert_holds(s, "frame,name\n0,a\n");
  put(s, "");
  assert_int_equal(cut(s, 0, NULL), FIRN_ERROR_FORMAT);
  assert_message(s, "t.csv is empty");
  put(s, "frame,name,value"); // half a header
  assert_int_equal(cut(s, 0, NULL), FIRN_ERROR_FORMAT);
  assert_int_equal(unlink(scratch_path(s, "t.csv")), 0);
  assert_int_equal(cut(s, 3, NULL), FIRN_ERROR_IO);
}

// What spreadsheets and editors make of a table, each of which is the same one.
static void other_forms_of_a_table_are_mended(void **state) {
  scratch *s = *state;
  const char *const forms[] = {
      "frame,name,value\r\n0,a,1.5\r\n1,\"b, c\",-inf\r\n2,,\r\n",
      "frame,name,value\r0,a,1.5\r1,\"b, c\",-inf\r2,,\r",
      "frame;name;value\n0;a;1,5\n1;b, c;-inf\n2;;\n",
      "frame\tname\tvalue\r\n0\ta\t1.5\r\n1\tb, c\t-inf\r\n2\t\t\r\n",
      "\xef\xbb\xbf\"frame\",\"name\",\"value\"\n\"0\",\"a\",\"1.5\"\n1,\"b, c\",-inf\n2,,\n\n,,\n",
      "frame;name;value\n0;a;1,5\n1;b, c;-inf\n2;;\n3;d",
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    firn_rows seen = {0};
    put(s, forms[i]);
    assert_int_equal(cut(s, 9, &seen), FIRN_OK);
    assert_true(seen.mended && !seen.renamed);
    assert_holds(s, "frame,name,value\n0,a,1.5\n1,\"b, c\",-inf\n2,,\n");
  }
  // A name that is no longer what it was is told apart.
  firn_rows seen;
  put(s, "frame,mame,value\n0,a,1\n");
  assert_int_equal(cut(s, 9, &seen), FIRN_OK);
  assert_true(seen.mended && seen.renamed);
  assert_holds(s, "frame,name,value\n0,a,1\n");
}

static void rows_are_read_cell_by_cell(void **state) {
  scratch *s = *state;
  firn_rows rows;
  firn_row row = {0};
  double value;
  put(s, "frame,name,value\n0,\"a,b\",1.5\nx,a,1\n7,,\n1,c,1.5x\n1,c\n1,c,1,2\n4,d,");
  assert_int_equal(firn_rows_open(s->context, scratch_path(s, "t.csv"), header, &rows), FIRN_OK);
  assert_false(rows.mended);
  assert_true(firn_rows_next(&rows, &row));
  assert_int_equal(row.line, 2);
  assert_int_equal(row.frame, 0);
  assert_true(firn_row_number(&row, 2, &value) && value == 1.5);
  assert_false(firn_row_number(&row, 1, &value));
  assert_false(firn_row_number(&row, 3, &value));
  assert_true(firn_row_fits(&rows, &row, 1) && !firn_row_fits(&rows, &row, -1));
  assert_true(firn_rows_next(&rows, &row) && row.frame == -1);
  assert_true(firn_rows_next(&rows, &row) && row.frame == 7);
  assert_true(firn_row_number(&row, 2, &value) && value != value);
  assert_true(firn_row_fits(&rows, &row, -1));
  for (int i = 0; i < 3; i++) { // no number, too few, too many
    assert_true(firn_rows_next(&rows, &row));
    assert_false(firn_row_fits(&rows, &row, 1));
  }
  assert_false(firn_rows_next(&rows, &row)); // half a row is none
  firn_rows_close(&rows);
}

static void a_sum_knows_every_letter_but_those_left_out(void **state) {
  scratch *s = *state;
  const int skip[] = {2};
  static const char body[] = "0,a,1\n1,b,2\n2,c,3\n";
  firn_rows rows;
  put(s, "frame,name,value\n0,a,1\n1,b,2\n2,c,3\n");
  assert_int_equal(firn_rows_open(s->context, scratch_path(s, "t.csv"), header, &rows), FIRN_OK);
  uint64_t all = firn_rows_sum(&rows, 2, 0, NULL), some = firn_rows_sum(&rows, 2, 1, skip);
  assert_int_equal(firn_rows_sum(&rows, 1, 0, NULL), firn_rows_sum_more(0, body, 12, 0, NULL));
  firn_rows_close(&rows);
  assert_int_equal(firn_rows_sum_more(0, body, sizeof body - 1, 0, NULL), all);
  uint64_t half = firn_rows_sum_more(0, body, 6, 1, skip);
  assert_int_equal(firn_rows_sum_more(half, body + 6, sizeof body - 7, 1, skip), some);
  for (size_t i = 0; i + 1 < sizeof body; i++) {
    char changed[sizeof body];
    memcpy(changed, body, sizeof body);
    changed[i] ^= 1;
    bool value = i % 6 == 4;
    assert_true(firn_rows_sum_more(0, changed, sizeof body - 1, 0, NULL) != all);
    assert_int_equal(firn_rows_sum_more(0, changed, sizeof body - 1, 1, skip) == some, value);
  }
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
  firn_rows rows;
  firn_row row = {0};
  assert_int_equal(firn_probes_open(s->context, path, &columns, &rows), FIRN_OK);
  assert_true(!rows.mended && firn_rows_next(&rows, &row) && firn_row_fits(&rows, &row, 2));
  firn_rows_close(&rows);
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
      TEST(other_forms_of_a_table_are_mended),
      TEST(rows_are_read_cell_by_cell),
      TEST(a_sum_knows_every_letter_but_those_left_out),
      TEST(names_do_not_break_rows),
      TEST(a_probe_without_snow_has_empty_averages),
      TEST(averages_of_any_shape_have_a_name_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
