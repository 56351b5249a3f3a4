// SPDX-License-Identifier: Apache-2.0
// Integral measures of a run at a time: from its tables, and from the frame that is nearest.
#include <firn/measure.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/measure_frame.h"
#include "base/def.h"
#include "base/memory.h"
#include "cache/colliders.h"
#include "cache/file.h"

enum { OF_SNOW = 24, OF_COLLIDER = 8, NAME = 128, REASON = 256 };

// A collider of colliders.csv: the impulse of the snow on it.
typedef struct pushed {
  char name[NAME];
  double within[3]; // N s, from force_from to force_to
  double so_far[3]; // N s, from the beginning to the time measured
} pushed;

struct firn_measurement {
  firn_context *context;
  int frame;
  double time; // s
  int count, room;
  firn_measure *list;     // [room]
  char (*reason)[REASON]; // [room]
  int pushed_count;
  pushed *pushed; // [firn_room(pushed_count)]
};

FIRN_DEFAULTS(measure_def) {
  return (firn_measure_def){.piece = 0.01, .inside = 0.99};
}

// --------------------------------------------------------------------------------------- the list

// A measure without a reason is there if its value is finite.
__attribute__((format(printf, 6, 7))) static void add(firn_measurement *m, const char *name,
                                                      const char *unit, double value, double scale,
                                                      const char *why, ...) {
  if (m->count == m->room) return; // room is counted beforehand
  int i = m->count++;
  m->list[i] = (firn_measure){.name = name,
                              .of = "",
                              .unit = unit,
                              .value = isfinite(value) ? value : (double)NAN,
                              .scale = isfinite(value) ? scale : (double)NAN,
                              .reason = m->reason[i]};
  if (isfinite(value)) return;
  va_list given;
  va_start(given, why);
  vsnprintf(m->reason[i], REASON, why, given);
  va_end(given);
}

