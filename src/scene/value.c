// SPDX-License-Identifier: Apache-2.0
// Looking into a tree of values, and writing it.
#include "scene/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

firn_value *firn_value_find(const firn_value *record, const char *key) {
  if (!record) return NULL;
  for (firn_value *v = record->first; v; v = v->next)
    if (v->key && strcmp(v->key, key) == 0) return v;
  return NULL;
}

bool firn_value_good(const firn_value *value) {
  return value && (value->given || (value->mark.line == 0 && !value->mark.origin));
}

static const double zero[3];

const double *firn_value_vec3(const firn_value *record, const char *key) {
  const firn_value *v = firn_value_find(record, key);
  return v ? v->number : zero;
}

double firn_value_number(const firn_value *record, const char *key) {
  return firn_value_vec3(record, key)[0];
}

const char *firn_value_text(const firn_value *record, const char *key) {
  const firn_value *v = firn_value_find(record, key);
  return v && v->text ? v->text : "";
}

bool firn_value_is(const firn_value *record, const char *key, const char *choice) {
  return strcmp(firn_value_text(record, key), choice) == 0;
}

firn_value *firn_value_add(firn_arena *arena, firn_value *record, const firn_schema_row *row) {
  firn_value *value = firn_arena_alloc(arena, sizeof *value);
  if (!value) return NULL;
  value->row = row;
  value->key = row->key;
  // Keys keep the order of the schema, whose rows lie in one array; items of a list share a row.
  if (!record->last || record->last->row <= row) {
    if (record->last)
      record->last->next = value;
    else
      record->first = value;
    record->last = value;
    return value;
  }
  firn_value **link = &record->first;
  while ((*link)->row <= row) link = &(*link)->next;
  value->next = *link;
  *link = value;
  return value;
}

// ------------------------------------------------------------------------------------- writing

typedef struct {
  firn_arena *arena;
  char *text;
  size_t used, size;
  bool failed;
  firn_path_fn path; // NULL: paths stay
  void *user;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(writer *w, const char *format, ...) {
  for (int attempt = 0; attempt < 2 && !w->failed; attempt++) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (length < 0) break;
    if ((size_t)length < w->size - w->used) {
      w->used += (size_t)length;
      return;
    }
    size_t size = 2 * w->size + (size_t)length;
    char *grown = firn_arena_alloc(w->arena, size);
    if (!grown) break;
    memcpy(grown, w->text, w->used);
    w->text = grown;
    w->size = size;
  }
  w->failed = true;
}

static void put_number(writer *w, double value) {
  char text[FIRN_NUMBER_SIZE];
  if (isinf(value)) {
    put(w, value < 0 ? "-.inf" : ".inf");
    return;
  }
  firn_number_print_exact(text, value);
  put(w, "%s", text);
}

// Characters that YAML refuses as they are, or takes for the end of a line.
static bool must_be_escaped(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
         code == 0xfeff || code == 0xfffe || code == 0xffff;
}

static uint32_t code_of(const char *character, int bytes) {
  uint32_t code = (unsigned char)*character;
  if (bytes > 1) code &= 0x7fu >> bytes;
  for (int i = 1; i < bytes; i++) code = code << 6 | ((unsigned char)character[i] & 0x3f);
  return code;
}

static void put_quoted(writer *w, const char *text) {
  put(w, "\"");
  for (const char *c = text; *c;) {
    int length = firn_utf8(c); // 0: no UTF-8, in a path, which stays as it is
    int bytes = length ? length : 1;
    if (*c == '"' || *c == '\\')
      put(w, "\\%c", *c);
    else if (*c == '\n')
      put(w, "\\n");
    else if (length && must_be_escaped(code_of(c, length)))
      put(w, length < 3 ? "\\x%02x" : "\\u%04x", (unsigned)code_of(c, length));
    else
      put(w, "%.*s", bytes, c);
    c += bytes;
  }
  put(w, "\"");
}

static void put_path(writer *w, const char *path) {
  put_quoted(w, w->path ? w->path(w->user, path) : path);
}

static void put_tuple(writer *w, const double *numbers, int count) {
  put(w, "[");
  for (int i = 0; i < count; i++) {
    if (i) put(w, ", ");
    put_number(w, numbers[i]);
  }
  put(w, "]");
}

static void put_plain(writer *w, const firn_value *v, const double *number) {
  char word[64] = "";
  switch (v->row->type) {
  case FIRN_TYPE_ENUM: // of keys, where a choice is its place
    firn_schema_choice(v->row->choices, (int)number[0], word, sizeof word);
    put(w, "%s", word);
    return;
  case FIRN_TYPE_BOOL: put(w, number[0] != 0 ? "true" : "false"); return;
  case FIRN_TYPE_INT: put(w, "%.0f", number[0]); return;
  case FIRN_TYPE_VEC3: put_tuple(w, number, 3); return;
  case FIRN_TYPE_VEC2:
  case FIRN_TYPE_RANGE: put_tuple(w, number, 2); return;
  default: put_number(w, number[0]); return;
  }
}

