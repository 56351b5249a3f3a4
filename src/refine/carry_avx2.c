// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX2
#define CARRY_NAME firn_carry_avx2
#include "refine/carry.inc.h"
