// SPDX-License-Identifier: Apache-2.0
// Text in pictures: a bitmap font of 5 x 8 pixels for ASCII, in whole multiples of that size.
#ifndef FIRN_RENDER_TEXT_H
#define FIRN_RENDER_TEXT_H

#include <stdint.h>

enum { FIRN_TEXT_ADVANCE = 6, FIRN_TEXT_LINE = 10 }; // pixels at scale 1

// Width of the longest line and number of lines ('\n' between them), in characters.
void firn_text_measure(const char *text, int *columns, int *lines);

// Draws text with its top left corner at (x, y) into rgb[height][width][3]; what lies outside the
// picture is cut off. Characters that are not printable ASCII become '?'.
void firn_text_draw(uint8_t *rgb, int width, int height, int x, int y, int scale,
                    const uint8_t color[3], const char *text);

#endif
