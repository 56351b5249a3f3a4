// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX512
#define KERNELS_TABLE firn_lane_kernels_avx512
#define KERNELS_NAME  "avx512"
#include "support/lane_kernels.inc.h"
