// SPDX-License-Identifier: Apache-2.0
// Charts: panels with curves over one common axis.
#ifndef FIRN_RENDER_PLOT_H
#define FIRN_RENDER_PLOT_H

#include "render/plot_canvas.h"

enum { FIRN_CURVES = 8 }; // in a panel

typedef struct firn_curve {
  const char *name;
  const double *value; // [count]; nan: a gap
  const double *x;     // [count] of its own; NULL: those of the chart
  size_t count;        // with x; 0: there is no such curve, but others keep their colours
} firn_curve;

typedef struct firn_panel {
  char title[64];
  char alone[64];   // title where there is one curve only; "": the same
  const char *unit; // "J"; "": none
  int curve_count;
  firn_curve curve[FIRN_CURVES];
} firn_panel;

typedef struct firn_chart {
  const char *title;
  const char *axis; // "time"
  const char *unit; // of it
  size_t count;     // points of each curve that has none of its own
  const double *x;  // [count]; nan: a gap
  int panel_count;
  const firn_panel *panel;
  int width, panel_height; // pixels
  bool log_scale;
  bool dots;      // at every point
  bool from_zero; // values, if there is no log_scale
} firn_chart;

// Height in pixels of what firn_chart_draw draws.
int firn_chart_height(const firn_chart *chart);
void firn_chart_draw(const firn_chart *chart, firn_canvas *canvas);

// ------------------------------------------------------------------------------------------- axes

enum { FIRN_TICKS = 12 };

// Ticks at round numbers.
typedef struct firn_axis {
  double low, high; // of the axis, in units of data; low < high; their logarithms if log_scale
  double factor;    // of what labels say to data: 1000 for kJ
  char prefix[4];   // of the unit: "k"; or "" (labels then say 12k by themselves)
  bool log_scale;
  int count;
  double tick[FIRN_TICKS]; // as low and high
  char label[FIRN_TICKS][24];
} firn_axis;

// An axis that holds [low, high] (equal is fine) with about want ticks, or as many as there is room
// for. Tight: it ends where the data
// does. Units that take a prefix get one where numbers would be long.
firn_axis firn_axis_make(double low, double high, int want, bool tight, bool log_scale,
                         const char *unit);
// Where a value lies, 0 at low to 1 at high.
double firn_axis_place(const firn_axis *axis, double value);

#endif
