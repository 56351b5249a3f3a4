// SPDX-License-Identifier: Apache-2.0
// The sparse grid: blocks of 4x4x4 nodes, made where particles are and nowhere else.
//
// A node block exists if the stencil of some particle may touch it before the next sort. Nodes of
// a block lie in memory as [4 x][4 y][4 z][4 components]: one row of four nodes along z is 16
// reals, a 512-bit register of floats. What a node holds is the solver's business: it allocates as
// many channels of [blocks][64][4] reals as it needs.
#ifndef FIRN_GRID_GRID_H
#define FIRN_GRID_GRID_H

#include "grid/reach.h"
#include "world/particles.h"

typedef struct firn_grid {
  firn_context *context;
  size_t count;              // node blocks
  int32_t (*at)[3];          // [count] block coordinates
  uint32_t *giver_start;     // [count + 1] where a node block's givers begin
  firn_giver *giver;         // in order of their offsets
  uint32_t (*target)[27];    // [particle blocks] node block at this offset, or FIRN_GRID_NONE ...
  uint32_t *found;           // ... bits of the offsets at which there is one
  firn_parcel *parcel;       // [parcel_count] all spray, in the order of its blocks
  firn_neighbour *neighbour; // of parcels, one after the other
  uint32_t (
      *around)[27]; // [count] node block at this offset of a node block; by firn_grid_link only
  size_t spray_count, parcel_count;
  size_t capacity; // of at and giver_start
  size_t target_capacity, found_capacity;
  size_t giver_capacity;
  size_t parcel_capacity, neighbour_capacity, around_capacity;
  firn_buffer table; // [table_size], the node blocks by their coordinates, once the grid is built
  size_t table_size;
  firn_buffer first; // [particle blocks], for firn_grid_build
} firn_grid;

void firn_grid_init(firn_grid *grid, firn_context *context);
void firn_grid_free(firn_grid *grid);

// Makes the node blocks that the particle blocks reach. Node blocks are numbered in the order in
// which the particle blocks, themselves in Morton order, first reach them. With may_have_spray,
// reach[b].spray says which blocks are spray, as long as no period is too short for a parcel; else none is.
firn_status firn_grid_build(firn_grid *grid, const firn_particles *particles, firn_reach *reach,
                            bool may_have_spray);

// Finds the node blocks around each, for stencils on nodes; until the next build. Not all may exist: what
// is not there is FIRN_GRID_NONE. Across a period of one or two blocks some are the same.
firn_status firn_grid_link(firn_grid *grid, const firn_particles *particles);

// parcels.c: the part of firn_grid_build that lists parcels.
firn_status firn_grid_list_parcels(firn_grid *grid, const firn_particles *particles,
                                   firn_reach *reach);
// Makes room in an array whose content need not survive; array is the address of its pointer.
firn_status firn_grid_reserve(firn_grid *grid, void *array, size_t *capacity, size_t count,
                              size_t size);

#endif
