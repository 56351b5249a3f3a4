// SPDX-License-Identifier: Apache-2.0
// Pictures as PNG files: 8 bits a channel, sRGB. base/png.h reads them.
#ifndef FIRN_RENDER_PNG_H
#define FIRN_RENDER_PNG_H

#include "base/context.h"

// rgb is [height][width][3], rows from the top. The file appears whole or not at all, and its
// bytes depend on the pixels alone.
firn_status firn_png_write(firn_context *context, const char *path, int width, int height,
                           const uint8_t *rgb);

enum { FIRN_PNG_MOST = 16384 }; // pixels a side that a picture has at most

#endif
