// SPDX-License-Identifier: Apache-2.0
// Particles from a file: CSV, or PLY as text or binary.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "world/world.h"

firn_points_def firn_default_points_def(void) {
  return (firn_points_def){.per_cell = 8, .scale = 1};
}

// What a column may hold.
enum { X, Y, Z, VX, VY, VZ, MASS, USED, UNUSED = USED };
static const char *const names[USED] = {"x", "y", "z", "vx", "vy", "vz", "mass"};
enum { COLUMNS = 64 };

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

static firn_status read_file(table *t) {
  FILE *file = fopen(t->path, "rb");
  if (!file) {
    return firn_fail(t->context, FIRN_ERROR_IO, "%s: %s", t->path, strerror(errno));
  }
  long size = -1;
  if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  firn_status status = FIRN_OK;
  if (size < 0 || size > 1L << 40 || fseek(file, 0, SEEK_SET) != 0) { // a folder has no size
    status = firn_fail(t->context, FIRN_ERROR_IO, "%s: its size cannot be found", t->path);
  } else {
    t->text = firn_alloc(t->context, (size_t)size + 1, "points");
    if (!t->text) status = FIRN_ERROR_MEMORY;
  }
  if (t->text) {
    t->size = (size_t)size;
    if (fread(t->text, 1, t->size, file) != t->size) {
      status = firn_fail(t->context, FIRN_ERROR_IO, "%s: it could not be read to its end", t->path);
    }
    t->text[t->size] = 0;
  }
  fclose(file);
  return status;
}

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

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A decimal number; unlike strtod, the same in every country. NULL if there is none.
static const char *read_number(const char *s, double *out) {
  bool negative = *s == '-', any = false;
  uint64_t digits = 0;
  int scale = 0;
  if (*s == '-' || *s == '+') s++;
  for (bool point = false; is_digit(*s) || (*s == '.' && !point); s++) {
    if (*s == '.') {
      point = true;
      continue;
    }
    any = true;
    if (digits < UINT64_MAX / 10 - 1) {
      digits = 10 * digits + (uint64_t)(*s - '0');
      scale -= point;
    } else {
      scale += !point;
    }
  }
  if (!any) return NULL;
  if (*s == 'e' || *s == 'E') {
    const char *e = s + 1;
    bool down = *e == '-';
    if (*e == '-' || *e == '+') e++;
    if (is_digit(*e)) {
      int power = 0;
      for (; is_digit(*e); e++) power = power < 10000 ? 10 * power + (*e - '0') : power;
      scale += down ? -power : power;
      s = e;
    }
  }
  *out = (double)((long double)digits * powl(10, scale));
  if (negative) *out = -*out;
  return s;
}

