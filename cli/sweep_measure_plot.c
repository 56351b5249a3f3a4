// SPDX-License-Identifier: Apache-2.0
// Curves of a sweep: measures over the values that vary, and the runs over time.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep_measure.h"

// The most that firn_plot_curves draws: in a panel, and in all.
enum { CURVES = 8, PLOT_CURVES = 1000, LABEL = 256 };

// Measures that have a panel.
static bool has_panel(const sweep_measure_row *row) {
  static const char *const names[] = {
      "energy_kinetic", "energy_elastic", "speed_max", "jp_mean",  "jp_min",
      "com_y",          "extent_x",       "extent_y",  "extent_z", "pieces",
      "pieces_mass",    "piece_largest",  "force",     "impulse"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(row->name, names[i]) == 0) return true;
  return false;
}

// The numbers of an axis, and what they are; its places from 1 on where its values are not numbers
// of one unit.
static void read_places(const sweep_axis *axis, double *x, char name[LABEL]) {
  const char *unit = NULL;
  bool alike = true;
  for (int i = 0; i < axis->count; i++) {
    char *end;
    x[i] = strtod(axis->value[i], &end);
    end += strspn(end, " ");
    alike = alike && end != axis->value[i] && isfinite(x[i]) && (!unit || !strcmp(unit, end));
    unit = unit ? unit : end;
  }
  alike = alike && unit && strlen(unit) < 16 && !strpbrk(unit, "+-*/([{,");
  if (alike)
    snprintf(name, LABEL, "%s%s%s", axis->name, *unit ? ", " : "", unit);
  else
    snprintf(name, LABEL, "%s: value number", axis->name);
  for (int i = 0; i < axis->count && !alike; i++) x[i] = i + 1;
}

typedef struct drawing {
  const sweep_measures *all;
  const sweep_axis *axis;
  double x[SWEEP_VALUES];
  int order[SWEEP_VALUES]; // values of the axis by x
  bool times;              // a curve is a time; otherwise a choice of the other values
  int curves;              // in a panel
  char name[CURVES][LABEL];
  int panels;
  char (*title)[LABEL]; // [panels]
  int count;
  firn_plot_curve *curve; // [count]
  double *numbers;        // [count][2][axis->count]
} drawing;

static void sort_values(drawing *d) {
  for (int i = 0; i < d->axis->count; i++) {
    int at = i;
    for (; at > 0 && d->x[d->order[at - 1]] > d->x[i]; at--) d->order[at] = d->order[at - 1];
    d->order[at] = i;
  }
}

// The last axis goes along; the others, or the times, make curves.
static void name_curves(drawing *d) {
  const sweep_measures *all = d->all;
  const sweep *s = all->s;
  int many = d->times ? all->time_count : s->count / d->axis->count;
  d->curves = many < CURVES ? many : CURVES;
  for (int c = 0; c < d->curves; c++) {
    size_t used = 0;
    if (d->times) snprintf(d->name[c], LABEL, "%.4g s", all->time[c]);
    for (int a = 0; !d->times && a < s->axis_count - 1 && used < LABEL; a++)
      used += (size_t)snprintf(d->name[c] + used, LABEL - used, "%s%s = %s", a ? ", " : "",
                               s->axis[a].name, sweep_value(s, c * d->axis->count, a));
  }
}

static bool add_curve(drawing *d, int row, int c) {
  const sweep_measures *all = d->all;
  int n = d->axis->count, time = d->times ? c : all->time_count - 1;
  double *x = d->numbers + 2 * (size_t)d->count * (size_t)n, *y = x + n;
  bool any = false;
  for (int i = 0; i < n; i++) {
    const char *why;
    int run = (d->times ? 0 : c * n) + d->order[i];
    x[i] = d->x[d->order[i]];
    y[i] = sweep_measure_value(all, run, time, row, &why);
    any = any || (!isnan(y[i]) && y[i] != 0);
  }
  const char *unit = all->row[row].unit;
  d->curve[d->count++] = (firn_plot_curve){.panel = d->title[d->panels],
                                           .unit = strcmp(unit, "1") == 0 ? "" : unit,
                                           .name = d->name[c],
                                           .count = (size_t)n,
                                           .x = x,
                                           .y = y};
  return any;
}

