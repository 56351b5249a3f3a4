// SPDX-License-Identifier: Apache-2.0
#define DENOISE_NAME firn_denoise_avx512
#include "render/denoise_sum.inc.h"
