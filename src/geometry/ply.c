// SPDX-License-Identifier: Apache-2.0
#include "geometry/ply.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

typedef enum kind { INT, UNSIGNED, FLOAT } kind;

struct firn_ply_type {
  const char *name, *other_name;
  kind kind;
  size_t size; // bytes
};

static const firn_ply_type types[] = {
    {"char", "int8", INT, 1},       {"uchar", "uint8", UNSIGNED, 1},
    {"short", "int16", INT, 2},     {"ushort", "uint16", UNSIGNED, 2},
    {"int", "int32", INT, 4},       {"uint", "uint32", UNSIGNED, 4},
    {"float", "float32", FLOAT, 4}, {"double", "float64", FLOAT, 8},
};

// Fails in the header.
#define FAIL(p, ...) firn_fail_line(&(p)->file, (p)->words.line, __VA_ARGS__)

// -------------------------------------------------------------------------------------------- header

static firn_status read_type(firn_ply *p, firn_word word, const firn_ply_type **out) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    *out = &types[i];
    if (firn_word_is(word, types[i].name) || firn_word_is(word, types[i].other_name))
      return FIRN_OK;
  }
  return FAIL(p, "expected a type of PLY files, as float or int");
}

static firn_status read_format(firn_ply *p) {
  firn_word word = firn_words_next_in_line(&p->words);
  p->big_endian = firn_word_is(word, "binary_big_endian");
  p->binary = p->big_endian || firn_word_is(word, "binary_little_endian");
  if (p->binary || firn_word_is(word, "ascii")) return FIRN_OK;
  return FAIL(p, "the format is neither ascii nor binary_little_endian nor binary_big_endian");
}

static void copy_name(char name[32], firn_word word) {
  size_t length = word.length < 31 ? word.length : 31;
  memcpy(name, word.text, length);
  name[length] = 0;
}

static firn_status read_element(firn_ply *p) {
  if (p->element_count == FIRN_PLY_ELEMENTS) {
    return FAIL(p, "more than %d elements", FIRN_PLY_ELEMENTS);
  }
  firn_word name = firn_words_next_in_line(&p->words), rows = firn_words_next_in_line(&p->words);
  int64_t count;
  if (!firn_word_integer(rows, &count) || count < 0) {
    return FAIL(p, "expected a number of elements");
  }
  firn_ply_element *e = &p->element[p->element_count++];
  *e = (firn_ply_element){
      .rows = (uint64_t)count, .property = &p->property[p->property_count], .list = -1};
  copy_name(e->name, name);
  return FIRN_OK;
}

static firn_status read_property(firn_ply *p) {
  if (!p->element_count) return FAIL(p, "a property before any element");
  if (p->property_count == FIRN_PLY_PROPERTIES) {
    return FAIL(p, "more than %d properties", FIRN_PLY_PROPERTIES);
  }
  p->element[p->element_count - 1].property_count++;
  firn_ply_property *q = &p->property[p->property_count++];
  firn_word word = firn_words_next_in_line(&p->words);
  *q = (firn_ply_property){.line = p->words.line};
  if (firn_word_is(word, "list")) {
    FIRN_TRY(read_type(p, firn_words_next_in_line(&p->words), &q->count));
    if (q->count->kind == FLOAT) return FAIL(p, "a list cannot have a fraction of entries");
    word = firn_words_next_in_line(&p->words);
  }
  FIRN_TRY(read_type(p, word, &q->value));
  q->whole = q->value->kind != FLOAT;
  copy_name(q->name, firn_words_next_in_line(&p->words));
  return FIRN_OK;
}

static firn_status read_header(firn_ply *p) {
  bool format = false;
  if (!firn_word_is(firn_words_next_in_line(&p->words), "ply")) {
    return firn_fail_line(&p->file, 1, "the file does not begin with 'ply'");
  }
  for (;;) {
    firn_words_skip_line(&p->words);
    if (p->words.at >= p->words.end) return FAIL(p, "the file ends before 'end_header'");
    firn_word word = firn_words_next_in_line(&p->words);
    if (firn_word_is(word, "end_header")) break;
    if (firn_word_is(word, "format")) {
      FIRN_TRY(read_format(p));
      format = true;
    } else if (firn_word_is(word, "element")) {
      FIRN_TRY(read_element(p));
    } else if (firn_word_is(word, "property")) {
      FIRN_TRY(read_property(p));
    } else if (word.length && !firn_word_is(word, "comment") && !firn_word_is(word, "obj_info")) {
      return FAIL(p, "the line does not begin with a word of PLY headers, as element or property");
    }
  }
  if (!format) return FAIL(p, "the header names no format");
  p->header = p->words.line;
  firn_words_skip_line(&p->words);
  p->at = (size_t)(p->words.at - (const char *)p->file.bytes);
  return FIRN_OK;
}

