// SPDX-License-Identifier: Apache-2.0
// Colliders: names, parts and motion, and the window that follows one.
#include <stdio.h>
#include <string.h>

#include "scene/check.h"
#include "scene/nearest.h"

#define FAIL(scene, mark, path, ...) firn_report_add(&(scene)->report, mark, path, __VA_ARGS__)

static void motion_check(firn_scene *scene, const firn_value *motion, const char *path) {
  if (!motion) return;
  char deeper[200];
  snprintf(deeper, sizeof deeper, "%.100s.motion", path);
  if (firn_value_find(motion, "angle")) firn_scene_check_direction(scene, motion, "axis", deeper);
  snprintf(deeper, sizeof deeper, "%.100s.motion.circle", path);
  firn_scene_check_direction(scene, firn_value_find(motion, "circle"), "axis", deeper);
}

static void parent_check(firn_scene *scene, const firn_value *parts, const firn_value *part,
                         const char *path) {
  const firn_value *parent = firn_value_find(part, "parent");
  if (!firn_value_good(parent)) return;
  firn_nearest nearest = firn_nearest_begin(parent->text);
  bool before = true;
  for (const firn_value *other = parts->first; other; other = other->next) {
    const char *name = firn_value_text(other, "name");
    if (other == part) before = false;
    if (strcmp(name, parent->text) == 0 && before) return;
    if (strcmp(name, parent->text) == 0) {
      FAIL(scene, parent->mark, path, "'%s' must stand before the parts that move with it", name);
      return;
    }
    firn_nearest_offer(&nearest, name);
  }
  if (nearest.best)
    FAIL(scene, parent->mark, path, "no part '%.60s'; did you mean '%s'?", parent->text,
         nearest.best);
  else
    FAIL(scene, parent->mark, path, "no part '%.60s'; expected the name of a part above",
         parent->text);
}

static void parts_check(firn_scene *scene, const firn_value *collider, int i) {
  const firn_value *parts = firn_value_find(collider, "parts");
  if (!parts) return;
  char path[80];
  int k = 0, shapes = 0;
  for (firn_value *p = parts->first; p; p = p->next, k++) {
    snprintf(path, sizeof path, "colliders[%d].parts[%d]", i, k);
    firn_scene_check_name(scene, parts, p, path, "part", k);
    motion_check(scene, firn_value_find(p, "motion"), path);
    snprintf(path, sizeof path, "colliders[%d].parts[%d].parent", i, k);
    parent_check(scene, parts, p, path);
    shapes += firn_value_find(p, "shape") != NULL;
  }
  snprintf(path, sizeof path, "colliders[%d].parts", i);
  if (parts->given && shapes == 0) FAIL(scene, parts->mark, path, "none of the parts has a shape");
}

static void collider_check(firn_scene *scene, const firn_value *colliders, firn_value *collider,
                           int i) {
  char path[80];
  snprintf(path, sizeof path, "colliders[%d].shape.half_space", i);
  const firn_value *half = firn_value_find(firn_value_find(collider, "shape"), "half_space");
  firn_scene_check_direction(scene, half, "normal", path);
  snprintf(path, sizeof path, "colliders[%d]", i);
  firn_scene_check_name(scene, colliders, collider, path, "collider", i);
  motion_check(scene, firn_value_find(collider, "motion"), path);
  snprintf(path, sizeof path, "colliders[%d].load", i);
  firn_scene_check_direction(scene, firn_value_find(collider, "load"), "axis", path);
  parts_check(scene, collider, i);
}

static bool is_zero(const firn_value *vector) {
  for (int a = 0; vector && a < 3; a++) {
    bool varies = vector->formulas && !firn_formula_is_number(&vector->formulas[a]);
    if (vector->keys || varies || vector->number[a] != 0) return false;
  }
  return true;
}

bool firn_scene_moves(const firn_value *body) {
  static const char *const movers[] = {"motion", "load", "sequence"};
  static const char *const vectors[] = {"velocity", "spin", "spread"};
  const firn_value *parts = firn_value_find(body, "parts");
  for (size_t k = 0; k < sizeof movers / sizeof *movers; k++)
    if (firn_value_find(body, movers[k])) return true;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!is_zero(firn_value_find(body, vectors[k]))) return true;
  for (const firn_value *p = parts ? parts->first : NULL; p; p = p->next)
    if (firn_scene_moves(p)) return true;
  return false;
}

static void window_check(firn_scene *scene, const firn_value *colliders) {
  const firn_value *follow = firn_value_find(firn_value_find(scene->root, "window"), "follow");
  if (!firn_value_good(follow)) return;
  firn_scene_find_item(scene, colliders, follow->text, follow->mark, "window.follow", "collider",
                       "the scene");
}

void firn_scene_check_colliders(firn_scene *scene) {
  const firn_value *colliders = firn_value_find(scene->root, "colliders");
  int i = 0;
  for (firn_value *c = colliders ? colliders->first : NULL; c; c = c->next)
    collider_check(scene, colliders, c, i++);
  window_check(scene, colliders);
}
