// SPDX-License-Identifier: Apache-2.0
// Particles that change their block, and a stable sort of them by key.
#ifndef FIRN_WORLD_RADIX_H
#define FIRN_WORLD_RADIX_H

#include <stddef.h>
#include <stdint.h>

typedef struct firn_keyed {
  uint64_t key;    // Morton key of the new block
  uint32_t slot;   // where the particle lies now
  int8_t shift[3]; // new block minus old block, before wrapping round a periodic axis
} firn_keyed;

// Sorts movers by key, keeping the order of equals; temp is as large as mover. Returns the sorted
// array, which is either of the two.
firn_keyed *firn_keyed_sort(firn_keyed *mover, firn_keyed *temp, size_t count);

#endif
