// SPDX-License-Identifier: Apache-2.0
#include "render/sheet.h"

#include <math.h>
#include <string.h>

#include "render/text.h"

enum { GAP = 8, EMPTY_WIDTH = 320, EMPTY_HEIGHT = 180 };

static const uint8_t paper[3] = {246, 247, 249}, ink[3] = {24, 28, 36}, empty[3] = {222, 225, 230};

static int largest(int a, int b) {
  return a > b ? a : b;
}

firn_sheet_layout firn_sheet_plan(int count, int columns, const firn_sheet_picture *pictures) {
  firn_sheet_layout l = {.cell_width = 0, .cell_height = 0};
  int letters = 1, lines = 0;
  for (int i = 0; i < count; i++) {
    int n, m;
    firn_text_measure(pictures[i].label, &n, &m);
    letters = largest(letters, n);
    lines = largest(lines, m);
    l.cell_width = largest(l.cell_width, pictures[i].rgb ? pictures[i].width : 0);
    l.cell_height = largest(l.cell_height, pictures[i].rgb ? pictures[i].height : 0);
  }
  if (!l.cell_width) {
    l.cell_width = EMPTY_WIDTH;
    l.cell_height = EMPTY_HEIGHT;
  }
  l.scale = 2 * letters * FIRN_TEXT_ADVANCE <= l.cell_width ? 2 : 1;
  l.label_height = lines ? (lines * FIRN_TEXT_LINE + 4) * l.scale : 0;
  int wide = l.cell_width + GAP, high = l.cell_height + l.label_height + GAP;
  // columns wide / (rows high) about 3/2, with rows = count / columns.
  if (columns <= 0) columns = (int)lround(sqrt(1.5 * count * high / wide));
  l.columns = columns < 1 ? 1 : columns > count ? largest(count, 1) : columns;
  l.rows = largest((count + l.columns - 1) / l.columns, 1);
  l.width = l.columns * wide + GAP;
  l.height = l.rows * high + GAP;
  return l;
}

static void fill(const firn_sheet_layout *l, int x, int y, int width, int height,
                 const uint8_t color[3], uint8_t *rgb) {
  for (int j = y; j < y + height; j++) {
    uint8_t *p = rgb + 3 * ((size_t)j * (size_t)l->width + (size_t)x);
    for (int i = 0; i < width; i++, p += 3) memcpy(p, color, 3);
  }
}

void firn_sheet_draw(const firn_sheet_layout *l, int count, const firn_sheet_picture *pictures,
                     uint8_t *rgb) {
  fill(l, 0, 0, l->width, l->height, paper, rgb);
  for (int i = 0; i < count; i++) {
    const firn_sheet_picture *p = &pictures[i];
    int x = GAP + i % l->columns * (l->cell_width + GAP);
    int y = GAP + i / l->columns * (l->cell_height + l->label_height + GAP);
    if (!p->rgb) fill(l, x, y, l->cell_width, l->cell_height, empty, rgb);
    for (int j = 0; p->rgb && j < p->height; j++) {
      memcpy(rgb + 3 * ((size_t)(y + j) * (size_t)l->width + (size_t)x),
             p->rgb + 3 * (size_t)j * (size_t)p->width, 3 * (size_t)p->width);
    }
    // A label that is too long ends at the edge of its cell, not in the next one.
    int room = l->cell_width / (FIRN_TEXT_ADVANCE * l->scale),
        top = y + l->cell_height + 4 * l->scale;
    for (const char *line = p->label; *line; top += FIRN_TEXT_LINE * l->scale) {
      char part[512];
      size_t n = strcspn(line, "\n"), shown = n < (size_t)room ? n : (size_t)room;
      if (shown >= sizeof part) shown = sizeof part - 1;
      memcpy(part, line, shown);
      part[shown] = 0;
      firn_text_draw(rgb, l->width, l->height, x, top, l->scale, ink, part);
      line += n + (line[n] == '\n');
    }
  }
}
