// SPDX-License-Identifier: Apache-2.0
#define DRAW_WIDTH 4
#define DRAW_NAME  firn_grain_painter_scalar
#include "render/volume_draw.inc.h"
