// SPDX-License-Identifier: Apache-2.0
// Numbers, vectors, texts, lists of them, and values that are keyed over time.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scene/nearest.h"
#include "scene/reader.h"

#define FAIL FIRN_READ_FAIL

enum { EXPECTED = 400, KEYS_MOST = 100000 };

// "..., did you mean 'x'?" is a sentence of its own; most others go on.
static void fail_why(firn_reader *r, firn_mark mark, const char *why, const char *expected) {
  bool question = *why && why[strlen(why) - 1] == '?';
  FAIL(r, mark, "%s%sxpected %s", why, question ? " E" : "; e", expected);
}

// Whether a text is a number without a unit that is not worked out.
static bool is_bare(const char *text) {
  char *end;
  strtod(text, &end);
  return end != text && !*end;
}

// A turn that is written as 30 for 30 degrees is 4.8 turns, and 5 for 5 degrees most of one: between
// half a turn and one, numbers with more digits than 4.5 are taken for radians. A file that firn has
// resolved has radians, but of angles that were given in hundredths of a degree or coarser.
static void warn_of_degrees(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                            double value) {
  const double degree = 3.14159265358979323846 / 180, hundredths = 100 * value / degree;
  char place[300];
  bool turn = row->dimension == FIRN_DIM_ANGLE && row->key && strcmp(row->key, "rotate") == 0;
  bool coarse = 2 * value == round(2 * value);
  if (!turn || !(fabs(value) > (coarse ? 180 : 360) * degree * (1 + 1e-9))) return;
  if (fabs(hundredths - round(hundredths)) < 1e-9 * fabs(hundredths)) return;
  if (!is_bare(node->text)) return;
  firn_note(r->report->context, FIRN_LOG_WARNING,
            "%s%s: %.40s is in radians, %.3g turns; for degrees write '%.40s deg'",
            firn_report_place(r->report, node->mark, place), r->path, node->text,
            fabs(value) / (360 * degree), node->text);
}

// One number of row, which may be a list of them; part, if not "", is which: "y".
static bool read_part(firn_reader *r, const firn_schema_row *list, const char *part,
                      const firn_node *node, double *out) {
  char why[300], expected[EXPECTED];
  firn_schema_row one = *list, *row = &one;
  if (one.type != FIRN_TYPE_INT) one.type = FIRN_TYPE_REAL;
  firn_schema_expect(row, expected, sizeof expected);
  if (*part) {
    size_t used = strlen(expected);
    snprintf(expected + used, sizeof expected - used, " for %s", part);
  }
  if (node->kind != FIRN_NODE_SCALAR) {
    FAIL(r, node->mark, "found %s; expected %s", firn_node_kind_name(node), expected);
    return false;
  }
  double value;
  if (!firn_expression_read(r->scope, node->text, row->dimension, &value, why, sizeof why)) {
    fail_why(r, node->mark, why, expected);
    return false;
  }
  char is[40] = "";
  if (firn_expression_is(node->text)) snprintf(is, sizeof is, " is %.9g, which", value);
  firn_interval interval = firn_interval_parse(row->range);
  if (!firn_interval_holds(&interval, value)) {
    bool degrees = row->dimension == FIRN_DIM_ANGLE && is_bare(node->text);
    char instead[100] = "";
    if (degrees) snprintf(instead, sizeof instead, "; for degrees write '%.60s deg'", node->text);
    FAIL(r, node->mark, "%.60s%s is out of range; expected %s%s", node->text, is, expected,
         instead);
    return false;
  }
  if (row->type == FIRN_TYPE_INT && value != floor(value)) {
    FAIL(r, node->mark, "%.60s%s is not whole; expected %s", node->text, is, expected);
    return false;
  }
  warn_of_degrees(r, list, node, value);
  *out = value;
  return true;
}

static bool read_number(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                        double *out) {
  return read_part(r, row, "", node, out);
}

