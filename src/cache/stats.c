// SPDX-License-Identifier: Apache-2.0
#include "cache/stats.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/schema.h"
#include "cache/csv.h"

static const char *const columns[FIRN_STATS_COLUMNS] = {
#define NAME(name) #name,
    FIRN_STATS_LIST(NAME)
#undef NAME
};

enum { LINE = (FIRN_STATS_COLUMNS + 2 * FIRN_STATS_MORE) * (FIRN_NUMBER_SIZE + 1) + 2 };

const char *firn_stats_column(int i) {
  return i >= 0 && i < FIRN_STATS_COLUMNS ? columns[i] : NULL;
}

firn_stats_row firn_stats_empty_row(void) {
  firn_stats_row row = {.more = 0};
  for (int i = 0; i < FIRN_STATS_COLUMNS; i++) row.value[i] = (double)NAN;
  return row;
}

static size_t print_header(char *line, const char *more) {
  char name[48];
  size_t n = 0;
  for (int i = 0; i < FIRN_STATS_COLUMNS; i++) {
    n += (size_t)snprintf(line + n, LINE - n, i ? ",%s" : "%s", columns[i]);
  }
  for (int i = 0; more && i < FIRN_STATS_MORE; i++) {
    if (!firn_schema_choice(more, i, name, sizeof name)) break;
    n += (size_t)snprintf(line + n, LINE - n, ",%s", name);
  }
  line[n++] = '\n';
  return n;
}

static size_t print_row(char *line, const firn_stats_row *row) {
  size_t n = 0;
  for (int i = 0; i < FIRN_STATS_COLUMNS + row->more; i++) {
    double value = i < FIRN_STATS_COLUMNS ? row->value[i] : row->own[i - FIRN_STATS_COLUMNS];
    if (i) line[n++] = ',';
    if (!isnan(value)) n += firn_number_print(line + n, value);
  }
  line[n++] = '\n';
  return n;
}

firn_status firn_stats_create(firn_context *context, const char *path, const char *more) {
  char line[LINE];
  line[print_header(line, more)] = 0;
  return firn_csv_create(context, path, line);
}

firn_status firn_stats_append(firn_context *context, const char *path, const firn_stats_row *row) {
  char line[LINE];
  return firn_csv_append(context, path, line, print_row(line, row));
}

firn_status firn_stats_open(firn_context *context, const char *path, const char *more,
                            firn_rows *out) {
  char line[LINE];
  line[print_header(line, more)] = 0;
  return firn_rows_open(context, path, line, out);
}
