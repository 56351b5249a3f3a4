// SPDX-License-Identifier: Apache-2.0
// Materials: what presets and laws make of them.
#include <stdio.h>
#include <string.h>

#include "material/preset.h"
#include "scene/check.h"
#include "scene/nearest.h"
#include "solver/solver.h"

#define FAIL(scene, mark, path, ...) firn_report_add(&(scene)->report, mark, path, __VA_ARGS__)

// ----------------------------------------------------------------------------------- materials

static bool preset_exists(const char *name, firn_nearest *nearest) {
  for (int i = 0; firn_material_preset_name(i); i++) {
    if (strcmp(firn_material_preset_name(i), name) == 0) return true;
    if (nearest) firn_nearest_offer(nearest, firn_material_preset_name(i));
  }
  return false;
}

static const char *preset_list(char text[200]) {
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; firn_material_preset_name(i) && used < 200; i++)
    used += (size_t)snprintf(text + used, 200 - used, "%s%s", i ? ", " : "",
                             firn_material_preset_name(i));
  return text;
}

static void drop(firn_value *material, const firn_value *key) {
  firn_value *before = NULL;
  for (firn_value *v = material->first; v != key; v = v->next) before = v;
  if (before)
    before->next = key->next;
  else
    material->first = key->next;
  if (material->last == key) material->last = before;
}

// A key that the law does not know would be ignored in silence. Where the law was set over a file that
// had another, the numbers of that one go with it.
static void material_check_law(firn_scene *scene, firn_value *material, const char *path) {
  const firn_value *law = firn_value_find(material, "law");
  for (firn_value *v = material->first, *next; v; v = next) {
    next = v->next;
    if (!v->given || firn_material_has(v->row, law->text)) continue;
    const char *owner = strchr(v->row->when, '=') + 1;
    char key_path[200], place[300];
    snprintf(key_path, sizeof key_path, "%s.%s", path, v->key);
    if (law->given && law->mark.level > v->mark.level) {
      firn_note(scene->context, FIRN_LOG_INFO, "%s%s is left out: it belongs to law %s, not to %s",
                firn_report_place(&scene->report, v->mark, place), key_path, owner, law->text);
      drop(material, v);
      continue;
    }
    FAIL(scene, v->mark, key_path,
         "the law '%s' has no such number; it belongs to law: %s. Leave it out, or choose that law",
         law->text, owner);
  }
}

// `law: sand` alone means the preset of that name rather than snow's numbers; and so does a law that
// was set over a preset of another.
static void preset_follow_law(firn_scene *scene, firn_value *preset, const firn_value *law) {
  firn_material_def def;
  if (!firn_value_good(law) || !law->given || !preset_exists(law->text, NULL)) return;
  bool set_over = preset->given && law->mark.level > preset->mark.level &&
                  preset_exists(preset->text, NULL) &&
                  firn_material_preset(scene->context, preset->text, &def) == FIRN_OK &&
                  strcmp(def.law, law->text) != 0;
  if (!preset->given || set_over) preset->text = law->text;
}

// Stiffness by temperature stands in place of young, and heat that nobody conducts would be ignored.
static void material_check_heat(firn_scene *scene, firn_value *material, const char *path) {
  const firn_value *points = firn_value_find(material, "young_of_temperature"),
                   *young = firn_value_find(material, "young"),
                   *conductivity = firn_value_find(material, "conductivity");
  const firn_solver_type *solver = firn_solver_find(firn_value_text(scene->root, "solver"));
  char key_path[200];
  if (firn_value_good(conductivity) && conductivity->number[0] > 0 && solver && !solver->conducts) {
    snprintf(key_path, sizeof key_path, "%s.conductivity", path);
    FAIL(scene, conductivity->mark, key_path,
         "solver %s conducts no heat; leave it out, or choose solver: sph", solver->name);
  }
  if (points && !points->first) drop(material, points); // nobody has said it
  if (!points || !points->first) return;
  snprintf(key_path, sizeof key_path, "%s.young_of_temperature", path);
  if (young && young->given)
    FAIL(scene, points->mark, key_path, "young says it for all temperatures; give one of the two");
  int count = 0;
  double before = 0;
  for (const firn_value *p = points->first; p; p = p->next, count++) {
    const firn_value *t = firn_value_find(p, "temperature");
    if (!firn_value_good(t)) continue;
    if (!(t->number[0] > before))
      FAIL(scene, t->mark, key_path, "%g K does not lie above %g K of the point before it",
           t->number[0], before);
    before = t->number[0];
  }
  if (count > FIRN_HEAT_POINTS)
    FAIL(scene, points->mark, key_path, "found %d points; expected %d at most", count,
         FIRN_HEAT_POINTS);
}

// Leaves out what the law does not have, so that the resolved scene reads back without complaint.
static void material_fill(firn_scene *scene, firn_value *material, firn_material_def preset) {
  if (!firn_value_find(material, "law")) {
    firn_value *law = firn_value_add(&scene->arena, material,
                                     firn_schema_find(&firn_material_settings, "law"));
    if (law) law->text = preset.law;
  }
  const char *law = firn_value_text(material, "law");
  const firn_value *points = firn_value_find(material, "young_of_temperature");
  bool by_points = points && points->first; // in place of young
  for (int i = 0; i < firn_material_settings.count; i++) {
    const firn_schema_row *row = &firn_material_settings.rows[i];
    if (!row->size || !firn_material_has(row, law) || firn_value_find(material, row->key)) continue;
    if (by_points && strcmp(row->key, "young") == 0) continue;
    firn_value *v = firn_value_add(&scene->arena, material, row);
    if (v) memcpy(v->number, (const char *)&preset + row->offset, row->size);
  }
}

