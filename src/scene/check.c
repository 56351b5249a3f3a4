// SPDX-License-Identifier: Apache-2.0
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/real.h"
#include "scene/nearest.h"
#include "solver/solver.h"

#define FAIL(scene, mark, path, ...) firn_report_add(&(scene)->report, mark, path, __VA_ARGS__)

void firn_scene_check_name(firn_scene *scene, const firn_value *list, firn_value *item,
                           const char *path, const char *word, int i) {
  char key_path[200];
  snprintf(key_path, sizeof key_path, "%.180s.name", path);
  firn_value *name = firn_value_find(item, "name");
  if (!name) {
    const firn_schema_row *row = firn_schema_find(item->row->record, "name");
    name = firn_value_add(&scene->arena, item, row);
    if (name) name->text = firn_arena_format(&scene->arena, "%s_%d", word, i);
    return;
  }
  if (!firn_value_good(name)) return;
  if (!*name->text || strpbrk(name->text, ",\"\n\r") || strlen(name->text) > 63)
    FAIL(scene, name->mark, key_path, "expected 1 to 63 characters without commas and quotes");
  for (const firn_value *other = list->first; other != item; other = other->next)
    if (strcmp(firn_value_text(other, "name"), name->text) == 0) {
      FAIL(scene, name->mark, key_path, "another %s is called '%s' too", word, name->text);
      return;
    }
}

const firn_value *firn_scene_find_item(firn_scene *scene, const firn_value *list, const char *name,
                                       firn_mark mark, const char *path, const char *word,
                                       const char *owner) {
  const firn_value *first = list ? list->first : NULL;
  for (const firn_value *item = first; item; item = item->next)
    if (strcmp(firn_value_text(item, "name"), name) == 0) return item;
  firn_nearest nearest = firn_nearest_begin(name);
  char names[200] = "";
  for (const firn_value *item = first; item; item = item->next) {
    const char *other = firn_value_text(item, "name");
    size_t used = strlen(names);
    firn_nearest_offer(&nearest, other);
    snprintf(names + used, sizeof names - used, "%s%.60s", used ? ", " : "", other);
  }
  if (nearest.best)
    FAIL(scene, mark, path, "no %s '%.60s'; did you mean '%s'?", word, name, nearest.best);
  else if (*names)
    FAIL(scene, mark, path, "no %s '%.60s'; there are: %s", word, name, names);
  else
    FAIL(scene, mark, path, "no %s '%.60s'; %s has none", word, name, owner);
  return NULL;
}

void firn_scene_check_direction(firn_scene *scene, const firn_value *owner, const char *key,
                                const char *path) {
  const firn_value *v = firn_value_find(owner, key);
  if (!firn_value_good(v) || v->number[0] != 0 || v->number[1] != 0 || v->number[2] != 0) return;
  char key_path[200];
  snprintf(key_path, sizeof key_path, "%.150s.%s", path, key);
  const char *article = strchr("aeiou", key[0]) ? "an" : "a";
  FAIL(scene, v->mark, key_path, "%s %s of zero length has no direction", article, key);
}

typedef struct conflict {
  firn_scene *scene;
  const firn_value *section;
} conflict;

static void tell_conflict(void *user, const char *key, const char *with, const char *why) {
  const conflict *c = user;
  const firn_value *one = firn_value_find(c->section, key),
                   *other = firn_value_find(c->section, with);
  if (!firn_value_good(one) || !firn_value_good(other)) return; // something else is wrong
  char path[100];
  snprintf(path, sizeof path, "%s.%s", c->section->key, key);
  FAIL(c->scene, one->given ? one->mark : other->mark, path, "%s", why);
}

// Sections of solvers that do not run are checked too: one may choose them by --solver.
static void solvers_check(firn_scene *scene) {
  const firn_solver_type *type;
  for (int i = 0; (type = firn_solver_at(i)); i++) {
    conflict c = {scene, firn_value_find(scene->root, type->name)};
    void *def = firn_arena_alloc(&scene->arena, type->def_size);
    if (!def || !c.section || !type->conflicts) continue;
    firn_solver_defaults(type, def);
    firn_value_fill(c.section, 0, def);
    type->conflicts(def, tell_conflict, &c);
  }
}

