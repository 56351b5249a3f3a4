// SPDX-License-Identifier: Apache-2.0
#define CARRY_NAME firn_carry_scalar
#include "refine/carry.inc.h"
