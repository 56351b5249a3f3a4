// SPDX-License-Identifier: Apache-2.0
// The passes of lists.h for AVX2.
#define FIRN_LANE_AVX2
#include "solver/sph/kernels_lane.h"

const sph_kernels *sph_kernels_avx2(void) {
  return SPH_TABLE;
}
