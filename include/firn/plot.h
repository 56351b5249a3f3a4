// SPDX-License-Identifier: Apache-2.0
// Curves from the statistics of a run.
#ifndef FIRN_PLOT_H
#define FIRN_PLOT_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_plot_def {
  size_t size;        // of this struct: firn_default_plot_def() knows
  const char *source; // folder of a run, or a CSV file that has a column time or frame
  int more_count; // other runs, 7 at most, drawn over the first: a panel for each column, a curve
  const char *const *more; // for each run. [more_count], as source
  const char
      *columns;      // "energy_kinetic,com_y": a panel for each unit; NULL: what a run is judged by
  const char *title; // NULL: the names of the folders; of another table its own and where as well
  const char *where; // rows to take of a table that has a column `name`: "wheel"; NULL: all, if
                     // they have one name
  int width;         // pixels
  int panel_height;  // pixels, of each panel
  bool log_scale;    // logarithmic values
  char reserved[7];  // 0: up to its end
  const char
      *axis; // the column along the horizontal axis; NULL: time, or frame where there is none
} firn_plot_def;
FIRN_API void firn_plot_def_init(firn_plot_def *def, size_t size);
static inline firn_plot_def firn_default_plot_def(void) {
  firn_plot_def def;
  firn_plot_def_init(&def, sizeof def);
  return def;
}

// path ends in .svg or .png.
FIRN_API firn_status firn_plot(firn_context *context, const firn_plot_def *def, const char *path);

// Curves of a program's own numbers.
typedef struct firn_plot_curve {
  const char *panel;   // curves of the same panel share axes, 8 at most
  const char *unit;    // of the panel: "J"; NULL or "": none
  const char *name;    // for the legend
  size_t count;        // points, which are joined in this order
  const double *x, *y; // [count]; nan: a gap
  double reserved[2];  // 0: for what later versions may add
} firn_plot_curve;

typedef struct firn_curves_def {
  size_t size;                  // of this struct: firn_default_curves_def() knows
  const char *title;            // NULL: none
  const char *axis;             // what x is: "time"
  const char *unit;             // of x; NULL: none
  int count;                    // curves
  int width;                    // pixels
  const firn_plot_curve *curve; // [count]
  int panel_height;             // pixels, of each panel
  bool log_scale;               // logarithmic values
  bool dots;                    // every point has a dot
  bool from_zero;               // values begin at 0
  char reserved[1];             // 0: up to its end
} firn_curves_def;
FIRN_API void firn_curves_def_init(firn_curves_def *def, size_t size);
static inline firn_curves_def firn_default_curves_def(void) {
  firn_curves_def def;
  firn_curves_def_init(&def, sizeof def);
  return def;
}
// path ends in .svg or .png. A panel for each name, in the order in which they first occur.
FIRN_API firn_status firn_plot_curves(firn_context *context, const firn_curves_def *def,
                                      const char *path);

#ifdef __cplusplus
}
#endif

#endif
