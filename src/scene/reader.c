// SPDX-License-Identifier: Apache-2.0
// From nodes to values, along the schema. Goes on after every error, so that one look at a file
// finds everything that is wrong with it.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/nearest.h"
#include "scene/reader.h"

#define FAIL FIRN_READ_FAIL

// Deeper than any sane scene, and more than any sane scene says: variables that hold themselves.
enum { DEPTH_MOST = 64, VALUES_MOST = 2000000 };

size_t firn_reader_push(firn_reader *r, const char *format, ...) {
  size_t before = r->length;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(r->path + before, sizeof r->path - before, format, args);
  va_end(args);
  r->length = before + (n > 0 ? (size_t)n : 0);
  if (r->length >= sizeof r->path) r->length = sizeof r->path - 1;
  return before;
}

static size_t path_push_key(firn_reader *r, const char *key) {
  return firn_reader_push(r, "%s%.80s", r->length ? "." : "", key);
}

void firn_reader_pop(firn_reader *r, size_t before) {
  r->length = before;
  r->path[before] = 0;
}

void firn_reader_fail_type(firn_reader *r, const firn_schema_row *row, const firn_node *node) {
  char expected[400];
  firn_schema_expect(row, expected, sizeof expected);
  const char *hint = "";
  bool list = row->type == FIRN_TYPE_LIST || row->type == FIRN_TYPE_CHOICES;
  if (list && node->kind == FIRN_NODE_MAP) hint = " (begin each item with '- ')";
  FAIL(r, node->mark, "found %s; expected %s%s", firn_node_kind_name(node), expected, hint);
}

