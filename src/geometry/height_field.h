// SPDX-License-Identifier: Apache-2.0
// Where the heights of a height field come from.
#ifndef FIRN_GEOMETRY_HEIGHT_FIELD_H
#define FIRN_GEOMETRY_HEIGHT_FIELD_H

#include "geometry/kinds.h"

typedef struct firn_heights {
  firn_context *context;
  int columns, rows;
  double *value; // m, [rows][columns]
} firn_heights;

enum { FIRN_HEIGHTS_MOST = 1 << 26 }; // samples

// Reads a PNG: black is 0, white is amplitude.
firn_status firn_heights_read_png(firn_heights *heights, const char *path, double amplitude,
                                  const char *what);
// Room for columns x rows values.
firn_status firn_heights_alloc(firn_heights *heights, int columns, int rows);
void firn_heights_free(firn_heights *heights);

#endif
