// SPDX-License-Identifier: Apache-2.0
// The passes of lists.h for AVX-512.
#define FIRN_LANE_AVX512
#include "solver/sph/kernels_lane.h"

const sph_kernels *sph_kernels_avx512(void) {
  return SPH_TABLE;
}