static int name_of(const char *s, size_t length) {
  for (int i = 0; i < USED; i++) {
    if (strlen(names[i]) == length && strncmp(names[i], s, length) == 0) return i;
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
    const char *end = read_number(s, value ? value : &unused);
    if (!end && value) {
      return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: column %d, %s, is not a number",
                       t->path, line, c + 1, names[t->column[c]]);
    }
    if (!end || !value) {
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
      if (!read_number(first, &unused)) {
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

typedef enum ply_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } ply_type;

static bool ply_type_of(const char *name, ply_type *out) {
  static const char *const text[][2] = {
      {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
      {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"},
  };
  for (int i = 0; i < 8; i++) {
    if (strcmp(name, text[i][0]) != 0 && strcmp(name, text[i][1]) != 0) continue;
    *out = (ply_type)i;
    return true;
  }
  return false;
}

static size_t ply_size(ply_type type) {
  static const size_t size[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return size[type];
}

static double ply_value(const char *data, ply_type type, bool big) {
  unsigned char b[8];
  size_t n = ply_size(type);
  uint64_t bits = 0;
  memcpy(b, data, n);
  for (size_t i = 0; i < n; i++) bits |= (uint64_t)b[big ? n - 1 - i : i] << 8 * i;
  uint32_t low = (uint32_t)bits;
  float single;
  double twice;
  memcpy(&single, &low, sizeof single);
  memcpy(&twice, &bits, sizeof twice);
  switch (type) {
  case INT8: return (int8_t)bits;
  case INT16: return (int16_t)bits;
  case INT32: return (int32_t)bits;
  case FLOAT32: return (double)single;
  case FLOAT64: return twice;
  default: return (double)bits;
  }
}

typedef struct ply {
  bool ascii, big;
  size_t vertices;
  ply_type type[COLUMNS];
  const char *body;
} ply;

static firn_status ply_head(table *t, ply *p) {
  bool vertex = false, begun = false, format = false;
  size_t line = 1;
  for (const char *s = t->text; *s; s = next_line(s), line++) {
    char word[4][32] = {"", "", "", ""};
    char text[160];
    size_t length = (size_t)(next_line(s) - s);
    snprintf(text, sizeof text, "%.*s", (int)(length < 150 ? length : 150), s);
    sscanf(text, "%31s %31s %31s %31s", word[0], word[1], word[2], word[3]);
    if (strcmp(word[0], "end_header") == 0) {
      p->body = next_line(s);
      if (!format || !begun) break;
      return check_columns(t, line);
    }
    if (strcmp(word[0], "format") == 0) {
      p->ascii = strcmp(word[1], "ascii") == 0;
      p->big = strcmp(word[1], "binary_big_endian") == 0;
      format = p->ascii || p->big || strcmp(word[1], "binary_little_endian") == 0;
    } else if (strcmp(word[0], "element") == 0) {
      vertex = strcmp(word[1], "vertex") == 0;
      double count = 0;
      if (!begun && !vertex) {
        return firn_fail(t->context, FIRN_ERROR_FORMAT,
                         "%s:%zu: the element '%s' comes before vertex", t->path, line, word[1]);
      }
      if (vertex && (!read_number(word[2], &count) || !(count >= 0))) {
        return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: '%s' is not a number of vertices",
                         t->path, line, word[2]);
      }
      if (vertex) p->vertices = (size_t)fmin(count, 4.2e9);
      begun = true;
    } else if (strcmp(word[0], "property") == 0 && vertex) {
      if (t->columns < COLUMNS && !ply_type_of(word[1], &p->type[t->columns])) {
        return firn_fail(t->context, FIRN_ERROR_FORMAT,
                         "%s:%zu: a vertex with a property of type '%s'", t->path, line, word[1]);
      }
      FIRN_TRY(add_column(t, line, name_of(word[2], strlen(word[2]))));
    }
  }
  return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s:%zu: this is no header of a PLY file",
                   t->path, line);
}

static firn_status read_ply(table *t) {
  ply p = {0};
  FIRN_TRY(ply_head(t, &p));
  const char *s = p.body, *end = t->text + t->size;
  for (size_t i = 0; i < p.vertices; i++) {
    double *row = add_row(t);
    if (!row) return FIRN_ERROR_MEMORY;
    for (int c = 0; c < t->columns; c++) {
      double value = 0;
      bool good;
      if (p.ascii) {
        while (is_blank(*s) || *s == '\n') s++;
        const char *next = read_number(s, &value);
        good = next != NULL;
        if (good) s = next;
      } else {
        size_t size = ply_size(p.type[c]);
        good = (size_t)(end - s) >= size;
        if (good) value = ply_value(s, p.type[c], p.big);
        if (good) s += size;
      }
      if (!good) {
        return firn_fail(t->context, FIRN_ERROR_FORMAT,
                         "%s: it ends, or is no number, at vertex %zu of %zu", t->path, i,
                         p.vertices);
      }
      if (t->column[c] != UNUSED) row[t->column[c]] = value;
    }
  }
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------------- adding

static firn_status add(firn_world *world, const firn_points_def *def, const table *t) {
  size_t n = t->count, bytes = 7 * n * sizeof(double);
  if (!n) return firn_fail(t->context, FIRN_ERROR_FORMAT, "%s: there are no points", t->path);
  double *x = firn_alloc(t->context, bytes, "points");
  if (!x) return FIRN_ERROR_MEMORY;
  double *v = x + 3 * n, *mass = x + 6 * n;
  for (size_t i = 0; i < n; i++) {
    const double *row = t->value + USED * i;
    for (size_t a = 0; a < 3; a++) {
      x[3 * i + a] = row[X + a] * def->scale + def->translation[a];
      v[3 * i + a] = row[VX + a] + def->velocity[a];
    }
    mass[i] = row[MASS];
  }
  firn_particles_def particles = firn_default_particles_def();
  particles.count = n;
  particles.position = x;
  particles.velocity = v;
  if (t->has[MASS]) particles.mass = mass;
  particles.material = def->material;
  particles.per_cell = def->per_cell;
  firn_status status = firn_world_add_particles(world, &particles);
  firn_free(t->context, x, bytes);
  return status;
}

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  if (n < m) return false;
  for (size_t i = 0; i < m; i++) {
    char c = s[n - m + i];
    if ((c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c) != end[i]) return false;
  }
  return true;
}

firn_status firn_world_add_points(firn_world *world, const firn_points_def *def) {
  firn_context *context = world->context;
  if (!def->path) return firn_fail(context, FIRN_ERROR_ARGUMENT, "points: path is NULL");
  bool is_ply = ends_with(def->path, ".ply");
  if (!is_ply && !ends_with(def->path, ".csv")) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: points are read from .csv and .ply files",
                     def->path);
  }
  if (!isfinite(def->scale) || def->scale == 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: scale = %g must be finite and not 0",
                     def->path, def->scale);
  }
  if (world->flow.expecting) return FIRN_OK;
  table t = {.context = context, .path = def->path};
  firn_status status = read_file(&t);
  if (status == FIRN_OK && t.text) status = is_ply ? read_ply(&t) : read_csv(&t);
  if (status == FIRN_OK) status = add(world, def, &t);
  firn_free(context, t.text, t.size + 1);
  firn_free(context, t.value, t.capacity * USED * sizeof(double));
  return status;
}
