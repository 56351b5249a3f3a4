// SPDX-License-Identifier: Apache-2.0
// An open-addressing table from Morton key to a number. Its size is a power of two.
#ifndef FIRN_GRID_BLOCK_MAP_H
#define FIRN_GRID_BLOCK_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/device.h"

typedef struct firn_block_map_entry {
  uint64_t key1; // key plus one; 0 is empty
  uint32_t value;
} firn_block_map_entry;

// The entry of a key, or the empty one where it belongs.
FIRN_HD firn_block_map_entry *firn_block_map_find(firn_block_map_entry *table, size_t mask,
                                                  uint64_t key) {
  uint64_t x = key ^ key >> 31;
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 29;
  for (size_t i = x & mask;; i = (i + 1) & mask) {
    if (table[i].key1 == key + 1 || !table[i].key1) return &table[i];
  }
}

#endif
