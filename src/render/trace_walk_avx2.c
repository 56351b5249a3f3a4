// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX2
#define WALKER_NAME firn_walk_kernel_avx2
#include "render/trace_walk.inc.h"
