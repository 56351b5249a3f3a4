// SPDX-License-Identifier: Apache-2.0
#define WALKER_NAME firn_walk_kernel_scalar
#include "render/trace_walk.inc.h"
