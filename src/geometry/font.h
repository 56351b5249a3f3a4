// SPDX-License-Identifier: Apache-2.0
// A stroke font: letters as lines and arcs on a grid.
//
// A glyph is written as strokes with a space between them. A stroke is a list of points, two digits
// each: x from the left edge, y with the base line at 2, small letters up to 6, capitals up to 8 and
// descenders down to 0. Between two points stands how to get there:
//   -    straight
//   ( )  half a circle, turning left or right
//   [ ]  a quarter of a circle, turning left or right
// A stroke of a single point is a dot.
#ifndef FIRN_GEOMETRY_FONT_H
#define FIRN_GEOMETRY_FONT_H

typedef struct firn_glyph {
  char letter;
  signed char width; // of the grid
  const char *strokes;
} firn_glyph;

enum { FIRN_FONT_BASE = 2, FIRN_FONT_CAPITAL = 6 }; // base line, and a capital's height above it

const firn_glyph *firn_font_find(char letter); // NULL: there is none

#endif
