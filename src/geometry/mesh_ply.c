// SPDX-License-Identifier: Apache-2.0
// PLY, as text or binary of either byte order: x, y, z of the element "vertex" and the list
// "vertex_indices" of the element "face". All else is skipped.
#include <math.h>
#include <string.h>

#include "geometry/mesh_read.h"

enum { ELEMENTS = 32, PROPERTIES = 128, CORNERS = 1024 };

typedef enum kind { INT, UNSIGNED, FLOAT } kind;

typedef struct type {
  const char *name, *other_name;
  kind kind;
  size_t size; // bytes; 0: no type
} type;

static const type types[] = {
    {"char", "int8", INT, 1},       {"uchar", "uint8", UNSIGNED, 1},
    {"short", "int16", INT, 2},     {"ushort", "uint16", UNSIGNED, 2},
    {"int", "int32", INT, 4},       {"uint", "uint32", UNSIGNED, 4},
    {"float", "float32", FLOAT, 4}, {"double", "float64", FLOAT, 8},
};

typedef enum role { SKIP, X, Y, Z, CORNER_LIST } role;

typedef struct property {
  type value, count; // count.size > 0: a list
  role role;
} property;

typedef struct element {
  char name[16];
  uint64_t rows;
  int property_count;
  property property[PROPERTIES];
} element;

typedef struct ply {
  firn_mesh_input *in;
  firn_mesh_text text; // the header, and the body if it is text
  size_t at;           // the body if it is binary: byte
  bool binary, big_endian;
  int element_count;
  element *element; // [ELEMENTS]
} ply;

// -------------------------------------------------------------------------------------------- header

static firn_status read_type(ply *p, type *out) {
  firn_mesh_word word = firn_mesh_next_in_line(&p->text);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (!firn_mesh_word_is(word, types[i].name) && !firn_mesh_word_is(word, types[i].other_name)) {
      continue;
    }
    *out = types[i];
    return FIRN_OK;
  }
  return firn_mesh_fail_line(p->in, p->text.line, "'%.*s' is not a type of PLY files",
                             FIRN_MESH_SHOW(word));
}

static firn_status read_format(ply *p) {
  firn_mesh_word word = firn_mesh_next_in_line(&p->text);
  p->big_endian = firn_mesh_word_is(word, "binary_big_endian");
  p->binary = p->big_endian || firn_mesh_word_is(word, "binary_little_endian");
  if (p->binary || firn_mesh_word_is(word, "ascii")) return FIRN_OK;
  return firn_mesh_fail_line(p->in, p->text.line,
                             "format '%.*s' is neither ascii nor binary_little_endian nor "
                             "binary_big_endian",
                             FIRN_MESH_SHOW(word));
}

static firn_status read_element(ply *p) {
  if (p->element_count == ELEMENTS) {
    return firn_mesh_fail_line(p->in, p->text.line, "more than %d elements", ELEMENTS);
  }
  element *e = p->element + p->element_count++;
  memset(e, 0, sizeof *e);
  firn_mesh_word name = firn_mesh_next_in_line(&p->text);
  firn_mesh_word rows = firn_mesh_next_in_line(&p->text);
  int64_t count;
  if (!firn_mesh_parse_integer(rows, &count) || count < 0) {
    return firn_mesh_fail_line(p->in, p->text.line, "'%.*s' is not a number of elements",
                               FIRN_MESH_SHOW(rows));
  }
  if (firn_mesh_word_is(name, "tristrips")) {
    return firn_mesh_fail_line(p->in, p->text.line,
                               "triangle strips are not read; save the mesh as faces");
  }
  memcpy(e->name, name.text, name.length < sizeof e->name ? name.length : sizeof e->name - 1);
  e->rows = (uint64_t)count;
  return FIRN_OK;
}

