// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX512
#define WALKER_NAME firn_walk_kernel_avx512
#include "render/trace_walk.inc.h"
