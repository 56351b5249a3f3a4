// SPDX-License-Identifier: Apache-2.0
#include "cache/stats.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cache/csv.h"
#include "cache/file.h"
#include "base/number.h"

static const char *const columns[FIRN_STATS_COLUMNS] = {
#define NAME(name) #name,
    FIRN_STATS_LIST(NAME)
#undef NAME
};

enum { LINE = FIRN_STATS_COLUMNS * (FIRN_NUMBER_SIZE + 1) + 2 };

const char *firn_stats_column(int i) {
  return i >= 0 && i < FIRN_STATS_COLUMNS ? columns[i] : NULL;
}

firn_stats_row firn_stats_empty_row(void) {
  firn_stats_row row;
  for (int i = 0; i < FIRN_STATS_COLUMNS; i++) row.value[i] = (double)NAN;
  return row;
}

static size_t print_header(char *line) {
  size_t n = 0;
  for (int i = 0; i < FIRN_STATS_COLUMNS; i++) {
    n += (size_t)snprintf(line + n, LINE - n, i ? ",%s" : "%s", columns[i]);
  }
  line[n++] = '\n';
  return n;
}

static size_t print_row(char *line, const firn_stats_row *row) {
  size_t n = 0;
  for (int i = 0; i < FIRN_STATS_COLUMNS; i++) {
    if (i) line[n++] = ',';
    if (!isnan(row->value[i])) n += firn_number_print(line + n, row->value[i]);
  }
  line[n++] = '\n';
  return n;
}

firn_status firn_stats_create(firn_context *context, const char *path) {
  char line[LINE];
  return firn_file_put(context, path, line, print_header(line));
}

firn_status firn_stats_append(firn_context *context, const char *path, const firn_stats_row *row) {
  char line[LINE];
  return firn_csv_append(context, path, line, print_row(line, row));
}

// ---------------------------------------------------------------------------------------- reading

// Reads one line, without its end, into a row. strtod follows the locale, so it runs in "C".
static bool parse_row(const char *line, const char *end, firn_stats_row *row) {
  *row = firn_stats_empty_row();
  for (int i = 0; i < FIRN_STATS_COLUMNS; i++) {
    const char *stop = memchr(line, ',', (size_t)(end - line));
    if ((stop == NULL) != (i == FIRN_STATS_COLUMNS - 1)) return false;
    if (!stop) stop = end;
    if (stop > line) {
      char *after;
      row->value[i] = strtod(line, &after);
      if (after != stop) return false;
    }
    line = stop + 1;
  }
  return true;
}

typedef struct lines {
  char *text;
  size_t size;
  const char *next; // beginning of the next line
} lines;

// Loads the file and checks its header.
static firn_status lines_open(firn_context *context, const char *path, lines *l) {
  char header[LINE];
  size_t n = print_header(header);
  FIRN_TRY(firn_file_get(context, path, &l->text, &l->size));
  if (l->size < n || memcmp(l->text, header, n) != 0) {
    firn_free(context, l->text, l->size + 1);
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s does not begin with the columns of stats.csv",
                     path);
  }
  l->next = l->text + n;
  return FIRN_OK;
}

// The next whole row; a last line without its end is not one.
static bool lines_next(lines *l, firn_stats_row *row, bool *bad) {
  const char *end = memchr(l->next, '\n', (size_t)(l->text + l->size - l->next));
  *bad = false;
  if (!end) return false;
  if (!parse_row(l->next, end, row)) {
    *bad = true;
    return false;
  }
  l->next = end + 1;
  return true;
}

firn_status firn_stats_read(firn_context *context, const char *path, firn_stats_row **rows,
                            size_t *count) {
  *rows = NULL;
  *count = 0;
  lines l;
  FIRN_TRY(lines_open(context, path, &l));
  size_t most = 0; // whole lines
  for (const char *p = l.next; (p = memchr(p, '\n', (size_t)(l.text + l.size - p))); p++) most++;

  firn_status status = FIRN_OK;
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
  firn_stats_row *list = firn_alloc(context, most * sizeof *list, path);
  size_t n = 0;
  bool bad = false;
  if (most && !list) {
    status = FIRN_ERROR_MEMORY;
  } else {
    while (n < most && lines_next(&l, &list[n], &bad)) n++;
  }
  uselocale(before);
  if (plain) freelocale(plain);
  firn_free(context, l.text, l.size + 1);

  if (status == FIRN_OK && bad) {
    status = firn_fail(context, FIRN_ERROR_FORMAT, "%s:%zu: not a row of %d numbers", path, n + 2,
                       (int)FIRN_STATS_COLUMNS);
  }
  if (status != FIRN_OK) {
    firn_free(context, list, most * sizeof *list);
    return status;
  }
  *rows = list;
  *count = n;
  return FIRN_OK;
}

void firn_stats_free(firn_context *context, firn_stats_row *rows, size_t count) {
  firn_free(context, rows, count * sizeof *rows);
}

firn_status firn_stats_truncate(firn_context *context, const char *path, int last, int *rows) {
  lines l;
  FIRN_TRY(lines_open(context, path, &l));
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(plain);
  int kept = 0;
  bool bad;
  firn_stats_row row;
  const char *end = l.next;
  while (lines_next(&l, &row, &bad) && kept <= last && row.value[FIRN_STATS_frame] == kept) {
    end = l.next;
    kept++;
  }
  uselocale(before);
  if (plain) freelocale(plain);
  if (rows) *rows = kept;
  firn_status status = FIRN_OK;
  size_t size = (size_t)(end - l.text);
  if (size < l.size) status = firn_file_put(context, path, l.text, size);
  firn_free(context, l.text, l.size + 1);
  return status;
}
