// SPDX-License-Identifier: Apache-2.0
#define FIRN_LANE_AVX512
#define CARRY_NAME firn_carry_avx512
#include "refine/carry.inc.h"
