// SPDX-License-Identifier: Apache-2.0
// Particles from a file: CSV, or PLY as text or binary.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"
#include "base/file.h"
#include "base/number.h"
#include "geometry/ply.h"
#include "world/points.h"
#include "world/strain_rate.h"
#include "world/world.h"

FIRN_DEFAULTS(points_def) {
  return (firn_points_def){.per_cell = 8, .scale = 1};
}

// What a column may hold.
enum { X, Y, Z, VX, VY, VZ, MASS, USED, UNUSED = USED };
_Static_assert((int)USED == (int)FIRN_POINT_NUMBERS, "the rows that others read");
static const char *const names[USED] = {"x", "y", "z", "vx", "vy", "vz", "mass"};
enum { COLUMNS = 256 };

typedef struct table {
  firn_context *context;
  const char *path;
  char *text; // the file, and a zero behind it
  size_t size;
  int column[COLUMNS]; // what each holds
  int columns;
  bool has[USED];
  size_t count, capacity; // rows
  double *value;          // [capacity][USED]
} table;

// ------------------------------------------------------------------------------------------- reading

static double *add_row(table *t) {
  if (t->count == t->capacity) {
    size_t capacity = t->capacity ? 2 * t->capacity : 1024, row = USED * sizeof(double);
    double *value = firn_resize(t->context, t->value, t->capacity * row, capacity * row, "points");
    if (!value) return NULL;
    t->value = value;
    t->capacity = capacity;
  }
  double *row = t->value + USED * t->count++;
  memset(row, 0, USED * sizeof *row);
  return row;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static int name_of(const char *s, size_t length) {
  for (int i = 0; i < USED; i++) {
    if (firn_word_is((firn_word){s, length}, names[i])) return i;
  }
  return UNUSED;
}

static firn_status add_column(table *t, size_t line, int what) {
  if (t->columns == COLUMNS) {
    return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: more than %d columns", t->path, line,
                     COLUMNS);
  }
  if (what < USED && t->has[what]) {
    return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: two columns are called '%s'", t->path,
                     line, names[what]);
  }
  if (what < USED) t->has[what] = true;
  t->column[t->columns++] = what;
  return FIRN_OK;
}

static firn_status check_columns(const table *t, size_t line) {
  for (int i = X; i <= Z; i++) {
    if (t->has[i]) continue;
    return firn_fail(t->context, FIRN_ERROR_FORMAT,
                     "%s:%zu: there is no column '%s'; points need x, y and z", t->path, line,
                     names[i]);
  }
  if (t->has[VX] != t->has[VY] || t->has[VX] != t->has[VZ]) {
    return firn_fail(t->context, FIRN_ERROR_FORMAT,
                     "%s:%zu: of vx, vy and vz there must be all or none", t->path, line);
  }
  return FIRN_OK;
}

// ----------------------------------------------------------------------------------------------- CSV

static const char *skip_blanks(const char *s) {
  while (is_blank(*s)) s++;
  return s;
}

static const char *next_line(const char *s) {
  while (*s && *s != '\n') s++;
  return *s ? s + 1 : s;
}

static firn_status read_heading(table *t, size_t line, const char *s) {
  for (;;) {
    s = skip_blanks(s);
    const char *end = s;
    while (*end && *end != ',' && *end != ';' && *end != '\n') end++;
    size_t length = (size_t)(end - s);
    while (length && is_blank(s[length - 1])) length--;
    if (length > 1 && s[0] == '"' && s[length - 1] == '"') s++, length -= 2;
    FIRN_TRY(add_column(t, line, name_of(s, length)));
    if (*end != ',' && *end != ';') return check_columns(t, line);
    s = end + 1;
  }
}

static firn_status guess_columns(table *t, size_t line, const char *s) {
  int n = 1;
  for (; *s && *s != '\n'; s++) n += *s == ',' || *s == ';';
  if (n != 3 && n != 4 && n != 6 && n != 7) {
    return firn_fail(t->context, FIRN_ERROR_FORMAT,
                     "%s:%zu: %d columns without a heading; expected x,y,z[,vx,vy,vz][,mass]",
                     t->path, line, n);
  }
  for (int i = 0; i < n; i++) {
    FIRN_TRY(add_column(t, line, i == 3 && n == 4 ? MASS : i));
  }
  return FIRN_OK;
}

