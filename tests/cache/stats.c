// SPDX-License-Identifier: Apache-2.0
// stats.csv, whose columns outside tools rely on.
#include "scratch.h"

#include <math.h>

#include "cache/stats.h"
#include "support/comma.h"

// Written out, not taken from the header: this is the contract itself.
static const char header[] =
    "frame,time,steps,dt_min,dt_mean,iterations_mean,iterations_max,particles,asleep,mass,com_x,"
    "com_y,com_z,momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z,energy_kinetic,"
    "energy_elastic,energy_gravity,energy_plastic,energy_lost,speed_max,jp_min,jp_mean,density_max,"
    "neighbours_mean,temperature_min,temperature_mean,temperature_max,bytes,"
    "bounds_min_x,bounds_min_y,bounds_min_z,bounds_max_x,bounds_max_y,bounds_max_z,wall_seconds\n";

static firn_stats_row row_of(int frame) {
  firn_stats_row row = firn_stats_empty_row();
  row.value[FIRN_STATS_frame] = frame;
  row.value[FIRN_STATS_time] = frame / 24.0;
  row.value[FIRN_STATS_steps] = 17;
  row.value[FIRN_STATS_particles] = 1234567890;
  row.value[FIRN_STATS_com_y] = -1.0 / 3;
  row.value[FIRN_STATS_momentum_x] = -0.0;
  row.value[FIRN_STATS_energy_elastic] = 1.25e-300;
  row.value[FIRN_STATS_bytes] = 123456789012.0;
  row.value[FIRN_STATS_wall_seconds] = 0.5;
  return row;
}

static void fill(scratch *s, const char *name, int frames) {
  assert_int_equal(firn_stats_create(s->context, scratch_path(s, name), NULL), FIRN_OK);
  for (int i = 0; i < frames; i++) {
    firn_stats_row row = row_of(i);
    assert_int_equal(firn_stats_append(s->context, scratch_path(s, name), &row), FIRN_OK);
  }
}

static void columns_and_numbers_are_as_promised(void **state) {
  scratch *s = *state;
  fill(s, "stats.csv", 2);
  size_t size;
  char *text;
  scratch_read(s, "stats.csv", &text, &size);
  assert_memory_equal(text, header, sizeof header - 1);
  // Whole numbers in full, nine digits otherwise, nan as an empty cell, no minus zero.
  assert_string_equal(
      text + sizeof header - 1,
      "0,0,17,,,,,1234567890,,,,-0.333333333,,0,,,,,,,1.25e-300,,,,,,,,,,,,123456789012,"
      ",,,,,,0.5\n"
      "1,0.0416666667,17,,,,,1234567890,,,,-0.333333333,,0,,,,,,,1.25e-300,,,,,,,,,,,,"
      "123456789012,,,,,,,0.5\n");
  firn_free(s->context, text, size + 1);
}

static firn_table *read_table(scratch *s, const char *name, size_t rows) {
  firn_table *table;
  assert_int_equal(firn_table_open(s->context, scratch_path(s, name), NULL, &table), FIRN_OK);
  assert_int_equal(firn_table_rows(table), rows);
  return table;
}

static void rows_read_back(void **state) {
  scratch *s = *state;
  fill(s, "stats.csv", 3);
  firn_table *table = read_table(s, "stats.csv", 3);
  // Nine digits: relative error at most half a unit of the ninth, 5e-9.
  assert_true(fabs(firn_table_column(table, "time")[2] - 2 / 24.0) < 5e-9 * (2 / 24.0));
  assert_true(firn_table_column(table, "frame")[2] == 2);
  assert_true(isnan(firn_table_column(table, "dt_min")[2]));
  assert_null(firn_table_column(table, "warmth"));
  assert_int_equal(firn_table_columns(table), FIRN_STATS_COLUMNS);
  assert_string_equal(firn_table_name(table, FIRN_STATS_COLUMNS - 1), "wall_seconds");
  assert_null(firn_table_name(table, FIRN_STATS_COLUMNS));
  firn_table_close(table);
}

