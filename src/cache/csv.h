// SPDX-License-Identifier: Apache-2.0
// The CSV files of a run: a header line, then rows whose first cell is the number of a frame,
// ascending; a frame may have several rows, or none. Rows are appended and synced; half a row that
// a killed process left is cut off before the next one is added. rows.h reads them.
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

#endif
