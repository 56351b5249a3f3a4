// SPDX-License-Identifier: Apache-2.0
// How colliders and their parts look: what they say themselves, and what render.looks says by name.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/check.h"
#include "scene/making.h"

// ---------------------------------------------------------------------------------------- checks

static void parts_check(firn_scene *scene, const firn_value *look, const firn_value *collider) {
  const firn_value *parts = firn_value_find(look, "parts");
  char path[200], owner[100];
  snprintf(owner, sizeof owner, "'%.60s'", look->key);
  for (const firn_value *v = parts ? parts->first : NULL; v; v = v->next) {
    snprintf(path, sizeof path, "render.looks.%.63s.parts.%.63s", look->key, v->key);
    firn_scene_find_item(scene, firn_value_find(collider, "parts"), v->key, v->key_mark, path,
                         "part", owner);
  }
}

void firn_scene_check_looks(firn_scene *scene) {
  const firn_value *colliders = firn_value_find(scene->root, "colliders"),
                   *looks = firn_value_find(firn_value_find(scene->root, "render"), "looks");
  char path[100];
  for (const firn_value *v = looks ? looks->first : NULL; v; v = v->next) {
    snprintf(path, sizeof path, "render.looks.%.63s", v->key);
    const firn_value *collider = firn_scene_find_item(scene, colliders, v->key, v->key_mark, path,
                                                      "collider", "the scene");
    if (collider) parts_check(scene, v, collider);
  }
}

// ---------------------------------------------------------------------------------------- making

firn_look_def firn_scene_look(const firn_value *v) {
  firn_look_def look = {.gloss = firn_value_number(v, "gloss"),
                        .roughness = firn_value_number(v, "roughness")};
  memcpy(look.albedo, firn_value_vec3(v, "albedo"), sizeof look.albedo);
  if (!v) look.albedo[0] = -1;
  return look;
}

// own, of a collider or part, under what render.looks says of it, over: either may be NULL.
static firn_look_def look_of(const firn_value *own, const firn_value *over) {
  firn_look_def look = firn_scene_look(own);
  const firn_value *albedo = firn_value_find(over, "albedo"),
                   *gloss = firn_value_find(over, "gloss"),
                   *roughness = firn_value_find(over, "roughness");
  if (!albedo && !gloss && !roughness) return look;
  if (!own) look.albedo[0] = look.gloss = look.roughness = (double)NAN;
  if (albedo) memcpy(look.albedo, albedo->number, sizeof look.albedo);
  if (gloss) look.gloss = gloss->number[0];
  if (roughness) look.roughness = roughness->number[0];
  return look;
}

static firn_look_def collider_look(const firn_value *collider, const firn_value *over) {
  firn_look_def look = look_of(firn_value_find(collider, "look"), over);
  if (firn_value_is(collider, "in_pictures", "hidden")) look.mode = FIRN_LOOK_HIDDEN;
  if (firn_value_is(collider, "in_pictures", "holdout")) look.mode = FIRN_LOOK_HOLDOUT;
  return look;
}

// The looks of a collider's parts, or only how many there are where looks is NULL.
static int add_parts(const firn_value *collider, int number, const firn_value *over,
                     firn_part_look_def *looks) {
  const firn_value *parts = firn_value_find(collider, "parts"),
                   *overs = firn_value_find(over, "parts");
  int count = 0, i = 0;
  for (const firn_value *p = parts ? parts->first : NULL; p; p = p->next, i++) {
    firn_look_def look = look_of(firn_value_find(p, "look"),
                                 firn_value_find(overs, firn_value_text(p, "name")));
    if (look.albedo[0] < 0) continue;
    if (looks) looks[count] = (firn_part_look_def){number, i, look};
    count++;
  }
  return count;
}

void firn_scene_make_looks(firn_scene *scene) {
  const firn_value *colliders = firn_value_find(scene->root, "colliders"),
                   *overs = firn_value_find(firn_value_find(scene->root, "render"), "looks");
  const firn_value *first = colliders ? colliders->first : NULL;
  int count = 0, part_count = 0;
  for (const firn_value *v = first; v; v = v->next, count++)
    part_count += add_parts(v, count, firn_value_find(overs, firn_value_text(v, "name")), NULL);
  firn_look_def *look = firn_arena_alloc(&scene->arena, sizeof *look * (size_t)(count + 1));
  firn_part_look_def *part = firn_arena_alloc(&scene->arena,
                                              sizeof *part * (size_t)(part_count + 1));
  if (!look || !part) return;
  scene->looks = look;
  scene->look_count = count;
  scene->part_looks = part;
  scene->part_look_count = part_count;
  int i = 0;
  for (const firn_value *v = first; v; v = v->next, i++) {
    const firn_value *over = firn_value_find(overs, firn_value_text(v, "name"));
    look[i] = collider_look(v, over);
    part += add_parts(v, i, over, part);
  }
}
