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
  static const int stride[3] = {16, 4, 1};
  if (c / stride[axis] & 3) return (uint32_t)(FLIP_CELLS * b) + (uint32_t)(c - stride[axis]);
  return FLIP_CELLS * beside[b][2 * axis] + (uint32_t)(c + 3 * stride[axis]);
}

size_t flip_pools(size_t count, const uint64_t *member, const uint64_t (*link)[3],
                  const uint32_t (*beside)[6], uint32_t *label, uint32_t *forest) {
  size_t sets = 0;
  for (uint32_t i = 0; i < FLIP_CELLS * count; i++) forest[i] = i;
  for (size_t b = 0; b < count; b++) {
    for (int a = 0; a < 3; a++) {
      for (uint64_t left = link[b][a]; left; left &= left - 1) {
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
