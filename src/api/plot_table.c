// SPDX-License-Identifier: Apache-2.0
#include "api/plot_table.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cache/file.h"

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

static double number_of(const char *cell) {
  char *end;
  double value = strtod(cell, &end);
  return end == cell || *end || !isfinite(value) ? (double)NAN : value;
}

// Keeps the first few names that differ.
static void note_name(firn_plot_table *t, const char *name) {
  bool known = false;
  for (int i = 0; i < t->noted && !known; i++) known = strcmp(t->note[i], name) == 0;
  if (!known && t->noted < FIRN_PLOT_NAMES) t->note[t->noted++] = name;
}

// One row of the table, unless it is not wanted.
static void read_row(firn_plot_table *t, char *line, const char *where) {
  char *cell;
  bool wanted = !where;
  for (size_t c = 0; c < t->columns; c++) {
    double value = NAN;
    if (line) {
      line = next_cell(line, &cell);
      value = number_of(cell);
      bool named = strcmp(t->name[c], "name") == 0;
      if (named) note_name(t, cell);
      if (where && named && strcmp(cell, where) == 0) wanted = true;
    }
    t->number[c * t->room + t->rows] = value;
  }
  t->rows += wanted;
}

// Rows of several names would make a curve that jumps from one to the other.
static firn_status fail_name(const firn_plot_table *t, const char *path, const char *where) {
  char list[300] = "";
  for (int i = 0; i < t->noted; i++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%.60s", i ? ", " : "", t->note[i]);
  }
  const char *more = t->noted == FIRN_PLOT_NAMES ? ", ..." : "";
  if (where)
    return firn_fail(t->context, FIRN_ERROR_ARGUMENT,
                     "%s: no row has the name '%s'; there are %s%s", path, where,
                     t->noted ? list : "none", more);
  return firn_fail(t->context, FIRN_ERROR_ARGUMENT,
                   "%s: rows of which name? It has %s%s; choose with --name", path, list, more);
}

static firn_status parse(firn_plot_table *t, const char *path, const char *where) {
  char *line = t->text, *next = next_line(line);
  if (!next || !*line)
    return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s: its first line has no names", path);
  t->columns = count_of(line, ',') + 1;
  t->room = count_of(next, '\n') + 1;
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

firn_status firn_plot_table_read(firn_context *context, const char *path, const char *where,
                                 firn_plot_table *out) {
  *out = (firn_plot_table){.context = context};
  FIRN_TRY(firn_file_get(context, path, &out->text, &out->size));
  // Numbers have points, whatever the user's locale has.
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = c ? uselocale(c) : (locale_t)0;
  firn_status status = c ? parse(out, path, where) : FIRN_ERROR_MEMORY;
  if (c) {
    uselocale(before);
    freelocale(c);
  }
  if (status != FIRN_OK) firn_plot_table_free(out);
  return status;
}

void firn_plot_table_free(firn_plot_table *t) {
  firn_free(t->context, t->name, t->columns * sizeof *t->name);
  firn_free(t->context, t->number, t->columns * t->room * sizeof *t->number);
  firn_free(t->context, t->text, t->text ? t->size + 1 : 0);
  *t = (firn_plot_table){.context = t->context};
}

double *firn_plot_table_column(const firn_plot_table *t, const char *name) {
  for (size_t c = 0; c < t->columns; c++)
    if (strcmp(t->name[c], name) == 0) return t->number + c * t->room;
  return NULL;
}
