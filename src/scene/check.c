// SPDX-License-Identifier: Apache-2.0
#include "scene/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/nearest.h"

#define FAIL(scene, mark, path, ...) firn_report_add(&(scene)->report, mark, path, __VA_ARGS__)

// ----------------------------------------------------------------------------------- materials

static void material_number(firn_scene *scene, firn_value *material, const char *key, double a,
                            double b) {
  if (firn_value_find(material, key)) return;
  firn_value *v = firn_value_add(&scene->arena, material,
                                 firn_schema_find(&firn_schema_material, key));
  if (!v) return;
  v->number[0] = a;
  v->number[1] = b;
}

static bool preset_exists(const char *name, firn_nearest *nearest) {
  for (int i = 0; firn_material_preset_name(i); i++) {
    if (strcmp(firn_material_preset_name(i), name) == 0) return true;
    if (nearest) firn_nearest_offer(nearest, firn_material_preset_name(i));
  }
  return false;
}

// A key that the law does not know would be ignored in silence.
static void material_check_law(firn_scene *scene, const firn_value *material, const char *path) {
  const char *law = firn_value_text(material, "law");
  for (firn_value *v = material->first; v; v = v->next) {
    if (!v->row->when || !v->given) continue;
    const char *wanted = strchr(v->row->when, '=') + 1;
    char key_path[200];
    snprintf(key_path, sizeof key_path, "%s.%s", path, v->key);
    if (strcmp(law, wanted) != 0)
      FAIL(scene, v->mark, key_path, "the law '%s' has no such number; it belongs to law: %s", law,
           wanted);
  }
}

// Leaves out what the law does not have, so that the resolved scene reads back without complaint.
static void material_fill(firn_scene *scene, firn_value *material,
                          const firn_material_def *preset) {
  if (!firn_value_find(material, "law")) {
    firn_value *law = firn_value_add(&scene->arena, material,
                                     firn_schema_find(&firn_schema_material, "law"));
    if (law) law->text = preset->law;
  }
  material_number(scene, material, "density", preset->density, 0);
  material_number(scene, material, "young", preset->young, 0);
  material_number(scene, material, "poisson", preset->poisson, 0);
  if (!firn_value_is(material, "law", "snow")) return;
  material_number(scene, material, "theta_c", preset->theta_c, 0);
  material_number(scene, material, "theta_s", preset->theta_s, 0);
  material_number(scene, material, "hardening", preset->hardening, 0);
  material_number(scene, material, "jp_range", preset->jp_min, preset->jp_max);
}

static void material_complete(firn_scene *scene, firn_value *material) {
  char path[120], preset_path[140];
  snprintf(path, sizeof path, "materials.%.80s", material->key);
  snprintf(preset_path, sizeof preset_path, "%s.preset", path);
  const firn_value *preset = firn_value_find(material, "preset");
  if (!firn_value_good(preset)) return;
  firn_nearest nearest = firn_nearest_begin(preset->text);
  if (!preset_exists(preset->text, &nearest)) {
    if (nearest.best)
      FAIL(scene, preset->mark, preset_path, "unknown preset '%.60s'; did you mean '%s'?",
           preset->text, nearest.best);
    else
      FAIL(scene, preset->mark, preset_path, "unknown preset '%.60s'", preset->text);
    return;
  }
  firn_material_def def;
  if (firn_material_preset(scene->context, preset->text, &def) != FIRN_OK) return;
  const firn_value *law = firn_value_find(material, "law");
  if (law && !firn_value_good(law)) return;
  material_fill(scene, material, &def);
  material_check_law(scene, material, path);
}

// `material: powder` needs no entry in materials: presets are known by name. It gets one, so that
// the resolved scene tells all its numbers.
static void material_declare_preset(firn_scene *scene, firn_value *materials, const char *name) {
  const firn_schema_row *row = firn_schema_find(&firn_schema_root, "materials");
  firn_value *material = firn_value_add(&scene->arena, materials, row);
  if (!material) return;
  material->key = name;
  firn_value *preset = firn_value_add(&scene->arena, material,
                                      firn_schema_find(&firn_schema_material, "preset"));
  if (!preset) return;
  preset->text = name;
  material_complete(scene, material);
}

