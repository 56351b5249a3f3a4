// SPDX-License-Identifier: Apache-2.0
// Fine-scale particles, section 3.3 of Takahashi et al. 2014. They do not meet each other, only the flow
// of the snow and colliders, so that what becomes of one depends on no other, nor on their order.
//
// They are kept sorted by cell. So the flow in a cell is one polynomial that is broadcast to all of its
// particles (carry.inc.h), and a step sorts anew those that went to a neighbour. Look-ups for particles in
// random order would cost twice as much as all of this.
//
// The flow is momentum and volume of the snow on the corners of cells. Both are interpolated, and
// divided then: on the surface of a body that moves fast, corners without snow do not slow its powder down.
#ifndef FIRN_REFINE_FINE_H
#define FIRN_REFINE_FINE_H

#include "base/memory.h"
#include "grid/block_map.h"
#include "refine/carry.h"
#include "world/cell_key.h"
#include "world/collider.h"

enum {
  FIRN_FINE_EDGE = 4,    // cells along the edge of a block
  FIRN_FINE_CELLS = 64,  // of a block
  FIRN_FINE_NODES = 125, // corners of these
  FIRN_FINE_NONE = -1
};

typedef struct firn_fine_block {
  int32_t at[3];      // its first cell is 4 at
  int32_t around[27]; // blocks at (x, y, z) - 1, at 9 x + 3 y + z; of those with particles only
} firn_fine_block;

struct firn_fine {
  firn_context *context;
  firn_fine_def def;
  firn_carry_kernel *kernel;
  double speed; // m/s, of the fastest
  size_t count, room;
  firn_fine_particle *now, *next; // [room], sorted by cell, and where the next order is made
  // All blocks that particles may reach in a step, by their keys of cell_key.h.
  size_t block_count;
  firn_buffer blocks; // firn_fine_block
  firn_buffer start;  // uint32_t [64 block_count + 1], first particle of each cell
  size_t part_count;  // how a step is divided
  firn_buffer parts;  // size_t [part_count + 1], the first block of each
  firn_buffer counts; // uint32_t [part_count][64 block_count], of where each part's particles go
  firn_buffer old_blocks, old_start; // those of before, or the next
  firn_buffer keys;                  // uint64_t, of the blocks while they are found
  firn_buffer table;                 // firn_block_map_entry, number of each block by its key
  size_t mask;                       // of the table
  // The flow: momentum, and volume relative to that of packed snow.
  firn_buffer node;  // firn_real [block_count][64][4], on the lowest corner of each cell
  firn_buffer arena; // firn_real [...][125][4], what the snow in a block gives to all its corners
  firn_buffer snowy; // int32_t [block_count], which arena that is; FIRN_FINE_NONE: no snow
  firn_buffer slot, listed, first; // of the snow's particles: block, sorted by it, first of each
};

// The same as firn_fine_set from floats, which frames hold.
firn_status firn_fine_load(firn_fine *fine, size_t count, const float *position,
                           const float *velocity);

// The same as firn_fine_read into floats.
void firn_fine_save(const firn_fine *fine, float *position, float *velocity);

// A step among these colliders, prepared for its end.
firn_status firn_fine_step_among(firn_fine *fine, const firn_fine_step_def *def, int collider_count,
                                 const firn_collider *colliders);

// ------------------------------------------------------------------------------- for the files of this room

static inline firn_fine_block *firn_fine_blocks(const firn_fine *fine) {
  return fine->blocks.data;
}
static inline uint32_t *firn_fine_start(const firn_fine *fine) {
  return fine->start.data;
}
// The block at a place, by its key; FIRN_FINE_NONE: there is none.
int32_t firn_fine_find(const firn_fine *fine, uint64_t key);
// Where a place, in cells, lies: the cell of an endless grid. floor() is a call on a baseline CPU.
static inline int32_t firn_fine_cell(double cells) {
  int32_t whole = (int32_t)cells;
  return whole - (cells < whole);
}
// The key of a cell's block, and the number of the cell in it.
static inline uint64_t firn_fine_block_key(const int32_t cell[3]) {
  const int32_t at[3] = {cell[0] >> 2, cell[1] >> 2, cell[2] >> 2};
  return firn_cell_key(at);
}
static inline int32_t firn_fine_number(const int32_t cell[3]) {
  return (cell[0] & 3) << 4 | (cell[1] & 3) << 2 | (cell[2] & 3);
}
// Makes the blocks that particles are in, from their places.
firn_status firn_fine_settle(firn_fine *fine);
// Adds the blocks around those that particles are in, and leaves out all others; the order of the
// particles stays.
firn_status firn_fine_reach(firn_fine *fine);
// The flow of the snow on the nodes of all blocks.
firn_status firn_fine_flow(firn_fine *fine, const firn_fine_step_def *def);
// Divides the blocks among parts, at most one a thread, so that about as many particles are in each, and clears
// their counts. All memory that a step needs is there then: from here on nothing fails. Nothing may depend on how many parts there are; the order of a cell's particles may.
firn_status firn_fine_divide(firn_fine *fine);
// Counts of all parts to where each part's particles of a cell begin; start: [cells + 1].
void firn_fine_count_up(size_t parts, size_t cells, uint32_t *counts, uint32_t *start);
// Counts where the particles of a block go.
void firn_fine_tally(firn_fine *fine, size_t part, size_t block);
// Brings all particles to the cells that they go to, once all are counted.
void firn_fine_sort(firn_fine *fine);
// Takes the particles of a block that are inside of colliders out of them, and mends their places. most is
// how far, m, one may have moved. Returns the square of the highest speed of those, m2/s2.
double firn_fine_push_out(firn_fine *fine, size_t block, int collider_count,
                          const firn_collider *colliders, double most);

#endif
