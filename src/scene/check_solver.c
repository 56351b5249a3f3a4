// SPDX-License-Identifier: Apache-2.0
// What a scene asks for that its solver does not know.
#include <stdio.h>
#include <string.h>

#include "scene/check.h"
#include "solver/solver.h"

#define FAIL(scene, mark, path, ...) firn_report_add(&(scene)->report, mark, path, __VA_ARGS__)

static void law_check(firn_scene *scene, const firn_solver_type *type, const char *list) {
  const firn_value *bodies = firn_value_find(scene->root, list),
                   *materials = firn_value_find(scene->root, "materials");
  int i = 0;
  for (const firn_value *b = bodies ? bodies->first : NULL; b; b = b->next, i++) {
    const char *name = firn_value_text(b, "material");
    const firn_value *law = firn_value_find(firn_value_find(materials, name), "law"),
                     *chosen = firn_value_find(b, "material");
    if (!firn_value_good(law) || firn_schema_chosen(type->laws, law->text) >= 0) continue;
    char path[200];
    snprintf(path, sizeof path, "%s[%d].material", list, i);
    if (law->given || !chosen->given) snprintf(path, sizeof path, "materials.%.80s.law", name);
    FAIL(scene,
         law->given      ? law->mark
         : chosen->given ? chosen->mark
                         : b->mark,
         path, "%s does not know the law '%s', only %s; choose another material or solver",
         type->name, law->text, type->laws);
  }
}

static bool has_field(const firn_solver_type *type, const char *name) {
  for (int i = 0; i < FIRN_COMMON_FIELDS; i++)
    if (strcmp(firn_common_fields[i].name, name) == 0) return true;
  for (const firn_field_info *f = type->fields; f && f->name; f++)
    if (strcmp(f->name, name) == 0) return true;
  return false;
}

static void fields_check(firn_scene *scene, const firn_solver_type *type) {
  const firn_value *fields = firn_value_find(firn_value_find(scene->root, "output"), "fields");
  if (!firn_value_good(fields)) return;
  for (int i = 0; i < fields->count; i++) {
    if (has_field(type, fields->words[i])) continue;
    char path[60];
    snprintf(path, sizeof path, "output.fields[%d]", i);
    FAIL(scene, fields->mark, path, "%s has no field '%s', which is one of %s", type->name,
         fields->words[i], firn_solver_of_field(fields->words[i])->name);
  }
}

// A rate throws particles one by one; an inflow brings snow that is whole.
static bool emits_grains(const firn_scene *scene) {
  static const char *const rates[] = {"particles", "volume", "mass", "snowfall"};
  const firn_value *emitters = firn_value_find(scene->root, "emitters");
  for (const firn_value *e = emitters ? emitters->first : NULL; e; e = e->next)
    for (size_t k = 0; k < sizeof rates / sizeof *rates; k++)
      if (firn_value_find(e, rates[k])) return true;
  return false;
}

static bool has_snow(const firn_scene *scene, const char *list) {
  const firn_value *bodies = firn_value_find(scene->root, list),
                   *materials = firn_value_find(scene->root, "materials");
  for (const firn_value *b = bodies ? bodies->first : NULL; b; b = b->next)
    if (firn_value_is(firn_value_find(materials, firn_value_text(b, "material")), "law", "snow"))
      return true;
  return false;
}

static void choose(const firn_value *section, const char *key, const char *choice) {
  firn_value *v = firn_value_find(section, key);
  if (v && !v->given) v->text = choice;
}

// Grains that fall through the same cells are pressed by plastic flow while they are far apart,
// harden, and hang in the air; by the density on the grid they pack (docs/theory-mpm.md). A scene
// that gives `hardening` keeps what it says.
static void complete_packing(firn_scene *scene) {
  const firn_value *mpm = firn_value_find(scene->root, "mpm");
  const firn_value *hardening = firn_value_find(mpm, "hardening");
  if (!hardening || hardening->given || !emits_grains(scene)) return;
  choose(mpm, "hardening", "density");
  choose(mpm, "volume", "nominal");
  if (!firn_value_is(scene->root, "solver", "mpm")) return;
  if (!has_snow(scene, "snow") && !has_snow(scene, "emitters")) return; // sand does not harden
  firn_note(
      scene->context, FIRN_LOG_INFO,
      "mpm.hardening: density is chosen for all snow, since an emitter adds single particles: "
      "surfaces are softer, with J_P above 1; mpm.hardening: jp is the printed form");
}

// At another quality than 1 snow keeps what its numbers make of it at the cells of quality 1. A
// scene that gives the key keeps what it says.
static void complete_reference(firn_scene *scene, const char *solver, const char *key) {
  firn_value *reference = firn_value_find(firn_value_find(scene->root, solver), key);
  const firn_value *h = firn_value_find(scene->root, "h"),
                   *spacing = firn_value_find(scene->root, "spacing");
  double spacings = firn_solver_h(solver, 1); // of a cell
  if (!reference || reference->given) return;
  if (firn_value_good(h))
    reference->number[0] = h->number[0];
  else if (firn_value_good(spacing))
    reference->number[0] = spacings * spacing->number[0];
  else
    return;
  if (strcmp(key, "reference_spacing") == 0) reference->number[0] /= spacings;
}

static const double LEAST_JP =
    0.6; // the stiffness is at most e^(0.4 xi), 55 times that of new snow

// Snow on a sticky body moves as the body does, and is strained by nodes that others hold: J_P
// falls for as long as they pass, and the stiffness grows to e^xi times that of new snow
// (docs/theory-mpm.md); by density as well, as grains are pressed between bodies. A material that
// gives `jp_range` keeps what it says.
static void complete_sticky(firn_scene *scene) {
  const firn_value *colliders = firn_value_find(scene->root, "colliders"),
                   *materials = firn_value_find(scene->root, "materials"), *chosen = NULL;
  bool sticky = false, moving = false;
  for (const firn_value *c = colliders ? colliders->first : NULL; c; c = c->next) {
    const firn_value *holds = firn_value_find(c, "sticky");
    sticky = sticky || (firn_value_good(holds) && (holds->keys || holds->number[0] != 0));
    moving = moving || firn_scene_moves(c);
  }
  if (!sticky || !moving || !firn_value_is(scene->root, "solver", "mpm")) return;
  for (const firn_value *m = materials ? materials->first : NULL; m; m = m->next) {
    firn_value *range = firn_value_find(m, "jp_range");
    if (!range || range->given || !firn_value_is(m, "law", "snow")) continue;
    if (!(range->number[0] < LEAST_JP)) continue;
    range->number[0] = LEAST_JP;
    chosen = m;
  }
  if (!chosen) return;
  firn_note(scene->context, FIRN_LOG_INFO,
            "jp_range: [%g, .inf] is chosen for snow, as some collider is sticky and some moves; "
            "materials.%s.jp_range: [0, .inf] is the printed form",
            LEAST_JP, chosen->key);
}

void firn_scene_check_solver(firn_scene *scene) {
  const firn_solver_type *type = firn_solver_find(firn_value_text(scene->root, "solver"));
  if (!type) return; // which has been told
  complete_reference(scene, "mpm", "reference_h");
  complete_reference(scene, "flip", "reference_h");
  complete_reference(scene, "sph", "reference_spacing");
  complete_packing(scene);
  complete_sticky(scene);
  if (type->laws) {
    law_check(scene, type, "snow");
    law_check(scene, type, "emitters");
  }
  fields_check(scene, type);
}
