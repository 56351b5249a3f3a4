// SPDX-License-Identifier: Apache-2.0
#include "world/radix.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = (63 + DIGIT_BITS - 1) / DIGIT_BITS };

firn_keyed *firn_keyed_sort(firn_keyed *keyed, firn_keyed *temp, size_t count) {
  // Scenes fill a small part of the key space: digits that all keys share need no pass.
  uint64_t any = 0, all = ~(uint64_t)0;
  for (size_t i = 0; i < count; i++) {
    any |= keyed[i].key;
    all &= keyed[i].key;
  }
  uint64_t varying = any & ~all;
  for (int pass = 0; pass < PASSES; pass++) {
    int shift = pass * DIGIT_BITS;
    if (!(varying >> shift & (DIGITS - 1))) continue;
    size_t start[DIGITS];
    memset(start, 0, sizeof start);
    for (size_t i = 0; i < count; i++) start[keyed[i].key >> shift & (DIGITS - 1)]++;
    size_t sum = 0;
    for (int d = 0; d < DIGITS; d++) {
      size_t n = start[d];
      start[d] = sum;
      sum += n;
    }
    for (size_t i = 0; i < count; i++) {
      temp[start[keyed[i].key >> shift & (DIGITS - 1)]++] = keyed[i];
    }
    firn_keyed *swap = keyed;
    keyed = temp;
    temp = swap;
  }
  return keyed;
}
