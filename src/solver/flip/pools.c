// SPDX-License-Identifier: Apache-2.0
// Sets of cells that hang together, by union-find. The smaller number is always the root, so that what
// comes out does not depend on how it came about.
#include "solver/flip/flip.h"

static uint32_t root_of(uint32_t *forest, uint32_t i) {
  while (forest[i] != i) i = forest[i] = forest[forest[i]];
  return i;
}

static void join(uint32_t *forest, uint32_t i, uint32_t j) {
  i = root_of(forest, i);
  j = root_of(forest, j);
  if (i < j) forest[j] = i;
  if (j < i) forest[i] = j;
}

// The cell below along an axis.
static uint32_t below(const uint32_t (*beside)[6], size_t b, int c, int axis) {
  const int shift = 4 - 2 * axis, stride = 1 << shift;
  if (c >> shift & 3) return (uint32_t)(FLIP_CELLS * b) + (uint32_t)(c - stride);
  return FLIP_CELLS * beside[b][2 * axis] + (uint32_t)(c + 3 * stride);
}

size_t flip_pools(size_t count, const uint64_t *member, const uint64_t (*link)[3],
                  const uint32_t (*beside)[6], uint32_t *label, uint32_t *forest) {
  static const uint64_t first[3] = {0x000000000000ffffu, 0x000f000f000f000fu, 0x1111111111111111u};
  size_t sets = 0;
  for (size_t b = 0; b < count; b++) {
    // A block that is joined throughout is one to begin with, and only its lower sides are left.
    uint64_t all = link[b][0] & link[b][1] & link[b][2];
    for (uint32_t c = 0; c < FLIP_CELLS; c++)
      forest[FLIP_CELLS * b + c] = (uint32_t)(FLIP_CELLS * b) + (~all ? c : 0);
  }
  for (size_t b = 0; b < count; b++) {
    uint64_t all = link[b][0] & link[b][1] & link[b][2];
    for (int a = 0; a < 3; a++) {
      for (uint64_t left = ~all ? link[b][a] : first[a]; left; left &= left - 1) {
        int c = __builtin_ctzll(left);
        join(forest, (uint32_t)(FLIP_CELLS * b) + (uint32_t)c, below(beside, b, c, a));
      }
    }
  }
  for (uint32_t i = 0; i < FLIP_CELLS * count; i++) {
    if (!flip_bit(member, i)) continue;
    uint32_t root = root_of(forest, i);
    label[i] = root == i ? (uint32_t)sets++ : label[root];
  }
  return sets;
}
