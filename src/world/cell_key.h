// SPDX-License-Identifier: Apache-2.0
// Cells of an endless cubic lattice as 63-bit keys, in the order x, y, z: the neighbour at an offset
// is always the same difference away, as long as no axis runs over.
#ifndef FIRN_WORLD_CELL_KEY_H
#define FIRN_WORLD_CELL_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "base/device.h"

enum { FIRN_CELL_BITS = 21, FIRN_CELL_HALF = 1 << (FIRN_CELL_BITS - 1) };

// Each of at must be in [-FIRN_CELL_HALF, FIRN_CELL_HALF).
FIRN_HD uint64_t firn_cell_key(const int32_t at[3]) {
  uint64_t key = 0;
  for (int c = 0; c < 3; c++) key = key << FIRN_CELL_BITS | (uint64_t)(at[c] + FIRN_CELL_HALF);
  return key;
}

FIRN_HD void firn_cell_at(uint64_t key, int32_t at[3]) {
  for (int c = 2; c >= 0; c--) {
    at[c] = (int32_t)(key & (((uint64_t)1 << FIRN_CELL_BITS) - 1)) - FIRN_CELL_HALF;
    key >>= FIRN_CELL_BITS;
  }
}

// What to add to a key for the neighbour at (x, y, z); wraps as unsigned numbers do.
FIRN_HD uint64_t firn_cell_step(int x, int y, int z) {
  return ((uint64_t)x << 2 * FIRN_CELL_BITS) + ((uint64_t)y << FIRN_CELL_BITS) + (uint64_t)z;
}

// The first of the cells, sorted by key, whose key is not less; count where there is none. A cell is a
// struct of stride bytes that begins with its key.
FIRN_HD size_t firn_cell_find(const void *cells, size_t stride, size_t count, uint64_t key) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (*(const uint64_t *)((const char *)cells + middle * stride) < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

#endif
