// SPDX-License-Identifier: Apache-2.0
// A CSV file as columns of numbers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cache/file.h"

enum { NAMES = 8 };

struct firn_table {
  firn_context *context;
  char *text; // the file; names point into it
  size_t size;
  size_t columns, rows, room;
  char **name;    // [columns]
  double *number; // [columns][room], of which rows are used
  int noted;      // different cells of the column `name`, the first few of them:
  const char *note[NAMES];
};

// Ends the cell at p with 0, without the quotes it may have, and returns where the next begins; NULL
// after the last of a line.
static char *next_cell(char *p, char **cell) {
  char *out = p;
  *cell = p;
  bool quoted = *p == '"';
  if (quoted) p++;
  for (; *p; p++) {
    if (quoted && *p == '"' && p[1] == '"')
      p++;
    else if (quoted && *p == '"') {
      quoted = false;
      continue;
    } else if (!quoted && *p == ',')
      break;
    *out++ = *p;
  }
  bool last = !*p;
  *out = 0;
  return last ? NULL : p + 1;
}

// Ends the line at p with 0 and returns where the next begins; NULL: this one has no end.
static char *next_line(char *p) {
  char *end = strchr(p, '\n');
  if (!end) return NULL;
  *end = 0;
  if (end > p && end[-1] == '\r') end[-1] = 0;
  return end + 1;
}

static size_t count_of(const char *text, char c) {
  size_t n = 0;
  for (; *text; text++) n += *text == c;
  return n;
}

// Keeps the first few names that differ.
static void note_name(firn_table *t, const char *name) {
  bool known = false;
  for (int i = 0; i < t->noted && !known; i++) known = strcmp(t->note[i], name) == 0;
  if (!known && t->noted < NAMES) t->note[t->noted++] = name;
}

// One row of the table, unless it is not wanted.
static void read_row(firn_table *t, char *line, const char *where) {
  char *cell;
  bool wanted = !where;
  for (size_t c = 0; c < t->columns; c++) {
    double value = NAN;
    if (line) {
      line = next_cell(line, &cell);
      if (!firn_number_is(cell, &value) || !isfinite(value)) value = NAN;
      bool named = strcmp(t->name[c], "name") == 0;
      if (named) note_name(t, cell);
      if (where && named && strcmp(cell, where) == 0) wanted = true;
    }
    t->number[c * t->room + t->rows] = value;
  }
  t->rows += wanted;
}

// Rows of several names would make a curve that jumps from one to the other.
static firn_status fail_name(const firn_table *t, const char *path, const char *where) {
  char list[300] = "";
  for (int i = 0; i < t->noted; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%.60s", i ? ", " : "", t->note[i]);
  }
  const char *more = t->noted == NAMES ? ", ..." : "";
  if (where)
    return firn_fail(t->context, FIRN_ERROR_ARGUMENT,
                     "%s: no row has the name '%s'; there are %s%s", path, where,
                     t->noted ? list : "none", more);
  return firn_fail(t->context, FIRN_ERROR_ARGUMENT,
                   "%s: rows of which name? It has %s%s; choose with --name", path, list, more);
}

static firn_status parse(firn_table *t, const char *path, const char *where) {
  char *line = t->text, *next = next_line(line);
  if (!next || !*line)
    return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s: its first line has no names", path);
  t->columns = count_of(line, ',') + 1;
  t->room = count_of(next, '\n') + 1;
  // A cell takes a byte at least, its comma or the end of its line; only the last row may be a half.
  if (t->room > 1 && t->columns > t->size / (t->room - 1))
    return firn_fail(t->context, FIRN_ERROR_FORMAT,
                     "%s: its %zu rows have fewer cells than its first line has names, %zu", path,
                     t->room - 1, t->columns);
  t->name = firn_alloc(t->context, t->columns * sizeof *t->name, "columns of a table");
  t->number = firn_alloc(t->context, t->columns * t->room * sizeof *t->number, "a table");
  if (!t->name || !t->number) return FIRN_ERROR_MEMORY;
  for (size_t c = 0; c < t->columns; c++) {
    static char none[] = "";
    t->name[c] = none;
    if (line) line = next_cell(line, &t->name[c]);
  }
  for (line = next; line && *line; line = next) {
    next = next_line(line);
    if (next) read_row(t, line, where);
  }
  if (where ? t->rows == 0 : t->noted > 1) return fail_name(t, path, where);
  return FIRN_OK;
}

firn_status firn_table_open(firn_context *context, const char *path, const char *where,
                            firn_table **out) {
  if (!context || !path || !out) return firn_fail_null(context, "firn_table_open");
  firn_table *t = *out = firn_alloc_zero(context, sizeof *t, "a table");
  if (!t) return FIRN_ERROR_MEMORY;
  t->context = context;
  firn_status status = firn_file_get(context, path, &t->text, &t->size);
  if (status == FIRN_OK) status = parse(t, path, where);
  if (status == FIRN_OK) return FIRN_OK;
  firn_table_close(t);
  *out = NULL;
  return status;
}

void firn_table_close(firn_table *t) {
  if (!t) return;
  firn_free(t->context, t->name, t->columns * sizeof *t->name);
  firn_free(t->context, t->number, t->columns * t->room * sizeof *t->number);
  firn_free(t->context, t->text, t->text ? t->size + 1 : 0);
  firn_free(t->context, t, sizeof *t);
}

size_t firn_table_rows(const firn_table *t) {
  return t ? t->rows : 0;
}

int firn_table_columns(const firn_table *t) {
  return t ? (int)t->columns : 0;
}

const char *firn_table_name(const firn_table *t, int column) {
  return column >= 0 && column < firn_table_columns(t) ? t->name[column] : NULL;
}

const double *firn_table_column(const firn_table *t, const char *name) {
  for (size_t c = 0; name && c < (size_t)firn_table_columns(t); c++)
    if (strcmp(t->name[c], name) == 0) return t->number + c * t->room;
  return NULL;
}
