// SPDX-License-Identifier: Apache-2.0
// A CSV file as columns of numbers.
#ifndef FIRN_API_PLOT_TABLE_H
#define FIRN_API_PLOT_TABLE_H

#include "base/context.h"

enum { FIRN_PLOT_NAMES = 8 };

typedef struct firn_plot_table {
  firn_context *context;
  char *text; // the file; names point into it
  size_t size;
  size_t columns, rows, room;
  char **name;    // [columns]
  double *number; // [columns][room], of which rows are used; nan: empty, or not a number
  int noted;      // different cells of the column `name`, the first few of them:
  const char *note[FIRN_PLOT_NAMES];
} firn_plot_table;

// where: only rows whose cell `name` is this; NULL: all, which must have one name, if any. Half a last row is left out.
firn_status firn_plot_table_read(firn_context *context, const char *path, const char *where,
                                 firn_plot_table *out);
void firn_plot_table_free(firn_plot_table *table);
// [rows]; NULL: there is no such column.
double *firn_plot_table_column(const firn_plot_table *table, const char *name);

#endif
