// SPDX-License-Identifier: Apache-2.0
// Coverage first, then colour: a line is a set of segments, each pixel takes the largest share that
// any of them covers, and only then is blended, so that joints and crossings do not show.
#include "render/plot_pixels.h"

#include <math.h>
#include <string.h>

#include "geometry/font.h"

typedef struct box {
  int x0, y0, x1, y1; // pixels, the last excluded
} box;

static box clip(const firn_canvas *c, double x0, double y0, double x1, double y1) {
  box b = {(int)floor(fmin(fmax(x0, 0), c->width)), (int)floor(fmin(fmax(y0, 0), c->height)),
           (int)ceil(fmax(fmin(x1, c->width), 0)), (int)ceil(fmax(fmin(y1, c->height), 0))};
  return b;
}

static void grow(box *all, box b) {
  if (b.x1 <= b.x0 || b.y1 <= b.y0) return;
  if (b.x0 < all->x0) all->x0 = b.x0;
  if (b.y0 < all->y0) all->y0 = b.y0;
  if (b.x1 > all->x1) all->x1 = b.x1;
  if (b.y1 > all->y1) all->y1 = b.y1;
}

static void cover(firn_canvas *c, int x, int y, double share) {
  uint8_t *m = c->mask + (size_t)y * (size_t)c->width + (size_t)x;
  uint8_t value = (uint8_t)lround(255 * fmin(fmax(share, 0), 1));
  if (value > *m) *m = value;
}

// Blends ink where the mask says so, and clears the mask.
static void ink_box(firn_canvas *c, box b, firn_ink ink) {
  const int color[3] = {(int)(ink >> 16), (int)(ink >> 8 & 255), (int)(ink & 255)};
  for (int y = b.y0; y < b.y1; y++)
    for (int x = b.x0; x < b.x1; x++) {
      size_t at = (size_t)y * (size_t)c->width + (size_t)x;
      int m = c->mask[at];
      if (!m) continue;
      for (int k = 0; k < 3; k++) {
        uint8_t *p = c->rgb + 3 * at + k;
        *p = (uint8_t)((*p * (255 - m) + color[k] * m + 127) / 255);
      }
      c->mask[at] = 0;
    }
}

static double overlap(int i, double a, double b) {
  return fmax(0, fmin(b, i + 1) - fmax(a, i));
}

void firn_pixels_rect(firn_canvas *c, double x, double y, double w, double h, firn_ink ink) {
  box b = clip(c, x, y, x + w, y + h);
  for (int j = b.y0; j < b.y1; j++)
    for (int i = b.x0; i < b.x1; i++) cover(c, i, j, overlap(i, x, x + w) * overlap(j, y, y + h));
  ink_box(c, b, ink);
}

// A segment with round ends: coverage falls from 1 to 0 over the pixel that its edge crosses.
static void segment(firn_canvas *c, double ax, double ay, double bx, double by, double width,
                    box *all) {
  double half = width / 2, reach = half + 1, dx = bx - ax, dy = by - ay, n = dx * dx + dy * dy;
  box b = clip(c, fmin(ax, bx) - reach, fmin(ay, by) - reach, fmax(ax, bx) + reach,
               fmax(ay, by) + reach);
  grow(all, b);
  for (int j = b.y0; j < b.y1; j++)
    for (int i = b.x0; i < b.x1; i++) {
      double px = i + 0.5 - ax, py = j + 0.5 - ay;
      double t = n > 0 ? fmin(fmax((px * dx + py * dy) / n, 0), 1) : 0;
      double distance = hypot(px - t * dx, py - t * dy);
      if (distance < half + 0.5) cover(c, i, j, fmin(half + 0.5 - distance, width));
    }
}

void firn_pixels_line(firn_canvas *c, size_t count, const double *p, double width, firn_ink ink) {
  box all = {c->width, c->height, 0, 0};
  if (count == 1) segment(c, p[0], p[1], p[0], p[1], width, &all);
  for (size_t i = 0; i + 1 < count; i++)
    segment(c, p[2 * i], p[2 * i + 1], p[2 * i + 2], p[2 * i + 3], width, &all);
  ink_box(c, all, ink);
}

