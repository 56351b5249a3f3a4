// SPDX-License-Identifier: Apache-2.0
// From nodes to values, along the schema. Goes on after every error, so that one look at a file
// finds everything that is wrong with it.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/nearest.h"
#include "scene/value.h"

typedef struct {
  firn_arena *arena;
  firn_report *report;
  char path[200];
  size_t length; // of path
} reader;

#define FAIL(r, mark, ...) firn_report_add((r)->report, mark, (r)->path, __VA_ARGS__)

static size_t path_push(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Appends a step and returns the length to go back to.
static size_t path_push(reader *r, const char *format, ...) {
  size_t before = r->length;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(r->path + before, sizeof r->path - before, format, args);
  va_end(args);
  r->length = before + (n > 0 ? (size_t)n : 0);
  if (r->length >= sizeof r->path) r->length = sizeof r->path - 1;
  return before;
}

static size_t path_push_key(reader *r, const char *key) {
  return path_push(r, "%s%.80s", r->length ? "." : "", key);
}

static void path_pop(reader *r, size_t before) {
  r->length = before;
  r->path[before] = 0;
}

static void fail_type(reader *r, const firn_schema_row *row, const firn_node *node) {
  char expected[200];
  firn_schema_expect(row, expected, sizeof expected);
  const char *hint = "";
  if (row->type == FIRN_TYPE_LIST && node->kind == FIRN_NODE_MAP)
    hint = " (begin each item with '- ')";
  FAIL(r, node->mark, "found %s; expected %s%s", firn_node_kind_name(node), expected, hint);
}

// ------------------------------------------------------------------------------------- scalars

static bool empty(const firn_node *node) {
  bool null = node->kind == FIRN_NODE_SCALAR && !node->quoted;
  return null && (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

static bool read_number(reader *r, const firn_schema_row *row, const firn_node *node, double *out) {
  char why[200], expected[200];
  if (node->kind != FIRN_NODE_SCALAR) {
    fail_type(r, row, node);
    return false;
  }
  firn_schema_expect(row, expected, sizeof expected);
  double value;
  if (!firn_quantity_parse(node->text, row->dimension, &value, why, sizeof why)) {
    FAIL(r, node->mark, "%s; expected %s", why, expected);
    return false;
  }
  firn_interval interval = firn_interval_parse(row->range);
  if (!firn_interval_holds(&interval, value)) {
    FAIL(r, node->mark, "%.60s is out of range; expected %s", node->text, expected);
    return false;
  }
  if (row->type == FIRN_TYPE_INT && value != floor(value)) {
    FAIL(r, node->mark, "%.60s is not whole; expected %s", node->text, expected);
    return false;
  }
  *out = value;
  return true;
}

static bool read_numbers(reader *r, const firn_schema_row *row, const firn_node *node, int count,
                         double *out) {
  int found = 0;
  if (node->kind == FIRN_NODE_LIST)
    for (const firn_node *n = node->first; n; n = n->next) found++;
  if (node->kind != FIRN_NODE_LIST || found != count) {
    char expected[200];
    firn_schema_expect(row, expected, sizeof expected);
    if (node->kind == FIRN_NODE_LIST)
      FAIL(r, node->mark, "found a list of %d; expected %s", found, expected);
    else
      fail_type(r, row, node);
    return false;
  }
  bool good = true;
  int i = 0;
  for (const firn_node *n = node->first; n; n = n->next, i++) {
    size_t before = path_push(r, "[%d]", i);
    good = read_number(r, row, n, &out[i]) && good;
    path_pop(r, before);
  }
  if (good && row->type == FIRN_TYPE_RANGE && out[0] > out[1]) {
    FAIL(r, node->mark, "the first number is larger than the second");
    good = false;
  }
  return good;
}

static bool read_bool(reader *r, const firn_schema_row *row, const firn_node *node, double *out) {
  if (node->kind != FIRN_NODE_SCALAR) {
    fail_type(r, row, node);
    return false;
  }
  bool yes = strcmp(node->text, "true") == 0;
  if (!yes && strcmp(node->text, "false") != 0) {
    FAIL(r, node->mark, "found '%.60s'; expected true or false", node->text);
    return false;
  }
  *out = yes;
  return true;
}

static bool read_text(reader *r, const firn_schema_row *row, const firn_node *node,
                      firn_value *value) {
  if (node->kind != FIRN_NODE_SCALAR) {
    fail_type(r, row, node);
    return false;
  }
  value->text = node->text;
  return true;
}

// The i-th of "a|b|c", in buffer; false past the last.
static bool choice_get(const char *choices, int i, char *buffer, size_t size) {
  for (; i > 0; i--) {
    choices = strchr(choices, '|');
    if (!choices) return false;
    choices++;
  }
  snprintf(buffer, size, "%.*s", (int)strcspn(choices, "|"), choices);
  return true;
}

static bool read_enum(reader *r, const firn_schema_row *row, const firn_node *node,
                      firn_value *value) {
  if (!read_text(r, row, node, value)) return false;
  enum { MOST = 16, WORD = 32 };
  char words[MOST][WORD];
  firn_nearest nearest = firn_nearest_begin(node->text);
  for (int i = 0; i < MOST && choice_get(row->choices, i, words[i], WORD); i++) {
    if (strcmp(words[i], node->text) == 0) return true;
    firn_nearest_offer(&nearest, words[i]);
  }
  char expected[200];
  firn_schema_expect(row, expected, sizeof expected);
  if (nearest.best)
    FAIL(r, node->mark, "unknown choice '%.60s'; did you mean '%s'? Expected %s", node->text,
         nearest.best, expected);
  else
    FAIL(r, node->mark, "unknown choice '%.60s'; expected %s", node->text, expected);
  return false;
}

// ------------------------------------------------------------------------------------- records

static void read_record(reader *r, const firn_schema_record *record, const firn_node *node,
                        firn_value *value);

static const char *nearest_key(const firn_schema_record *record, const char *key) {
  firn_nearest nearest = firn_nearest_begin(key);
  for (int i = 0; i < record->count; i++) firn_nearest_offer(&nearest, record->rows[i].key);
  return nearest.best;
}

static void fail_unknown(reader *r, const firn_schema_record *record, const firn_node *node) {
  const char *nearest = nearest_key(record, node->key);
  if (nearest) {
    FAIL(r, node->key_mark, "unknown key; did you mean '%s'?", nearest);
    return;
  }
  char where[160], keys[300] = "";
  if (firn_schema_locate(node->key, where, sizeof where)) {
    FAIL(r, node->key_mark, "unknown key here; there is %s", where);
    return;
  }
  size_t used = 0;
  for (int i = 0; i < record->count && used < sizeof keys; i++)
    used += (size_t)snprintf(keys + used, sizeof keys - used, "%s%s", i ? ", " : "",
                             record->rows[i].key);
  FAIL(r, node->key_mark, "unknown key; the keys of %s are %s", record->name, keys);
}

static bool name_good(const char *name) {
  static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return *name && !name[strspn(name, good)] && strlen(name) <= 63;
}

static void read_item(reader *r, const firn_schema_row *row, const firn_node *node,
                      firn_value *parent, const char *key) {
  firn_value *item = firn_value_add(r->arena, parent, row);
  if (!item) return;
  item->key = key;
  item->mark = node->mark;
  item->given = true;
  if (node->kind != FIRN_NODE_MAP && !empty(node)) {
    FAIL(r, node->mark, "found %s; expected a map with the keys of %s", firn_node_kind_name(node),
         row->record->name);
    return;
  }
  read_record(r, row->record, node, item);
}

static void read_list(reader *r, const firn_schema_row *row, const firn_node *node,
                      firn_value *value) {
  if (node->kind != FIRN_NODE_LIST) {
    if (!empty(node)) fail_type(r, row, node);
    return;
  }
  int i = 0;
  for (const firn_node *n = node->first; n; n = n->next, i++) {
    size_t before = path_push(r, "[%d]", i);
    read_item(r, row, n, value, NULL);
    path_pop(r, before);
  }
}

static void read_table(reader *r, const firn_schema_row *row, const firn_node *node,
                       firn_value *value) {
  if (node->kind != FIRN_NODE_MAP) {
    if (!empty(node)) fail_type(r, row, node);
    return;
  }
  for (const firn_node *n = node->first; n; n = n->next) {
    size_t before = path_push_key(r, n->key);
    if (!name_good(n->key))
      FAIL(r, n->key_mark, "not a name; expected letters, digits, - and _, at most 63");
    read_item(r, row, n, value, n->key);
    path_pop(r, before);
  }
}

// An override beats what the file says in its place: of several keys that exclude each other, the
// ones from the file give way.
static const firn_node *rival(const firn_node *a, const firn_node *b) {
  if (!a || !b) return a ? a : b;
  bool a_set = a->key_mark.origin || a->mark.origin, b_set = b->key_mark.origin || b->mark.origin;
  if (a_set == b_set) return NULL;
  return a_set ? a : b;
}

static void read_choice(reader *r, const firn_schema_row *row, const firn_node *node,
                        firn_value *value) {
  if (node->kind != FIRN_NODE_MAP) {
    fail_type(r, row, node);
    return;
  }
  const firn_node *chosen = NULL;
  for (const firn_node *n = node->first; n; n = n->next) {
    if (!firn_schema_find(row->record, n->key)) {
      size_t before = path_push_key(r, n->key);
      fail_unknown(r, row->record, n);
      path_pop(r, before);
      return;
    }
    if (chosen && !rival(chosen, n)) {
      FAIL(r, n->key_mark, "'%s' and '%s' exclude each other; expected one of them", chosen->key,
           n->key);
      return;
    }
    chosen = rival(chosen, n);
  }
  if (!chosen) {
    fail_type(r, row, node);
    return;
  }
  const firn_schema_row *alternative = firn_schema_find(row->record, chosen->key);
  firn_value *child = firn_value_add(r->arena, value, alternative);
  if (!child) return;
  child->mark = chosen->mark;
  child->given = true;
  size_t before = path_push_key(r, chosen->key);
  if (chosen->kind == FIRN_NODE_MAP || empty(chosen))
    read_record(r, alternative->record, chosen, child);
  else
    fail_type(r, alternative, chosen);
  path_pop(r, before);
}

static void read_row(reader *r, const firn_schema_row *row, const firn_node *node,
                     firn_value *parent) {
  firn_value *value = firn_value_add(r->arena, parent, row);
  if (!value) return;
  value->mark = node->mark;
  bool good = true;
  switch (row->type) {
  case FIRN_TYPE_BOOL: good = read_bool(r, row, node, value->number); break;
  case FIRN_TYPE_INT:
  case FIRN_TYPE_REAL: good = read_number(r, row, node, value->number); break;
  case FIRN_TYPE_VEC3: good = read_numbers(r, row, node, 3, value->number); break;
  case FIRN_TYPE_RANGE: good = read_numbers(r, row, node, 2, value->number); break;
  case FIRN_TYPE_TEXT:
  case FIRN_TYPE_MATERIAL: good = read_text(r, row, node, value); break;
  case FIRN_TYPE_ENUM: good = read_enum(r, row, node, value); break;
  case FIRN_TYPE_RECORD:
    if (node->kind == FIRN_NODE_MAP || empty(node))
      read_record(r, row->record, node, value);
    else
      fail_type(r, row, node);
    break;
  case FIRN_TYPE_LIST: read_list(r, row, node, value); break;
  case FIRN_TYPE_TABLE: read_table(r, row, node, value); break;
  case FIRN_TYPE_CHOICE: read_choice(r, row, node, value); break;
  }
  value->given = good;
}

static void read_default(reader *r, const firn_schema_row *row, firn_value *value) {
  const firn_node nothing = {.kind = FIRN_NODE_SCALAR, .text = ""};
  const firn_node *node = &nothing;
  bool tree = row->type == FIRN_TYPE_RECORD || row->type == FIRN_TYPE_LIST ||
              row->type == FIRN_TYPE_TABLE;
  if (!row->initial && !tree) return; // left open: see scene.c
  if (row->initial)
    node = firn_node_parse(r->arena, r->report, row->initial, strlen(row->initial), "default");
  if (!node) return;
  read_row(r, row, node, value);
  if (!value->last) return;
  value->last->mark = (firn_mark){0};
  value->last->given = false;
}

// Of the keys of row's group that the node has: is this row's the one to read?
static const firn_node *group_winner(reader *r, const firn_schema_record *record,
                                     const firn_schema_row *row, const firn_node *node) {
  const firn_node *winner = NULL;
  for (int i = 0; i < record->count; i++) {
    const firn_schema_row *other = &record->rows[i];
    if (!other->group || strcmp(other->group, row->group) != 0) continue;
    const firn_node *n = firn_node_find(node, other->key);
    if (winner && n && !rival(winner, n)) {
      if (other == row)
        FAIL(r, n->key_mark, "'%s' and '%s' exclude each other; expected one of them", winner->key,
             n->key);
      return winner;
    }
    winner = rival(winner, n);
  }
  return winner;
}

static void fail_missing(reader *r, const firn_schema_record *record, const firn_schema_row *row,
                         const firn_node *node) {
  // A misspelt key was reported already, with the right one.
  for (const firn_node *n = node->first; n; n = n->next) {
    const char *meant = firn_schema_find(record, n->key) ? NULL : nearest_key(record, n->key);
    if (meant && strcmp(meant, row->key) == 0) return;
  }
  char expected[200];
  firn_schema_expect(row, expected, sizeof expected);
  if (!row->group) {
    FAIL(r, node->mark, "key '%s' is missing: %s; expected %s", row->key, row->doc, expected);
    return;
  }
  // Said once for the group, at its first row.
  char keys[100] = "";
  size_t used = 0;
  for (int i = 0; i < record->count && used < sizeof keys; i++) {
    const firn_schema_row *other = &record->rows[i];
    if (!other->group || strcmp(other->group, row->group) != 0) continue;
    if (!used && other != row) return;
    used += (size_t)snprintf(keys + used, sizeof keys - used, "%s'%s'", used ? " or " : "",
                             other->key);
  }
  FAIL(r, node->mark, "key %s is missing; expected %s", keys, expected);
}

static void read_record(reader *r, const firn_schema_record *record, const firn_node *node,
                        firn_value *value) {
  for (const firn_node *n = node->first; n; n = n->next) {
    if (firn_schema_find(record, n->key)) continue;
    size_t before = path_push_key(r, n->key);
    fail_unknown(r, record, n);
    path_pop(r, before);
  }
  for (int i = 0; i < record->count; i++) {
    const firn_schema_row *row = &record->rows[i];
    const firn_node *n = firn_node_find(node, row->key);
    const firn_node *winner = row->group ? group_winner(r, record, row, node) : n;
    if (winner && winner == n) {
      size_t before = path_push_key(r, row->key);
      read_row(r, row, n, value);
      path_pop(r, before);
    } else if (!winner && row->required) {
      fail_missing(r, record, row, node);
    } else if (!winner) {
      read_default(r, row, value);
    }
  }
}

firn_value *firn_value_read(firn_arena *arena, firn_report *report,
                            const firn_schema_record *record, const firn_node *node) {
  reader r = {.arena = arena, .report = report};
  firn_value *root = firn_arena_alloc(arena, sizeof *root);
  if (root) read_record(&r, record, node, root);
  return root;
}
