// SPDX-License-Identifier: Apache-2.0
// Walking [k][n] arrays a lane at a time when n is no multiple of the width.
#ifndef FIRN_TESTS_SUPPORT_LANE_IO_H
#define FIRN_TESTS_SUPPORT_LANE_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "math/lane.h"

// Runs `call`, which uses i and whole, for i = 0, FIRN_LANES, ... below n. whole is a constant in
// each copy of an inlined call: a test at every load would cost more than a law.
#define LANE_GROUPS(n, call)                                                                       \
  do {                                                                                             \
    size_t i = 0;                                                                                  \
    for (; i + FIRN_LANES <= (n); i += FIRN_LANES) {                                               \
      const bool whole = true;                                                                     \
      call;                                                                                        \
    }                                                                                              \
    if (i < (n)) {                                                                                 \
      const bool whole = false;                                                                    \
      call;                                                                                        \
    }                                                                                              \
  } while (0)

// Elements i ... of x[n]; past the end the last element is repeated, so padding lanes compute
// something harmless.
FIRN_HD_INLINE lane lane_load_part(bool whole, const firn_real *x, size_t i, size_t n) {
  if (whole) return lane_loadu(x + i);
  firn_real v[FIRN_LANES];
  for (size_t k = 0; k < FIRN_LANES; k++) v[k] = x[i + k < n ? i + k : n - 1];
  return lane_loadu(v);
}

FIRN_HD_INLINE void lane_store_part(bool whole, firn_real *x, size_t i, size_t n, lane a) {
  if (whole) {
    lane_storeu(x + i, a);
    return;
  }
  firn_real v[FIRN_LANES];
  lane_storeu(v, a);
  for (size_t k = 0; i + k < n; k++) x[i + k] = v[k];
}

// The same for all components of x[components][n].
FIRN_HD_INLINE void lane_load_soa(bool whole, const firn_real *x, int components, size_t i,
                                  size_t n, lane *out) {
  for (int c = 0; c < components; c++) out[c] = lane_load_part(whole, x + (size_t)c * n, i, n);
}

FIRN_HD_INLINE void lane_store_soa(bool whole, firn_real *x, int components, size_t i, size_t n,
                                   const lane *a) {
  for (int c = 0; c < components; c++) lane_store_part(whole, x + (size_t)c * n, i, n, a[c]);
}

#endif
