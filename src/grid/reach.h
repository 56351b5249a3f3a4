// SPDX-License-Identifier: Apache-2.0
// How particle blocks and node blocks know each other (grid.h): plain data, for kernels on any device.
#ifndef FIRN_GRID_REACH_H
#define FIRN_GRID_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/device.h"

enum {
  FIRN_NODE_REALS = 4,                         // components a node
  FIRN_ROW_REALS = 16,                         // four nodes along z
  FIRN_NODE_BLOCK_REALS = 64 * FIRN_NODE_REALS // a channel of one block
};

#define FIRN_GRID_NONE UINT32_MAX

// Offsets (dx, dy, dz) in {-1, 0, 1}^3 are numbered 9 (dx+1) + 3 (dy+1) + dz+1.
FIRN_HD int firn_grid_offset(int dx, int dy, int dz) {
  return 9 * (dx + 1) + 3 * (dy + 1) + dz + 1;
}

// Nodes that a particle block may reach until the next sort, relative to its corner.
typedef struct firn_reach {
  int8_t lo[3], hi[3]; // inclusive
  // Spray: a block of few particles that makes no node blocks of its own. Its parcel adds up the nodes that
  // it needs from what spray around gives. Node blocks that exist for others still count it as a
  // giver, and have all that reaches them.
  bool spray;
} firn_reach;

// A block of spray that may reach nodes of a parcel's; shift is its corner minus the parcel's, in nodes.
typedef struct firn_neighbour {
  uint32_t block;
  int8_t shift[3];
} firn_neighbour;

// A cube of this many blocks a side, at multiples of it, or a part of one, with spray in it: its own.
enum { FIRN_PARCEL_BLOCKS = 8 };
typedef struct firn_parcel {
  uint32_t first, end;            // blocks; those that are spray are its own
  uint32_t neighbour, neighbours; // first and number of these, its own among them, by x, y and z
  uint64_t through; // particles of neighbours, of all parcels until this one: what they cost
} firn_parcel;

// A particle block that may reach a node block, and at which offset from it.
typedef uint32_t firn_giver;
enum { FIRN_GIVER_BITS = 27 }; // of the particle block's number; the rest holds the offset's
FIRN_HD firn_giver firn_giver_make(uint32_t block, int offset) {
  return (uint32_t)offset << FIRN_GIVER_BITS | block;
}
FIRN_HD uint32_t firn_giver_block(firn_giver s) {
  return s & ((1u << FIRN_GIVER_BITS) - 1);
}
FIRN_HD int firn_giver_offset(firn_giver s) {
  return (int)(s >> FIRN_GIVER_BITS);
}

#endif