static double length3(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// ------------------------------------------------------------------------------------- stats.csv

typedef struct source {
  const firn_measure_def *def;
  firn_table *stats;
  size_t rows, row; // the row that is measured
  const double *time;
  char solver[64]; // "": not known
} source;

static double stat(const source *s, const char *name) {
  const double *column = firn_table_column(s->stats, name);
  return column ? column[s->row] : (double)NAN;
}

static void add_stat(firn_measurement *m, const source *s, const char *name, const char *unit,
                     double scale) {
  double value = stat(s, name);
  add(m, name, unit, value, isnan(scale) ? fabs(value) : scale,
      "stats.csv has no %s in frame %d%s%s", name, m->frame, s->solver[0] ? "; the solver is " : "",
      s->solver);
}

static double interval_at(const source *s) {
  if (s->rows < 2) return 0;
  size_t i = s->row ? s->row : 1;
  return s->time[i] - s->time[i - 1];
}

static firn_status find_row(firn_context *context, source *s) {
  const firn_measure_def *def = s->def;
  s->time = firn_table_column(s->stats, "time");
  s->rows = firn_table_rows(s->stats);
  const double *frame = firn_table_column(s->stats, "frame");
  if (!s->time || !frame || !s->rows)
    return firn_fail(context, FIRN_ERROR_STATE, "%s: stats.csv has no frames yet", def->folder);
  for (size_t i = 1; i < s->rows; i++)
    if (fabs(s->time[i] - def->time) < fabs(s->time[s->row] - def->time)) s->row = i;
  // Times of the table have nine digits.
  double slack = 1e-8 * fabs(def->time), apart = fabs(s->time[s->row] - def->time);
  double within = def->tolerance > 0 ? def->tolerance : 0.5 * interval_at(s);
  if (!(apart <= within + slack))
    return firn_fail(context, FIRN_ERROR_STATE,
                     "there is no frame near %g s: the run has frames from %g s to %g s", def->time,
                     s->time[0], s->time[s->rows - 1]);
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------- colliders.csv

// The text of a cell, without the quotes it may have.
static void read_name(const char *cell, size_t size, char name[NAME]) {
  size_t n = 0;
  bool quoted = size > 1 && *cell == '"';
  for (size_t i = quoted; i < size - quoted && n < NAME - 1; i++) {
    if (quoted && cell[i] == '"') i++; // quotes are doubled
    name[n++] = cell[i];
  }
  name[n] = 0;
}

// NULL: no memory.
static pushed *pushed_named(firn_measurement *m, const char *name) {
  for (int i = 0; i < m->pushed_count; i++)
    if (strcmp(m->pushed[i].name, name) == 0) return &m->pushed[i];
  pushed *grown = firn_grow(m->context, m->pushed, (size_t)m->pushed_count, sizeof *m->pushed,
                            "forces on colliders");
  if (!grown) return NULL;
  m->pushed = grown;
  pushed *p = &m->pushed[m->pushed_count++];
  memset(p, 0, sizeof *p);
  snprintf(p->name, NAME, "%s", name);
  return p;
}

// Forces of a row are means since the frame before: the part of that time within a window counts.
static firn_status add_push(firn_measurement *m, const source *s, const firn_row *row, double from,
                            double to) {
  const char *cell;
  char name[NAME];
  size_t size;
  double end, force[3];
  if (!firn_row_number(row, 1, &end) || !firn_row_cell(row, 2, &cell, &size)) return FIRN_OK;
  read_name(cell, size, name);
  pushed *p = pushed_named(m, name);
  if (!p) return FIRN_ERROR_MEMORY;
  double begin = 0;
  for (size_t i = 0; i < s->rows && s->time[i] < end; i++) begin = s->time[i];
  double within = fmax(fmin(end, to) - fmax(begin, from), 0);
  for (int a = 0; a < 3; a++) {
    if (!firn_row_number(row, 3 + a, &force[a])) force[a] = (double)NAN;
    if (within > 0) p->within[a] += force[a] * within;
    if (end <= m->time) p->so_far[a] += force[a] * (end - begin);
  }
  return FIRN_OK;
}

static firn_status read_pushes(firn_measurement *m, const source *s, double from, double to) {
  char path[FIRN_PATH_SIZE];
  firn_rows rows;
  firn_row row = {0};
  FIRN_TRY(firn_path_format(m->context, path, "%s/colliders.csv", s->def->folder));
  firn_status status = firn_colliders_open(m->context, path, &rows);
  if (status != FIRN_OK) return status == FIRN_ERROR_MEMORY ? status : FIRN_OK;
  while (status == FIRN_OK && firn_rows_next(&rows, &row)) status = add_push(m, s, &row, from, to);
  firn_rows_close(&rows);
  return status;
}

static void add_vector(firn_measurement *m, const char *const names[4], const char *unit,
                       const double v[3], const char *of, const char *why) {
  double length = length3(v);
  int first = m->count;
  add(m, names[0], unit, length, length, "%s", why);
  for (int a = 0; a < 3; a++) add(m, names[a + 1], unit, v[a], length, "%s", why);
  for (int i = first; i < m->count; i++) m->list[i].of = of;
}

static void add_forces(firn_measurement *m, const source *s, double from, double to) {
  static const char *const force[] = {"force", "force_x", "force_y", "force_z"};
  static const char *const impulse[] = {"impulse", "impulse_x", "impulse_y", "impulse_z"};
  char why[REASON] = "colliders.csv has an empty cell or no number";
  double end = s->time[s->rows - 1];
  bool covered = to > from && from >= s->time[0] && to <= end * (1 + 1e-8);
  if (!covered)
    snprintf(why, sizeof why, "colliders.csv has forces from %g s to %g s, not from %g s to %g s",
             s->time[0], end, from, to);
  for (int i = 0; i < m->pushed_count; i++) {
    double mean[3];
    const pushed *p = &m->pushed[i];
    for (int a = 0; a < 3; a++) mean[a] = covered ? p->within[a] / (to - from) : (double)NAN;
    add_vector(m, force, "N", mean, p->name, why);
    add_vector(m, impulse, "N s", p->so_far, p->name, "colliders.csv has an empty cell");
  }
}

// ------------------------------------------------------------------------------------ all of them

static void add_shape(firn_measurement *m, const source *s, const firn_shape_measures *shape,
                      const char *why) {
  static const char *const com[] = {"com_x", "com_y", "com_z"};
  static const char *const extent[] = {"extent_x", "extent_y", "extent_z"};
  double size = fmax(fmax(shape->high[0] - shape->low[0], shape->high[1] - shape->low[1]),
                     shape->high[2] - shape->low[2]);
  if (isnan(size)) size = 0; // no frame: places cannot be compared
  for (int a = 0; a < 3; a++) add_stat(m, s, com[a], "m", size);
  for (int a = 0; a < 3; a++) {
    double e = shape->high[a] - shape->low[a];
    add(m, extent[a], "m", e, e, "%s", why);
  }
  add(m, "top", "m", shape->high[1], size, "%s", why);
  add(m, "pieces", "1", shape->pieces, shape->pieces, "%s", why);
  add(m, "pieces_mass", "kg", shape->pieces_mass, shape->pieces_mass, "%s", why);
  add(m, "piece_largest", "kg", shape->piece_largest, shape->piece_largest, "%s", why);
}

static void add_sums(firn_measurement *m, const source *s) {
  static const char *const energy[] = {"energy_kinetic", "energy_elastic", "energy_gravity"};
  static const char *const momentum[] = {"momentum_x", "momentum_y", "momentum_z"};
  const double own = (double)NAN;
  // What the momentum would be if all snow moved one way with this energy.
  double whole = sqrt(2 * stat(s, "mass") * stat(s, "energy_kinetic"));
  add_stat(m, s, "mass", "kg", own);
  for (int i = 0; i < 3; i++) add_stat(m, s, energy[i], "J", own);
  for (int a = 0; a < 3; a++) add_stat(m, s, momentum[a], "kg m/s", isnan(whole) ? 0 : whole);
  add_stat(m, s, "speed_max", "m/s", own);
  add_stat(m, s, "jp_mean", "1", own);
  add_stat(m, s, "jp_min", "1", own);
}

static firn_status make_list(firn_measurement *m) {
  m->room = OF_SNOW + OF_COLLIDER * m->pushed_count;
  m->list = firn_alloc_zero(m->context, (size_t)m->room * sizeof *m->list, "measures");
  m->reason = firn_alloc_zero(m->context, (size_t)m->room * sizeof *m->reason, "measures");
  return m->list && m->reason ? FIRN_OK : FIRN_ERROR_MEMORY;
}

static firn_status measure(firn_measurement *m, source *s) {
  const firn_measure_def *def = s->def;
  firn_shape_measures shape;
  char path[FIRN_PATH_SIZE], why[REASON] = "";
  FIRN_TRY(find_row(m->context, s));
  m->frame = (int)firn_table_column(s->stats, "frame")[s->row];
  m->time = s->time[s->row];
  double from = def->force_from, to = def->force_to;
  if (from == 0 && to == 0) from = s->row ? s->time[s->row - 1] : m->time, to = m->time;
  FIRN_TRY(firn_path_format(m->context, path, "%s/frame_%05d.hdf", def->folder, m->frame));
  FIRN_TRY(firn_measure_frame(m->context, path, def, &shape, s->solver, sizeof s->solver, why,
                              sizeof why));
  FIRN_TRY(read_pushes(m, s, from, to));
  FIRN_TRY(make_list(m));
  add_sums(m, s);
  add_shape(m, s, &shape, why);
  add_forces(m, s, from, to);
  return FIRN_OK;
}

static firn_status check(firn_context *context, const firn_measure_def *def) {
  if (!def->folder) return firn_fail_null(context, "firn_measure_run: folder");
  if (!isfinite(def->time) || !(def->tolerance >= 0))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "measures: time %g s, tolerance %g s", def->time,
                     def->tolerance);
  if (!isfinite(def->force_from) || !isfinite(def->force_to) || def->force_to < def->force_from)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "measures: forces from %g s to %g s",
                     def->force_from, def->force_to);
  if (!(def->piece >= 1e-4 && def->piece <= 1))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "measures: piece is %g, must be from 0.0001 to 1", def->piece);
  if (!(def->cell >= 0 && def->density >= 0 && isfinite(def->cell) && isfinite(def->density)))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "measures: cell %g m, density %g kg/m^3: both must be 0 or more", def->cell,
                     def->density);
  if (!(def->inside > 0 && def->inside <= 1))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "measures: inside is %g, must be above 0, and 1 at most", def->inside);
  return FIRN_OK;
}

