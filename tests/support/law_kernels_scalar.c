// SPDX-License-Identifier: Apache-2.0
#define KERNELS_TABLE firn_law_kernels_scalar
#define KERNELS_NAME  "scalar"
#include "support/law_kernels.inc.h"
