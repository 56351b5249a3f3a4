// SPDX-License-Identifier: Apache-2.0
#define KERNELS_TABLE firn_lane_kernels_scalar
#define KERNELS_NAME  "scalar"
#include "support/lane_kernels.inc.h"