static void snow_complete_material(firn_scene *scene, firn_value *body, int i) {
  firn_value *materials = firn_value_find(scene->root, "materials");
  firn_value *name = firn_value_find(body, "material");
  if (!materials) return;
  if (!name) {
    name = firn_value_add(&scene->arena, body, firn_schema_find(body->row->record, "material"));
    if (!name) return;
    bool one = materials->first && !materials->first->next;
    name->text = one ? materials->first->key : "snow";
  }
  if (!firn_value_good(name) || firn_value_find(materials, name->text)) return;
  firn_nearest nearest = firn_nearest_begin(name->text);
  if (preset_exists(name->text, &nearest)) {
    material_declare_preset(scene, materials, name->text);
    return;
  }
  char path[60];
  snprintf(path, sizeof path, "snow[%d].material", i);
  for (const firn_value *m = materials->first; m; m = m->next) firn_nearest_offer(&nearest, m->key);
  if (nearest.best)
    FAIL(scene, name->mark, path, "no material '%.60s'; did you mean '%s'?", name->text,
         nearest.best);
  else
    FAIL(scene, name->mark, path,
         "no material '%.60s' here or among the presets; expected the name of a material",
         name->text);
}

// ------------------------------------------------------------------------------ values together

static bool zero3(const double v[3]) {
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

static void snow_check(firn_scene *scene, firn_value *body, int i) {
  char path[60];
  snprintf(path, sizeof path, "snow[%d].per_cell", i);
  const firn_value *per_cell = firn_value_find(body, "per_cell");
  if (firn_value_is(body, "seeding", "lattice") && firn_value_good(per_cell)) {
    double edge = round(cbrt(per_cell->number[0]));
    if (edge * edge * edge != per_cell->number[0])
      FAIL(scene, per_cell->mark, path, "%g is not a cube; seeding lattice needs 1, 8, 27, ...",
           per_cell->number[0]);
  }
  if (firn_value_is(body, "seeding", "jittered") && firn_value_good(per_cell) &&
      (per_cell->number[0] != floor(per_cell->number[0])))
    FAIL(scene, per_cell->mark, path, "%g is not whole; seeding jittered needs a whole number",
         per_cell->number[0]);
  snow_complete_material(scene, body, i);
}

static void collider_check_name(firn_scene *scene, const firn_value *colliders,
                                firn_value *collider, int i) {
  char path[60];
  snprintf(path, sizeof path, "colliders[%d].name", i);
  firn_value *name = firn_value_find(collider, "name");
  if (!name) {
    name = firn_value_add(&scene->arena, collider, firn_schema_find(collider->row->record, "name"));
    if (name) name->text = firn_arena_format(&scene->arena, "collider_%d", i);
    return;
  }
  if (!firn_value_good(name)) return;
  if (!*name->text || strpbrk(name->text, ",\"\n\r") || strlen(name->text) > 63)
    FAIL(scene, name->mark, path, "expected 1 to 63 characters without commas and quotes");
  for (const firn_value *other = colliders->first; other != collider; other = other->next)
    if (strcmp(firn_value_text(other, "name"), name->text) == 0) {
      FAIL(scene, name->mark, path, "another collider is called '%s' too", name->text);
      return;
    }
}

static void collider_check(firn_scene *scene, const firn_value *colliders, firn_value *collider,
                           int i) {
  char path[80];
  snprintf(path, sizeof path, "colliders[%d].shape.half_space.normal", i);
  const firn_value *half = firn_value_find(firn_value_find(collider, "shape"), "half_space");
  const firn_value *normal = firn_value_find(half, "normal");
  if (firn_value_good(normal) && zero3(normal->number))
    FAIL(scene, normal->mark, path, "a normal of zero length has no direction");
  collider_check_name(scene, colliders, collider, i);
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

void firn_scene_complete(firn_scene *scene) {
  firn_value *root = scene->root;
  spacing_complete(scene);
  periodic_check(scene);
  mpm_check(scene);

  const firn_value *materials = firn_value_find(root, "materials");
  for (firn_value *m = materials ? materials->first : NULL; m; m = m->next)
    material_complete(scene, m);

  const firn_value *snow = firn_value_find(root, "snow");
  int i = 0;
  for (firn_value *body = snow ? snow->first : NULL; body; body = body->next)
    snow_check(scene, body, i++);
  if (snow && snow->given && !snow->first && scene->report.count == 0)
    FAIL(scene, snow->mark, "snow", "the list is empty; expected at least one body of snow");

  const firn_value *colliders = firn_value_find(root, "colliders");
  i = 0;
  for (firn_value *c = colliders ? colliders->first : NULL; c; c = c->next)
    collider_check(scene, colliders, c, i++);

  const firn_value *preview = firn_value_find(root, "preview");
  const firn_value *view = firn_value_find(preview, "view");
  if (firn_value_good(view) && zero3(view->number))
    FAIL(scene, view->mark, "preview.view", "a view of zero length has no direction");
}
