// SPDX-License-Identifier: Apache-2.0
// Lays out text in the stroke font.
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "geometry/extrude.h"
#include "geometry/font.h"

// Clear space between letters, in letter heights, times spacing.
static const double GAP = 0.18;

typedef struct pen {
  firn_outline *outline;
  double unit;  // m: of the font's grid
  double at[2]; // m: corner of the letter on the base line
} pen;

static void place(const pen *p, const char *digits, double out[2]) {
  out[0] = p->at[0] + p->unit * (digits[0] - '0');
  out[1] = p->at[1] + p->unit * (digits[1] - '0' - FIRN_FONT_BASE);
}

static double bulge_of(char how) {
  const double quarter = 0.41421356237309503; // tan(90 degrees / 4)
  switch (how) {
  case '(': return 1;
  case ')': return -1;
  case '[': return quarter;
  case ']': return -quarter;
  default: return 0;
  }
}

static firn_status draw(const pen *p, const char *strokes) {
  const char *s = strokes;
  while (*s) {
    double from[2], to[2];
    place(p, s, from);
    s += 2;
    if (!*s || *s == ' ') FIRN_TRY(firn_outline_add(p->outline, from, from, 0));
    while (*s && *s != ' ') {
      place(p, s + 1, to);
      FIRN_TRY(firn_outline_add(p->outline, from, to, bulge_of(*s)));
      memcpy(from, to, sizeof from);
      s += 3;
    }
    if (*s == ' ') s++;
  }
  return FIRN_OK;
}

// Width of a line from the ink's left edge to its right edge, m; also checks its letters.
static firn_status measure(firn_context *context, const firn_shape_def *def, const char *what,
                           const char *line, size_t length, double unit, double gap,
                           double *width) {
  *width = 0;
  for (size_t i = 0; i < length; i++) {
    const firn_glyph *glyph = firn_font_find(line[i]);
    if (!glyph) {
      unsigned char byte = (unsigned char)line[i];
      return isprint(byte)
                 ? firn_fail(context, FIRN_ERROR_ARGUMENT,
                             "%s: text '%s': there is no letter for '%c'", what, def->text, byte)
                 : firn_fail(context, FIRN_ERROR_ARGUMENT,
                             "%s: text '%s': there is no letter for byte 0x%02x; use A-Z, a-z, 0-9 "
                             "and common punctuation",
                             what, def->text, byte);
    }
    *width += glyph->width * unit + def->thickness + (i ? gap : 0);
  }
  return FIRN_OK;
}

static firn_status check(firn_context *context, const firn_shape_def *def, const char *what) {
  if (!def->text || strspn(def->text, " \n") == strlen(def->text)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: text is empty", what);
  }
  if (strlen(def->text) > 1000) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: text of %zu letters is longer than 1000",
                     what, strlen(def->text));
  }
  FIRN_TRY(firn_shape_check_positive(context, what, "height", def->height));
  if (!(def->thickness <= def->height / 3)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: thickness = %g m must not exceed a third of height = %g m", what,
                     def->thickness, def->height);
  }
  if (!(isfinite(def->spacing) && def->spacing >= 0 && isfinite(def->line_spacing) &&
        def->line_spacing >= 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: spacing = %g and line_spacing = %g must be 0 or more", what, def->spacing,
                     def->line_spacing);
  }
  if ((int)def->align < FIRN_ALIGN_LEFT || def->align > FIRN_ALIGN_RIGHT) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: align %d does not exist", what,
                     (int)def->align);
  }
  return FIRN_OK;
}

firn_status firn_text_outline(firn_context *context, const firn_shape_def *def, const char *what,
                              firn_outline *outline) {
  FIRN_TRY(check(context, def, what));
  // Strokes run along the middle of the ink, which fills the height from its first to its last bit.
  double unit = (def->height - def->thickness) / FIRN_FONT_CAPITAL;
  double gap = GAP * def->height * (def->spacing > 0 ? def->spacing : 1);
  double down = def->height * (def->line_spacing > 0 ? def->line_spacing : 1.6);
  pen p = {.outline = outline, .unit = unit, .at = {0, def->thickness / 2}};
  for (const char *line = def->text;; p.at[1] -= down) {
    size_t length = strcspn(line, "\n");
    double width;
    FIRN_TRY(measure(context, def, what, line, length, unit, gap, &width));
    p.at[0] = def->thickness / 2 - width * 0.5 * (double)def->align;
    for (size_t i = 0; i < length; i++) {
      const firn_glyph *glyph = firn_font_find(line[i]);
      FIRN_TRY(draw(&p, glyph->strokes));
      p.at[0] += glyph->width * unit + def->thickness + gap;
    }
    if (!line[length]) break;
    line += length + 1;
  }
  return FIRN_OK;
}
