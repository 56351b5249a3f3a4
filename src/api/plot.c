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

// A run whose curves are drawn.
typedef struct source {
  char name[2 * NAME]; // of its folder
  firn_table *table;
  size_t rows;
  double *derived;    // [2][rows]: energy_total, wall_per_step
  firn_stages stages; // of a folder
  const double *x;    // [rows], time or frame
} source;

typedef struct plotter {
  firn_context *context;
  const firn_plot_def *def;
  int count;
  source source[FIRN_CURVES]; // [count]
  char names[PANELS][FIRN_CURVES][NAME];
  int panel_count;
  firn_panel panel[PANELS];
} plotter;

FIRN_DEFAULTS(plot_def) {
  return (firn_plot_def){.width = 1200, .panel_height = 250};
}

// --------------------------------------------------------------------------------------- columns

// Sums and quotients of columns that many want to see.
static firn_status derive(firn_context *context, source *s) {
  const firn_table *t = s->table;
  size_t n = s->rows;
  s->derived = firn_alloc(context, (2 * n + 1) * sizeof *s->derived, "a plot");
  if (!s->derived) return FIRN_ERROR_MEMORY;
  const double *parts[3] = {firn_table_column(t, "energy_kinetic"),
                            firn_table_column(t, "energy_elastic"),
                            firn_table_column(t, "energy_gravity")};
  const double *wall = firn_table_column(t, "wall_seconds"), *steps = firn_table_column(t, "steps");
  for (size_t i = 0; i < n; i++) {
    s->derived[i] = 0;
    for (int k = 0; k < 3; k++) s->derived[i] += parts[k] ? parts[k][i] : (double)NAN;
    s->derived[n + i] = wall && steps && steps[i] > 0 ? wall[i] / steps[i] : (double)NAN;
  }
  return FIRN_OK;
}