// Whether the node is a list of so many; says so if not.
static bool is_list_of(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                       int count) {
  if (node->kind != FIRN_NODE_LIST) {
    firn_reader_fail_type(r, row, node);
    return false;
  }
  int found = firn_node_count(node);
  if (found == count) return true;
  char expected[EXPECTED];
  firn_schema_expect(row, expected, sizeof expected);
  FAIL(r, node->mark, "found a list of %d; expected %s", found, expected);
  return false;
}

static bool read_tuple(firn_reader *r, const firn_schema_row *row, const firn_node *node, int count,
                       double *out) {
  if (!is_list_of(r, row, node, count)) return false;
  static const char *const axes[] = {"x", "y", "z"};
  bool good = true, space = row->type == FIRN_TYPE_VEC3 && row->dimension; // no colour
  int i = 0;
  for (const firn_node *n = node->first; n; n = n->next, i++) {
    size_t before = firn_reader_push(r, "[%d]", i);
    const char *part = space && i < 3 ? axes[i] : "";
    good = read_part(r, row, part, firn_reader_follow(r, n), &out[i]) && good;
    firn_reader_pop(r, before);
  }
  if (good && row->type == FIRN_TYPE_RANGE && out[0] > out[1]) {
    FAIL(r, node->mark, "the first number is larger than the second");
    good = false;
  }
  return good;
}

// A number or an expression of the position as a formula.
static bool read_formula(firn_reader *r, const firn_schema_row *row, const char *part,
                         const firn_node *node, firn_formula *out) {
  firn_formula_step step[FIRN_FORMULA_STEPS] = {0};
  firn_formula found = {.step = step};
  if (node->kind == FIRN_NODE_SCALAR && firn_expression_has_place(node->text)) {
    char why[300], expected[EXPECTED];
    firn_schema_row one = *row;
    one.type = FIRN_TYPE_REAL;
    firn_schema_expect(&one, expected, sizeof expected);
    if (!firn_expression_compile(r->scope, node->text, row->dimension, &found, why, sizeof why)) {
      size_t used = strlen(expected);
      snprintf(expected + used, sizeof expected - used, " for %s", part);
      fail_why(r, node->mark, why, expected);
      return false;
    }
  } else {
    double value = 0;
    if (!read_part(r, row, part, node, &value)) return false;
    firn_formula_add(&found, (firn_formula_step){.op = FIRN_FORMULA_NUMBER, .value = value});
  }
  out->count = found.count;
  out->step = firn_arena_alloc(r->arena, sizeof step[0] * (size_t)found.count);
  if (out->step) memcpy(out->step, step, sizeof step[0] * (size_t)found.count);
  return out->step != NULL;
}

