// SPDX-License-Identifier: Apache-2.0
// What a volume is made of; for those who walk through it. Lengths are voxels from node (0, 0, 0) of
// block (0, 0, 0), unless they say otherwise.
#ifndef FIRN_RENDER_VOLUME_GRID_H
#define FIRN_RENDER_VOLUME_GRID_H

#include "render/volume.h"

// A block has 8 x 8 x 8 cells and all the nodes at their corners, so that what is between nodes is
// known without asking the next block. Every 4th node also has a velocity.
enum {
  FIRN_BLOCK = 8,
  FIRN_BLOCK_EDGE = FIRN_BLOCK + 1,
  FIRN_BLOCK_NODES = FIRN_BLOCK_EDGE * FIRN_BLOCK_EDGE * FIRN_BLOCK_EDGE,
  FIRN_BLOCK_STRIDE = 4,
  FIRN_BLOCK_COARSE = 3,
  FIRN_BLOCK_VELOCITIES = FIRN_BLOCK_COARSE * FIRN_BLOCK_COARSE * FIRN_BLOCK_COARSE,
  FIRN_VOLUME_FAR = 255 // blocks, the longest step through empty space
};

struct firn_volume {
  firn_context *context;
  firn_v3 low;  // m from the stage's origin, of node (0, 0, 0)
  float voxel;  // m
  int size[3];  // blocks
  size_t cells; // product of size
  // [size z][size y][size x]: the block, or -d where all blocks less than d away along every axis are
  // empty.
  int32_t *index;
  size_t count;
  float *majorant, *minorant; // [count], kg/m3: bounds of the density in the block
  uint16_t *density;          // [count][z][y][x] in majorant / 65535, and two values more
  int16_t *velocity;          // [count][z][y][x][3] in velocity_unit; NULL: none
  float velocity_unit;        // m/s
  size_t skipped;
};

enum { FIRN_DENSITY_ONE = 65535 };

static inline size_t firn_volume_cell(const firn_volume *v, int x, int y, int z) {
  return ((size_t)z * (size_t)v->size[1] + (size_t)y) * (size_t)v->size[0] + (size_t)x;
}

// An empty volume with its index, all of it -1.
firn_status firn_volume_make(firn_context *context, const int size[3], firn_v3 low, float voxel,
                             firn_volume **out);

// Turns sums on blocks into the volume's own form. sum is [slots][8][8][8] kg/m3; motion is
// [slots][2][2][2][4], mass and momentum on every 4th node, or NULL. index of the volume holds the
// slot of a block, or less than 0.
firn_status firn_volume_finish(firn_volume *volume, size_t slots, const float *sum,
                               const float *motion);

#endif