void firn_scene_complete_material(firn_scene *scene, firn_value *material) {
  char path[120], preset_path[140];
  snprintf(path, sizeof path, "materials.%.80s", material->key);
  snprintf(preset_path, sizeof preset_path, "%s.preset", path);
  firn_value *preset = firn_value_find(material, "preset");
  if (!firn_value_good(preset)) return;
  const firn_value *law = firn_value_find(material, "law");
  preset_follow_law(scene, preset, law);
  firn_nearest nearest = firn_nearest_begin(preset->text);
  if (!preset_exists(preset->text, &nearest)) {
    char list[200];
    if (nearest.best)
      FAIL(scene, preset->mark, preset_path,
           "unknown preset '%.60s'; did you mean '%s'? Expected one of %s", preset->text,
           nearest.best, preset_list(list));
    else
      FAIL(scene, preset->mark, preset_path, "unknown preset '%.60s'; expected one of %s",
           preset->text, preset_list(list));
    return;
  }
  firn_material_def def;
  if (firn_material_preset(scene->context, preset->text, &def) != FIRN_OK) return;
  if (law && !firn_value_good(law)) return;
  material_fill(scene, material, def);
  material_check_law(scene, material, path);
  material_check_heat(scene, material, path);
}

// `material: powder` needs no entry in materials: presets are known by name. It gets one, so that
// the resolved scene tells all its numbers.
static void material_declare_preset(firn_scene *scene, firn_value *materials, const char *name) {
  const firn_schema_row *row = firn_schema_find(&firn_schema_root, "materials");
  firn_value *material = firn_value_add(&scene->arena, materials, row);
  if (!material) return;
  material->key = name;
  firn_value *preset = firn_value_add(&scene->arena, material,
                                      firn_schema_find(&firn_material_settings, "preset"));
  if (!preset) return;
  preset->text = name;
  firn_scene_complete_material(scene, material);
}

// What a body is made of that does not say. Presets that other bodies have brought in are not of this
// file: what snow is must not hang on the order of the bodies.
static const char *material_unsaid(const firn_value *materials) {
  const firn_value *only = NULL;
  for (const firn_value *m = materials->first; m; m = m->next) {
    if (!m->given) continue;
    if (only) return "snow";
    only = m;
  }
  return only ? only->key : "snow";
}

void firn_scene_name_material(firn_scene *scene, firn_value *body, const char *list, int i) {
  firn_value *materials = firn_value_find(scene->root, "materials");
  firn_value *name = firn_value_find(body, "material");
  if (!materials) return;
  if (!name) {
    name = firn_value_add(&scene->arena, body, firn_schema_find(body->row->record, "material"));
    if (!name) return;
    name->text = material_unsaid(materials);
  }
  if (!firn_value_good(name) || firn_value_find(materials, name->text)) return;
  firn_nearest nearest = firn_nearest_begin(name->text);
  if (preset_exists(name->text, &nearest)) {
    material_declare_preset(scene, materials, name->text);
    return;
  }
  char path[60], presets[200];
  snprintf(path, sizeof path, "%s[%d].material", list, i);
  for (const firn_value *m = materials->first; m; m = m->next) firn_nearest_offer(&nearest, m->key);
  if (nearest.best)
    FAIL(scene, name->mark, path, "no material '%.60s'; did you mean '%s'?", name->text,
         nearest.best);
  else
    FAIL(scene, name->mark, path,
         "no material '%.60s'; expected one of this scene's materials or of the presets %s",
         name->text, preset_list(presets));
}

static bool list_uses(const firn_scene *scene, const char *list, const char *name,
                      firn_nearest *nearest) {
  const firn_value *v = firn_value_find(scene->root, list);
  for (const firn_value *body = v ? v->first : NULL; body; body = body->next) {
    const char *used = firn_value_text(body, "material");
    if (strcmp(used, name) == 0) return true;
    if (*used) firn_nearest_offer(nearest, used);
  }
  return false;
}

// A material that nothing is made of is most likely a name that was misspelt. What is included may
// bring more than is needed.
void firn_scene_check_unused(firn_scene *scene) {
  const firn_value *materials = firn_value_find(scene->root, "materials");
  for (const firn_value *m = materials ? materials->first : NULL; m; m = m->next) {
    firn_nearest nearest = firn_nearest_begin(m->key);
    if (!m->given || m->mark.file != 0 || list_uses(scene, "snow", m->key, &nearest) ||
        list_uses(scene, "emitters", m->key, &nearest))
      continue;
    char place[300], path[120];
    const char *ask = nearest.best ? "; did you mean '" : "",
               *best = nearest.best ? nearest.best : "", *end = nearest.best ? "'?" : "";
    snprintf(path, sizeof path, "materials.%.80s", m->key);
    if (m->mark.origin)
      FAIL(scene, m->mark, path,
           "no snow is made of '%.60s', and the file has no such material%s%s%s", m->key, ask, best,
           end);
    else if (scene->report.count == 0)
      firn_note(scene->context, FIRN_LOG_WARNING, "%s%s: no snow is made of this material%s%s%s",
                firn_report_place(&scene->report, m->mark, place), path, ask, best, end);
  }
}
