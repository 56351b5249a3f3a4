// SPDX-License-Identifier: Apache-2.0
#define DRAW_WIDTH 8
#define DRAW_NAME  firn_grain_painter_avx2
#include "render/volume_draw.inc.h"
