// SPDX-License-Identifier: Apache-2.0
#include "render/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Blue, vermilion, green, purple, orange, sky, black, brown: apart also for the colour-blind (after
// Okabe and Ito).
static const firn_ink inks[FIRN_CURVES] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                           0xe69f00, 0x56b4e9, 0x222222, 0x8c564b};

// Pixels.
enum {
  TITLE = 44,  // room above all panels
  LEFT = 66,   // of a panel, for the labels
  RIGHT = 18,  // of a panel
  TOP = 30,    // of a panel, for its name and legend
  BOTTOM = 26, // of a panel, for the labels of its axis
  GAP = 18,    // between panels
  FOOT = 22,   // below all, for the name of the axis
  TEXT = 13,   // size of it
  LINE = 18,   // from one of a legend to the next ...
  LINES = 3,   // ... which are this many at most; what does not fit is left out
  DASH = 18    // of a legend
};
static const firn_ink black = 0x1a1a1a, grey = 0x595959, faint = 0xe3e6ea, frame = 0x9aa0a6;

static int columns_of(const firn_chart *chart) {
  return chart->panel_count > 3 && chart->width >= 900 ? 2 : 1;
}

int firn_chart_height(const firn_chart *chart) {
  int columns = columns_of(chart), rows = (chart->panel_count + columns - 1) / columns;
  return TITLE + rows * chart->panel_height + (rows - 1) * GAP + FOOT;
}

typedef struct area {
  double x0, y0, x1, y1;
} area;

static size_t count_of(const firn_chart *chart, const firn_curve *curve) {
  return curve->x ? curve->count : chart->count;
}

static const double *places(const firn_chart *chart, const firn_curve *curve) {
  return curve->x ? curve->x : chart->x;
}

// Smallest and largest value that can be shown; false: none.
static bool values_of(const firn_chart *chart, const firn_panel *panel, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int c = 0; c < panel->curve_count; c++) {
    const firn_curve *curve = &panel->curve[c];
    for (size_t i = 0; i < count_of(chart, curve); i++) {
      double v = curve->value[i];
      if (!isfinite(v) || !isfinite(places(chart, curve)[i]) || (chart->log_scale && v <= 0))
        continue;
      *low = fmin(*low, v);
      *high = fmax(*high, v);
    }
  }
  return *low <= *high;
}

// The same of the common axis.
static bool places_of(const firn_chart *chart, double *low, double *high) {
  *low = INFINITY;
  *high = -INFINITY;
  for (int p = 0; p < chart->panel_count; p++)
    for (int c = 0; c < chart->panel[p].curve_count; c++) {
      const firn_curve *curve = &chart->panel[p].curve[c];
      for (size_t i = 0; i < count_of(chart, curve); i++) {
        double x = places(chart, curve)[i];
        if (!isfinite(x)) continue;
        *low = fmin(*low, x);
        *high = fmax(*high, x);
      }
    }
  return *low <= *high;
}

static void line(firn_canvas *canvas, double x0, double y0, double x1, double y1, double width,
                 firn_ink ink) {
  const double points[4] = {x0, y0, x1, y1};
  firn_canvas_line(canvas, 2, points, width, ink);
}

static double across(const area *a, const firn_axis *x, double value) {
  return a->x0 + firn_axis_place(x, value) * (a->x1 - a->x0);
}

static double upward(const area *a, const firn_axis *y, double value) {
  return a->y1 - firn_axis_place(y, value) * (a->y1 - a->y0);
}

static void draw_grid(firn_canvas *canvas, const area *a, const firn_axis *x, const firn_axis *y) {
  for (int i = 0; i < x->count; i++) {
    double at = floor(across(a, x, x->tick[i])) + 0.5;
    line(canvas, at, a->y0, at, a->y1, 1, faint);
    firn_canvas_text(canvas, at, a->y1 + 17, TEXT, FIRN_ANCHOR_MIDDLE, grey, x->label[i]);
  }
  for (int i = 0; i < y->count; i++) {
    double part = (y->tick[i] - y->low) / (y->high - y->low);
    double at = floor(a->y1 - part * (a->y1 - a->y0)) + 0.5;
    line(canvas, a->x0, at, a->x1, at, 1, faint);
    firn_canvas_text(canvas, a->x0 - 8, at + 4.5, TEXT, FIRN_ANCHOR_END, grey, y->label[i]);
  }
  if (!y->log_scale && y->low < 0 && y->high > 0) {
    double zero = floor(upward(a, y, 0)) + 0.5;
    line(canvas, a->x0, zero, a->x1, zero, 1, frame);
  }
}

static void draw_frame(firn_canvas *canvas, const area *a) {
  double x = floor(a->x0) + 0.5, y = floor(a->y1) + 0.5;
  line(canvas, x, a->y0, x, y, 1, frame);
  line(canvas, x, y, a->x1, y, 1, frame);
}

// Pieces between gaps; points in the same tenth of a pixel are drawn once.
static void draw_curve(firn_canvas *canvas, const firn_chart *chart, const area *a,
                       const firn_axis *x, const firn_axis *y, int c, const firn_curve *curve) {
  enum { MOST = 2048 };
  double points[2 * MOST] = {0};
  size_t n = 0, count = count_of(chart, curve);
  for (size_t i = 0; i <= count; i++) {
    double px = i < count ? across(a, x, places(chart, curve)[i]) : (double)NAN;
    double py = i < count ? upward(a, y, curve->value[i]) : (double)NAN;
    bool gap = !isfinite(px) || !isfinite(py);
    if (!gap && n && fabs(px - points[2 * n - 2]) < 0.1 && fabs(py - points[2 * n - 1]) < 0.1)
      continue;
    if (n && (gap || n == MOST)) {
      firn_canvas_line(canvas, n, points, n == 1 ? 4 : 1.8, inks[c]);
      if (!gap) memmove(points, points + 2 * n - 2, 2 * sizeof *points);
      n = gap ? 0 : 1;
    }
    if (gap) continue;
    points[2 * n] = px;
    points[2 * n + 1] = py;
    n++;
  }
}

