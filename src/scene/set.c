// SPDX-License-Identifier: Apache-2.0
// Overrides: "path.to.key=value" changes the tree before anything in it is judged, so that an
// override is checked exactly as if it stood in the file.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/nearest.h"
#include "scene/node.h"

typedef struct {
  firn_arena *arena;
  firn_report *report;
  firn_mark mark;
} setter;

// The item of a list that step names: a number from 0, or the value of its key "name".
static firn_node *item_find(const firn_node *list, const char *step) {
  char *end;
  unsigned long number = strtoul(step, &end, 10);
  bool is_number = isdigit((unsigned char)*step) && !*end;
  unsigned long i = 0;
  for (firn_node *item = list->first; item; item = item->next, i++) {
    if (is_number && i == number) return item;
    const firn_node *name = item->kind == FIRN_NODE_MAP ? firn_node_find(item, "name") : NULL;
    if (!is_number && name && name->kind == FIRN_NODE_SCALAR && strcmp(name->text, step) == 0)
      return item;
  }
  return NULL;
}

static firn_node *map_new(const setter *s) {
  firn_node *map = firn_arena_alloc(s->arena, sizeof *map);
  if (map) *map = (firn_node){.kind = FIRN_NODE_MAP, .mark = s->mark};
  return map;
}

// Puts value in place of what target holds, which keeps its place in its parent.
static void replace(firn_node *target, const firn_node *value) {
  target->kind = value->kind;
  target->quoted = value->quoted;
  target->text = value->text;
  target->mark = value->mark;
  target->first = value->first;
  target->last = value->last;
}

static void no_item(const setter *s, const firn_node *list, const char *step) {
  firn_nearest nearest = firn_nearest_begin(step);
  for (const firn_node *item = list->first; item; item = item->next) {
    const firn_node *name = item->kind == FIRN_NODE_MAP ? firn_node_find(item, "name") : NULL;
    if (name && name->kind == FIRN_NODE_SCALAR) firn_nearest_offer(&nearest, name->text);
  }
  if (nearest.best)
    firn_report_add(s->report, s->mark, "", "no item '%s'; did you mean '%s'?", step, nearest.best);
  else
    firn_report_add(s->report, s->mark, "",
                    "no item '%s'; the list has %d, counted from 0 or called by name", step,
                    firn_node_count(list));
}

// One step down the path. The last step ends at a node whose content may be replaced.
static firn_node *descend(const setter *s, firn_node *at, const char *step) {
  bool empty = at->kind == FIRN_NODE_SCALAR && !at->quoted && !*at->text;
  if (empty) { // `mpm:` with nothing after it
    at->kind = FIRN_NODE_MAP;
    at->text = NULL;
  }
  if (at->kind == FIRN_NODE_SCALAR) {
    firn_report_add(s->report, s->mark, "", "there is a single value, '%.60s', where '%s' would be",
                    at->text, step);
    return NULL;
  }
  if (at->kind == FIRN_NODE_LIST) {
    firn_node *item = item_find(at, step);
    char *end;
    bool next = isdigit((unsigned char)*step) &&
                strtoul(step, &end, 10) == (unsigned long)firn_node_count(at) && !*end;
    if (!item && next && (item = map_new(s))) firn_node_append(at, item); // one more
    if (!item) no_item(s, at, step);
    return item;
  }
  firn_node *child = firn_node_find(at, step);
  if (child) return child;
  child = map_new(s);
  if (!child) return NULL;
  child->key = step;
  child->key_mark = s->mark;
  firn_node_append(at, child);
  return child;
}

// snow[0].velocity reads as snow.0.velocity.
static void normalise(char *path) {
  char *out = path;
  for (const char *p = path; *p; p++) {
    if (*p == ']') continue;
    *out++ = *p == '[' ? '.' : *p;
  }
  *out = 0;
}

static const char *nearest_name(const firn_node *map, const char *name) {
  firn_nearest nearest = firn_nearest_begin(name);
  for (const firn_node *n = map->first; n; n = n->next) firn_nearest_offer(&nearest, n->key);
  return nearest.best;
}

// Nobody reads a variable that the scene does not have: setting one is a slip.
static bool variable_good(const setter *s, const firn_node *root, const char *path) {
  static const char prefix[] = "variables.";
  if (strncmp(path, prefix, sizeof prefix - 1) != 0) return true;
  const firn_node *variables = firn_node_find(root, "variables");
  const char *rest = path + sizeof prefix - 1;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, "."), rest);
  bool map = variables && variables->kind == FIRN_NODE_MAP;
  if (map && firn_node_find(variables, name)) return true;
  const char *nearest = map ? nearest_name(variables, name) : NULL;
  if (nearest)
    firn_report_add(s->report, s->mark, "", "the scene has no variable '%s'; did you mean '%s'?",
                    name, nearest);
  else
    firn_report_add(s->report, s->mark, "", "the scene has no variable '%s'", name);
  return false;
}

static void set_path(const setter *s, firn_node *root, const char *given, const firn_node *value) {
  char *path = firn_arena_text(s->arena, given, strlen(given));
  if (!path) return;
  normalise(path);
  if (strncmp(path, "include", 7) == 0 || strcmp(path, "set") == 0 ||
      strncmp(path, "set.", 4) == 0) {
    firn_report_add(s->report, s->mark, "", "what a file includes and sets cannot be changed");
    return;
  }
  if (!variable_good(s, root, path)) return;
  firn_node *at = root;
  for (char *step = path; at && step;) {
    char *dot = strchr(step, '.');
    if (dot) *dot = 0;
    if (!*step) {
      firn_report_add(s->report, s->mark, "", "the path has an empty step");
      return;
    }
    at = descend(s, at, step);
    step = dot ? dot + 1 : NULL;
  }
  if (!at) return;
  replace(at, value);
  at->key_mark.level = s->mark.level;
}

void firn_node_set(firn_arena *arena, firn_report *report, firn_node *root,
                   const char *assignment) {
  const char *origin = firn_arena_format(arena, "--set %s", assignment);
  if (!origin) return;
  setter s = {arena, report, {.origin = origin, .level = FIRN_LEVEL_OVERRIDE}};
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment) {
    firn_report_add(report, s.mark, "", "expected path.to.key=value");
    return;
  }
  const char *path = firn_arena_text(arena, assignment, (size_t)(equals - assignment));
  const firn_node *value = firn_node_parse(arena, report, equals + 1, strlen(equals + 1), s.mark);
  if (path && value) set_path(&s, root, path, value);
}

// The copy's marks say that it was set: it wins over rivals of its own file.
static firn_node *raised(firn_arena *arena, const firn_node *node, int depth) {
  firn_node *copy = firn_arena_alloc(arena, sizeof *copy);
  if (!copy || depth > 100) return NULL;
  *copy = *node;
  copy->first = copy->last = copy->next = NULL;
  copy->mark.level++;
  copy->key_mark.level++;
  for (const firn_node *n = node->first; n; n = n->next) {
    firn_node *child = raised(arena, n, depth + 1);
    if (child) firn_node_append(copy, child);
  }
  return copy;
}

void firn_node_set_all(firn_arena *arena, firn_report *report, firn_node *root,
                       const firn_node *map) {
  if (map->kind != FIRN_NODE_MAP) {
    firn_report_add(report, map->mark, "set", "found %s; expected a map from paths to values",
                    firn_node_kind_name(map));
    return;
  }
  for (const firn_node *n = map->first; n; n = n->next) {
    setter s = {arena, report, n->key_mark};
    s.mark.level++;
    const firn_node *value = raised(arena, n, 0);
    if (value) set_path(&s, root, n->key, value);
  }
}