static const double *column(const source *s, const char *name) {
  const double *found = firn_table_column(s->table, name);
  if (found) return found;
  if (strcmp(name, "energy_total") == 0) return s->derived;
  if (strcmp(name, "wall_per_step") == 0) return s->derived + s->rows;
  return firn_stages_find(&s->stages, name);
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

// A panel for a column of several runs.
static firn_status add_overlay(plotter *p, const char *name) {
  const place at = place_of(name);
  if (p->panel_count == PANELS)
    return firn_fail(p->context, FIRN_ERROR_ARGUMENT, "a plot has room for %d panels", PANELS);
  firn_panel *panel = &p->panel[p->panel_count++];
  panel->unit = at.unit;
  snprintf(panel->title, sizeof panel->title, "%.40s", at.title);
  size_t used = strlen(panel->title);
  if (at.cut) snprintf(panel->title + used, sizeof panel->title - used, ", %.20s", name + at.cut);
  for (char *c = panel->title + used; *c; c++)
    if (*c == '_') *c = ' ';
  for (int i = 0; i < p->count; i++) {
    const source *s = &p->source[i];
    const double *value = column(s, name);
    panel->curve[panel->curve_count++] = (firn_curve){
        .name = s->name, .value = value, .x = s->x, .count = value ? s->rows : 0};
  }
  return FIRN_OK;
}

// Puts a column into the panel of its kind, or a new one.
static firn_status add_column(plotter *p, const char *name) {
  if (p->count > 1) return add_overlay(p, name);
  const double *value = column(&p->source[0], name);
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

static firn_status fail_column(const plotter *p, int of, const char *name) {
  const firn_table *table = p->source[of].table;
  char list[600] = "";
  for (int c = 0; c < firn_table_columns(table); c++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", c ? ", " : "", firn_table_name(table, c));
  }
  return firn_fail(
      p->context, FIRN_ERROR_ARGUMENT,
      "no column '%s'; there are %s, energy_total and wall_per_step, and stages of steps where "
      "log.jsonl tells them, as seconds_move",
      name, list);
}

// What the runs have in a column: in any of them some, in any of them two that differ.
typedef struct contents {
  bool there, value, change;
} contents;

static contents contents_of(const plotter *p, const char *name) {
  contents c = {0};
  for (int i = 0; i < p->count; i++) {
    const double *value = column(&p->source[i], name);
    c.there = c.there || value;
    c.value = c.value || (value && has_value(value, p->source[i].rows));
    c.change = c.change || !is_constant(value, p->source[i].rows);
  }
  return c;
}

static firn_status choose_columns(plotter *p, const char *wanted, bool all) {
  while (*wanted) {
    char name[NAME];
    size_t length = strcspn(wanted, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, wanted);
    wanted += length + (wanted[length] == ',');
    const contents c = contents_of(p, name);
    if (!c.there && all) return fail_column(p, 0, name);
    bool dull = (strcmp(name, "particles") == 0 || strcmp(name, "asleep") == 0) && !c.change;
    if (c.there && (all || (c.value && !dull))) FIRN_TRY(add_column(p, name));
  }
  return FIRN_OK;
}

static firn_status choose_usual(plotter *p) {
  FIRN_TRY(choose_columns(p, usual, false));
  const firn_stages *stages = &p->source[0].stages;
  for (int i = 0; i < stages->count && p->count == 1; i++) FIRN_TRY(add_column(p, stages->name[i]));
  return FIRN_OK;
}

// Everything there is, for tables that are not stats.csv.
static firn_status choose_all(plotter *p) {
  const firn_table *table = p->source[0].table;
  for (int c = 0; c < firn_table_columns(table); c++) {
    const char *name = firn_table_name(table, c);
    if (strcmp(name, "frame") == 0 || strcmp(name, "time") == 0) continue;
    if (contents_of(p, name).value) FIRN_TRY(add_column(p, name));
  }
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------------- all

// Runs have one axis: time where all have it, or frame.
static firn_status find_axis(plotter *p, const char **axis) {
  *axis = p->def->axis ? p->def->axis : "time";
  for (int i = 0; i < p->count && !p->def->axis; i++)
    if (!column(&p->source[i], "time")) *axis = "frame";
  for (int i = 0; i < p->count; i++) {
    p->source[i].x = column(&p->source[i], *axis);
    if (!p->source[i].x && p->def->axis) return fail_column(p, i, *axis);
    if (!p->source[i].x)
      return firn_fail(p->context, FIRN_ERROR_FORMAT, "%s: no column time or frame",
                       i ? p->def->more[i - 1] : p->def->source);
  }
  return FIRN_OK;
}

static firn_status draw(plotter *p, const char *title, const char *path, bool svg) {
  const firn_plot_def *def = p->def;
  const char *axis;
  size_t rows = 0;
  FIRN_TRY(find_axis(p, &axis));
  if (def->columns)
    FIRN_TRY(choose_columns(p, def->columns, true));
  else if (column(&p->source[0], "com_x"))
    FIRN_TRY(choose_usual(p));
  else
    FIRN_TRY(choose_all(p));
  for (int i = 0; i < p->count; i++) rows += p->source[i].rows;
  if (p->panel_count == 0 || rows == 0)
    return firn_fail(p->context, FIRN_ERROR_FORMAT, "%s: there is nothing to plot yet",
                     def->source);
  firn_chart chart = {.title = title,
                      .axis = axis,
                      .unit = place_of(axis).unit,
                      .count = p->source[0].rows,
                      .x = p->source[0].x,
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

static firn_status open_source(plotter *p, const char *path) {
  struct stat info;
  char file[FIRN_PATH_SIZE], whole[FIRN_PATH_SIZE]; // "." has a name, too
  bool folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  if (folder)
    FIRN_TRY(firn_path_format(p->context, file, "%s/stats.csv", path));
  else
    FIRN_TRY(firn_path_format(p->context, file, "%s", path));
  source *s = &p->source[p->count];
  name_of(realpath(path, whole) ? whole : path, !folder, p->def->where, s->name, sizeof s->name);
  FIRN_TRY(firn_table_open(p->context, file, p->def->where, &s->table));
  p->count++;
  s->rows = firn_table_rows(s->table);
  FIRN_TRY(derive(p->context, s));
  return folder ? firn_stages_read(p->context, path, column(s, "frame"), s->rows, &s->stages)
                : FIRN_OK;
}

// Folders of one name are told apart by the way they were given.
static void tell_apart(plotter *p) {
  for (int i = 0; i < p->count; i++)
    for (int k = 0; k < i; k++) {
      if (strcmp(p->source[i].name, p->source[k].name) != 0) continue;
      snprintf(p->source[i].name, sizeof p->source[i].name, "%s", p->def->more[i - 1]);
      if (k) snprintf(p->source[k].name, sizeof p->source[k].name, "%s", p->def->more[k - 1]);
    }
}

static firn_status plot(plotter *p, const char *path, bool svg) {
  const firn_plot_def *def = p->def;
  char title[FIRN_CURVES * (2 * NAME + 2)] = "";
  for (int i = 0; i <= def->more_count; i++) {
    const char *run = i ? def->more[i - 1] : def->source;
    firn_doing(p->context, (size_t)i, (size_t)def->more_count + 1, "plot: reading %s", run);
    FIRN_TRY(open_source(p, run));
  }
  firn_doing(p->context, 0, 0, "plot: drawing");
  tell_apart(p);
  for (int i = 0; i < p->count; i++) {
    size_t used = strlen(title);
    snprintf(title + used, sizeof title - used, "%s%s", i ? ", " : "", p->source[i].name);
  }
  return draw(p, def->title ? def->title : title, path, svg);
}

firn_status firn_plot(firn_context *context, const firn_plot_def *given, const char *path) {
  if (!context || !given || !path) return firn_fail_null(context, "firn_plot");
  FIRN_TAKE(context, plot_def, given, own);
  const firn_plot_def *def = &own;
  if (!def->source) return firn_fail_null(context, "firn_plot: source");
  if (def->more_count && !def->more) return firn_fail_null(context, "firn_plot: more");
  size_t length = strlen(path), size = sizeof(plotter);
  bool svg = length > 4 && strcasecmp(path + length - 4, ".svg") == 0;
  if (!svg && !(length > 4 && strcasecmp(path + length - 4, ".png") == 0))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "plot: %s ends in neither .svg nor .png", path);
  if (def->width < 200 || def->width > 16384 || def->panel_height < 100 || def->panel_height > 4096)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "plot: a width of %d (200 to 16384) and panels of %d pixels (100 to 4096)",
                     def->width, def->panel_height);
  if (def->more_count < 0 || def->more_count >= FIRN_CURVES)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "plot: %d runs in one plot; there is room for 1 to %d", def->more_count + 1,
                     FIRN_CURVES);
  plotter *p = firn_alloc_zero(context, size, "a plot");
  if (!p) return FIRN_ERROR_MEMORY;
  p->context = context;
  p->def = def;
  firn_status status = plot(p, path, svg);
  for (int i = 0; i < p->count; i++) {
    source *s = &p->source[i];
    firn_stages_free(context, &s->stages);
    firn_free(context, s->derived, s->derived ? (2 * s->rows + 1) * sizeof *s->derived : 0);
    firn_table_close(s->table);
  }
  firn_free(context, p, size);
  return status;
}