static firn_status read_csv_row(table *t, size_t line, const char *s) {
  double *row = add_row(t);
  if (!row) return FIRN_ERROR_MEMORY;
  for (int c = 0; c < t->columns; c++) {
    double unused, *value = t->column[c] == UNUSED ? NULL : &row[t->column[c]];
    s = skip_blanks(s);
    const char *end = s + firn_number_read(s, SIZE_MAX, value ? value : &unused);
    if (end == s && value) {
      return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: column %d, %s, is not a number",
                       t->path, line, c + 1, names[t->column[c]]);
    }
    if (!value) {
      for (end = s; *end && *end != ',' && *end != ';' && *end != '\n';) end++;
    }
    s = skip_blanks(end);
    bool last = c + 1 == t->columns, more = *s == ',' || *s == ';';
    if (more && !last) {
      s++;
    } else if (more || !last || (*s && *s != '\n')) {
      return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: expected %d numbers", t->path, line,
                       t->columns);
    }
  }
  return FIRN_OK;
}

static firn_status read_csv(table *t) {
  size_t line = 1;
  const char *zero = memchr(t->text, 0, t->size);
  if (zero) { // what comes after it would be left out in silence
    for (const char *s = t->text; s < zero; s++) line += *s == '\n';
    return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: there is a zero byte; is it text?",
                     t->path, line);
  }
  for (const char *s = t->text; *s; s = next_line(s), line++) {
    const char *first = skip_blanks(s);
    if (!*first || *first == '\n' || *first == '#') continue;
    if (!t->columns) {
      double unused;
      if (!firn_number_read(first, SIZE_MAX, &unused)) {
        FIRN_TRY(read_heading(t, line, first));
        continue;
      }
      FIRN_TRY(guess_columns(t, line, first));
    }
    FIRN_TRY(read_csv_row(t, line, first));
  }
  return FIRN_OK;
}

// ----------------------------------------------------------------------------------------------- PLY

static firn_status read_vertices(table *t, firn_ply *p) {
  const firn_ply_element *e = p->element, *end = e + p->element_count;
  for (; e < end && strcmp(e->name, "vertex") != 0; e++) { // what comes before is passed over
    for (uint64_t i = 0; e->property_count && i < e->rows; i++)
      FIRN_TRY(firn_ply_read_row(p, e, i));
  }
  for (int c = 0; e < end && c < e->property_count; c++) {
    const firn_ply_property *q = &e->property[c];
    FIRN_TRY(add_column(t, q->line, q->count ? UNUSED : name_of(q->name, strlen(q->name))));
  }
  FIRN_TRY(check_columns(t, p->header));
  for (uint64_t i = 0; i < e->rows; i++) {
    FIRN_TRY(firn_ply_read_row(p, e, i));
    double *row = add_row(t);
    if (!row) return FIRN_ERROR_MEMORY;
    for (int c = 0; c < t->columns; c++) {
      if (t->column[c] != UNUSED) row[t->column[c]] = p->value[c];
    }
  }
  return FIRN_OK;
}

static firn_status read_ply(table *t) {
  const firn_file_bytes file = {t->context, t->path, (const unsigned char *)t->text, t->size};
  firn_ply *p;
  FIRN_TRY(firn_ply_open(&file, &p));
  firn_status status = read_vertices(t, p);
  firn_ply_close(p);
  return status;
}

// -------------------------------------------------------------------------------------------- adding

// Rows of a table are lines but for its heading, comments and blank ones.
static size_t line_of_row(const table *t, size_t row) {
  size_t line = 1;
  bool headed = false;
  for (const char *s = t->text; *s; s = next_line(s), line++) {
    const char *first = skip_blanks(s);
    double unused;
    if (!*first || *first == '\n' || *first == '#') continue;
    if (!headed && !firn_number_read(first, SIZE_MAX, &unused)) {
      headed = true;
      continue;
    }
    headed = true;
    if (row-- == 0) break;
  }
  return line;
}

