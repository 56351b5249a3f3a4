// SPDX-License-Identifier: Apache-2.0
// Cells of a block of 4x4x4 floats as their neighbours see them, in registers: eight lanes are two rows of
// four cells along z, two of these a slab of a block. For files that have chosen FIRN_LANE_AVX2.
#ifndef FIRN_GRID_BESIDE_LANE_H
#define FIRN_GRID_BESIDE_LANE_H

#include <stdbool.h>

#include "math/lane.h"

#ifndef FIRN_DOUBLE

// What cells n to n + 7 of a block have beside them: d is the side, -x +x -y +y -z +z, `side` the block on it.
FIRN_HD_INLINE lane firn_beside8(const float *in, const float *side, int n, int d) {
  bool first = n % 16 == 0; // of its slab
  switch (d) {
  case 0: return lane_loadu(n >= 16 ? in + n - 16 : side + n + 48);
  case 1: return lane_loadu(n < 48 ? in + n + 16 : side + n - 48);
  case 2: return first ? _mm256_loadu2_m128(in + n, side + n + 12) : lane_loadu(in + n - 4);
  case 3: return first ? lane_loadu(in + n + 4) : _mm256_loadu2_m128(side + n - 8, in + n + 4);
  case 4:
    return _mm256_blend_ps(_mm256_permute_ps(lane_loadu(in + n), 0x90),
                           _mm256_permute_ps(lane_loadu(side + n), 0xff), 0x11);
  default:
    return _mm256_blend_ps(_mm256_permute_ps(lane_loadu(in + n), 0xf9),
                           _mm256_permute_ps(lane_loadu(side + n), 0x00), 0x88);
  }
}

#endif
#endif
