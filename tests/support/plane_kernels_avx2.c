// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX2
#define KERNELS_TABLE plane_kernels_avx2
#define KERNELS_NAME  "avx2"
#include "support/plane_kernels.inc.h"
