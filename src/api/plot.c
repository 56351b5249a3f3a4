// SPDX-License-Identifier: Apache-2.0
// Curves of a run: which columns go into which panel.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "api/stages.h"
#include "base/def.h"
#include "base/memory.h"
#include "cache/file.h"
#include "render/plot.h"
#include "solver/solver.h"

enum { PANELS = 24, NAME = 64 };

// What is known of columns: those that begin so have this unit and, without the beginning, stand in
// a panel of this name.
static const struct {
  const char *begins, *unit, *panel, *cut;
} known[] = {
    {"energy_", "J", "energy", "energy_"},
    {"com_", "m", "center of mass", "com_"},
    {"center_", "m", "center of mass", "center_"},
    {"momentum_", "kg m/s", "momentum", "momentum_"},
    {"angular_", "kg m^2/s", "angular momentum", "angular_"},
    {"bounds_", "m", "bounds", "bounds_"},
    {"force_", "N", "force", "force_"},
    {"torque_", "N m", "torque", "torque_"},
    {"impulse_", "N s", "impulse", "impulse_"},
    {"position_", "m", "position of the pivot", "position_"},
    {"rotation_", "rad", "rotation, axis times angle", "rotation_"},
    {"velocity_", "m/s", "velocity", "velocity_"},
    {"spin_", "rad/s", "spin", "spin_"},
    {"work", "J", "work on the snow", ""},
    {"power", "W", "power on the snow", ""},
    {"iterations_", "", "iterations of a solve", "iterations_"},
    {"dt_", "s", "time step", "dt_"},
    {"jp_", "", "plastic volume J_P", "jp_"},
    {"jp", "", "plastic volume J_P", ""},
    {"wall_per_step", "s", "wall time of a step", ""},
    {"wall_seconds", "s", "wall time of a frame", ""},
    {FIRN_STAGE_PREFIX, "s", "stages of a frame", FIRN_STAGE_PREFIX},
    {"speed_max", "m/s", "largest speed", ""},
    {"density", "kg/m^3", "density", ""},
    {"stress_", "Pa", "stress", "stress_"},
    {"mass", "kg", "mass", ""},
    {"steps", "", "steps of a frame", ""},
    {"particles", "", "particles", ""},
    {"count", "", "particles", ""},
    {"asleep", "", "particles asleep", ""},
    {"bytes", "B", "size of a frame's file", ""},
    {"time", "s", "time", ""},
};

// What a run is judged by; panels without any value are left out.
static const char usual[] = "energy_kinetic,energy_elastic,energy_gravity,energy_total,"
                            "energy_plastic,energy_lost,com_x,com_y,"
                            "com_z,speed_max,jp_min,jp_mean,iterations_mean,iterations_max,"
                            "wall_per_step,dt_min,dt_mean,particles,asleep";

typedef struct plotter {
  firn_context *context;
  const firn_plot_def *def;
  firn_table *table;
  size_t rows;
  double *derived;    // [2][rows]: energy_total, wall_per_step
  firn_stages stages; // of a folder
  char names[PANELS][FIRN_CURVES][NAME];
  int panel_count;
  firn_panel panel[PANELS];
} plotter;

FIRN_DEFAULTS(plot_def) {
  return (firn_plot_def){.width = 1200, .panel_height = 250};
}

// --------------------------------------------------------------------------------------- columns

// Sums and quotients of columns that many want to see.
static firn_status derive(plotter *p) {
  const firn_table *t = p->table;
  size_t n = p->rows;
  p->derived = firn_alloc(p->context, (2 * n + 1) * sizeof *p->derived, "a plot");
  if (!p->derived) return FIRN_ERROR_MEMORY;
  const double *parts[3] = {firn_table_column(t, "energy_kinetic"),
                            firn_table_column(t, "energy_elastic"),
                            firn_table_column(t, "energy_gravity")};
  const double *wall = firn_table_column(t, "wall_seconds"), *steps = firn_table_column(t, "steps");
  for (size_t i = 0; i < n; i++) {
    p->derived[i] = 0;
    for (int k = 0; k < 3; k++) p->derived[i] += parts[k] ? parts[k][i] : (double)NAN;
    p->derived[n + i] = wall && steps && steps[i] > 0 ? wall[i] / steps[i] : (double)NAN;
  }
  return FIRN_OK;
}

static const double *column(const plotter *p, const char *name) {
  const double *found = firn_table_column(p->table, name);
  if (found) return found;
  if (strcmp(name, "energy_total") == 0) return p->derived;
  if (strcmp(name, "wall_per_step") == 0) return p->derived + p->rows;
  return firn_stages_find(&p->stages, name);
}

static bool has_value(const double *value, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (isfinite(value[i])) return true;
  return false;
}

static bool is_constant(const double *value, size_t n) {
  double first = (double)NAN;
  for (size_t i = 0; value && i < n; i++) {
    if (isfinite(value[i]) && isfinite(first) && value[i] != first) return false;
    if (isfinite(value[i])) first = value[i];
  }
  return true;
}

