// SPDX-License-Identifier: Apache-2.0
// How much snow is where: particles counted onto a dense grid over the bulk of them, smoothed, with
// coarser levels above it. It gives normals, and by wide cones how open a place is to the sky.
#ifndef FIRN_RENDER_DENSITY_H
#define FIRN_RENDER_DENSITY_H

#include "base/context.h"
#include "render/vec.h"

enum { FIRN_DENSITY_LEVELS = 7 };

typedef struct firn_density_level {
  int size[3];
  float cell;  // m
  float *data; // [z][y][x], 1 in bulk snow
} firn_density_level;

typedef struct firn_density {
  firn_v3 origin;   // corner of cell 0; values belong to cell centers
  float extinction; // 1/m at density 1
  int levels;
  firn_density_level level[FIRN_DENSITY_LEVELS];
} firn_density;

// A grid over [low, high]; particles outside are left out. cell is spacing, or larger where that
// would make too many cells.
firn_status firn_density_build(firn_context *context, size_t count, const firn_v3 *position,
                               float spacing, firn_v3 low, firn_v3 high, firn_density *out);
void firn_density_free(firn_context *context, firn_density *density);

// 0 outside of the grid.
float firn_density_at(const firn_density *density, int level, firn_v3 p);
// Points to where snow is less; its length is the change a metre.
firn_v3 firn_density_slope(const firn_density *density, firn_v3 p);
// The part of a cone of half angle 30 degrees from p that snow leaves open.
float firn_density_cone(const firn_density *density, firn_v3 p, firn_v3 direction);

#endif
