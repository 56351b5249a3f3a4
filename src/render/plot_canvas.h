// SPDX-License-Identifier: Apache-2.0
// What plots are drawn on: SVG text or pixels. Coordinates are pixels from the top left corner.
#ifndef FIRN_RENDER_PLOT_CANVAS_H
#define FIRN_RENDER_PLOT_CANVAS_H

#include "base/context.h"

typedef uint32_t firn_ink; // 0xrrggbb

typedef enum firn_anchor { FIRN_ANCHOR_START, FIRN_ANCHOR_MIDDLE, FIRN_ANCHOR_END } firn_anchor;

// The first failure sticks; only memory can run out.
typedef struct firn_canvas {
  firn_context *context;
  int width, height;
  bool failed;
  char *text; // SVG, as far as it is written
  size_t used, room;
  uint8_t *rgb;  // [height][width][3]; NULL: SVG
  uint8_t *mask; // [height][width], coverage of what is being drawn; all 0 in between
} firn_canvas;

// White. On failure there is nothing to free.
firn_status firn_canvas_create(firn_context *context, int width, int height, bool pixels,
                               firn_canvas *out);
void firn_canvas_free(firn_canvas *canvas);
// As an SVG or PNG file.
firn_status firn_canvas_write(firn_canvas *canvas, const char *path);

void firn_canvas_rect(firn_canvas *canvas, double x, double y, double w, double h, firn_ink ink);
// Through points [count][2]; one point is a dot.
void firn_canvas_line(firn_canvas *canvas, size_t count, const double *points, double width,
                      firn_ink ink);
// On the base line at (x, y); size is the height of a line of text; ASCII.
void firn_canvas_text(firn_canvas *canvas, double x, double y, double size, firn_anchor anchor,
                      firn_ink ink, const char *text);
// Width of a text in pixels, about.
double firn_canvas_text_width(double size, const char *text);

#endif
