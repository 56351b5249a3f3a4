// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX2
#define WALKER_NAME firn_walker_avx2
#include "render/trace_walk.inc.h"
