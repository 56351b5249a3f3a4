// SPDX-License-Identifier: Apache-2.0
#define WALKER_NAME firn_walker_scalar
#include "render/trace_walk.inc.h"