// A period must hold whole blocks of 4 cells.
static void periodic_check(firn_scene *scene) {
  const firn_value *periodic = firn_value_find(scene->root, "periodic");
  if (!firn_value_good(periodic) || !(scene->h > 0)) return;
  for (int a = 0; a < 3; a++) {
    double blocks = periodic->number[a] / (4 * scene->h);
    if (blocks == 0) continue;
    if (blocks < 0.5 || blocks > 1e6 || fabs(blocks - round(blocks)) > 1e-6 * blocks)
      FAIL(scene, periodic->mark, "periodic",
           "%c: %g m is %.9g cells of %g m; expected a multiple of 4 cells", "xyz"[a],
           periodic -> number[a], 4 * blocks, scene -> h);
  }
}

static void spacing_complete(firn_scene *scene) {
  const firn_value *spacing = firn_value_find(scene->root, "spacing"),
                   *h = firn_value_find(scene->root, "h"),
                   *quality = firn_value_find(scene->root, "quality");
  if (!firn_value_good(quality)) return;
  const char *solver = firn_value_text(scene->root, "solver");
  if (firn_value_good(spacing))
    scene->h = firn_solver_h(solver, spacing->number[0]) / quality->number[0];
  if (firn_value_good(h)) scene->h = h->number[0] / quality->number[0];
  const firn_value *size = firn_value_good(h) ? h : spacing;
  if (!firn_value_good(size)) return;
  // A cell's volume stands in every mass.
  if (firn_real_is_positive(scene->h * scene->h * scene->h)) return;
  // Whichever of the two is the odd one.
  bool odd = firn_real_is_positive(pow(size->number[0], 3));
  const firn_value *guilty = odd ? quality : size;
  FAIL(scene, guilty->mark, guilty->key,
       "makes cells of %g m, whose volume is no number to compute with", scene->h);
}

static void box_check(firn_scene *scene, const char *key) {
  const firn_value *box = firn_value_find(scene->root, key);
  const firn_value *lo = firn_value_find(box, "min"), *hi = firn_value_find(box, "max");
  if (!firn_value_good(lo) || !firn_value_good(hi)) return;
  for (int a = 0; a < 3; a++)
    if (!(lo->number[a] < hi->number[a]))
      FAIL(scene, lo->given ? lo->mark : hi->mark, key, "%c: min, %g m, is not below max, %g m",
           "xyz"[a], lo -> number[a], hi -> number[a]);
}

static void probes_check(firn_scene *scene) {
  const firn_value *probes = firn_value_find(scene->root, "probes");
  int i = 0;
  for (firn_value *p = probes ? probes->first : NULL; p; p = p->next, i++) {
    char path[60];
    snprintf(path, sizeof path, "probes[%d]", i);
    firn_scene_check_name(scene, probes, p, path, "probe", i);
    snprintf(path, sizeof path, "probes[%d].plane", i);
    firn_scene_check_direction(scene, firn_value_find(p, "plane"), "normal", path);
  }
}

void firn_scene_complete(firn_scene *scene) {
  const firn_value *root = scene->root;
  spacing_complete(scene);
  periodic_check(scene);
  solvers_check(scene);
  const firn_value *materials = firn_value_find(root, "materials");
  for (firn_value *m = materials ? materials->first : NULL; m; m = m->next)
    firn_scene_complete_material(scene, m);
  firn_scene_check_snow(scene);
  firn_scene_check_unused(scene);
  firn_scene_check_colliders(scene);
  box_check(scene, "kill_box");
  box_check(scene, "window");
  probes_check(scene);
  firn_scene_check_direction(scene, firn_value_find(root, "preview"), "view", "preview");
  firn_scene_check_render(scene);
  firn_scene_check_solver(scene);
}
