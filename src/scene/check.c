// SPDX-License-Identifier: Apache-2.0
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

void firn_scene_check_direction(firn_scene *scene, const firn_value *owner, const char *key,
                                const char *path) {
  const firn_value *v = firn_value_find(owner, key);
  if (!firn_value_good(v) || v->number[0] != 0 || v->number[1] != 0 || v->number[2] != 0) return;
  char key_path[200];
  snprintf(key_path, sizeof key_path, "%.150s.%s", path, key);
  const char *article = strchr("aeiou", key[0]) ? "an" : "a";
  FAIL(scene, v->mark, key_path, "%s %s of zero length has no direction", article, key);
}

static void mpm_check(firn_scene *scene) {
  const firn_value *mpm = firn_value_find(scene->root, "mpm");
  const firn_value *krylov = firn_value_find(mpm, "krylov");
  if (firn_value_good(krylov) && strcmp(krylov->text, "cg") == 0 &&
      firn_value_is(mpm, "hessian", "exact"))
    FAIL(scene, krylov->mark, "mpm.krylov",
         "cg needs hessian: psd; the exact one is indefinite in packed snow");
  const firn_value *dt = firn_value_find(mpm, "dt"), *most = firn_value_find(mpm, "dt_max"),
                   *least = firn_value_find(mpm, "dt_min");
  if (!firn_value_good(dt) || !firn_value_good(most) || !firn_value_good(least)) return;
  if (least->number[0] > most->number[0])
    FAIL(scene, least->given ? least->mark : most->mark, "mpm.dt_min",
         "%g s is longer than dt_max, %g s", least->number[0], most->number[0]);
  if (dt->number[0] > 0 && dt->number[0] < least->number[0])
    FAIL(scene, dt->mark, "mpm.dt", "%g s is shorter than dt_min, %g s", dt->number[0],
         least->number[0]);
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
  if (firn_value_good(spacing)) scene->h = 2 * spacing->number[0] / quality->number[0];
  if (firn_value_good(h)) scene->h = h->number[0] / quality->number[0];
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
  mpm_check(scene);
  const firn_value *materials = firn_value_find(root, "materials");
  for (firn_value *m = materials ? materials->first : NULL; m; m = m->next)
    firn_scene_complete_material(scene, m);
  firn_scene_check_snow(scene);
  firn_scene_check_colliders(scene);
  box_check(scene, "kill_box");
  box_check(scene, "window");
  probes_check(scene);
  firn_scene_check_direction(scene, firn_value_find(root, "preview"), "view", "preview");
  firn_scene_check_render(scene);
}