// Titles are the names of panels: each has its own.
static void name_panel(drawing *d, int row) {
  char *title = d->title[d->panels];
  sweep_measure_label(&d->all->row[row], title, 60);
  for (int k = 0; k < d->panels; k++) {
    if (strcmp(d->title[k], title) != 0) continue;
    snprintf(title + 40, 20, " (%d)", row);
    return;
  }
}

// A panel of nothing but 0 is left out, and what there is no room for.
static void add_panel(drawing *d, int row) {
  int before = d->count;
  bool any = false;
  if (d->count + d->curves > PLOT_CURVES) return;
  name_panel(d, row);
  for (int c = 0; c < d->curves; c++) any = add_curve(d, row, c) || any;
  if (any)
    d->panels++;
  else
    d->count = before;
}

static firn_status draw_values(drawing *d, firn_context *context) {
  char axis[LABEL], path[4300], title[LABEL];
  const sweep *s = d->all->s;
  read_places(d->axis, d->x, axis);
  sort_values(d);
  name_curves(d);
  for (int r = 0; r < d->all->row_count; r++)
    if (has_panel(&d->all->row[r])) add_panel(d, r);
  snprintf(path, sizeof path, "%s/measures.svg", s->folder);
  if (!d->count) { // no run could be measured; what an earlier one was is not true any more
    unlink(path);
    return FIRN_OK;
  }
  snprintf(title, sizeof title, "%s", s->scene);
  if (!d->times)
    snprintf(title, sizeof title, "%.200s, %.4g s", s->scene, d->all->time[d->all->time_count - 1]);
  firn_curves_def def = firn_default_curves_def();
  def.title = title;
  def.axis = axis;
  def.count = d->count;
  def.curve = d->curve;
  def.panel_height = 190;
  def.dots = true;
  def.from_zero = true; // small differences look small
  return firn_plot_curves(context, &def, path);
}

static firn_status plot_values(const sweep_measures *all, firn_context *context) {
  const sweep *s = all->s;
  drawing *d = calloc(1, sizeof *d);
  size_t rows = (size_t)all->row_count + 1;
  firn_status status = FIRN_ERROR_MEMORY;
  if (!d) return status;
  d->all = all;
  d->axis = &s->axis[s->axis_count - 1];
  d->times = s->axis_count == 1;
  d->title = calloc(rows, sizeof *d->title);
  d->curve = calloc(rows * CURVES, sizeof *d->curve);
  d->numbers = calloc(rows * CURVES * 2 * (size_t)d->axis->count, sizeof *d->numbers);
  if (d->title && d->curve && d->numbers) status = draw_values(d, context);
  free(d->title);
  free(d->curve);
  free(d->numbers);
  free(d);
  return status;
}

// --------------------------------------------------------------------------------------- over time

static bool has_jp(const sweep_measures *all) {
  const char *why;
  for (int r = 0; r < all->row_count; r++)
    for (int i = 0; strcmp(all->row[r].name, "jp_mean") == 0 && i < all->s->count; i++)
      if (!isnan(sweep_measure_value(all, i, all->time_count - 1, r, &why))) return true;
  return false;
}

// The first runs that are finished.
static firn_status plot_times(const sweep_measures *all, firn_context *context) {
  char folder[CURVES][4200], path[4300];
  const char *more[CURVES];
  const sweep *s = all->s;
  firn_plot_def def = firn_default_plot_def();
  int count = 0;
  for (int i = 0; i < s->count && count < CURVES; i++) {
    if (!all->moment[i * all->time_count].m) continue;
    sweep_folder(s, i, folder[count], sizeof folder[count]);
    more[count] = folder[count];
    count++;
  }
  snprintf(path, sizeof path, "%s/curves.svg", s->folder);
  if (!count) {
    unlink(path);
    return FIRN_OK;
  }
  def.source = more[0];
  def.more = more + 1;
  def.more_count = count - 1;
  def.title = s->scene;
  def.panel_height = 190;
  def.columns = has_jp(all) ? "energy_kinetic,energy_elastic,speed_max,jp_mean,jp_min,com_y"
                            : "energy_kinetic,energy_elastic,speed_max,com_y";
  return firn_plot(context, &def, path);
}

firn_status sweep_measures_plot(const sweep_measures *all, firn_context *context) {
  cli_wait("drawing the measures");
  firn_status status = plot_values(all, context);
  return status == FIRN_OK ? plot_times(all, context) : status;
}
