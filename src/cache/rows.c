// SPDX-License-Identifier: Apache-2.0
#include "cache/rows.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "cache/archive_seal.h"
#include "cache/csv.h"
#include "cache/file.h"

// ------------------------------------------------------------------------------------------ cells

// Where the cell at p ends: at a separator outside quotes, or at end.
static const char *cell_end(const char *p, const char *end, char separator) {
  bool quoted = false;
  for (; p < end && (quoted || *p != separator); p++)
    if (*p == '"') quoted = !quoted;
  return p;
}

static int count_cells(const char *line, const char *end, char separator) {
  int n = 1;
  for (const char *p = line; (p = cell_end(p, end, separator)) < end; p++) n++;
  return n;
}

static bool is_number(const char *cell, size_t size) {
  size_t sign = size && *cell == '-';
  bool infinite = size - sign == 3 && memcmp(cell + sign, "inf", 3) == 0;
  double value;
  return infinite || (size && firn_number_read(cell, size, &value) == size);
}

// ---------------------------------------------------------------------------------------- mending

// Where a line ends: '\n', "\r\n", or the '\r' of long ago; NULL: it does not.
static const char *line_end(const char *p, const char *end, const char **next) {
  for (; p < end; p++) {
    if (*p != '\n' && *p != '\r') continue;
    *next = *p == '\r' && p + 1 < end && p[1] == '\n' ? p + 2 : p + 1;
    return p;
  }
  return NULL;
}

// A cell in firn's form, to out; returns its length. A comma within a number, where cells are not
// parted by commas, is a decimal one. scratch has room for the cell.
static size_t mend_cell(char *out, const char *cell, size_t size, char separator, char *scratch) {
  size_t n = 0;
  bool quoted = size > 1 && *cell == '"' && cell[size - 1] == '"';
  if (quoted) cell++, size -= 2;
  for (size_t i = 0; i < size; i++) {
    if (quoted && cell[i] == '"' && i + 1 < size && cell[i + 1] == '"') i++;
    scratch[n++] = cell[i];
  }
  scratch[n] = 0;
  char *comma = separator == ',' ? NULL : memchr(scratch, ',', n);
  if (comma) {
    *comma = '.';
    if (!is_number(scratch, n)) *comma = ',';
  }
  if (!memchr(scratch, 0, n)) return firn_csv_print_text(out, scratch);
  memcpy(out, scratch, n); // damage: no row will fit
  return n;
}

// A line in firn's form, to out; returns its length. Nothing but separators is nothing.
static size_t mend_line(char *out, const char *line, const char *end, char separator,
                        char *scratch) {
  size_t n = 0;
  bool any = false;
  for (const char *p = line;; p++) {
    const char *stop = cell_end(p, end, separator);
    any = any || stop > p;
    n += mend_cell(out + n, p, (size_t)(stop - p), separator, scratch);
    p = stop;
    if (p == end) break;
    out[n++] = ',';
  }
  if (!any) return 0;
  out[n++] = '\n';
  return n;
}

static firn_status mend(firn_rows *r, const char *path, const char *header, const char *p,
                        const char *end) {
  static const char separators[] = ",;\t";
  size_t head = strlen(header);
  const char *next = end, *stop = line_end(p, end, &next);
  int wanted = count_cells(header, header + head - 1, ','), s = 0;
  while (stop && separators[s] && count_cells(p, stop, separators[s]) != wanted) s++;
  if (!stop || !separators[s]) {
    return firn_fail(r->context, FIRN_ERROR_FORMAT, "%s does not begin with %.40s...", path,
                     header);
  }
  // A cell at most gains quotes around it and one for each letter.
  size_t length = (size_t)(end - p), room = 4 * length + head + 8;
  char *text = firn_alloc(r->context, room, path);
  if (!text) return FIRN_ERROR_MEMORY;
  char *scratch = text + room - length - 1;
  size_t n = mend_line(text, p, stop, separators[s], scratch);
  r->renamed = n != head || memcmp(text, header, head) != 0;
  memcpy(text, header, head);
  n = head;
  for (p = next; (stop = line_end(p, end, &next)); p = next) {
    n += mend_line(text + n, p, stop, separators[s], scratch);
  }
  firn_free(r->context, r->text, r->room);
  r->text = text;
  r->room = room;
  r->size = n;
  r->mended = true;
  return FIRN_OK;
}

