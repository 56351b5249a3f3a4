// SPDX-License-Identifier: Apache-2.0
// Lines and letters as pixels, with smooth edges.
#ifndef FIRN_RENDER_PLOT_PIXELS_H
#define FIRN_RENDER_PLOT_PIXELS_H

#include "render/plot_canvas.h"

// As the functions of the canvas.
void firn_pixels_rect(firn_canvas *canvas, double x, double y, double w, double h, firn_ink ink);
void firn_pixels_line(firn_canvas *canvas, size_t count, const double *points, double width,
                      firn_ink ink);
void firn_pixels_text(firn_canvas *canvas, double x, double y, double size, firn_anchor anchor,
                      firn_ink ink, const char *text);

#endif
