// SPDX-License-Identifier: Apache-2.0
// Things with a key, and a stable sort of them: particles that change their block, points of bins.
#ifndef FIRN_WORLD_RADIX_H
#define FIRN_WORLD_RADIX_H

#include <stddef.h>
#include <stdint.h>

typedef struct firn_keyed {
  uint64_t key;    // 63 bits
  uint32_t slot;   // whose it is
  int8_t shift[3]; // of movers: new block minus old block, before wrapping round a periodic axis
} firn_keyed;

// Sorts by key, keeping the order of equals; temp is as large as keyed. Returns the sorted array, which
// is either of the two.
firn_keyed *firn_keyed_sort(firn_keyed *keyed, firn_keyed *temp, size_t count);

#endif
