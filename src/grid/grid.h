// SPDX-License-Identifier: Apache-2.0
// The sparse grid: blocks of 4x4x4 nodes, made where particles are and nowhere else.
//
// A node block exists if the stencil of some particle may touch it before the next sort. Nodes of
// a block lie in memory as [4 x][4 y][4 z][4 components]: one row of four nodes along z is 16
// reals, a 512-bit register of floats. What a node holds is the solver's business: it allocates as
// many channels of [blocks][64][4] reals as it needs.
#ifndef FIRN_GRID_GRID_H
#define FIRN_GRID_GRID_H

#include "world/particles.h"

enum {
  FIRN_NODE_REALS = 4,                         // components a node
  FIRN_ROW_REALS = 16,                         // four nodes along z
  FIRN_NODE_BLOCK_REALS = 64 * FIRN_NODE_REALS // a channel of one block
};

#define FIRN_GRID_NONE UINT32_MAX

// Offsets (dx, dy, dz) in {-1, 0, 1}^3 are numbered 9 (dx+1) + 3 (dy+1) + dz+1.
static inline int firn_grid_offset(int dx, int dy, int dz) {
  return 9 * (dx + 1) + 3 * (dy + 1) + dz + 1;
}

// Nodes that a particle block may reach until the next sort, relative to its corner.
typedef struct firn_reach {
  int8_t lo[3], hi[3]; // inclusive
  // Spray: a block of few particles with only such blocks around it. It makes no node blocks of
  // its own; whoever gathers from it adds up the few nodes it needs from its neighbours' sums.
  // Node blocks that exist for others still count it as a giver.
  bool spray;
} firn_reach;

// A block whose reach overlaps that of a block of spray; shift is its corner minus the other's, in
// nodes.
typedef struct firn_neighbour {
  uint32_t block;
  int8_t shift[3];
} firn_neighbour;

// Blocks with at most this many particles may be spray.
enum { FIRN_SPRAY_MAX = 4 };

// A particle block that may reach a node block, and at which offset from it.
typedef uint32_t firn_giver;
enum { FIRN_GIVER_BITS = 27 }; // of the particle block's number; the rest holds the offset's
static inline firn_giver firn_giver_make(uint32_t block, int offset) {
  return (uint32_t)offset << FIRN_GIVER_BITS | block;
}
static inline uint32_t firn_giver_block(firn_giver s) {
  return s & ((1u << FIRN_GIVER_BITS) - 1);
}
static inline int firn_giver_offset(firn_giver s) {
  return (int)(s >> FIRN_GIVER_BITS);
}

typedef struct firn_grid {
  firn_context *context;
  size_t count;              // node blocks
  int32_t (*at)[3];          // [count] block coordinates
  uint32_t *giver_start;     // [count + 1] where a node block's givers begin
  firn_giver *giver;         // in order of their offsets
  uint32_t (*target)[27];    // [particle blocks] node block at this offset, or FIRN_GRID_NONE
  uint32_t *neighbour_start; // [particle blocks + 1] where a spray block's neighbours begin
  firn_neighbour *neighbour;
  uint32_t (
      *around)[27]; // [count] node block at this offset of a node block; by firn_grid_link only
  size_t spray_count;
  size_t capacity; // of at and giver_start
  size_t target_capacity;
  size_t giver_capacity;
  size_t neighbour_start_capacity, neighbour_capacity, around_capacity;
  firn_buffer table; // [table_size], the node blocks by their coordinates, once the grid is built
  size_t table_size;
} firn_grid;

void firn_grid_init(firn_grid *grid, firn_context *context);
void firn_grid_free(firn_grid *grid);

// Makes the node blocks that the particle blocks reach. Node blocks are numbered in the order in
// which the particle blocks, themselves in Morton order, first reach them. With may_have_spray, spray
// is marked; reach[b].spray says where.
firn_status firn_grid_build(firn_grid *grid, const firn_particles *particles, firn_reach *reach,
                            bool may_have_spray);

// Finds the node blocks around each, for stencils on nodes; until the next build. Not all may exist: what
// is not there is FIRN_GRID_NONE. Across a period of one or two blocks some are the same.
firn_status firn_grid_link(firn_grid *grid, const firn_particles *particles);

// spray.c: the part of firn_grid_build that sets reach[b].spray and lists neighbours.
firn_status firn_grid_set_spray(firn_grid *grid, const firn_particles *particles,
                                firn_reach *reach);
// Makes room in an array whose content need not survive; array is the address of its pointer.
firn_status firn_grid_reserve(firn_grid *grid, void *array, size_t *capacity, size_t count,
                              size_t size);

#endif
