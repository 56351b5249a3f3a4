// SPDX-License-Identifier: Apache-2.0
// Files of points: CSV with columns x, y, z and perhaps vx, vy, vz and mass, or PLY.
#ifndef FIRN_WORLD_POINTS_H
#define FIRN_WORLD_POINTS_H

#include "base/context.h"

enum { FIRN_POINT_NUMBERS = 7 }; // x y z vx vy vz mass

typedef struct firn_points_rows {
  size_t count, capacity;
  bool moving;   // it has velocities
  double *value; // [count][FIRN_POINT_NUMBERS]
} firn_points_rows;

// firn_points_free also after a failure. Messages begin with the path.
firn_status firn_points_read(firn_context *context, const char *path, firn_points_rows *out);
void firn_points_free(firn_points_rows *rows, firn_context *context);

#endif
