// SPDX-License-Identifier: Apache-2.0
// Which bricks, the blocks that a sort would make (world/particles.h), lie around a place.
#ifndef FIRN_GRID_BRICKS_H
#define FIRN_GRID_BRICKS_H

#include "world/particles.h"

typedef struct firn_bricks {
  const firn_choice *choice;
  struct firn_super *table;
  size_t mask;
} firn_bricks;

// Its memory is `table`.
firn_status firn_bricks_list(const firn_choice *choice, firn_buffer *table, firn_bricks *out);

// Calls seen(user, brick, d) for all bricks whose block coordinates are first to last, d blocks away from
// `at` by the way that was looked along (across a period, say), until one says false. Returns whether all
// said true.
typedef bool (*firn_brick_fn)(void *user, size_t brick, const int32_t d[3]);
bool firn_bricks_around(const firn_bricks *bricks, const int32_t at[3], const int32_t first[3],
                        const int32_t last[3], firn_brick_fn seen, void *user);

#endif
