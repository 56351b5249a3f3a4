// SPDX-License-Identifier: Apache-2.0
// An open-addressing table from Morton key to a number. Its size is a power of two.
#ifndef FIRN_GRID_BLOCK_MAP_H
#define FIRN_GRID_BLOCK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/device.h"

typedef struct firn_block_map_entry {
  uint64_t key1; // key plus one; 0 is empty
  uint32_t value;
} firn_block_map_entry;

// The least power of two that is not below either.
static inline size_t firn_block_map_size(size_t a, size_t b) {
  size_t size = 64;
  while (size < a || size < b) size *= 2;
  return size;
}

FIRN_HD uint64_t firn_block_map_hash(uint64_t key) {
  uint64_t x = key ^ key >> 31;
  x *= 0x9E3779B97F4A7C15u;
  return x ^ x >> 29;
}

// The entry of a key, or the empty one where it belongs.
FIRN_HD firn_block_map_entry *firn_block_map_find(firn_block_map_entry *table, size_t mask,
                                                  uint64_t key) {
  for (size_t i = firn_block_map_hash(key) & mask;; i = (i + 1) & mask) {
    if (table[i].key1 == key + 1 || !table[i].key1) return &table[i];
  }
}

// The entry of a key, made if there is none: then *made grows by one. For many threads at once; which
// entry a key gets may depend on them. The table must not fill up.
static inline firn_block_map_entry *firn_block_map_claim(firn_block_map_entry *table, size_t mask,
                                                         uint64_t key, size_t *made) {
  for (size_t i = firn_block_map_hash(key) & mask;; i = (i + 1) & mask) {
    uint64_t there = __atomic_load_n(&table[i].key1, __ATOMIC_RELAXED);
    if (!there && __atomic_compare_exchange_n(&table[i].key1, &there, key + 1, false,
                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      ++*made;
      return &table[i];
    }
    if (there == key + 1) return &table[i];
  }
}

#endif
