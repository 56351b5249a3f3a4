// SPDX-License-Identifier: Apache-2.0
// The one way from scattered points to sparse blocks: points of any kind, sorted by the cell of an
// endless lattice that each is in. Only cells with points exist. They are in the order of their keys, and
// their points in the order of numbers: what is summed over them does not depend on threads.
#ifndef FIRN_WORLD_BINS_H
#define FIRN_WORLD_BINS_H

#include "base/context.h"
#include "world/cell_key.h"
#include "world/radix.h"

typedef struct firn_bin {
  uint64_t key;          // firn_cell_key of its place
  uint32_t first, count; // its points are order[first] to order[first + count - 1]
  uint32_t reach; // bit 9 x + 3 y + z: a point of it touches the cell at (x, y, z) - 1; the user's
} firn_bin;

typedef struct firn_bins {
  firn_context *context;
  int32_t period[3];    // cells round a periodic axis, numbered from 0; 0: the axis has no end
  size_t points, count; // points and bins
  uint32_t *order;      // [points], numbers of points
  firn_bin *bin;        // [count], by key
  firn_keyed *keyed;    // [2 points], until they are sorted
} firn_bins;

// Makes room for points, which are then put one by one, and sorted. firn_bins_free also after a failure.
firn_status firn_bins_open(firn_bins *bins, firn_context *context, size_t points);
static inline void firn_bins_put(firn_bins *bins, size_t point, const int32_t at[3]) {
  bins->keyed[point] = (firn_keyed){.key = firn_cell_key(at), .slot = (uint32_t)point};
}
firn_status firn_bins_sort(firn_bins *bins);
void firn_bins_free(firn_bins *bins);

// The bin of a key, or NULL.
const firn_bin *firn_bins_find(const firn_bins *bins, uint64_t key);
// The key of the cell at an offset of -1, 0 or 1 along each axis.
uint64_t firn_bins_step(const firn_bins *bins, uint64_t key, const int offset[3]);

// A point's part of reach, from that along each axis: 1 below, 2 here, 4 above.
uint32_t firn_bins_reach(const unsigned axis[3]);

// The cells that bins touch, each a bin of the other lattice whose points are the bins that touch it.
firn_status firn_bins_spread(const firn_bins *bins, firn_bins *out);

#endif