static firn_status read_property(ply *p) {
  element *e = p->element_count ? p->element + p->element_count - 1 : NULL;
  if (!e) return firn_mesh_fail_line(p->in, p->text.line, "a property before any element");
  if (e->property_count == PROPERTIES) {
    return firn_mesh_fail_line(p->in, p->text.line, "more than %d properties", PROPERTIES);
  }
  property *q = e->property + e->property_count++;
  firn_mesh_text before = p->text;
  if (firn_mesh_word_is(firn_mesh_next_in_line(&p->text), "list")) {
    FIRN_TRY(read_type(p, &q->count));
    if (q->count.kind == FLOAT) {
      return firn_mesh_fail_line(p->in, p->text.line, "a list cannot have a fraction of entries");
    }
  } else {
    p->text = before;
  }
  FIRN_TRY(read_type(p, &q->value));
  firn_mesh_word name = firn_mesh_next_in_line(&p->text);
  bool list = q->count.size > 0;
  if (!strcmp(e->name, "vertex") && !list && name.length == 1) {
    if (*name.text >= 'x' && *name.text <= 'z') q->role = (role)(X + (*name.text - 'x'));
  }
  if (!strcmp(e->name, "face") && list &&
      (firn_mesh_word_is(name, "vertex_indices") || firn_mesh_word_is(name, "vertex_index"))) {
    if (q->value.kind == FLOAT) {
      return firn_mesh_fail_line(p->in, p->text.line, "corners of faces must be whole numbers");
    }
    q->role = CORNER_LIST;
  }
  return FIRN_OK;
}

