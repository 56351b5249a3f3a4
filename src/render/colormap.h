// SPDX-License-Identifier: Apache-2.0
// Numbers as colours.
#ifndef FIRN_RENDER_COLORMAP_H
#define FIRN_RENDER_COLORMAP_H

#include "base/context.h"

enum { FIRN_COLORS = 256 };

// sRGB bytes from the lowest value to the highest.
void firn_colormap_table(firn_color_map map, uint8_t out[FIRN_COLORS][3]);

#endif
