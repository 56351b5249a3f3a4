// SPDX-License-Identifier: Apache-2.0
// Values that a scene keys over time, given to a simulation through its public setters, which do
// nothing where nothing has changed.
#include <math.h>
#include <string.h>

#include "api/scene.h"
#include "api/sim.h"
#include "base/memory.h"
#include "scene/scene.h"

static bool any_keyed(const firn_value *record) {
  for (const firn_value *v = record ? record->first : NULL; v; v = v->next)
    if (v->keys) return true;
  return false;
}

static bool keyed(const firn_value *record, const char *key) {
  const firn_value *v = firn_value_find(record, key);
  return v && v->keys;
}

// own is the section of the solver that runs; those of others may stay in the file.
static firn_status apply_settings(const firn_value *own, double time, firn_sim *sim) {
  if (!any_keyed(own)) return FIRN_OK;
  firn_context *context = sim->world.context;
  size_t size = sim->type->def_size;
  void *def = firn_alloc(context, size, "settings");
  if (!def) return FIRN_ERROR_MEMORY;
  memcpy(def, sim->settings, size);
  firn_value_fill(own, time, def);
  firn_status status = firn_sim_set_settings(sim, sim->type->name, def);
  firn_free(context, def, size);
  return status;
}

// all: whatever is given, not only what is keyed.
static firn_status apply_materials(const firn_value *list, double time, bool all, firn_sim *sim) {
  int id = 0;
  for (const firn_value *m = list->first; m; m = m->next, id++) {
    if (!all && !any_keyed(m)) continue;
    firn_material_def def = firn_scene_material_def(m, time);
    FIRN_TRY(firn_sim_set_material(sim, id, &def));
  }
  return FIRN_OK;
}

static firn_status apply_colliders(const firn_value *list, double time, bool all, firn_sim *sim) {
  int id = 0;
  for (const firn_value *c = list->first; c; c = c->next, id++) {
    if (id < sim->world.collider_count && sim->world.collider[id].removed) continue;
    if (all || keyed(c, "friction"))
      FIRN_TRY(firn_sim_set_friction(sim, id, firn_value_number_at(c, "friction", time)));
    if (all || keyed(c, "friction_viscosity"))
      FIRN_TRY(firn_sim_set_friction_viscosity(
          sim, id, firn_value_number_at(c, "friction_viscosity", time)));
    if (all || keyed(c, "adhesion"))
      FIRN_TRY(firn_sim_set_adhesion(sim, id, firn_value_number_at(c, "adhesion", time)));
    if (all || keyed(c, "sticky"))
      FIRN_TRY(firn_sim_set_sticky(sim, id, firn_value_number_at(c, "sticky", time) != 0));
    if (all || keyed(c, "temperature")) // 0, and so none, where it is not given
      FIRN_TRY(firn_sim_set_temperature(sim, id, firn_value_number_at(c, "temperature", time)));
    if (all || keyed(c, "present"))
      FIRN_TRY(firn_sim_set_present(sim, id, firn_value_number_at(c, "present", time) != 0));
  }
  return FIRN_OK;
}

static firn_status apply_space(const firn_value *root, double time, bool all, firn_sim *sim) {
  const firn_value *wind = firn_value_find(root, "wind");
  double v[3];
  if (all || keyed(root, "gravity")) {
    firn_value_vec3_at(root, "gravity", time, v);
    FIRN_TRY(firn_sim_set_gravity(sim, v));
  }
  if ((all && wind) || keyed(wind, "velocity")) {
    firn_value_vec3_at(wind, "velocity", time, v);
    FIRN_TRY(firn_sim_set_wind_velocity(sim, v));
  }
  return FIRN_OK;
}

double firn_scene_rate(const firn_value *emitter, const char *key, double time) {
  const double water = 1000; // kg/m^3
  return firn_value_number_at(emitter, key, time) * (strcmp(key, "snowfall") == 0 ? water : 1);
}

static firn_status apply_emitters(const firn_value *list, double time, firn_sim *sim) {
  static const char *const rates[] = {"particles", "volume", "mass", "snowfall"};
  int id = 0;
  for (const firn_value *e = list->first; e; e = e->next, id++) {
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
      if (keyed(e, rates[i]))
        FIRN_TRY(firn_sim_set_emitter_rate(sim, id, firn_scene_rate(e, rates[i], time)));
    if (!keyed(e, "velocity")) continue;
    double velocity[3];
    firn_value_vec3_at(e, "velocity", time, velocity);
    FIRN_TRY(firn_sim_set_emitter_velocity(sim, id, velocity));
  }
  return FIRN_OK;
}

static firn_status apply_forces(const firn_value *list, double time, bool all, firn_sim *sim) {
  int id = 0;
  for (const firn_value *f = list ? list->first : NULL; f; f = f->next, id++) {
    if (!all && !any_keyed(firn_scene_force_kind(f))) continue;
    firn_force_def def = firn_scene_force_def(f, time);
    FIRN_TRY(firn_sim_set_force(sim, id, &def));
  }
  return FIRN_OK;
}

firn_status firn_scene_apply(const firn_scene *scene, firn_sim *sim) {
  if (!scene || !sim) return FIRN_ERROR_ARGUMENT;
  if (!scene->keys) return FIRN_OK;
  const firn_value *root = scene->root;
  double time = firn_sim_time(sim);
  FIRN_TRY(apply_space(root, time, false, sim));
  FIRN_TRY(apply_forces(firn_value_find(root, "forces"), time, false, sim));
  FIRN_TRY(apply_settings(firn_value_find(root, sim->type->name), time, sim));
  FIRN_TRY(apply_materials(firn_value_find(root, "materials"), time, false, sim));
  FIRN_TRY(apply_colliders(firn_value_find(root, "colliders"), time, false, sim));
  return apply_emitters(firn_value_find(root, "emitters"), time, sim);
}

firn_status firn_scene_apply_all(const firn_scene *scene, firn_sim *sim) {
  const firn_value *root = scene->root;
  double time = firn_sim_time(sim);
  FIRN_TRY(apply_space(root, time, true, sim));
  FIRN_TRY(apply_forces(firn_value_find(root, "forces"), time, true, sim));
  FIRN_TRY(apply_materials(firn_value_find(root, "materials"), time, true, sim));
  return apply_colliders(firn_value_find(root, "colliders"), time, true, sim);
}

firn_status firn_scene_pose(const firn_scene *scene, firn_sim *sim, double time) {
  if (!scene || !sim) return FIRN_ERROR_ARGUMENT;
  FIRN_TRY(firn_sim_not_advancing(sim, "firn_scene_pose"));
  if (!(isfinite(time) && time >= 0))
    return firn_fail(scene->context, FIRN_ERROR_ARGUMENT,
                     "firn_scene_pose: a time of %g s; it must be finite and not below 0", time);
  firn_world_set_time(&sim->world, time);
  return firn_scene_apply(scene, sim);
}