static firn_status read_header(ply *p) {
  bool format = false;
  if (!firn_mesh_word_is(firn_mesh_next_in_line(&p->text), "ply")) {
    return firn_mesh_fail_line(p->in, 1, "the file does not begin with 'ply'");
  }
  for (;;) {
    firn_mesh_skip_line(&p->text);
    if (p->text.at >= p->text.end) {
      return firn_mesh_fail_line(p->in, p->text.line, "the file ends before 'end_header'");
    }
    firn_mesh_word word = firn_mesh_next_in_line(&p->text);
    if (firn_mesh_word_is(word, "end_header")) break;
    if (firn_mesh_word_is(word, "format")) {
      FIRN_TRY(read_format(p));
      format = true;
    } else if (firn_mesh_word_is(word, "element")) {
      FIRN_TRY(read_element(p));
    } else if (firn_mesh_word_is(word, "property")) {
      FIRN_TRY(read_property(p));
    } else if (word.length && !firn_mesh_word_is(word, "comment") &&
               !firn_mesh_word_is(word, "obj_info")) {
      return firn_mesh_fail_line(p->in, p->text.line, "'%.*s' is not a word of PLY headers",
                                 FIRN_MESH_SHOW(word));
    }
  }
  if (!format) return firn_mesh_fail_line(p->in, p->text.line, "the header names no format");
  firn_mesh_skip_line(&p->text);
  p->at = (size_t)(p->text.at - (const char *)p->in->bytes);
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------------- body

static firn_status fail(const ply *p, const char *what, double value) {
  return p->binary ? firn_mesh_fail_byte(p->in, p->at, "%s %.17g", what, value)
                   : firn_mesh_fail_line(p->in, p->text.line, "%s %.17g", what, value);
}

static firn_status read_value(ply *p, const element *e, uint64_t row, const type *t, double *out) {
  if (!p->binary) {
    firn_mesh_word word = firn_mesh_next(&p->text);
    if (firn_mesh_parse_real(word, out)) return FIRN_OK;
    if (!word.length) {
      return firn_mesh_fail_line(p->in, p->text.line, "the file ends in %s %llu of %llu", e->name,
                                 (unsigned long long)row, (unsigned long long)e->rows);
    }
    if (t->kind == FLOAT && (firn_mesh_word_is(word, "nan") || firn_mesh_word_is(word, "inf"))) {
      *out = NAN;
      return FIRN_OK;
    }
    return firn_mesh_fail_line(p->in, p->text.line, "'%.*s' in %s %llu is not a number",
                               FIRN_MESH_SHOW(word), e->name, (unsigned long long)row);
  }
  if (p->in->size - p->at < t->size) {
    return firn_mesh_fail_byte(p->in, p->in->size, "the file ends in %s %llu of %llu", e->name,
                               (unsigned long long)row, (unsigned long long)e->rows);
  }
  const unsigned char *bytes = p->in->bytes + p->at;
  p->at += t->size;
  if (t->kind == FLOAT) {
    *out = t->size == 4 ? (double)firn_mesh_float(bytes, p->big_endian)
                        : firn_mesh_double(bytes, p->big_endian);
    return FIRN_OK;
  }
  uint64_t value = firn_mesh_integer(bytes, t->size, p->big_endian);
  uint64_t sign = (uint64_t)1 << (8 * t->size - 1);
  *out = t->kind == INT && value & sign ? (double)value - 2 * (double)sign : (double)value;
  return FIRN_OK;
}

static firn_status read_list(ply *p, const element *e, uint64_t row, const property *q) {
  double count = 0, value = 0;
  uint32_t corner[CORNERS];
  FIRN_TRY(read_value(p, e, row, &q->count, &count));
  bool corners = q->role == CORNER_LIST;
  if (!(count >= 0 && count < 0x1p32 && count == floor(count))) {
    return fail(p, "a list cannot have this many entries:", count);
  }
  if (corners && count > CORNERS) return fail(p, "a face has too many corners:", count);
  for (size_t i = 0; i < (size_t)count; i++) {
    FIRN_TRY(read_value(p, e, row, &q->value, &value));
    if (!corners) continue;
    if (!(value >= 0 && value < (double)p->in->mesh->vertex_count && value == floor(value))) {
      return fail(p, "a face has a corner that is not among the vertices:", value);
    }
    corner[i] = (uint32_t)value;
  }
  if (!corners) return FIRN_OK;
  if (count < 3) return fail(p, "a face has too few corners:", count);
  return firn_mesh_add_polygon(p->in->mesh, corner, (size_t)count);
}

static firn_status read_rows(ply *p, const element *e) {
  bool vertex = !strcmp(e->name, "vertex");
  // Rows of nothing could be as many as the header likes.
  for (uint64_t row = 0; e->property_count && row < e->rows; row++) {
    double position[3] = {0, 0, 0}, value = 0;
    for (int i = 0; i < e->property_count; i++) {
      const property *q = e->property + i;
      if (q->count.size) {
        FIRN_TRY(read_list(p, e, row, q));
        continue;
      }
      FIRN_TRY(read_value(p, e, row, &q->value, &value));
      if (q->role >= X && q->role <= Z) position[q->role - X] = value;
    }
    if (vertex) FIRN_TRY(firn_mesh_add_vertex(p->in->mesh, position));
  }
  return FIRN_OK;
}

static firn_status check_elements(const ply *p) {
  bool axis[3] = {false, false, false}, faces = false;
  for (int i = 0; i < p->element_count; i++) {
    for (int k = 0; k < p->element[i].property_count; k++) {
      role r = p->element[i].property[k].role;
      if (r >= X && r <= Z) axis[r - X] = true;
      faces = faces || r == CORNER_LIST;
    }
  }
  if (axis[0] && axis[1] && axis[2] && faces) return FIRN_OK;
  return firn_fail(p->in->context, FIRN_ERROR_FORMAT,
                   "%s: the header announces no %s; points alone are not a mesh", p->in->name,
                   faces ? "x, y, z of vertices" : "faces with vertex_indices");
}

static firn_status read_all(ply *p) {
  FIRN_TRY(read_header(p));
  FIRN_TRY(check_elements(p));
  for (int i = 0; i < p->element_count; i++) FIRN_TRY(read_rows(p, p->element + i));
  return FIRN_OK;
}

firn_status firn_mesh_read_ply(firn_mesh_input *in) {
  const char *bytes = (const char *)in->bytes;
  ply p = {.in = in, .text = {bytes, bytes + in->size, 1}};
  p.element = firn_alloc(in->context, ELEMENTS * sizeof *p.element, "PLY header");
  if (!p.element) return FIRN_ERROR_MEMORY;
  firn_status status = read_all(&p);
  firn_free(in->context, p.element, ELEMENTS * sizeof *p.element);
  return status;
}
