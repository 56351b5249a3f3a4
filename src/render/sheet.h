// SPDX-License-Identifier: Apache-2.0
// Contact sheets: pictures in rows, each with a label below it.
#ifndef FIRN_RENDER_SHEET_H
#define FIRN_RENDER_SHEET_H

#include "base/context.h"

// One picture; rgb is [height][width][3], NULL for none.
typedef struct firn_sheet_picture {
  int width, height;
  uint8_t *rgb;
  const char *label;
} firn_sheet_picture;

// Where things are, in pixels.
typedef struct firn_sheet_layout {
  int columns, rows;
  int cell_width, cell_height; // of a picture without its label
  int label_height;
  int scale; // of the text
  int width, height;
} firn_sheet_layout;

// Cells as large as the largest picture; text twice its size where the longest label then fits.
firn_sheet_layout firn_sheet_plan(int count, int columns, const firn_sheet_picture *pictures);
// rgb is [layout->height][layout->width][3].
void firn_sheet_draw(const firn_sheet_layout *layout, int count, const firn_sheet_picture *pictures,
                     uint8_t *rgb);

#endif