// FILE:LINE of a table; a PLY file may be binary.
static firn_status refuse_row(const firn_world *world, const firn_particles_def *particles,
                              const table *t, bool is_ply, size_t row) {
  char what[600];
  if (is_ply) {
    snprintf(what, sizeof what, "%.500s: vertex %zu", t->path, row);
  } else {
    snprintf(what, sizeof what, "%.500s:%zu", t->path, line_of_row(t, row));
  }
  return firn_world_refuse(world, particles, row, what);
}

static firn_status add(firn_world *world, const firn_points_def *def, const table *t, bool is_ply) {
  size_t n = t->count, bytes = 8 * n * sizeof(double);
  if (!n) return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s: there are no points", t->path);
  double *x = firn_alloc(t->context, bytes, "points");
  if (!x) return FIRN_ERROR_MEMORY;
  double *v = x + 3 * n, *mass = x + 6 * n, *temperature = x + 7 * n;
  for (size_t i = 0; i < n; i++) {
    const double *row = t->value + USED * i;
    for (size_t a = 0; a < 3; a++) {
      x[3 * i + a] = row[X + a] * def->scale + def->translation[a];
      v[3 * i + a] = row[VX + a] + def->velocity[a];
    }
    mass[i] = row[MASS];
    temperature[i] = def->temperature;
  }
  firn_particles_def particles = firn_default_particles_def();
  particles.count = n;
  particles.position = x;
  particles.velocity = v;
  if (t->has[MASS]) particles.mass = mass;
  if (def->temperature > 0) particles.temperature = temperature;
  particles.material = def->material;
  particles.per_cell = def->per_cell;
  size_t first = world->particles.slots + world->particles.pending;
  size_t bad = firn_world_find_bad(world, &particles);
  firn_status status = bad < n ? refuse_row(world, &particles, t, is_ply, bad)
                               : firn_world_add_particles(world, &particles);
  if (status == FIRN_OK && t->has[VX]) {
    status = firn_world_find_affine(world, first);
    if (status != FIRN_OK) { // all or nothing
      world->particles.pending -= n;
      world->particles.count -= n;
      world->particles.next_id -= n;
    }
  }
  firn_free(t->context, x, bytes);
  return status;
}

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n >= m && strcasecmp(s + n - m, end) == 0;
}

static firn_status check_ending(firn_context *context, const char *path, bool *is_ply) {
  *is_ply = ends_with(path, ".ply");
  if (*is_ply || ends_with(path, ".csv")) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: points are read from .csv and .ply files",
                   path);
}

static firn_status read_table(table *t, bool is_ply) {
  FIRN_TRY(firn_file_get(t->context, t->path, &t->text, &t->size));
  return is_ply ? read_ply(t) : read_csv(t);
}

firn_status firn_world_add_points(firn_world *world, const firn_points_def *def) {
  firn_context *context = world->context;
  bool is_ply;
  if (!def->path) return firn_fail(context, FIRN_ERROR_ARGUMENT, "points: path is NULL");
  FIRN_TRY(check_ending(context, def->path, &is_ply));
  if (!isfinite(def->scale) || def->scale == 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: scale = %g must be finite and not 0",
                     def->path, def->scale);
  }
  if (world->flow.expecting) return FIRN_OK;
  table t = {.context = context, .path = def->path};
  firn_status status = read_table(&t, is_ply);
  if (status == FIRN_OK) status = add(world, def, &t, is_ply);
  firn_free(context, t.text, t.text ? t.size + 1 : 0);
  firn_free(context, t.value, t.capacity * USED * sizeof(double));
  return status;
}

firn_status firn_points_read(firn_context *context, const char *path, firn_points_rows *out) {
  table t = {.context = context, .path = path};
  bool is_ply;
  *out = (firn_points_rows){0};
  FIRN_TRY(check_ending(context, path, &is_ply));
  firn_status status = read_table(&t, is_ply);
  firn_free(context, t.text, t.text ? t.size + 1 : 0);
  *out = (firn_points_rows){t.count, t.capacity, t.has[VX], t.value};
  return status;
}

void firn_points_free(firn_points_rows *rows, firn_context *context) {
  firn_free(context, rows->value, rows->capacity * USED * sizeof(double));
  *rows = (firn_points_rows){0};
}