static void a_comma_locale_changes_nothing(void **state) {
  scratch *s = *state;
  fill(s, "plain.csv", 2);
  if (!comma_begin()) {
    print_message("skipped: there is no locale with a decimal comma, nor localedef to make one\n");
    skip();
  }
  fill(s, "comma.csv", 2);
  firn_table *table = read_table(s, "comma.csv", 2);
  comma_end();
  assert_true(firn_table_column(table, "wall_seconds")[1] == 0.5);
  firn_table_close(table);
  assert_same_bytes(s, "plain.csv", "comma.csv");
}

static void put(scratch *s, const char *name, const char *a, const char *b) {
  char text[4096];
  int n = snprintf(text, sizeof text, "%s%s", a, b);
  assert_int_equal(firn_file_put(s->context, scratch_path(s, name), text, (size_t)n), FIRN_OK);
}

static void truncation_keeps_the_bytes_of_what_stays(void **state) {
  scratch *s = *state;
  firn_rows rows;
  size_t size;
  fill(s, "want.csv", 3);
  fill(s, "stats.csv", 6);
  const int last[] = {2, 9};
  for (int i = 0; i < 2; i++) {
    const char *path = scratch_path(s, "stats.csv");
    assert_int_equal(firn_stats_open(s->context, path, NULL, &rows), FIRN_OK);
    firn_row row = {0};
    assert_true(firn_rows_next(&rows, &row) && firn_row_fits(&rows, &row, -1));
    assert_int_equal(firn_rows_cut(&rows, path, last[i], &size), FIRN_OK);
    firn_rows_close(&rows);
    assert_same_bytes(s, "want.csv", "stats.csv");
  }
}

static void half_a_row_is_cut_off(void **state) {
  scratch *s = *state;
  fill(s, "want.csv", 3);
  fill(s, "stats.csv", 2);
  FILE *f = fopen(scratch_path(s, "stats.csv"), "a");
  fputs("2,0.08", f);
  fclose(f);
  firn_stats_row row = row_of(2);
  firn_table_close(read_table(s, "stats.csv", 2));
  assert_int_equal(firn_stats_append(s->context, scratch_path(s, "stats.csv"), &row), FIRN_OK);
  assert_same_bytes(s, "want.csv", "stats.csv");
}

static void what_is_no_stats_file_is_refused(void **state) {
  scratch *s = *state;
  firn_stats_row row = row_of(0);
  firn_table *table;
  firn_rows rows;
  assert_int_equal(firn_stats_append(s->context, scratch_path(s, "none.csv"), &row), FIRN_ERROR_IO);
  assert_message(s, "none.csv", "No such file");
  assert_int_equal(firn_table_open(s->context, scratch_path(s, "none.csv"), NULL, &table),
                   FIRN_ERROR_IO);
  assert_null(table);
  put(s, "other.csv", "a,b,c\n", "1,2,3\n");
  assert_int_equal(firn_stats_open(s->context, scratch_path(s, "other.csv"), NULL, &rows),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "other.csv", "does not begin with frame,time");
  put(s, "nothing.csv", "\n", "");
  assert_int_equal(firn_table_open(s->context, scratch_path(s, "nothing.csv"), NULL, &table),
                   FIRN_ERROR_FORMAT);
  assert_message(s, "nothing.csv", "names");
  put(s, "empty.csv", header, "");
  firn_table_close(read_table(s, "empty.csv", 0));
}

// Whatever a solver adds at the end, and whatever an older version did not have yet.
static void columns_are_found_by_name(void **state) {
  scratch *s = *state;
  put(s, "few.csv", "frame,\"time\",further\n", "0,0,7\n1,x,8,9\n2,1e999\n3,\"0.5\",1\n4,1");
  firn_table *table = read_table(s, "few.csv", 4);
  const double *time = firn_table_column(table, "time"),
               *further = firn_table_column(table, "further");
  assert_true(time[0] == 0 && isnan(time[1]) && isnan(time[2]) && time[3] == 0.5);
  assert_true(further[0] == 7 && further[1] == 8 && isnan(further[2]) && further[3] == 1);
  firn_table_close(table);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_open, scratch_close)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(columns_and_numbers_are_as_promised),
      TEST(rows_read_back),
      TEST(a_comma_locale_changes_nothing),
      TEST(truncation_keeps_the_bytes_of_what_stays),
      TEST(half_a_row_is_cut_off),
      TEST(what_is_no_stats_file_is_refused),
      TEST(columns_are_found_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
