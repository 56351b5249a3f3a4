// SPDX-License-Identifier: Apache-2.0
#include "scene/difference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/node.h"

// Paths without the numbers of items.
static const char *const harmless[] = {"title",
                                       "preview",
                                       "render",
                                       "refine",
                                       "frames",
                                       "output.precision",
                                       "output.fields",
                                       "output.checkpoints",
                                       "output.keep_checkpoints",
                                       "colliders[].look",
                                       "colliders[].parts[].look",
                                       "colliders[].in_pictures"};

// Of a branch; * stands for a name.
static const char *const free_places[] = {"gravity",
                                          "wind.velocity",
                                          "output",
                                          "materials.*.*",
                                          "mpm.*",
                                          "sph.*",
                                          "flip.*",
                                          "colliders[].friction",
                                          "colliders[].friction_viscosity",
                                          "colliders[].adhesion",
                                          "colliders[].temperature",
                                          "colliders[].sticky",
                                          "colliders[].present",
                                          "colliders[].velocity",
                                          "colliders[].spin",
                                          "colliders[].motion",
                                          "colliders[].parts[].motion",
                                          "forces[].steady",
                                          "forces[].uniform.*",
                                          "forces[].attractor.*",
                                          "forces[].vortex.*",
                                          "forces[].drag.*"};
// But for what particles, or a lattice of wind, were made with.
static const char *const settled_places[] = {"materials.*.law",
                                             "materials.*.density",
                                             "materials.*.durability",
                                             "materials.*.conductivity",
                                             "materials.*.heat_capacity",
                                             "mpm.basis",
                                             "mpm.transfer",
                                             "mpm.hardening",
                                             "mpm.volume",
                                             "mpm.flight",
                                             "mpm.sleep",
                                             "sph.rest_density",
                                             "sph.phi",
                                             "sph.boundary_depth",
                                             "flip.kernel",
                                             "flip.transfer",
                                             "materials.*.young_of_temperature",
                                             "forces[].drag.file"};

typedef struct comparison {
  char path[160];  // of the value at hand: "snow[1].shape", for messages
  char place[160]; // the same without numbers: "snow[].shape"
  bool branch;
  bool conducts; // some material did
  firn_scene_difference *out;
} comparison;

// ------------------------------------------------------------------------------------- in words

static void put(char *text, size_t size, const char *more) {
  size_t used = strlen(text);
  snprintf(text + used, size - used, "%s", more);
}

static void put_node(char *text, size_t size, const firn_node *node) {
  bool list = node->kind == FIRN_NODE_LIST;
  if (node->kind == FIRN_NODE_SCALAR) {
    put(text, size, node->text);
    return;
  }
  put(text, size, list ? "[" : "{");
  for (const firn_node *n = node->first; n; n = n->next) {
    if (n != node->first) put(text, size, ", ");
    if (!list) {
      put(text, size, n->key);
      put(text, size, ": ");
    }
    put_node(text, size, n);
  }
  put(text, size, list ? "]" : "}");
}

// A value in at most 60 characters.
static void describe(const firn_node *node, char text[64]) {
  text[0] = 0;
  if (node->kind == FIRN_NODE_SCALAR && node->quoted) put(text, 64, "\"");
  put_node(text, 64, node);
  if (node->kind == FIRN_NODE_SCALAR && node->quoted) put(text, 64, "\"");
  if (strlen(text) > 60) memcpy(text + 57, "...", 4);
}

static void differ(comparison *c, const firn_node *was, const firn_node *now) {
  if (c->out->count++) return;
  memcpy(c->out->path, c->path, sizeof c->path);
  char before[64], after[64];
  if (was) describe(was, before);
  if (now) describe(now, after);
  size_t size = sizeof c->out->text;
  if (was && now)
    snprintf(c->out->text, size, "%.100s is %s now, and was %s", c->path, after, before);
  else if (now)
    snprintf(c->out->text, size, "%.100s is new: %s", c->path, after);
  else
    snprintf(c->out->text, size, "%.100s is gone; it was %s", c->path, before);
}

// ----------------------------------------------------------------------------------- comparing

// Maps are compared key by key, lists of maps item by item; all else is one value.
static bool has_maps(const firn_node *list) {
  return list->kind == FIRN_NODE_LIST && list->first && list->first->kind == FIRN_NODE_MAP;
}

static bool same_values(const firn_node *a, const firn_node *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == FIRN_NODE_SCALAR) return strcmp(a->text, b->text) == 0;
  a = a->first;
  b = b->first;
  for (; a && b; a = a->next, b = b->next)
    if (!same_values(a, b)) return false;
  return !a && !b;
}

static bool fits(const char *pattern, const char *place) {
  for (; *pattern; pattern++) {
    if (*pattern != '*') {
      if (*pattern != *place++) return false;
      continue;
    }
    size_t name = strcspn(place, ".[");
    if (!name) return false;
    place += name;
  }
  return !*place;
}

