// SPDX-License-Identifier: Apache-2.0
// From the values of a scene to the defs of the public header.
#include <math.h>
#include <string.h>

#include "api/scene.h"
#include "scene/scene.h"

// ----------------------------------------------------------------------------------------- defs

firn_material_def firn_scene_material_def(const firn_value *v, double time) {
  firn_material_def def = firn_default_material_def();
  def.law = firn_value_text(v, "law");
  firn_value_fill(v, time, &def); // what other laws do not have keeps its default
  return def;
}

// Whether the material says something of heat.
bool firn_scene_heat_def(const firn_value *v, firn_heat_def *out) {
  const firn_value *conductivity = firn_value_find(v, "conductivity"),
                   *capacity = firn_value_find(v, "heat_capacity"),
                   *points = firn_value_find(v, "young_of_temperature");
  *out = firn_default_heat_def();
  if (conductivity) out->conductivity = conductivity->number[0];
  if (capacity) out->capacity = capacity->number[0];
  for (const firn_value *p = points ? points->first : NULL; p; p = p->next, out->points++) {
    out->temperature[out->points] = firn_value_number(p, "temperature");
    out->young[out->points] = firn_value_number(p, "young");
  }
  return conductivity || capacity || out->points;
}

// Materials are added in the order of the file, so a material's id is its place in the table.
int firn_scene_material_id(const firn_scene *scene, const char *name) {
  int i = 0;
  for (const firn_value *m = firn_value_find(scene->root, "materials")->first; m; m = m->next, i++)
    if (strcmp(m->key, name) == 0) return i;
  return -1;
}

// --------------------------------------------------------------------------------------- motion

static const double at_once[1];

// A constant value is a track of one key.
static firn_track_def track_of(const firn_value *v) {
  if (!v) return (firn_track_def){0};
  if (v->keys) return v->keys->def;
  return (firn_track_def){.count = 1, .times = at_once, .values = v->number};
}

// Axis times angle to quaternions.
static bool rotation_track(firn_arena *arena, const firn_value *v, firn_track_def *out) {
  *out = track_of(v);
  if (!v) return true;
  double *turned = firn_arena_alloc(arena, sizeof(double) * 4 * (size_t)out->count);
  if (!turned) return false;
  for (int i = 0; i < out->count; i++) {
    const double *w = out->values + (ptrdiff_t)3 * i;
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    firn_rotation(angle > 0 ? w : (const double[]){0, 0, 1}, angle, turned + (ptrdiff_t)4 * i);
  }
  out->values = turned;
  return true;
}

static void copy3(double to[3], const double from[3]) {
  memcpy(to, from, 3 * sizeof to[0]);
}

bool firn_scene_motion_def(firn_arena *arena, const firn_value *v, firn_motion_def *out) {
  *out = (firn_motion_def){0};
  if (!v) return true;
  out->has_pivot = firn_value_find(v, "pivot");
  copy3(out->pivot, firn_value_vec3(v, "pivot"));
  copy3(out->velocity, firn_value_vec3(v, "velocity"));
  copy3(out->spin, firn_value_vec3(v, "spin"));
  out->translation = track_of(firn_value_find(v, "translation"));
  out->angle = track_of(firn_value_find(v, "angle"));
  copy3(out->axis, firn_value_vec3(v, "axis"));
  const firn_value *o = firn_value_find(v, "oscillation"), *c = firn_value_find(v, "circle");
  if (o) {
    copy3(out->oscillation.translation, firn_value_vec3(o, "translation"));
    copy3(out->oscillation.swing, firn_value_vec3(o, "swing"));
    out->oscillation.frequency = firn_value_number(o, "frequency");
    out->oscillation.phase = firn_value_number(o, "phase");
  }
  if (c) {
    copy3(out->circle.arm, firn_value_vec3(c, "arm"));
    copy3(out->circle.axis, firn_value_vec3(c, "axis"));
    out->circle.frequency = firn_value_number(c, "frequency");
  }
  return rotation_track(arena, firn_value_find(v, "rotation"), &out->rotation);
}

firn_load_def firn_scene_load_def(const firn_value *v) {
  firn_load_def def = firn_default_load_def();
  if (!v) return def;
  def.mass = firn_value_number(v, "mass");
  copy3(def.axis, firn_value_vec3(v, "axis"));
  def.force = track_of(firn_value_find(v, "force"));
  def.weightless = firn_value_number(v, "weightless") != 0;
  def.damping = firn_value_number(v, "damping");
  memcpy(def.travel, firn_value_vec3(v, "travel"), sizeof def.travel);
  return def;
}

// ------------------------------------------------------------------------------------------ wind