firn_status firn_ply_open(const firn_file_bytes *file, firn_ply **out) {
  firn_ply *p = *out = firn_alloc(file->context, sizeof *p, "PLY file");
  if (!p) return FIRN_ERROR_MEMORY;
  p->file = *file;
  p->words = firn_words_of(file);
  p->element_count = p->property_count = 0;
  firn_status status = read_header(p);
  if (status == FIRN_OK) return FIRN_OK;
  firn_ply_close(p);
  *out = NULL;
  return status;
}

void firn_ply_close(firn_ply *ply) {
  if (ply) firn_free(ply->file.context, ply, sizeof *ply);
}

// ---------------------------------------------------------------------------------------------- body

firn_status firn_ply_fail(const firn_ply *p, const char *what, double value) {
  return p->binary ? firn_fail_byte(&p->file, p->at, "%s %.17g", what, value)
                   : firn_fail_line(&p->file, p->words.line, "%s %.17g", what, value);
}

// For messages, which quote no text of the file.
static const char *name_of(const firn_ply_element *e) {
  static const char *const known[] = {"vertex", "face"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(e->name, known[i]) == 0) return known[i];
  return "row";
}

static firn_status read_text(firn_ply *p, const firn_ply_element *e, uint64_t row,
                             const firn_ply_type *t, double *out) {
  firn_word word = firn_words_next(&p->words);
  if (firn_word_real(word, out)) return FIRN_OK;
  if (!word.length) {
    return FAIL(p, "the file ends in %s %llu of %llu", name_of(e), (unsigned long long)row,
                (unsigned long long)e->rows);
  }
  *out = NAN;
  if (t->kind == FLOAT && (firn_word_is(word, "nan") || firn_word_is(word, "inf"))) return FIRN_OK;
  return FAIL(p, "a word in %s %llu is not a number", name_of(e), (unsigned long long)row);
}

static firn_status read_value(firn_ply *p, const firn_ply_element *e, uint64_t row,
                              const firn_ply_type *t, double *out) {
  if (!p->binary) return read_text(p, e, row, t, out);
  if (p->file.size - p->at < t->size) {
    return firn_fail_byte(&p->file, p->file.size, "the file ends in %s %llu of %llu", name_of(e),
                          (unsigned long long)row, (unsigned long long)e->rows);
  }
  const unsigned char *bytes = p->file.bytes + p->at;
  p->at += t->size;
  if (t->kind == FLOAT) {
    *out = t->size == 4 ? (double)firn_bytes_float(bytes, p->big_endian)
                        : firn_bytes_double(bytes, p->big_endian);
    return FIRN_OK;
  }
  uint64_t value = firn_bytes_integer(bytes, t->size, p->big_endian);
  uint64_t sign = (uint64_t)1 << (8 * t->size - 1);
  *out = t->kind == INT && value & sign ? (double)value - 2 * (double)sign : (double)value;
  return FIRN_OK;
}

firn_status firn_ply_read_row(firn_ply *p, const firn_ply_element *e, uint64_t number) {
  for (int i = 0; i < e->property_count; i++) {
    const firn_ply_property *q = &e->property[i];
    FIRN_TRY(read_value(p, e, number, q->count ? q->count : q->value, &p->value[i]));
    if (!q->count) continue;
    double count = p->value[i], skipped;
    bool kept = i == e->list;
    if (!(count >= 0 && count < 0x1p32 && count == floor(count))) {
      return firn_ply_fail(p, "a list cannot have this many entries:", count);
    }
    if (kept && count > FIRN_PLY_ENTRIES) {
      return firn_ply_fail(p, "a list has too many entries:", count);
    }
    for (size_t k = 0; k < (size_t)count; k++) {
      FIRN_TRY(read_value(p, e, number, q->value, kept ? &p->entry[k] : &skipped));
    }
  }
  return FIRN_OK;
}
