// SPDX-License-Identifier: Apache-2.0
// probes.csv: a header line, then for each frame a row for every probe, frame 0 first. Averages are
// by mass; they are empty where a probe found no particle, or the solver has no such field.
#ifndef FIRN_CACHE_PROBES_H
#define FIRN_CACHE_PROBES_H

#include "cache/rows.h"

enum { FIRN_PROBE_COLUMNS = 16, FIRN_PROBE_COMPONENTS = 9 };

// Averages of a field that follow the common columns; without a mean they are empty.
typedef struct firn_probe_column {
  const char *field;
  int components;     // 3: x y z; 6: xx yy zz xy xz yz; 9: row by row; others are numbered
  const double *mean; // [probes][components], or NULL
} firn_probe_column;
typedef struct firn_probe_columns {
  int count;
  firn_probe_column column[FIRN_PROBE_COLUMNS];
} firn_probe_columns;

// A new file with the header alone; an old one is replaced.
firn_status firn_probes_create(firn_context *context, const char *path,
                               const firn_probe_columns *columns);
// Adds the rows of one frame, [count] of both, and makes them durable. time in s.
firn_status firn_probes_append(firn_context *context, const char *path, int frame, double time,
                               const firn_probe_def *defs, const firn_probe *probes, int count,
                               const firn_probe_columns *columns);
// Reads it back; see firn_rows_open.
firn_status firn_probes_open(firn_context *context, const char *path,
                             const firn_probe_columns *columns, firn_rows *out);
// What probe i is called: by its name, or "probe_0" and so on where a scene gives none.
const char *firn_probe_name(const char *name, int i, char number[32]);

#endif