bool firn_reader_empty(const firn_node *node) {
  bool null = node->kind == FIRN_NODE_SCALAR && !node->quoted;
  return null && (!*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const firn_node *firn_reader_follow(const firn_reader *r, const firn_node *node) {
  const firn_node *at = node;
  for (int i = 0; i < 8 && at && at->kind == FIRN_NODE_SCALAR; i++) {
    at = firn_scope_node(r->scope, at->text);
    if (at && at->kind != FIRN_NODE_SCALAR) return at;
  }
  return node;
}

// Counts a value; false when there is no end to them.
static bool enter(firn_reader *r, firn_mark mark) {
  if (r->stopped) return false;
  if (++r->depth <= DEPTH_MOST && ++r->count <= VALUES_MOST) return true;
  r->depth--;
  r->stopped = true;
  FAIL(r, mark, "%s (does a variable hold itself?)",
       r->count > VALUES_MOST ? "more than 2,000,000 values" : "nested too deeply");
  return false;
}

static void leave(firn_reader *r) {
  r->depth--;
}

// ------------------------------------------------------------------------------------- records

static void read_record(firn_reader *r, const firn_schema_record *record, const firn_node *node,
                        firn_value *value);

static void read_choice(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                        firn_value *value);
static void read_row(firn_reader *r, const firn_schema_row *row, const firn_node *given,
                     firn_value *parent);

// What other programs call it, and what it is here.
static const char *const other_words[][2] = {
    {"plane", "half_space"},
    {"ground", "half_space"},
    {"ball", "sphere"},
    {"cube", "box"},
    {"cuboid", "box"},
    {"terrain", "height_field"},
    {"heightfield", "height_field"},
    {"heightmap", "height_field"},
    {"translate", "move"},
    {"position", "move"},
    {"subtract", "difference"},
    {"tube", "capsule"},
    {"color", "albedo"},
    {"colour", "albedo"},
};

static const char *nearest_key(const firn_schema_record *record, const char *key) {
  firn_nearest nearest = firn_nearest_begin(key);
  for (int i = 0; i < record->count; i++) firn_nearest_offer(&nearest, record->rows[i].key);
  for (size_t k = 0; k < sizeof other_words / sizeof *other_words && !nearest.best; k++)
    for (int i = 0; i < record->count && strcmp(key, other_words[k][0]) == 0; i++)
      if (strcmp(record->rows[i].key, other_words[k][1]) == 0) nearest.best = other_words[k][1];
  return nearest.best;
}

static void fail_unknown(firn_reader *r, const firn_schema_record *record, const firn_node *node) {
  if (firn_report_full(r->report)) return;
  const char *nearest = nearest_key(record, node->key);
  if (nearest) {
    FAIL(r, node->key_mark, "unknown key; did you mean '%s'?", nearest);
    return;
  }
  // Below this place; or, if it is spelt well, anywhere.
  char where[160], keys[300] = "";
  bool same = false;
  bool below = firn_schema_locate(record, node->key, &same, where, sizeof where);
  if (below ||
      (firn_schema_locate(&firn_schema_root, node->key, &same, where, sizeof where) && same)) {
    size_t length = strnlen(node->key, 80);
    int above = below && r->length > length ? (int)(r->length - length) : 0;
    FAIL(r, node->key_mark,
         same ? "unknown key here; there is %.*s%s" : "unknown key; did you mean '%.*s%s'?", above,
         r->path, where);
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

static void read_item(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                      firn_value *parent, const char *key) {
  firn_value *item = firn_value_add(r->arena, parent, row);
  if (!item) return;
  item->key = key;
  item->mark = node->mark;
  item->given = true;
  if (row->type == FIRN_TYPE_CHOICES) {
    read_choice(r, row, node, item);
    return;
  }
  if (node->kind != FIRN_NODE_MAP && !firn_reader_empty(node)) {
    FAIL(r, node->mark, "found %s; expected a map with the keys of %s", firn_node_kind_name(node),
         row->record->name);
    return;
  }
  read_record(r, row->record, node, item);
}

static void read_list(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                      firn_value *value) {
  if (node->kind != FIRN_NODE_LIST) {
    if (!firn_reader_empty(node)) firn_reader_fail_type(r, row, node);
    return;
  }
  int i = 0;
  for (const firn_node *n = node->first; n; n = n->next, i++) {
    size_t before = firn_reader_push(r, "[%d]", i);
    read_item(r, row, firn_reader_follow(r, n), value, NULL);
    firn_reader_pop(r, before);
  }
}

static void read_table(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                       firn_value *value) {
  if (node->kind != FIRN_NODE_MAP) {
    if (!firn_reader_empty(node)) firn_reader_fail_type(r, row, node);
    return;
  }
  for (const firn_node *n = node->first; n; n = n->next) {
    size_t before = path_push_key(r, n->key);
    if (!row->names_items && !name_good(n->key))
      FAIL(r, n->key_mark, "not a name; expected letters, digits, - and _, at most 63");
    read_item(r, row, firn_reader_follow(r, n), value, n->key);
    if (value->last && value->last->key == n->key) value->last->key_mark = n->key_mark;
    firn_reader_pop(r, before);
  }
}

// An override beats what the file says in its place, and a file what it includes: of several keys
// that exclude each other, those of a lower level give way.
static int level_of(const firn_node *node) {
  return node->key_mark.level > node->mark.level ? node->key_mark.level : node->mark.level;
}

static const firn_node *rival(const firn_node *a, const firn_node *b) {
  if (!a || !b) return a ? a : b;
  if (level_of(a) == level_of(b)) return NULL;
  return level_of(a) > level_of(b) ? a : b;
}

static void read_choice(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                        firn_value *value) {
  if (node->kind != FIRN_NODE_MAP) {
    firn_reader_fail_type(r, row, node);
    return;
  }
  const firn_node *chosen = NULL;
  for (const firn_node *n = node->first; n; n = n->next) {
    const firn_schema_row *key = firn_schema_find(row->record, n->key);
    if (key && key->modifier) continue;
    if (!key) {
      size_t before = path_push_key(r, n->key);
      fail_unknown(r, row->record, n);
      firn_reader_pop(r, before);
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
    char expected[400];
    firn_schema_expect(row, expected, sizeof expected);
    FAIL(r, node->mark, "found no such key; expected %s", expected);
    return;
  }
  size_t before = path_push_key(r, chosen->key);
  read_row(r, firn_schema_find(row->record, chosen->key), chosen, value);
  firn_reader_pop(r, before);
  for (const firn_node *n = node->first; n; n = n->next) {
    const firn_schema_row *key = firn_schema_find(row->record, n->key);
    if (!key || !key->modifier) continue;
    before = path_push_key(r, n->key);
    read_row(r, key, n, value);
    firn_reader_pop(r, before);
  }
}

static void read_row(firn_reader *r, const firn_schema_row *row, const firn_node *given,
                     firn_value *parent) {
  if (row->type == FIRN_TYPE_ANYTHING || !enter(r, given->mark)) return;
  const firn_node *node = firn_reader_follow(r, given);
  firn_value *value = firn_value_add(r->arena, parent, row);
  if (!value) return;
  value->mark = node->mark;
  bool good = true;
  switch (row->type) {
  case FIRN_TYPE_RECORD:
    if (node->kind == FIRN_NODE_MAP || firn_reader_empty(node))
      read_record(r, row->record, node, value);
    else
      firn_reader_fail_type(r, row, node);
    break;
  case FIRN_TYPE_LIST:
  case FIRN_TYPE_CHOICES: read_list(r, row, node, value); break;
  case FIRN_TYPE_TABLE: read_table(r, row, node, value); break;
  case FIRN_TYPE_CHOICE: read_choice(r, row, node, value); break;
  default: good = firn_reader_scalar(r, row, node, value); break;
  }
  value->given = good;
  leave(r);
}

static void read_default(firn_reader *r, const firn_schema_row *row, firn_value *value) {
  const firn_node nothing = {.kind = FIRN_NODE_SCALAR, .text = ""};
  const firn_node *node = &nothing;
  bool tree = (row->type == FIRN_TYPE_RECORD && !row->optional) || row->type == FIRN_TYPE_LIST ||
              row->type == FIRN_TYPE_TABLE;
  if (!row->initial && !tree) return; // left open: see scene.c
  if (row->initial)
    node = firn_node_parse(r->arena, r->report, row->initial, strlen(row->initial),
                           (firn_mark){.origin = "default"});
  if (!node) return;
  read_row(r, row, node, value);
  if (!value->last) return;
  value->last->mark = (firn_mark){0};
  value->last->given = false;
}

// Of the keys of row's group that the node has: is this row's the one to read?
static const firn_node *group_winner(firn_reader *r, const firn_schema_record *record,
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

static void fail_missing(firn_reader *r, const firn_schema_record *record,
                         const firn_schema_row *row, const firn_node *node) {
  // A misspelt key was reported already, with the right one.
  for (const firn_node *n = node->first; n; n = n->next) {
    const char *meant = firn_schema_find(record, n->key) ? NULL : nearest_key(record, n->key);
    if (meant && strcmp(meant, row->key) == 0) return;
  }
  char expected[400];
  firn_schema_expect(row, expected, sizeof expected);
  if (!row->group) {
    FAIL(r, node->mark, "key '%s' is missing: %s; expected %s", row->key, firn_schema_doc(row),
         expected);
    return;
  }
  // Said once for the group, at its first row.
  char keys[100] = "";
  bool alike = true;
  size_t used = 0;
  for (int i = 0; i < record->count && used < sizeof keys; i++) {
    const firn_schema_row *other = &record->rows[i];
    if (!other->group || strcmp(other->group, row->group) != 0) continue;
    if (!used && other != row) return;
    alike = alike && other->type == row->type && other->record == row->record;
    used += (size_t)snprintf(keys + used, sizeof keys - used, "%s'%s'", used ? " or " : "",
                             other->key);
  }
  if (alike)
    FAIL(r, node->mark, "key %s is missing; expected %s", keys, expected);
  else
    FAIL(r, node->mark, "key %s is missing; expected one of them", keys);
}

static void read_record(firn_reader *r, const firn_schema_record *record, const firn_node *node,
                        firn_value *value) {
  for (const firn_node *n = node->first; n; n = n->next) {
    if (firn_schema_find(record, n->key)) continue;
    size_t before = path_push_key(r, n->key);
    fail_unknown(r, record, n);
    firn_reader_pop(r, before);
  }
  for (int i = 0; i < record->count; i++) {
    const firn_schema_row *row = &record->rows[i];
    const firn_node *n = firn_node_find(node, row->key);
    const firn_node *winner = row->group ? group_winner(r, record, row, node) : n;
    if (winner && winner == n) {
      size_t before = path_push_key(r, row->key);
      read_row(r, row, n, value);
      firn_reader_pop(r, before);
    } else if (!winner && row->required) {
      fail_missing(r, record, row, node);
    } else if (!winner) {
      read_default(r, row, value);
    }
  }
}

firn_value *firn_value_read(firn_arena *arena, firn_report *report, firn_scope *scope,
                            const firn_schema_record *record, const firn_node *node,
                            firn_value_keys **keys) {
  firn_reader r = {.arena = arena, .report = report, .scope = scope};
  firn_value *root = firn_arena_alloc(arena, sizeof *root);
  if (root) root->mark = node->mark;
  if (root) read_record(&r, record, node, root);
  *keys = r.keys;
  return root;
}