// ------------------------------------------------------------------------------------------- text

// In units of the font's grid.
#define LETTER_GAP 1.7
#define CAPITAL    0.70 // height of a capital, in sizes of the text

static double unit_of(double size) {
  return CAPITAL * size / FIRN_FONT_CAPITAL;
}

static const firn_glyph *glyph_of(char letter) {
  const firn_glyph *glyph = firn_font_find(letter);
  return glyph ? glyph : firn_font_find('?');
}

double firn_canvas_text_width(double size, const char *text) {
  double width = 0;
  for (; *text; text++) width += glyph_of(*text)->width + LETTER_GAP;
  return unit_of(size) * fmax(width - LETTER_GAP, 0);
}

typedef struct pen {
  firn_canvas *canvas;
  double x, y, unit, width; // of the base line's left end, pixels a unit, of the stroke
  box all;
} pen;

static void stroke(pen *p, const double a[2], const double b[2]) {
  segment(p->canvas, p->x + p->unit * a[0], p->y - p->unit * (a[1] - FIRN_FONT_BASE),
          p->x + p->unit * b[0], p->y - p->unit * (b[1] - FIRN_FONT_BASE), p->width, &p->all);
}

// turn is the angle, rad, that the way from a to b bends to the left.
static void arc(pen *p, const double a[2], const double b[2], double turn) {
  enum { PIECES = 8 };
  double k = 0.5 / tan(turn / 2), dx = b[0] - a[0], dy = b[1] - a[1];
  double middle[2] = {0.5 * (a[0] + b[0]) - k * dy, 0.5 * (a[1] + b[1]) + k * dx};
  double last[2] = {a[0], a[1]}, rx = a[0] - middle[0], ry = a[1] - middle[1];
  for (int i = 1; i <= PIECES; i++) {
    double angle = turn * i / PIECES, c = cos(angle), s = sin(angle);
    double next[2] = {middle[0] + c * rx - s * ry, middle[1] + s * rx + c * ry};
    stroke(p, last, next);
    memcpy(last, next, sizeof last);
  }
}

static void draw_glyph(pen *p, const char *s) {
  const double pi = 3.14159265358979323846;
  double at[2] = {0, 0};
  char how = ' ';
  for (; *s; s++) {
    if (*s < '0' || *s > '9') {
      how = *s;
      continue;
    }
    double to[2] = {s[0] - '0', s[1] - '0'};
    bool alone = how == ' ' && (s[2] == ' ' || !s[2]);
    switch (how) {
    case '-': stroke(p, at, to); break;
    case '(': arc(p, at, to, pi); break;
    case ')': arc(p, at, to, -pi); break;
    case '[': arc(p, at, to, pi / 2); break;
    case ']': arc(p, at, to, -pi / 2); break;
    default:
      if (alone) stroke(p, to, to);
    }
    memcpy(at, to, sizeof at);
    how = ' ';
    s++;
  }
}

void firn_pixels_text(firn_canvas *c, double x, double y, double size, firn_anchor anchor,
                      firn_ink ink, const char *text) {
  double width = firn_canvas_text_width(size, text);
  pen p = {.canvas = c,
           .x = x - (anchor == FIRN_ANCHOR_START    ? 0
                     : anchor == FIRN_ANCHOR_MIDDLE ? 0.5
                                                    : 1) *
                        width,
           .y = y,
           .unit = unit_of(size),
           .width = fmax(1.05, 0.095 * size),
           .all = {c->width, c->height, 0, 0}};
  for (; *text; text++) {
    const firn_glyph *glyph = glyph_of(*text);
    draw_glyph(&p, glyph->strokes);
    p.x += p.unit * (glyph->width + LETTER_GAP);
  }
  ink_box(c, p.all, ink);
}
