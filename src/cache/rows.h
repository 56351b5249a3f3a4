// SPDX-License-Identifier: Apache-2.0
// A table of a run (csv.h) read back, to be looked at row by row and gone on with.
//
// Spreadsheets write a table back in a form of their own: other line ends, other separators, cells in
// quotes, a mark before the first letter. That is mended on the way in. What the rows say is for the
// caller to judge.
#ifndef FIRN_CACHE_ROWS_H
#define FIRN_CACHE_ROWS_H

#include <stdint.h>

#include "base/context.h"

typedef struct firn_rows {
  firn_context *context;
  char *text;      // the header and all whole rows, in firn's form
  size_t size;     // bytes of text, ...
  size_t room;     // ... and how many are allocated
  size_t old_size; // of the file
  bool mended;     // the file has another form; half a row at its end does not count
  bool renamed;    // its first line has other names, too
} firn_rows;

typedef struct firn_row {
  const char *begin, *end; // end is at its '\n'
  size_t line;             // in the file, from 1
  int frame;               // the number that it begins with; -1: none
} firn_row;

// FIRN_ERROR_IO when there is no file, FIRN_ERROR_FORMAT when it is empty or its first line has not as
// many cells as header, which ends with '\n'. A first line that has, but reads otherwise, becomes
// header (mended, and renamed). On failure there is nothing to close.
firn_status firn_rows_open(firn_context *context, const char *path, const char *header,
                           firn_rows *out);
void firn_rows_close(firn_rows *rows);

// The first row for one that is all 0, then the next; false: there are no more.
bool firn_rows_next(const firn_rows *rows, firn_row *row);
// A cell by its number, with its quotes; false: the row has none of that number.
bool firn_row_cell(const firn_row *row, int column, const char **cell, size_t *size);
// A cell that is a number, or empty: nan.
bool firn_row_number(const firn_row *row, int column, double *value);
// Whether a row has a cell for each name of the header, each a number (which may be infinite) or
// empty; text is the column that may be anything, < 0: none.
bool firn_row_fits(const firn_rows *rows, const firn_row *row, int text);

// A sum over the rows of frames up to last that changes when a letter of them does, but for those in
// the columns that are left out, [skips]. more adds the rows of a text to a sum of those before, 0 at
// the beginning: however rows are parted, the sum is the same.
uint64_t firn_rows_sum(const firn_rows *rows, int last, int skips, const int *skip);
uint64_t firn_rows_sum_more(uint64_t sum, const char *text, size_t size, int skips,
                            const int *skip);

// Leaves the rows of frames up to last in the file, in firn's form, and tells its size; one that is so
// already is not touched. The rows at hand stay as they are.
firn_status firn_rows_cut(const firn_rows *rows, const char *path, int last, size_t *size);

#endif
