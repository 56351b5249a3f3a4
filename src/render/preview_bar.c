// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "render/colormap.h"
#include "render/plot.h"
#include "render/preview.h"

firn_status firn_preview_bar(firn_context *context, const uint8_t (*colors)[3],
                             const double range[2], const char *name, const char *unit, int width,
                             int height, uint8_t *rgb) {
  size_t pixels = (size_t)width * (size_t)height;
  firn_canvas canvas = {.context = context, .width = width, .height = height, .rgb = rgb};
  canvas.mask = firn_alloc_zero(context, pixels, "a colour bar");
  if (!canvas.mask) return FIRN_ERROR_MEMORY;
  // Letters as large as are easy to read; on small pictures as small as can be read at all.
  double size = height < 900 ? fmin(13, fmax(7, height / 18.0)) : height / 70.0, bar = size;
  double top = 0.2 * height, bottom = 0.8 * height;
  firn_axis axis = firn_axis_make(range[0], range[1], (int)((bottom - top) / (5 * size)) + 1, true,
                                  false, unit);
  char title[128];
  snprintf(title, sizeof title, strcmp(unit, "1") != 0 && *unit ? "%s [%s%s]" : "%s", name,
           axis.prefix, unit);
  double widest = 0;
  for (int i = 0; i < axis.count; i++)
    widest = fmax(widest, firn_canvas_text_width(size, axis.label[i]));
  double title_width = firn_canvas_text_width(size, title),
         left = width - bar - widest - 2.2 * size;
  double room = fmax(widest + bar + 1.2 * size, title_width) + size; // of the plate behind it
  if (room > 0.5 * width || height < 8 * size) {                     // it would hide the picture
    firn_free(context, canvas.mask, pixels);
    return FIRN_OK;
  }
  const firn_ink ink = 0x1a1a1a, plate = 0xf4f5f6;
  firn_canvas_rect(&canvas, width - room - 0.3 * size, top - 2.6 * size, room,
                   bottom - top + 3.6 * size, plate);
  firn_canvas_text(&canvas, width - 0.8 * size, top - 1.1 * size, size, FIRN_ANCHOR_END, ink,
                   title);
  for (int y = (int)top; y < (int)bottom; y++) {
    double t = (bottom - y - 0.5) / (bottom - top);
    int i = (int)(t * FIRN_COLORS);
    const uint8_t *c = colors[i < 0 ? 0 : i >= FIRN_COLORS ? FIRN_COLORS - 1 : i];
    firn_ink color = (firn_ink)c[0] << 16 | (firn_ink)c[1] << 8 | c[2];
    firn_canvas_rect(&canvas, left, y, bar, 1, color);
  }
  for (int i = 0; i < axis.count; i++) {
    double y = bottom - firn_axis_place(&axis, axis.tick[i]) * (bottom - top);
    const double tick[4] = {left + bar, y, left + bar + 0.35 * size, y};
    firn_canvas_line(&canvas, 2, tick, 1, ink);
    firn_canvas_text(&canvas, left + bar + 0.7 * size, y + 0.35 * size, size, FIRN_ANCHOR_START,
                     ink, axis.label[i]);
  }
  firn_free(context, canvas.mask, pixels);
  return FIRN_OK;
}