static void put_body(const firn_value *around, firn_wind_def *def) {
  const firn_value *sphere = firn_value_find(around, "sphere"),
                   *ellipsoid = firn_value_find(around, "ellipsoid"),
                   *cylinder = firn_value_find(around, "cylinder");
  const firn_value *body = sphere ? sphere : ellipsoid ? ellipsoid : cylinder;
  if (!body) return;
  def->body = cylinder ? FIRN_WIND_BODY_CYLINDER : FIRN_WIND_BODY_ELLIPSOID;
  memcpy(def->body_center, firn_value_vec3(body, "center"), sizeof def->body_center);
  if (cylinder) memcpy(def->body_axis, firn_value_vec3(body, "axis"), sizeof def->body_axis);
  for (int a = 0; a < 3; a++) {
    def->body_radii[a] = ellipsoid ? firn_value_vec3(body, "radii")[a]
                                   : firn_value_number(body, "radius");
  }
}

firn_wind_def firn_scene_motion_of_air(const firn_value *v, double time) {
  firn_wind_def def = firn_default_wind_def();
  firn_value_vec3_at(v, "velocity", time, def.velocity);
  const firn_value *gust = firn_value_find(v, "gust"), *swirl = firn_value_find(v, "swirl"),
                   *turbulence = firn_value_find(v, "turbulence");
  if (gust) {
    def.gust = firn_value_number(gust, "strength");
    def.gust_period = firn_value_number(gust, "period");
    def.gust_noise = firn_value_number(gust, "noise");
  }
  if (swirl) {
    def.swirl = firn_value_number(swirl, "speed");
    def.swirl_radius = firn_value_number(swirl, "radius");
    memcpy(def.swirl_center, firn_value_vec3(swirl, "center"), sizeof def.swirl_center);
    memcpy(def.swirl_axis, firn_value_vec3(swirl, "axis"), sizeof def.swirl_axis);
  }
  if (turbulence) {
    bool given = firn_value_find(turbulence, "drift") != NULL;
    def.turbulence = firn_value_number(turbulence, "speed");
    def.turbulence_wavelength = firn_value_number(turbulence, "wavelength");
    def.turbulence_octaves = (int)firn_value_number(turbulence, "octaves");
    memcpy(def.turbulence_drift, given ? firn_value_vec3(turbulence, "drift") : def.velocity,
           sizeof def.turbulence_drift);
  }
  put_body(firn_value_find(v, "around"), &def);
  if (firn_value_find(v, "file")) def.grid_file = firn_value_text(v, "file");
  def.seed = (uint64_t)firn_value_number(v, "seed");
  return def;
}

firn_wind_def firn_scene_wind_def(const firn_value *v) {
  firn_wind_def def = firn_scene_motion_of_air(v, 0);
  def.air_density = firn_value_number(v, "density");
  def.air_viscosity = firn_value_number(v, "viscosity") * def.air_density;
  return def;
}

// ---------------------------------------------------------------------------------------- forces

static void put_center(const firn_value *v, double time, firn_force_def *def) {
  firn_value_vec3_at(v, "center", time, def->center);
  copy3(def->axis, firn_value_vec3(v, "axis"));
  def->strength = firn_value_number_at(v, "strength", time);
  def->radius = firn_value_number(v, "radius");
  def->falloff = firn_value_number(v, "falloff");
  def->core = firn_value_number(v, "core");
  def->reach = firn_value_number(v, "reach");
}

const firn_value *firn_scene_force_kind(const firn_value *v) {
  static const char *const kinds[] = {"uniform", "attractor", "vortex", "drag"};
  const firn_value *kind = NULL;
  for (int i = 0; i < 4 && !kind; i++) kind = firn_value_find(v, kinds[i]);
  return kind;
}

firn_force_def firn_scene_force_def(const firn_value *v, double time) {
  const firn_value *kind = firn_scene_force_kind(v);
  firn_force_def def = firn_default_force_def();
  def.name = firn_value_find(v, "name") ? firn_value_text(v, "name") : NULL;
  def.steady = firn_value_number(v, "steady") != 0;
  if (strcmp(kind->key, "uniform") == 0) {
    def.kind = FIRN_FORCE_UNIFORM;
    firn_value_vec3_at(kind, "acceleration", time, def.acceleration);
  } else if (strcmp(kind->key, "drag") == 0) {
    def.kind = FIRN_FORCE_DRAG;
    def.rate = firn_value_number_at(kind, "rate", time);
    def.wind = firn_scene_motion_of_air(kind, time);
  } else {
    bool turns = strcmp(kind->key, "vortex") == 0;
    def.kind = turns ? FIRN_FORCE_VORTEX : FIRN_FORCE_ATTRACTOR;
    put_center(kind, time, &def);
  }
  return def;
}