static void put_keys(writer *w, const firn_value *v) {
  static const char *const names[] = {"linear", "spline", "step"};
  const firn_track_def *def = &v->keys->def;
  put(w, "{keys: [");
  for (int i = 0; i < def->count; i++) {
    put(w, i ? ", [" : "[");
    put_number(w, def->times[i]);
    put(w, ", ");
    put_plain(w, v, def->values + (ptrdiff_t)i * v->keys->width);
    put(w, "]");
  }
  put(w, "], interpolate: %s, loop: %s}", names[def->interpolate], def->loop ? "true" : "false");
}

static void put_array(writer *w, const firn_value *v) {
  put(w, "[");
  for (int i = 0; i < v->count; i++) {
    if (i) put(w, ", ");
    if (v->row->width)
      put_tuple(w, v->numbers + (ptrdiff_t)i * v->row->width, v->row->width);
    else
      put_number(w, v->numbers[i]);
  }
  put(w, "]");
}

static void put_words(writer *w, const firn_value *v) {
  put(w, "[");
  for (int i = 0; i < v->count; i++) {
    if (i) put(w, ", ");
    if (v->row->type == FIRN_TYPE_PATHS)
      put_path(w, v->words[i]);
    else
      put(w, "%s", v->words[i]);
  }
  put(w, "]");
}

static void put_formulas(writer *w, const firn_value *v) {
  put(w, "[");
  for (int i = 0; i < v->row->width; i++) {
    const firn_formula *f = &v->formulas[i];
    if (i) put(w, ", ");
    if (firn_formula_is_number(f)) {
      put_number(w, f->step[0].value);
      continue;
    }
    const char *text = firn_formula_write(w->arena, f);
    if (!text) w->failed = true;
    if (text) put_quoted(w, text);
  }
  put(w, "]");
}

static void put_scalar(writer *w, const firn_value *v) {
  if (v->keys) {
    put_keys(w, v);
    return;
  }
  switch (v->row->type) {
  case FIRN_TYPE_TEXT: put_quoted(w, v->text); return;
  case FIRN_TYPE_PATH: put_path(w, v->text); return;
  case FIRN_TYPE_ENUM:
  case FIRN_TYPE_MATERIAL: put(w, "%s", v->text); return;
  case FIRN_TYPE_NUMBERS: put_array(w, v); return;
  case FIRN_TYPE_FORMULAS: put_formulas(w, v); return;
  case FIRN_TYPE_WORDS:
  case FIRN_TYPE_PATHS: put_words(w, v); return;
  default: put_plain(w, v, v->number); return;
  }
}

static bool is_tree(const firn_value *v) {
  return v->row->type >= FIRN_TYPE_RECORD;
}

static bool is_list(const firn_value *v) {
  return v->row->type == FIRN_TYPE_LIST || v->row->type == FIRN_TYPE_CHOICES;
}

static void put_map(writer *w, const firn_value *map, int indent, bool first_inline);

static void put_entry(writer *w, const firn_value *v, int indent) {
  // The key of a table's item, unlike all others, is the user's.
  if (v->row->names_items && v->key != v->row->key)
    put_quoted(w, v->key);
  else
    put(w, "%s", v->key);
  put(w, ":");
  if (!is_tree(v)) {
    put(w, " ");
    put_scalar(w, v);
    put(w, "\n");
  } else if (!v->first) {
    put(w, is_list(v) ? " []\n" : " {}\n");
  } else if (is_list(v) && !v->first->key) {
    put(w, "\n");
    for (const firn_value *item = v->first; item; item = item->next) {
      put(w, "%*s- ", indent + 2, "");
      put_map(w, item, indent + 4, true);
    }
  } else {
    put(w, "\n");
    put_map(w, v, indent + 2, false);
  }
}

// Lists hold items without keys, whose own keys follow the dash; everything else is key: value.
static void put_map(writer *w, const firn_value *map, int indent, bool first_inline) {
  for (const firn_value *v = map->first; v; v = v->next) {
    if (!first_inline || v != map->first) put(w, "%*s", indent, "");
    put_entry(w, v, indent);
  }
  if (!map->first) put(w, "{}\n");
}

char *firn_value_write(firn_arena *arena, const firn_value *root) {
  return firn_value_write_with(arena, root, NULL, NULL);
}

char *firn_value_write_with(firn_arena *arena, const firn_value *root, firn_path_fn path,
                            void *user) {
  writer w = {arena, firn_arena_alloc(arena, 1024), 0, 1024, false, path, user};
  if (!w.text) return NULL;
  put_map(&w, root, 0, false);
  return w.failed ? NULL : w.text;
}