static void draw_dots(firn_canvas *canvas, const firn_chart *chart, const area *a,
                      const firn_axis *x, const firn_axis *y, int c, const firn_curve *curve) {
  for (size_t i = 0; i < count_of(chart, curve); i++) {
    double point[2] = {across(a, x, places(chart, curve)[i]), upward(a, y, curve->value[i])};
    if (isfinite(point[0]) && isfinite(point[1])) firn_canvas_line(canvas, 1, point, 7, inks[c]);
  }
}

// Names end at the panel's edge, in lines of which the first begins right of the title, at `left`. Tells
// whether they fit; without a canvas no more than that.
static bool place_legend(firn_canvas *canvas, const firn_panel *panel, const area *a, double left,
                         int lines) {
  double x = a->x1, y = a->y0 - 11;
  for (int c = panel->curve_count - 1; c >= 0; c--) {
    double width = firn_canvas_text_width(TEXT, panel->curve[c].name);
    if (x - width - DASH - 6 < (lines == 1 ? left : a->x0)) {
      if (--lines == 0) return false;
      x = a->x1, y -= LINE;
      c++;
      continue;
    }
    if (canvas)
      firn_canvas_text(canvas, x - width, y, TEXT, FIRN_ANCHOR_START, black, panel->curve[c].name);
    x -= width + DASH + 6;
    if (canvas) line(canvas, x, y - 4.5, x + DASH, y - 4.5, 2.4, inks[c]);
    x -= 16;
  }
  return true;
}

static void draw_panel(firn_canvas *canvas, const firn_chart *chart, const firn_panel *panel,
                       const firn_axis *x, const area *all) {
  area a = {all->x0 + LEFT, all->y0 + TOP, all->x1 - RIGHT, all->y1 - BOTTOM};
  double low, high;
  bool log_scale = chart->log_scale, any = values_of(chart, panel, &low, &high);
  if (!any) low = log_scale ? 1 : 0, high = log_scale ? 10 : 1;
  // Zero is shown where it is near: what stands on it can be compared by height.
  bool zero = chart->from_zero;
  if (!log_scale && low > 0 && (zero || low < 0.5 * high)) low = 0;
  if (!log_scale && high < 0 && (zero || high > 0.5 * low)) high = 0;
  int want = (int)fmax((a.y1 - a.y0) / 42, 2);
  firn_axis y = firn_axis_make(low, high, want, false, log_scale, panel->unit);
  char title[128];
  bool alone = panel->curve_count == 1 && panel->alone[0];
  snprintf(title, sizeof title, panel->unit[0] ? "%s [%s%s]" : "%s",
           alone ? panel->alone : panel->title, y.prefix, panel->unit);
  firn_canvas_text(canvas, a.x0 - LEFT + 8, a.y0 - 11, TEXT + 1, FIRN_ANCHOR_START, black, title);
  double left = a.x0 - LEFT + 8 + firn_canvas_text_width(TEXT + 1, title) + 16;
  if (panel->curve_count > 1) {
    int lines = 1;
    while (lines < LINES && !place_legend(NULL, panel, &a, left, lines)) lines++;
    a.y0 += LINE * (lines - 1);
    place_legend(canvas, panel, &a, left, lines);
  }
  draw_grid(canvas, &a, x, &y);
  draw_frame(canvas, &a);
  for (int c = 0; c < panel->curve_count; c++)
    draw_curve(canvas, chart, &a, x, &y, c, &panel->curve[c]);
  for (int c = 0; chart->dots && c < panel->curve_count; c++)
    draw_dots(canvas, chart, &a, x, &y, c, &panel->curve[c]);
  if (!any)
    firn_canvas_text(canvas, 0.5 * (a.x0 + a.x1), 0.5 * (a.y0 + a.y1), TEXT, FIRN_ANCHOR_MIDDLE,
                     grey, "no values");
}

void firn_chart_draw(const firn_chart *chart, firn_canvas *canvas) {
  int columns = columns_of(chart);
  double width = (double)chart->width / columns;
  double first, last;
  if (!places_of(chart, &first, &last)) first = 0, last = 1;
  int want = (int)fmax((width - LEFT - RIGHT) / 90, 2);
  firn_axis x = firn_axis_make(first, last, want, last > first, false, chart->unit);
  firn_canvas_text(canvas, 12, 29, TEXT + 5, FIRN_ANCHOR_START, black, chart->title);
  char axis[96];
  snprintf(axis, sizeof axis, chart->unit[0] ? "%s [%s%s]" : "%s", chart->axis, x.prefix,
           chart->unit);
  for (int i = 0; i < chart->panel_count; i++) {
    int row = i / columns, column = i % columns;
    area a = {column * width, TITLE + row * (chart->panel_height + GAP), (column + 1) * width, 0};
    a.y1 = a.y0 + chart->panel_height;
    draw_panel(canvas, chart, &chart->panel[i], &x, &a);
    bool lowest = i + columns >= chart->panel_count;
    if (lowest)
      firn_canvas_text(canvas, 0.5 * (a.x0 + LEFT + a.x1 - RIGHT), a.y1 + 12, TEXT,
                       FIRN_ANCHOR_MIDDLE, black, axis);
  }
}
