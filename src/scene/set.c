// SPDX-License-Identifier: Apache-2.0
// Overrides: "path.to.key=value" changes the tree before anything in it is judged, so that an
// override is checked exactly as if it stood in the file.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

static int list_length(const firn_node *list) {
  int n = 0;
  for (const firn_node *item = list->first; item; item = item->next) n++;
  return n;
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
    if (!item)
      firn_report_add(s->report, s->mark, "",
                      "no item '%s'; the list has %d, counted from 0 or called by name", step,
                      list_length(at));
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

void firn_node_set(firn_arena *arena, firn_report *report, firn_node *root,
                   const char *assignment) {
  const char *origin = firn_arena_format(arena, "--set %s", assignment);
  setter s = {arena, report, {0, 0, origin}};
  if (!origin) return;
  const char *equals = strchr(assignment, '=');
  if (!equals || equals == assignment) {
    firn_report_add(report, s.mark, "", "expected path.to.key=value");
    return;
  }
  char *path = firn_arena_text(arena, assignment, (size_t)(equals - assignment));
  if (!path) return;
  normalise(path);
  const firn_node *value = firn_node_parse(arena, report, equals + 1, strlen(equals + 1), origin);
  if (!value) return;

  firn_node *at = root;
  for (char *step = path; at && step;) {
    char *dot = strchr(step, '.');
    if (dot) *dot = 0;
    if (!*step) {
      firn_report_add(report, s.mark, "", "the path has an empty step");
      return;
    }
    at = descend(&s, at, step);
    step = dot ? dot + 1 : NULL;
  }
  if (at) replace(at, value);
}
