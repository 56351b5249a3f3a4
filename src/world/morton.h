// SPDX-License-Identifier: Apache-2.0
// Morton keys of block coordinates: neighbours in space are neighbours in memory.
#ifndef FIRN_WORLD_MORTON_H
#define FIRN_WORLD_MORTON_H

#include <stdint.h>

#include "base/device.h"

// Block coordinates lie in (-2^20, 2^20): 21 bits an axis; with cells of 5 mm, +-20 km.
#define FIRN_MORTON_LIMIT 1048000

FIRN_HD uint64_t firn_morton_spread(uint32_t v) {
  uint64_t x = v & 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffu;
  x = (x | x << 16) & 0x1f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  x = (x | x << 2) & 0x1249249249249249u;
  return x;
}

FIRN_HD uint32_t firn_morton_squeeze(uint64_t x) {
  x &= 0x1249249249249249u;
  x = (x | x >> 2) & 0x10c30c30c30c30c3u;
  x = (x | x >> 4) & 0x100f00f00f00f00fu;
  x = (x | x >> 8) & 0x1f0000ff0000ffu;
  x = (x | x >> 16) & 0x1f00000000ffffu;
  x = (x | x >> 32) & 0x1fffff;
  return (uint32_t)x;
}

FIRN_HD uint64_t firn_morton(const int32_t at[3]) {
  const int32_t bias = 1 << 20;
  return firn_morton_spread((uint32_t)(at[0] + bias)) << 2 |
         firn_morton_spread((uint32_t)(at[1] + bias)) << 1 |
         firn_morton_spread((uint32_t)(at[2] + bias));
}

FIRN_HD void firn_morton_decode(uint64_t key, int32_t at[3]) {
  const int32_t bias = 1 << 20;
  at[0] = (int32_t)firn_morton_squeeze(key >> 2) - bias;
  at[1] = (int32_t)firn_morton_squeeze(key >> 1) - bias;
  at[2] = (int32_t)firn_morton_squeeze(key) - bias;
}

#endif
