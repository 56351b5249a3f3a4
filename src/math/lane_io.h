// SPDX-License-Identifier: Apache-2.0
// Walking [k][n] arrays a lane at a time when n is no multiple of the width.
#ifndef FIRN_MATH_LANE_IO_H
#define FIRN_MATH_LANE_IO_H

#include <stddef.h>

#include "math/lane.h"

// Elements i ... of x[n]; past the end the last element is repeated, so padding lanes compute
// something harmless.
FIRN_HD_INLINE lane lane_load_part(const firn_real *x, size_t i, size_t n) {
  if (n - i >= FIRN_LANES) return lane_loadu(x + i);
  firn_real v[FIRN_LANES];
  for (size_t k = 0; k < FIRN_LANES; k++) v[k] = x[i + k < n ? i + k : n - 1];
  return lane_loadu(v);
}

FIRN_HD_INLINE void lane_store_part(firn_real *x, size_t i, size_t n, lane a) {
  if (n - i >= FIRN_LANES) {
    lane_storeu(x + i, a);
    return;
  }
  firn_real v[FIRN_LANES];
  lane_storeu(v, a);
  for (size_t k = 0; i + k < n; k++) x[i + k] = v[k];
}

// The same for all components of x[components][n].
FIRN_HD_INLINE void lane_load_soa(const firn_real *x, int components, size_t i, size_t n,
                                  lane *out) {
  for (int c = 0; c < components; c++) out[c] = lane_load_part(x + (size_t)c * n, i, n);
}

FIRN_HD_INLINE void lane_store_soa(firn_real *x, int components, size_t i, size_t n,
                                   const lane *a) {
  for (int c = 0; c < components; c++) lane_store_part(x + (size_t)c * n, i, n, a[c]);
}

#endif
