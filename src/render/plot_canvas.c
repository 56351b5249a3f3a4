// SPDX-License-Identifier: Apache-2.0
#include "render/plot_canvas.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cache/own.h"
#include "render/plot_pixels.h"
#include "render/png.h"

// ------------------------------------------------------------------------------------------- SVG

static void put(firn_canvas *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(firn_canvas *c, const char *format, ...) {
  char piece[256];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(piece, sizeof piece, format, args);
  va_end(args);
  if (c->failed || length < 0) return;
  if ((size_t)length >= sizeof piece) length = sizeof piece - 1;
  if (c->used + (size_t)length + 1 > c->room) {
    size_t room = 2 * c->room + sizeof piece;
    char *text = firn_resize(c->context, c->text, c->room, room, "a plot");
    if (!text) {
      c->failed = true;
      return;
    }
    c->text = text;
    c->room = room;
  }
  memcpy(c->text + c->used, piece, (size_t)length + 1);
  c->used += (size_t)length;
}

// Hundredths of a pixel, whatever the locale says of decimal points.
static const char *coordinate(double x, char buffer[24]) {
  long long n = llround(100 * fmin(fmax(x, -1e6), 1e6)), whole = n < 0 ? -n : n;
  snprintf(buffer, 24, "%s%lld.%02lld", n < 0 ? "-" : "", whole / 100, whole % 100);
  return buffer;
}

static void put_escaped(firn_canvas *c, const char *text) {
  for (; *text; text++) switch (*text) {
    case '<': put(c, "&lt;"); break;
    case '>': put(c, "&gt;"); break;
    case '&': put(c, "&amp;"); break;
    default: put(c, "%c", *text < ' ' || *text > '~' ? '?' : *text);
    }
}

// ----------------------------------------------------------------------------------------- canvas

firn_status firn_canvas_create(firn_context *context, int width, int height, bool pixels,
                               firn_canvas *out) {
  *out = (firn_canvas){.context = context, .width = width, .height = height};
  if (pixels) {
    size_t count = (size_t)width * (size_t)height;
    out->rgb = firn_alloc(context, 3 * count, "a plot");
    out->mask = firn_alloc_zero(context, count, "a plot");
    if (!out->rgb || !out->mask) {
      firn_canvas_free(out);
      return FIRN_ERROR_MEMORY;
    }
    memset(out->rgb, 255, 3 * count);
    return FIRN_OK;
  }
  put(out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "viewBox=\"0 0 %d %d\">\n",
      width, height, width, height);
  put(out, "<g font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" fill=\"none\" "
           "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n");
  firn_canvas_rect(out, 0, 0, width, height, 0xffffff);
  if (!out->failed) return FIRN_OK;
  firn_canvas_free(out);
  return FIRN_ERROR_MEMORY;
}

void firn_canvas_free(firn_canvas *c) {
  size_t count = (size_t)c->width * (size_t)c->height;
  firn_free(c->context, c->text, c->room);
  firn_free(c->context, c->rgb, 3 * count);
  firn_free(c->context, c->mask, count);
  *c = (firn_canvas){0};
}

firn_status firn_canvas_write(firn_canvas *c, const char *path) {
  if (c->rgb) return firn_png_write(c->context, path, c->width, c->height, c->rgb);
  char mark[FIRN_OWN_MARK];
  put(c, "</g>\n</svg>\n");
  if (!c->failed) put(c, "%.*s", (int)firn_own_mark(FIRN_OWN_SVG, c->text, c->used, mark), mark);
  if (c->failed) return FIRN_ERROR_MEMORY;
  return firn_file_put(c->context, path, c->text, c->used);
}

void firn_canvas_rect(firn_canvas *c, double x, double y, double w, double h, firn_ink ink) {
  if (c->rgb) {
    firn_pixels_rect(c, x, y, w, h, ink);
    return;
  }
  char a[24], b[24], d[24], e[24];
  put(c, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"#%06x\"/>\n", coordinate(x, a),
      coordinate(y, b), coordinate(w, d), coordinate(h, e), ink);
}

void firn_canvas_line(firn_canvas *c, size_t count, const double *points, double width,
                      firn_ink ink) {
  if (!count) return;
  if (c->rgb) {
    firn_pixels_line(c, count, points, width, ink);
    return;
  }
  char a[24], b[24];
  put(c, "<polyline stroke=\"#%06x\" stroke-width=\"%s\" points=\"", ink, coordinate(width, a));
  for (size_t i = 0; i < count; i++)
    put(c, "%s%s,%s",
        i % 12 ? " "
        : i    ? "\n"
               : "",
        coordinate(points[2 * i], a), coordinate(points[2 * i + 1], b));
  // A line of one point is not drawn; one of two equal points is a dot.
  if (count == 1) put(c, " %s,%s", coordinate(points[0], a), coordinate(points[1], b));
  put(c, "\"/>\n");
}

void firn_canvas_text(firn_canvas *c, double x, double y, double size, firn_anchor anchor,
                      firn_ink ink, const char *text) {
  static const char *const names[] = {"start", "middle", "end"};
  if (c->rgb) {
    firn_pixels_text(c, x, y, size, anchor, ink, text);
    return;
  }
  char a[24], b[24], d[24];
  put(c, "<text x=\"%s\" y=\"%s\" font-size=\"%s\" text-anchor=\"%s\" fill=\"#%06x\">",
      coordinate(x, a), coordinate(y, b), coordinate(size, d), names[anchor], ink);
  put_escaped(c, text);
  put(c, "</text>\n");
}