// The panel that a column belongs to, and what is cut off its name there.
typedef struct place {
  char title[NAME]; // as of a panel
  const char *unit;
  size_t cut;
} place;

static bool is_of_field(const char *column, const firn_field_info *field) {
  size_t length = strlen(field->name);
  if (strncmp(field->name, column, length) != 0) return false;
  return field->components > 1 ? column[length] == '_' : column[length] == 0;
}

// The field that probes.csv has averages of in a column as "young" or "strain_rate_xx": that of the
// longest name.
static const firn_field_info *field_of(const char *column) {
  const firn_field_info *found = NULL;
  const firn_solver_type *type;
  for (int i = 0; i < FIRN_COMMON_FIELDS; i++)
    if (is_of_field(column, &firn_common_fields[i])) found = &firn_common_fields[i];
  for (int i = 0; (type = firn_solver_at(i)); i++)
    for (const firn_field_info *f = type->fields; f && f->name; f++)
      if (is_of_field(column, f) && (!found || strlen(f->name) > strlen(found->name))) found = f;
  return found;
}

static place place_of(const char *name) {
  place at = {.unit = ""};
  snprintf(at.title, sizeof at.title, "%s", name);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strncmp(name, known[i].begins, strlen(known[i].begins)) == 0) {
      snprintf(at.title, sizeof at.title, "%s", known[i].panel);
      at.unit = known[i].unit;
      at.cut = strlen(known[i].cut);
      return at;
    }
  const firn_stat_info *own = firn_stat_find(name); // of some solver
  const firn_field_info *field = own ? NULL : field_of(name);
  if (own) at.unit = own->unit;
  if (field) {
    snprintf(at.title, sizeof at.title, "%s", field->name);
    at.unit = field->unit;
    at.cut = field->components > 1 ? strlen(field->name) + 1 : 0;
  }
  if (strcmp(at.unit, "1") == 0) at.unit = "";
  return at;
}

// Puts a column into the panel of its kind, or a new one.
static firn_status add_column(plotter *p, const char *name, const double *value) {
  const place at = place_of(name);
  const char *title = at.title;
  int k = 0;
  while (k < p->panel_count &&
         (strncmp(p->panel[k].title, title, sizeof p->panel[k].title - 1) != 0 ||
          p->panel[k].curve_count == FIRN_CURVES))
    k++;
  if (k == PANELS)
    return firn_fail(p->context, FIRN_ERROR_ARGUMENT, "a plot has room for %d panels", PANELS);
  firn_panel *panel = &p->panel[k];
  if (k == p->panel_count) {
    p->panel_count++;
    panel->unit = at.unit;
    snprintf(panel->title, sizeof panel->title, "%s", title);
  }
  char *label = p->names[k][panel->curve_count];
  snprintf(label, NAME, "%s", name + at.cut);
  for (char *c = label; *c; c++)
    if (*c == '_') *c = ' ';
  if (panel->curve_count == 0 && at.cut) // should it stay the only one
    snprintf(panel->alone, sizeof panel->alone, "%.30s, %.30s", title, name + at.cut);
  panel->curve[panel->curve_count++] = (firn_curve){.name = label, .value = value};
  return FIRN_OK;
}

static firn_status fail_column(const plotter *p, const char *name) {
  char list[600] = "";
  for (int c = 0; c < firn_table_columns(p->table); c++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", c ? ", " : "", firn_table_name(p->table, c));
  }
  return firn_fail(
      p->context, FIRN_ERROR_ARGUMENT,
      "no column '%s'; there are %s, energy_total and wall_per_step, and stages of steps where "
      "log.jsonl tells them, as seconds_move",
      name, list);
}

static firn_status choose_columns(plotter *p, const char *wanted, bool all) {
  while (*wanted) {
    char name[NAME];
    size_t length = strcspn(wanted, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, wanted);
    wanted += length + (wanted[length] == ',');
    const double *value = column(p, name);
    if (!value && all) return fail_column(p, name);
    bool dull = (strcmp(name, "particles") == 0 || strcmp(name, "asleep") == 0) &&
                is_constant(value, p->rows);
    if (value && (all || (has_value(value, p->rows) && !dull)))
      FIRN_TRY(add_column(p, name, value));
  }
  return FIRN_OK;
}

static firn_status choose_usual(plotter *p) {
  FIRN_TRY(choose_columns(p, usual, false));
  for (int i = 0; i < p->stages.count; i++)
    FIRN_TRY(add_column(p, p->stages.name[i], column(p, p->stages.name[i])));
  return FIRN_OK;
}

