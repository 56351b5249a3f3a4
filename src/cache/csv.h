// SPDX-License-Identifier: Apache-2.0
// The CSV files of a run: a header line, then rows whose first cell is the number of a frame,
// ascending; a frame may have several rows, or none. Rows are appended and synced; half a row that
// a killed process left is cut off before the next one is added.
#ifndef FIRN_CACHE_CSV_H
#define FIRN_CACHE_CSV_H

#include "base/context.h"

// A new file that holds header alone, which ends with '\n'; an old one is replaced.
firn_status firn_csv_create(firn_context *context, const char *path, const char *header);

// Adds whole lines and makes them durable. On failure what was whole before stays.
firn_status firn_csv_append(firn_context *context, const char *path, const char *lines,
                            size_t size);

// A cell of text as CSV wants it: quoted where it would break the row, with quotes doubled; line
// ends become blanks, since a row is a line. Returns the length, at most 2 strlen(text) + 2; no 0
// follows.
size_t firn_csv_print_text(char *out, const char *text);

// Drops every row of a frame after last, and half rows; keeps the others' bytes. FIRN_ERROR_FORMAT
// when the file does not begin with header or a line has no frame number, FIRN_ERROR_IO when there
// is none. With frames, the file is one of numbers alone and a row a frame: FIRN_ERROR_FORMAT for a
// row that is none as well, and how many of the frames 0, 1 and so on follow each other goes there;
// where they do not, nothing is dropped.
firn_status firn_csv_truncate(firn_context *context, const char *path, const char *header, int last,
                              int *frames);

#endif
