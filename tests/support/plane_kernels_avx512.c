// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX512
#define KERNELS_TABLE plane_kernels_avx512
#define KERNELS_NAME  "avx512"
#include "support/plane_kernels.inc.h"