firn_status firn_measure_run(firn_context *context, const firn_measure_def *given,
                             firn_measurement **out) {
  if (!context || !given || !out) return firn_fail_null(context, "firn_measure_run");
  *out = NULL;
  FIRN_TAKE(context, measure_def, given, own);
  FIRN_TRY(check(context, &own));
  char path[FIRN_PATH_SIZE];
  source s = {.def = &own};
  FIRN_TRY(firn_path_format(context, path, "%s/stats.csv", own.folder));
  FIRN_TRY(firn_table_open(context, path, NULL, &s.stats));
  firn_measurement *m = firn_alloc_zero(context, sizeof *m, "measures");
  firn_status status = m ? FIRN_OK : FIRN_ERROR_MEMORY;
  if (m) {
    m->context = context;
    status = measure(m, &s);
  }
  firn_table_close(s.stats);
  if (status == FIRN_OK)
    *out = m;
  else
    firn_measurement_destroy(m);
  return status;
}

void firn_measurement_destroy(firn_measurement *m) {
  if (!m) return;
  size_t pushed_room = m->pushed ? firn_room((size_t)m->pushed_count) : 0;
  firn_free(m->context, m->pushed, pushed_room * sizeof *m->pushed);
  firn_free(m->context, m->list, m->list ? (size_t)m->room * sizeof *m->list : 0);
  firn_free(m->context, m->reason, m->reason ? (size_t)m->room * sizeof *m->reason : 0);
  firn_free(m->context, m, sizeof *m);
}

int firn_measurement_frame(const firn_measurement *m) {
  return m ? m->frame : -1;
}

double firn_measurement_time(const firn_measurement *m) {
  return m ? m->time : (double)NAN;
}

const firn_measure *firn_measurement_list(const firn_measurement *m, int *count) {
  *count = m ? m->count : 0;
  return m ? m->list : NULL;
}