// Without, particles have no temperatures, and a collider's would do nothing.
static bool conducts(const firn_node *scene) {
  const firn_node *materials = firn_node_find(scene, "materials");
  for (const firn_node *m = materials ? materials->first : NULL; m; m = m->next)
    if (m->kind == FIRN_NODE_MAP && firn_node_find(m, "conductivity")) return true;
  return false;
}

static bool is_free(const comparison *c, const firn_node *was, const firn_node *now) {
  bool found = false;
  if (now && !c->conducts && strcmp(c->place, "colliders[].temperature") == 0) return false;
  for (size_t i = 0; i < sizeof free_places / sizeof *free_places; i++)
    found = found || fits(free_places[i], c->place);
  for (size_t i = 0; i < sizeof settled_places / sizeof *settled_places; i++)
    found = found && !fits(settled_places[i], c->place);
  if (found && strncmp(c->place, "colliders", 9) == 0 && !(was && now && same_values(was, now)))
    c->out->moved = true;
  return found;
}

static bool matters(const comparison *c, const firn_node *was, const firn_node *now) {
  for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
    if (strcmp(c->place, harmless[i]) == 0) return false;
  if (c->branch && is_free(c, was, now)) return false;
  // Where fewer frames are written from now on, all that would have been are there.
  if (strcmp(c->place, "output.every") != 0 || !was || !now) return true;
  int before = atoi(was->text), after = atoi(now->text);
  return before < 1 || after < 1 || after % before != 0;
}

static void compare(comparison *c, const firn_node *was, const firn_node *now);

// Compares two children under a name that is added to the path: ".flip" or "[2]".
static void compare_child(comparison *c, const char *name, const char *place, const firn_node *was,
                          const firn_node *now) {
  size_t path_end = strlen(c->path), place_end = strlen(c->place);
  put(c->path, sizeof c->path, *c->path || *name != '.' ? name : name + 1);
  put(c->place, sizeof c->place, *c->place || *place != '.' ? place : place + 1);
  if (matters(c, was, now)) compare(c, was, now);
  c->path[path_end] = 0;
  c->place[place_end] = 0;
}

static void compare_maps(comparison *c, const firn_node *was, const firn_node *now) {
  char name[80];
  for (const firn_node *n = now->first; n; n = n->next) {
    snprintf(name, sizeof name, ".%s", n->key);
    compare_child(c, name, name, firn_node_find(was, n->key), n);
  }
  for (const firn_node *w = was->first; w; w = w->next) {
    if (firn_node_find(now, w->key)) continue;
    snprintf(name, sizeof name, ".%s", w->key);
    compare_child(c, name, name, w, NULL);
  }
}

static void compare_lists(comparison *c, const firn_node *was, const firn_node *now) {
  char name[32];
  was = was->first;
  now = now->first;
  for (int i = 0; was || now; i++) {
    snprintf(name, sizeof name, "[%d]", i);
    compare_child(c, name, "[]", was, now);
    if (was) was = was->next;
    if (now) now = now->next;
  }
}

static void compare(comparison *c, const firn_node *was, const firn_node *now) {
  if (!was || !now) {
    differ(c, was, now);
  } else if (was->kind == FIRN_NODE_MAP && now->kind == FIRN_NODE_MAP) {
    compare_maps(c, was, now);
  } else if (has_maps(was) && has_maps(now)) {
    compare_lists(c, was, now);
  } else if (!same_values(was, now)) {
    differ(c, was, now);
  }
}

static firn_status compare_texts(firn_context *context, const char *was, size_t was_size,
                                 const char *now, size_t now_size, bool branch,
                                 firn_scene_difference *out) {
  *out = (firn_scene_difference){.same = was_size == now_size && !memcmp(was, now, now_size)};
  if (out->same) return FIRN_OK;
  firn_arena arena = {.context = context};
  firn_report report = {.context = context};
  const firn_node *before = firn_node_parse(&arena, &report, was, was_size, (firn_mark){0});
  const firn_node *after = firn_node_parse(&arena, &report, now, now_size, (firn_mark){0});
  bool memory = !arena.failed && !report.failed;
  if (memory && before && after && before->kind == FIRN_NODE_MAP) {
    comparison c = {.branch = branch, .conducts = conducts(before), .out = out};
    compare(&c, before, after);
  } else {
    out->count = 1;
    snprintf(out->text, sizeof out->text, "what is there is not a scene");
  }
  firn_report_free(&report);
  firn_arena_free(&arena);
  return memory ? FIRN_OK
                : firn_fail(context, FIRN_ERROR_MEMORY, "out of memory while comparing scenes");
}

firn_status firn_scene_compare(firn_context *context, const char *was, size_t was_size,
                               const char *now, size_t now_size, firn_scene_difference *out) {
  return compare_texts(context, was, was_size, now, now_size, false, out);
}

firn_status firn_scene_compare_branch(firn_context *context, const char *was, size_t was_size,
                                      const char *now, size_t now_size,
                                      firn_scene_difference *out) {
  return compare_texts(context, was, was_size, now, now_size, true, out);
}
