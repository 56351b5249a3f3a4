// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX2
#include "solver/flip/scatter_lane.h"

#ifndef FIRN_DOUBLE
uint64_t flip_scatter_avx2(const flip *s, size_t b, float *arena) {
  return scatter(s, b, arena);
}
#endif