static bool read_formulas(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                          firn_value *value) {
  static const char *const axes[] = {"x", "y", "z"};
  static const char *const pairs[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
  int found = row->width;
  if (!is_list_of(r, row, node, found)) return false;
  firn_formula *all = firn_arena_alloc(r->arena, sizeof *all * (size_t)found);
  if (!all) return false;
  bool good = true;
  int i = 0;
  for (const firn_node *n = node->first; n; n = n->next, i++) {
    size_t before = firn_reader_push(r, "[%d]", i);
    const char *part = i < (found == 6 ? 6 : 3) ? (found == 6 ? pairs : axes)[i] : "";
    good = read_formula(r, row, part, firn_reader_follow(r, n), &all[i]) && good;
    if (good && i < 3 && firn_formula_is_number(&all[i])) value->number[i] = all[i].step[0].value;
    firn_reader_pop(r, before);
  }
  value->formulas = all;
  return good;
}

static bool read_array(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                       firn_value *value) {
  if (node->kind != FIRN_NODE_LIST) {
    firn_reader_fail_type(r, row, node);
    return false;
  }
  int count = firn_node_count(node), width = row->width ? row->width : 1;
  double *numbers = firn_arena_alloc(r->arena, sizeof(double) * (size_t)(count * width));
  if (!numbers) return false;
  bool good = true;
  int i = 0;
  for (const firn_node *item = node->first; item; item = item->next, i++) {
    const firn_node *n = firn_reader_follow(r, item);
    size_t before = firn_reader_push(r, "[%d]", i);
    double *at = numbers + (size_t)i * (size_t)width;
    good = (row->width ? read_tuple(r, row, n, width, at) : read_number(r, row, n, at)) && good;
    firn_reader_pop(r, before);
  }
  value->numbers = numbers;
  value->count = count;
  return good;
}

// --------------------------------------------------------------------------------------- texts

static bool read_text(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                      const char **out) {
  if (node->kind != FIRN_NODE_SCALAR) {
    firn_reader_fail_type(r, row, node);
    return false;
  }
  char why[300];
  *out = firn_scope_expand(r->scope, node->text, why, sizeof why);
  if (!*out && *why) FAIL(r, node->mark, "%s", why);
  return *out != NULL;
}

// What YAML 1.1 took for the same; "" if it is nothing of that.
static const char *bool_meant(const char *text) {
  static const char *const yes[] = {"yes", "on", "true", "y", "1"}, *const no[] = {"no", "off",
                                                                                   "false", "n",
                                                                                   "0"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
    if (strcasecmp(text, yes[i]) == 0) return "; write true";
    if (strcasecmp(text, no[i]) == 0) return "; write false";
  }
  return "";
}

static bool read_bool(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                      double *out) {
  const char *text;
  if (!read_text(r, row, node, &text)) return false;
  bool yes = strcmp(text, "true") == 0;
  if (!yes && strcmp(text, "false") != 0) {
    FAIL(r, node->mark, "found '%.60s'; expected true or false%s", text, bool_meant(text));
    return false;
  }
  *out = yes;
  return true;
}

static bool read_enum(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                      const char **out) {
  if (!read_text(r, row, node, out)) return false;
  enum { MOST = 24, WORD = 32 };
  char words[MOST][WORD];
  firn_nearest nearest = firn_nearest_begin(*out);
  for (int i = 0; i < MOST && firn_schema_row_choice(row, i, words[i], WORD); i++) {
    if (strcmp(words[i], *out) == 0) return true;
    firn_nearest_offer(&nearest, words[i]);
  }
  char expected[EXPECTED];
  firn_schema_row one = *row; // of a list of words
  one.type = FIRN_TYPE_ENUM;
  firn_schema_expect(&one, expected, sizeof expected);
  if (nearest.best)
    FAIL(r, node->mark, "unknown choice '%.60s'; did you mean '%s'? Expected %s", *out,
         nearest.best, expected);
  else
    FAIL(r, node->mark, "unknown choice '%.60s'; expected %s", *out, expected);
  return false;
}

// A path is kept whole, so that the resolved scene means the same wherever it lies.
static bool read_path(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                      const char **out) {
  const char *text;
  if (!read_text(r, row, node, &text)) return false;
  if (!*text) {
    FAIL(r, node->mark, "found nothing; expected the name of a file");
    return false;
  }
  const char *file = node->mark.origin ? "" : r->report->files[node->mark.file];
  *out = firn_input_path(r->arena, file, text);
  return *out != NULL;
}

typedef bool (*word_fn)(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                        const char **out);

static bool read_words(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                       word_fn read, firn_value *value) {
  bool single = node->kind == FIRN_NODE_SCALAR && !firn_reader_empty(node);
  if (!single && node->kind != FIRN_NODE_LIST) {
    firn_reader_fail_type(r, row, node);
    return false;
  }
  int count = single ? 1 : firn_node_count(node);
  const char **words = firn_arena_alloc(r->arena, sizeof *words * (size_t)(count + 1));
  if (!words) return false;
  value->words = words;
  if (single) {
    value->count = 1;
    return read(r, row, node, &words[0]);
  }
  bool good = true;
  for (const firn_node *n = node->first; n; n = n->next) {
    size_t before = firn_reader_push(r, "[%d]", value->count);
    bool read_well = read(r, row, firn_reader_follow(r, n), &words[value->count]);
    if (read_well) value->count++;
    good = read_well && good;
    firn_reader_pop(r, before);
  }
  return good;
}

// --------------------------------------------------------------------------------- keyed values

// A choice as its place in the list.
static bool read_place(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                       double *out) {
  const char *word;
  if (!read_enum(r, row, node, &word)) return false;
  *out = firn_schema_chosen(row->choices, word);
  return true;
}

// What has nothing between one value and the next.
static bool is_switch(const firn_schema_row *row) {
  return row->type == FIRN_TYPE_BOOL || row->type == FIRN_TYPE_ENUM;
}

static bool read_plain(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                       double *out) {
  if (row->type == FIRN_TYPE_BOOL) return read_bool(r, row, node, out);
  if (row->type == FIRN_TYPE_ENUM) return read_place(r, row, node, out);
  if (row->type == FIRN_TYPE_VEC3) return read_tuple(r, row, node, 3, out);
  return read_number(r, row, node, out);
}

static const firn_schema_row time_row = {
    .key = "time", .type = FIRN_TYPE_REAL, .dimension = FIRN_DIM_TIME};
static const firn_schema_row interpolate_row = {
    .key = "interpolate", .type = FIRN_TYPE_ENUM, .choices = "linear|spline|step"};
static const firn_schema_row loop_row = {.key = "loop", .type = FIRN_TYPE_BOOL};

static bool read_key(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                     double *time, double *value) {
  if (node->kind != FIRN_NODE_LIST || firn_node_count(node) != 2) {
    FAIL(r, node->mark, "found %s%s; expected a key [time, value]",
         node->kind == FIRN_NODE_LIST ? "a list of " : firn_node_kind_name(node),
         node->kind == FIRN_NODE_LIST ? (firn_node_count(node) > 2 ? "more than 2" : "less than 2")
                                      : "");
    return false;
  }
  bool good = read_number(r, &time_row, firn_reader_follow(r, node->first), time);
  return read_plain(r, row, firn_reader_follow(r, node->last), value) && good;
}

// The options beside the keys, and any key that does not belong there.
static bool read_key_options(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                             firn_track_def *def) {
  bool good = true;
  def->interpolate = is_switch(row) || row->type == FIRN_TYPE_INT ? FIRN_INTERPOLATE_STEP
                                                                  : FIRN_INTERPOLATE_LINEAR;
  for (const firn_node *n = node->first; n; n = n->next) {
    size_t before = firn_reader_push(r, ".%.80s", n->key);
    const char *word = "";
    double loop = 0;
    if (strcmp(n->key, "interpolate") == 0) {
      bool read_well = read_enum(r, &interpolate_row, n, &word);
      if (read_well && is_switch(row) && strcmp(word, "step") != 0) {
        FAIL(r, n->mark, "'%s' makes no sense between %s; expected step", word,
             row->type == FIRN_TYPE_BOOL ? "true and false" : "words");
        read_well = false;
      }
      good = read_well && good;
      def->interpolate = *word == 'l'     ? FIRN_INTERPOLATE_LINEAR
                         : word[1] == 'p' ? FIRN_INTERPOLATE_SPLINE
                                          : FIRN_INTERPOLATE_STEP;
    } else if (strcmp(n->key, "loop") == 0) {
      good = read_bool(r, &loop_row, n, &loop) && good;
      def->loop = loop != 0;
    } else if (strcmp(n->key, "keys") != 0) {
      FAIL(r, n->key_mark, "unknown key; a keyed value has keys, interpolate and loop");
      good = false;
    }
    firn_reader_pop(r, before);
  }
  return good;
}

static const char *choice_of(firn_arena *arena, const firn_schema_row *row, int place) {
  char word[64] = "";
  firn_schema_choice(row->choices, place, word, sizeof word);
  return firn_arena_format(arena, "%s", word);
}

static bool read_keyed(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                       firn_value *value) {
  const firn_node *list = firn_reader_follow(r, firn_node_find(node, "keys"));
  int count = list->kind == FIRN_NODE_LIST ? firn_node_count(list) : 0;
  if (count == 0 || count > KEYS_MOST) {
    FAIL(r, list->mark, "found %s; expected a list of keys, each [time, value]",
         list->kind == FIRN_NODE_LIST ? count ? "too many keys" : "an empty list"
                                      : firn_node_kind_name(list));
    return false;
  }
  int width = row->type == FIRN_TYPE_VEC3 ? 3 : 1;
  firn_value_keys *keys = firn_arena_alloc(r->arena, sizeof *keys);
  double *times = firn_arena_alloc(r->arena, sizeof(double) * (size_t)count);
  double *values = firn_arena_alloc(r->arena, sizeof(double) * (size_t)(count * width));
  if (!keys || !times || !values) return false;
  bool good = true;
  int i = 0;
  for (const firn_node *item = list->first; item; item = item->next, i++) {
    const firn_node *n = firn_reader_follow(r, item);
    size_t before = firn_reader_push(r, ".keys[%d]", i);
    bool read_well = read_key(r, row, n, &times[i], &values[i * width]);
    if (good && read_well && i > 0 && times[i] <= times[i - 1]) {
      FAIL(r, n->mark, "%g s does not come after %g s of the key before it", times[i],
           times[i - 1]);
      read_well = false;
    }
    good = read_well && good;
    firn_reader_pop(r, before);
  }
  keys->def = (firn_track_def){.count = count, .times = times, .values = values};
  good = read_key_options(r, row, node, &keys->def) && good;
  if (keys->def.loop && count < 2) {
    FAIL(r, list->mark, "found one key; a loop needs two or more");
    good = false;
  }
  keys->width = width;
  keys->value = value;
  keys->next = r->keys;
  value->keys = keys;
  memcpy(value->number, values, sizeof(double) * (size_t)width);
  if (good && row->type == FIRN_TYPE_ENUM) value->text = choice_of(r->arena, row, (int)*values);
  if (good) r->keys = keys;
  return good;
}

// ---------------------------------------------------------------------------------------- all

static bool read_scalar(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                        firn_value *value) {
  bool keys = node->kind == FIRN_NODE_MAP && firn_node_find(node, "keys");
  if (keys && row->keyed) return read_keyed(r, row, node, value);
  if (keys) {
    char expected[EXPECTED];
    firn_schema_expect(row, expected, sizeof expected);
    FAIL(r, node->mark, "this cannot change with time; expected %s", expected);
    return false;
  }
  if (node->kind == FIRN_NODE_MAP && row->keyed) {
    char expected[EXPECTED];
    firn_schema_expect(row, expected, sizeof expected);
    FAIL(r, node->mark, "found a map without keys; expected %s, or {keys: [[time, value], ...]}",
         expected);
    return false;
  }
  switch (row->type) {
  case FIRN_TYPE_BOOL: return read_bool(r, row, node, value->number);
  case FIRN_TYPE_INT:
  case FIRN_TYPE_REAL:
    value->text = node->text; // which FIRN_DIM_ANY is judged by later
    return read_number(r, row, node, value->number);
  case FIRN_TYPE_VEC2:
  case FIRN_TYPE_RANGE: return read_tuple(r, row, node, 2, value->number);
  case FIRN_TYPE_VEC3: return read_tuple(r, row, node, 3, value->number);
  case FIRN_TYPE_NUMBERS: return read_array(r, row, node, value);
  case FIRN_TYPE_FORMULAS: return read_formulas(r, row, node, value);
  case FIRN_TYPE_TEXT:
  case FIRN_TYPE_MATERIAL: return read_text(r, row, node, &value->text);
  case FIRN_TYPE_PATH: return read_path(r, row, node, &value->text);
  case FIRN_TYPE_PATHS: return read_words(r, row, node, read_path, value);
  case FIRN_TYPE_ENUM: return read_enum(r, row, node, &value->text);
  case FIRN_TYPE_WORDS: return read_words(r, row, node, read_enum, value);
  default: break;
  }
  return true;
}

bool firn_reader_scalar(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                        firn_value *value) {
  r->scope->scales = false;
  bool good = read_scalar(r, row, node, value);
  value->scales = r->scope->scales;
  return good;
}
