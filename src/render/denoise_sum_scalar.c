// SPDX-License-Identifier: Apache-2.0
#define DENOISE_NAME firn_denoise_scalar
#include "render/denoise_sum.inc.h"
