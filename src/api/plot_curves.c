// SPDX-License-Identifier: Apache-2.0
// Curves of a program's own numbers.
#include <firn/plot.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"
#include "base/memory.h"
#include "render/plot.h"

FIRN_DEFAULTS(curves_def) {
  return (firn_curves_def){.axis = "x", .width = 1200, .panel_height = 250};
}

static bool ends_in(const char *path, const char *ending) {
  size_t length = strlen(path), n = strlen(ending);
  return length > n && strcasecmp(path + length - n, ending) == 0;
}

static firn_status check(firn_context *context, const firn_curves_def *def, const char *path) {
  if (!ends_in(path, ".svg") && !ends_in(path, ".png"))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "plot: %s ends in neither .svg nor .png", path);
  if (def->width < 200 || def->width > 16384 || def->panel_height < 100 || def->panel_height > 4096)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "plot: a width of %d (200 to 16384) and panels of %d pixels (100 to 4096)",
                     def->width, def->panel_height);
  if (def->count < 1 || def->count > 1000)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "plot: %d curves; there is room for 1 to 1000",
                     def->count);
  if (!def->axis || !def->curve) return firn_fail_null(context, "firn_plot_curves: axis or curve");
  for (int i = 0; i < def->count; i++) {
    const firn_plot_curve *c = &def->curve[i];
    if (!c->panel || !c->name || (c->count && (!c->x || !c->y)))
      return firn_fail_null(context, "firn_plot_curves: of a curve its panel, name, x or y");
    FIRN_TRY(firn_room_check(context, "a curve of a plot", c->reserved, 2));
  }
  return FIRN_OK;
}

static firn_status add(firn_context *context, const firn_plot_curve *c, firn_chart *chart,
                       firn_panel *panels) {
  int k = 0;
  while (k < chart->panel_count &&
         strncmp(panels[k].title, c->panel, sizeof panels->title - 1) != 0)
    k++;
  firn_panel *panel = &panels[k];
  if (k == chart->panel_count) {
    chart->panel_count++;
    panel->unit = c->unit ? c->unit : "";
    snprintf(panel->title, sizeof panel->title, "%s", c->panel);
  }
  if (panel->curve_count == FIRN_CURVES)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "plot: more than %d curves in the panel '%s'",
                     FIRN_CURVES, c->panel);
  panel->curve[panel->curve_count++] = (firn_curve){
      .name = c->name, .value = c->y, .x = c->x, .count = c->x ? c->count : 0};
  return FIRN_OK;
}

static firn_status draw(firn_context *context, const firn_chart *chart, const char *path) {
  firn_canvas canvas;
  FIRN_TRY(firn_canvas_create(context, chart->width, firn_chart_height(chart),
                              !ends_in(path, ".svg"), &canvas));
  firn_chart_draw(chart, &canvas);
  firn_status status = firn_canvas_write(&canvas, path);
  firn_canvas_free(&canvas);
  return status;
}

firn_status firn_plot_curves(firn_context *context, const firn_curves_def *given,
                             const char *path) {
  if (!context || !given || !path) return firn_fail_null(context, "firn_plot_curves");
  FIRN_TAKE(context, curves_def, given, def);
  FIRN_TRY(check(context, &def, path));
  size_t bytes = (size_t)def.count * sizeof(firn_panel);
  firn_panel *panels = firn_alloc_zero(context, bytes, "a plot");
  if (!panels) return FIRN_ERROR_MEMORY;
  firn_chart chart = {.title = def.title ? def.title : "",
                      .axis = def.axis,
                      .unit = def.unit ? def.unit : "",
                      .panel = panels,
                      .width = def.width,
                      .panel_height = def.panel_height,
                      .log_scale = def.log_scale,
                      .dots = def.dots,
                      .from_zero = def.from_zero};
  firn_status status = FIRN_OK;
  for (int i = 0; i < def.count && status == FIRN_OK; i++)
    status = add(context, &def.curve[i], &chart, panels);
  if (status == FIRN_OK) status = draw(context, &chart, path);
  firn_free(context, panels, bytes);
  return status;
}
