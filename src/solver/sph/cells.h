// SPDX-License-Identifier: Apache-2.0
// Points by cell. A cell is as wide as the kernel reaches, two spacings, and a block has 4x4x4 of them,
// as in the particle store; so whoever is near a point is in its cell or in one of the 26 around it.
#ifndef FIRN_SOLVER_SPH_CELLS_H
#define FIRN_SOLVER_SPH_CELLS_H

#include "grid/block_map.h"
#include "world/particles.h"
#include "world/radix.h"

#define SPH_NONE UINT32_MAX

typedef struct sph_cell_block {
  int32_t at[3];
  uint32_t first;    // of its points in order
  uint32_t cell[65]; // where in order each cell begins, from first
} sph_cell_block;

typedef struct sph_cells {
  size_t block_count;
  sph_cell_block *block; // [block_count], in Morton order
  uint32_t *order;       // numbers of points, by block and cell; those of a cell ascend
  firn_block_map_entry *table;
  size_t mask;
  bool periodic[3];
  int32_t period[3]; // blocks
  firn_buffer blocks, orders, tables, keyed[2], places;
} sph_cells;

void sph_cells_free(sph_cells *cells, firn_context *context);

// The particles of a store that is sorted; numbers are slots.
firn_status sph_cells_of_particles(sph_cells *cells, const firn_particles *p);

// Points at [count][3] in cells; place[count][3] receives where in its block each is.
firn_status sph_cells_of_points(sph_cells *cells, firn_context *context, const double *point,
                                size_t count, firn_real *place);

// The block at these coordinates, wrapped round where space is periodic, or SPH_NONE.
uint32_t sph_cells_find(const sph_cells *cells, const int32_t at[3]);
// Those at and around coordinates: [o], o = 9 (dx + 1) + 3 (dy + 1) + dz + 1.
void sph_cells_around(const sph_cells *cells, const int32_t at[3], uint32_t out[27]);

// One cell: its points are order[first] up to end, in the block `step` blocks away.
typedef struct sph_span {
  uint32_t first, end;
  int step[3];
} sph_span;

// The cell of a place in a block, cells from its corner, and those around it, where there are any;
// around is that of the block. How many.
int sph_cells_spans(const sph_cells *cells, const uint32_t around[27], const double place[3],
                    sph_span out[27]);

#endif