firn_status firn_rows_open(firn_context *context, const char *path, const char *header,
                           firn_rows *out) {
  static const char mark[] = "\xef\xbb\xbf";
  firn_rows r = {.context = context};
  size_t head = strlen(header);
  *out = (firn_rows){0};
  FIRN_TRY(firn_file_get(context, path, &r.text, &r.old_size));
  r.size = r.old_size;
  r.room = r.size + 1;
  firn_status status = FIRN_OK;
  if (!r.size) {
    status = firn_fail(context, FIRN_ERROR_FORMAT, "%s is empty", path);
  } else if (r.size < head || memcmp(r.text, header, head) != 0 || memchr(r.text, '\r', r.size)) {
    bool marked = r.size > 3 && memcmp(r.text, mark, 3) == 0;
    status = mend(&r, path, header, r.text + (marked ? 3 : 0), r.text + r.size);
  } else {
    while (r.text[r.size - 1] != '\n') r.size--; // half a row
  }
  if (status != FIRN_OK) {
    firn_rows_close(&r);
    return status;
  }
  *out = r;
  return FIRN_OK;
}

void firn_rows_close(firn_rows *r) {
  firn_free(r->context, r->text, r->room);
  *r = (firn_rows){0};
}

// ------------------------------------------------------------------------------------------- rows

// The number that a line begins with, up to a comma; -1: none.
static int frame_of(const char *line, const char *end) {
  int number = 0, digits = 0;
  for (; line < end && *line >= '0' && *line <= '9' && digits < 7; line++, digits++) {
    number = 10 * number + (*line - '0');
  }
  return digits && line < end && *line == ',' ? number : -1;
}

static bool next_row(const char *text, size_t size, firn_row *row) {
  const char *begin = row->end ? row->end + 1 : text, *stop = text + size;
  const char *end = begin < stop ? memchr(begin, '\n', (size_t)(stop - begin)) : NULL;
  if (!end) return false;
  *row = (firn_row){begin, end, row->line + 1, frame_of(begin, end)};
  return true;
}

bool firn_rows_next(const firn_rows *r, firn_row *row) {
  if (!row->end && !next_row(r->text, r->size, row)) return false; // the header
  return next_row(r->text, r->size, row);
}

bool firn_row_cell(const firn_row *row, int column, const char **cell, size_t *size) {
  const char *p = row->begin, *end = cell_end(p, row->end, ',');
  for (int i = 0; i < column; i++) {
    if (end == row->end) return false;
    p = end + 1;
    end = cell_end(p, row->end, ',');
  }
  *cell = p;
  *size = (size_t)(end - p);
  return true;
}

bool firn_row_number(const firn_row *row, int column, double *value) {
  const char *cell;
  size_t size;
  *value = (double)NAN;
  if (!firn_row_cell(row, column, &cell, &size)) return false;
  return !size || firn_number_read(cell, size, value) == size;
}

bool firn_row_fits(const firn_rows *r, const firn_row *row, int text) {
  const char *head = r->text, *head_end = memchr(head, '\n', r->size);
  const char *p = row->begin;
  if (!head_end || count_cells(head, head_end, ',') != count_cells(p, row->end, ',')) return false;
  for (int i = 0;; i++, p++) {
    const char *end = cell_end(p, row->end, ',');
    if (i != text && end > p && !is_number(p, (size_t)(end - p))) return false;
    p = end;
    if (p == row->end) return true;
  }
}

// ------------------------------------------------------------------------------------------- sums

static uint64_t chain(uint64_t sum, const char *text, size_t size) {
  uint64_t link[2] = {sum, firn_seal_hash(text, size)};
  return firn_seal_hash(link, sizeof link);
}

static uint64_t sum_row(uint64_t sum, const firn_row *row, int skips, const int *skip) {
  if (!skips) return chain(sum, row->begin, (size_t)(row->end - row->begin));
  const char *p = row->begin;
  for (int i = 0;; i++, p++) {
    const char *end = cell_end(p, row->end, ',');
    bool skipped = false;
    for (int k = 0; k < skips; k++) skipped = skipped || skip[k] == i;
    if (!skipped) sum = chain(sum, p, (size_t)(end - p));
    p = end;
    if (p == row->end) return sum;
  }
}

uint64_t firn_rows_sum(const firn_rows *r, int last, int skips, const int *skip) {
  uint64_t sum = 0;
  firn_row row = {0};
  while (firn_rows_next(r, &row) && row.frame <= last) sum = sum_row(sum, &row, skips, skip);
  return sum;
}

uint64_t firn_rows_sum_more(uint64_t sum, const char *text, size_t size, int skips,
                            const int *skip) {
  firn_row row = {0};
  while (next_row(text, size, &row)) sum = sum_row(sum, &row, skips, skip);
  return sum;
}

// ---------------------------------------------------------------------------------------- cutting

firn_status firn_rows_cut(const firn_rows *r, const char *path, int last, size_t *size) {
  firn_row row = {0};
  *size = r->size;
  while (*size == r->size && firn_rows_next(r, &row))
    if (row.frame > last) *size = (size_t)(row.begin - r->text);
  if (!r->mended && *size == r->old_size) return FIRN_OK;
  return firn_file_put(r->context, path, r->text, *size);
}
