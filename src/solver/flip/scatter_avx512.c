// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX512
#include "solver/flip/scatter_lane.h"

#ifndef FIRN_DOUBLE
uint64_t flip_scatter_avx512(const flip *s, size_t b, float *arena) {
  return scatter(s, b, arena);
}
#endif
