// SPDX-License-Identifier: Apache-2.0
// How sorted particles lie in memory (particles.h): plain data, for kernels on any device.
#ifndef FIRN_WORLD_BLOCK_H
#define FIRN_WORLD_BLOCK_H

#include <stdint.h>

// 4x4x4 cells.
typedef struct firn_block {
  int32_t at[3];         // block coordinates: the cell of its corner is 4 at
  uint32_t first, count; // slots
} firn_block;

// A run of blocks.
typedef struct firn_unit {
  uint32_t first_block, block_count;
  uint32_t first, count; // slots, padding not counted
} firn_unit;

#endif
