// SPDX-License-Identifier: Apache-2.0
// Particles of a block in the order of their cells.
#ifndef FIRN_SOLVER_FLIP_CELLS_LANE_H
#define FIRN_SOLVER_FLIP_CELLS_LANE_H

#include <string.h>

#include "math/lane.h"
#include "solver/flip/kernels.h"

#ifndef FIRN_DOUBLE

enum {
  L = FIRN_LANES,
  CHUNK = 512, // particles that are taken at once
};

typedef struct cell_order {
  uint32_t start[FLIP_CELLS + 1]; // of each cell, in order
  uint16_t slot[CHUNK];           // particles, counted from the first
} cell_order;

// The cell that a particle counts to, from its place in the block.
FIRN_HD_INLINE int cell_along(float x) {
  return (int)firn_min(3, firn_max(0, x));
}

static inline void order_cells(const firn_particles *p, size_t first, size_t count,
                               cell_order *out) {
  const float *x = firn_particles_real(p, FIRN_FIELD_X) + first;
  const float *y = firn_particles_real(p, FIRN_FIELD_Y) + first;
  const float *z = firn_particles_real(p, FIRN_FIELD_Z) + first;
  uint8_t cell[CHUNK];
  uint32_t at[FLIP_CELLS];
  memset(out->start, 0, sizeof out->start);
  for (size_t i = 0; i < count; i++)
    cell[i] = (uint8_t)(16 * cell_along(x[i]) + 4 * cell_along(y[i]) + cell_along(z[i]));
  for (size_t i = 0; i < count; i++) out->start[cell[i] + 1]++;
  for (int c = 0; c < FLIP_CELLS; c++) {
    at[c] = out->start[c];
    out->start[c + 1] += out->start[c];
  }
  for (size_t i = 0; i < count; i++) out->slot[at[cell[i]]++] = (uint16_t)i;
}

#endif
#endif