// Everything there is, for tables that are not stats.csv.
static firn_status choose_all(plotter *p) {
  for (int c = 0; c < firn_table_columns(p->table); c++) {
    const char *name = firn_table_name(p->table, c);
    const double *value = firn_table_column(p->table, name);
    if (strcmp(name, "frame") == 0 || strcmp(name, "time") == 0) continue;
    if (has_value(value, p->rows)) FIRN_TRY(add_column(p, name, value));
  }
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------------- all

static firn_status draw(plotter *p, const char *title, const char *path, bool svg) {
  const firn_plot_def *def = p->def;
  const double *time = column(p, "time"), *frame = column(p, "frame");
  if (!time && !frame)
    return firn_fail(p->context, FIRN_ERROR_FORMAT, "%s: no column time or frame", def->source);
  if (def->columns)
    FIRN_TRY(choose_columns(p, def->columns, true));
  else if (column(p, "com_x"))
    FIRN_TRY(choose_usual(p));
  else
    FIRN_TRY(choose_all(p));
  if (p->panel_count == 0 || p->rows == 0)
    return firn_fail(p->context, FIRN_ERROR_FORMAT, "%s: there is nothing to plot yet",
                     def->source);
  firn_chart chart = {.title = title,
                      .axis = time ? "time" : "frame",
                      .unit = time ? "s" : "",
                      .count = p->rows,
                      .x = time ? time : frame,
                      .panel_count = p->panel_count,
                      .panel = p->panel,
                      .width = def->width,
                      .panel_height = def->panel_height,
                      .log_scale = def->log_scale};
  firn_canvas canvas;
  FIRN_TRY(firn_canvas_create(p->context, chart.width, firn_chart_height(&chart), !svg, &canvas));
  firn_chart_draw(&chart, &canvas);
  firn_status status = firn_canvas_write(&canvas, path);
  firn_canvas_free(&canvas);
  return status;
}

// The last part of a path that is a name; of a table of a run, "run: colliders, wheel".
static void name_of(const char *path, bool table, const char *where, char *name, size_t size) {
  size_t end = strlen(path);
  while (end > 1 && path[end - 1] == '/') end--;
  size_t begin = end;
  while (begin > 0 && path[begin - 1] != '/') begin--;
  snprintf(name, size, "%.*s", (int)(end - begin), path + begin);
  if (!table) return;
  size_t stop = begin;
  while (stop > 0 && path[stop - 1] == '/') stop--;
  size_t first = stop;
  while (first > 0 && path[first - 1] != '/') first--;
  if (end - begin > 4 && strncmp(path + end - 4, ".csv", 4) == 0) end -= 4;
  snprintf(name, size, "%.*s%s%.*s%s%s", (int)(stop - first), path + first,
           stop > first ? ": " : "", (int)(end - begin), path + begin, where ? ", " : "",
           where ? where : "");
}

firn_status firn_plot(firn_context *context, const firn_plot_def *given, const char *path) {
  if (!context || !given || !path) return firn_fail_null(context, "firn_plot");
  FIRN_TAKE(context, plot_def, given, own);
  const firn_plot_def *def = &own;
  if (!def->source) return firn_fail_null(context, "firn_plot: source");
  size_t length = strlen(path);
  bool svg = length > 4 && strcasecmp(path + length - 4, ".svg") == 0;
  if (!svg && !(length > 4 && strcasecmp(path + length - 4, ".png") == 0))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "plot: %s ends in neither .svg nor .png", path);
  if (def->width < 200 || def->width > 16384 || def->panel_height < 100 || def->panel_height > 4096)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "plot: a width of %d (200 to 16384) and panels of %d pixels (100 to 4096)",
                     def->width, def->panel_height);
  struct stat info;
  char file[FIRN_PATH_SIZE], title[128];
  bool folder = stat(def->source, &info) == 0 && S_ISDIR(info.st_mode);
  if (folder)
    FIRN_TRY(firn_path_format(context, file, "%s/stats.csv", def->source));
  else
    FIRN_TRY(firn_path_format(context, file, "%s", def->source));
  char whole[FIRN_PATH_SIZE]; // "." has a name, too
  name_of(realpath(def->source, whole) ? whole : def->source, !folder, def->where, title,
          sizeof title);
  size_t size = sizeof(plotter);
  plotter *p = firn_alloc_zero(context, size, "a plot");
  if (!p) return FIRN_ERROR_MEMORY;
  p->context = context;
  p->def = def;
  firn_status status = firn_table_open(context, file, def->where, &p->table);
  if (status == FIRN_OK) {
    p->rows = firn_table_rows(p->table);
    status = derive(p);
    if (status == FIRN_OK && folder)
      status = firn_stages_read(context, def->source, column(p, "frame"), p->rows, &p->stages);
    if (status == FIRN_OK) status = draw(p, def->title ? def->title : title, path, svg);
    firn_stages_free(context, &p->stages);
    firn_free(context, p->derived, (2 * p->rows + 1) * sizeof *p->derived);
    firn_table_close(p->table);
  }
  firn_free(context, p, size);
  return status;
}
