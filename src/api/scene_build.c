// SPDX-License-Identifier: Apache-2.0
// From a scene to a simulation, through the same calls that any program has.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/scene.h"
#include "scene/scene.h"
#include "solver/solver.h"

typedef struct {
  const firn_scene *scene;
  firn_sim *sim;
  firn_arena arena; // what defs point to
} builder;

static void copy3(double to[3], const double from[3]) {
  memcpy(to, from, 3 * sizeof to[0]);
}

static int item_count(const firn_value *list) {
  int n = 0;
  for (const firn_value *v = list ? list->first : NULL; v; v = v->next) n++;
  return n;
}

static const firn_value *section(const builder *b, const char *key) {
  const firn_value *list = firn_value_find(b->scene->root, key);
  return list ? list->first : NULL;
}

static firn_status out_of_memory(const firn_scene *scene) {
  return firn_fail(scene->context, FIRN_ERROR_MEMORY, "out of memory while building scene %s",
                   scene->file);
}

// Where a failure of the i-th item of a section comes from.
static firn_status blame_item(const builder *b, const char *list, int i, const firn_value *item,
                              firn_status status) {
  char path[60];
  snprintf(path, sizeof path, "%s[%d]", list, i);
  return firn_scene_blame(b->scene, item, path, status);
}

static firn_status blame_section(const builder *b, const char *key, firn_status status) {
  return firn_scene_blame(b->scene, firn_value_find(b->scene->root, key), key, status);
}

static firn_status sim_of(builder *b, firn_sim_def *out) {
  const firn_scene *scene = b->scene;
  const firn_value *root = scene->root;
  firn_sim_def def = firn_default_sim_def();
  def.h = scene->h;
  firn_value_vec3_at(root, "gravity", 0, def.gravity);
  const double *period = firn_value_vec3(root, "periodic");
  for (int a = 0; a < 3; a++) {
    def.periodic[a] = period[a] > 0;
    def.period_cells[a] = 4 * (int)round(period[a] / (4 * scene->h));
  }
  def.seed = (uint64_t)firn_value_number(root, "seed");
  def.solver = firn_value_text(root, "solver");
  const firn_solver_type *type = firn_solver_find(def.solver);
  void *settings = firn_arena_alloc(&b->arena, type->def_size);
  if (!settings) return out_of_memory(b->scene);
  firn_solver_defaults(type, settings);
  firn_value_fill(firn_value_find(root, def.solver), 0, settings);
  def.settings = settings;
  *out = def;
  return FIRN_OK;
}

static firn_shape_def shape_of(const firn_value *record, const char *key) {
  return firn_shape_handle(firn_value_find(record, key)->shape);
}

// ----------------------------------------------------------------------------------------- snow

static firn_variation_def variation_of(const firn_value *v) {
  firn_variation_def def = firn_default_variation_def();
  const firn_value *of = firn_value_find(v, "of"), *depth = firn_value_find(v, "depth"),
                   *height = firn_value_find(v, "height");
  for (int w = 0; w < of->count; w++)
    for (const firn_schema_property *p = firn_schema_properties; p->name; p++)
      if (strcmp(p->name, of->words[w]) == 0) def.of |= p->property;
  def.by = depth                        ? FIRN_VARIATION_DEPTH
           : height                     ? FIRN_VARIATION_HEIGHT
           : firn_value_find(v, "mask") ? FIRN_VARIATION_MASK
                                        : FIRN_VARIATION_EVERYWHERE;
  if (depth || height) memcpy(def.range, (depth ? depth : height)->number, sizeof def.range);
  if (def.by == FIRN_VARIATION_MASK) def.mask = shape_of(v, "mask");
  def.blend = firn_value_number(v, "blend");
  copy3(def.axis, firn_value_vec3(v, "axis"));
  def.factor = firn_value_number(v, "factor");
  def.offset = firn_value_number(v, "offset");
  def.amplitude = firn_value_number(v, "amplitude");
  def.wavelength = firn_value_number(v, "wavelength");
  def.octaves = (int)firn_value_number(v, "octaves");
  def.seed = (uint64_t)firn_value_number(v, "seed");
  return def;
}

// auto is what suits the solver.
static firn_seeding seeding_of(const builder *b, const firn_value *body) {
  static const char *const kind[] = {
      [FIRN_SEEDING_RANDOM] = "random",
      [FIRN_SEEDING_JITTERED] = "jittered",
      [FIRN_SEEDING_LATTICE] = "lattice",
      [FIRN_SEEDING_POISSON] = "poisson",
  };
  const firn_solver_type *type = firn_solver_find(firn_value_text(b->scene->root, "solver"));
  for (int i = FIRN_SEEDING_RANDOM; i <= FIRN_SEEDING_POISSON; i++)
    if (firn_value_is(body, "seeding", kind[i])) return (firn_seeding)i;
  return type && type->even ? FIRN_SEEDING_LATTICE : FIRN_SEEDING_RANDOM;
}

static firn_status fill_of(builder *b, const firn_value *body, firn_fill_def *def) {
  *def = firn_default_fill_def();
  def->shape = shape_of(body, "shape");
  def->material = firn_scene_material_id(b->scene, firn_value_text(body, "material"));
  def->seeding = seeding_of(b, body);
  def->per_cell = firn_value_number(body, "per_cell");
  firn_value_vec3_at(body, "velocity", 0, def->velocity);
  copy3(def->spin, firn_value_vec3(body, "spin"));
  def->temperature = firn_value_number(body, "temperature");
  if (firn_value_find(body, "pivot")) def->pivot = firn_value_vec3(body, "pivot");
  if (firn_value_find(body, "name")) def->name = firn_value_text(body, "name");
  def->time = firn_value_number(body, "time");
  def->settled = firn_value_number(body, "settled") != 0;
  const firn_value *list = firn_value_find(body, "variation");
  def->variation_count = item_count(list);
  if (def->variation_count == 0) return FIRN_OK;
  firn_variation_def *all = firn_arena_alloc(&b->arena, sizeof *all * (size_t)def->variation_count);
  if (!all) return out_of_memory(b->scene);
  def->variation = all;
  for (const firn_value *v = list->first; v; v = v->next) *all++ = variation_of(v);
  return FIRN_OK;
}

static firn_status add_points(const builder *b, const firn_value *body, const firn_value *points) {
  firn_points_def def = firn_default_points_def();
  def.path = firn_value_text(points, "file");
  def.material = firn_scene_material_id(b->scene, firn_value_text(body, "material"));
  def.per_cell = firn_value_number(body, "per_cell");
  def.scale = firn_value_number(points, "scale");
  copy3(def.translation, firn_value_vec3(points, "move"));
  copy3(def.velocity, firn_value_vec3(body, "velocity"));
  def.temperature = firn_value_number(body, "temperature");
  return firn_sim_add_points(b->sim, &def);
}

static firn_status fill_snow(builder *b, const firn_value *body) {
  const firn_value *points = firn_value_find(body, "points");
  if (points) return add_points(b, body, points);
  firn_fill_def def;
  FIRN_TRY(fill_of(b, body, &def));
  FIRN_TRY(firn_scene_start(b->scene, body, &def));
  return firn_sim_fill(b->sim, &def);
}

// ----------------------------------------------------------------------------- sources and bounds

static firn_status add_emitter(builder *b, const firn_value *v) {
  static const struct {
    const char *key;
    firn_emit kind;
  } rates[] = {{"particles", FIRN_EMIT_PARTICLES},
               {"volume", FIRN_EMIT_VOLUME},
               {"mass", FIRN_EMIT_MASS},
               {"snowfall", FIRN_EMIT_SNOWFALL}};
  firn_emitter_def def = firn_default_emitter_def();
  FIRN_TRY(fill_of(b, v, &def.fill));
  def.kind = FIRN_EMIT_INFLOW;
  for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
    if (firn_value_find(v, rates[i].key)) {
      def.kind = rates[i].kind;
      def.rate = firn_scene_rate(v, rates[i].key, 0);
    }
  double flake = firn_value_find(v, "flake") ? firn_value_number(v, "flake") : 0;
  if (flake > 0) def.fill.per_cell = pow(b->scene->h / flake, 3);
  def.spread = firn_value_number(v, "spread");
  def.start = firn_value_number(v, "start");
  def.stop = firn_value_number(v, "stop");
  def.max_count = (uint64_t)firn_value_number(v, "max_count");
  int id;
  return firn_sim_add_emitter(b->sim, &def, &id);
}

static firn_status add_sink(builder *b, const firn_value *v) {
  firn_sink_def def = firn_default_sink_def();
  if (firn_value_find(v, "name")) def.name = firn_value_text(v, "name");
  def.shape = shape_of(v, "shape");
  def.start = firn_value_number(v, "start");
  def.stop = firn_value_number(v, "stop");
  int id;
  return firn_sim_add_sink(b->sim, &def, &id);
}

static firn_status add_impulse(builder *b, const firn_value *v) {
  firn_impulse_def def = firn_default_impulse_def();
  firn_shape_def shape;
  if (firn_value_find(v, "name")) def.name = firn_value_text(v, "name");
  def.time = firn_value_number(v, "time");
  copy3(def.velocity, firn_value_vec3(v, "velocity"));
  copy3(def.spin, firn_value_vec3(v, "spin"));
  copy3(def.pivot, firn_value_vec3(v, "pivot"));
  if (firn_value_find(v, "shape")) {
    shape = shape_of(v, "shape");
    def.shape = &shape;
  }
  int id;
  return firn_sim_add_impulse(b->sim, &def, &id);
}

static firn_status set_bounds(const builder *b) {
  const firn_value *box = firn_value_find(b->scene->root, "kill_box"),
                   *window = firn_value_find(b->scene->root, "window");
  if (box)
    FIRN_TRY(blame_section(
        b, "kill_box",
        firn_sim_set_kill_box(b->sim, firn_value_vec3(box, "min"), firn_value_vec3(box, "max"))));
  if (!window) return FIRN_OK;
  firn_window_def def = firn_default_window_def();
  copy3(def.min, firn_value_vec3(window, "min"));
  copy3(def.max, firn_value_vec3(window, "max"));
  copy3(def.velocity, firn_value_vec3(window, "velocity"));
  def.follow = -1;
  int i = 0;
  for (const firn_value *c = section(b, "colliders"); c; c = c->next, i++)
    if (firn_value_find(window, "follow") &&
        firn_value_is(c, "name", firn_value_text(window, "follow")))
      def.follow = i;
  return blame_section(b, "window", firn_sim_set_window(b->sim, &def));
}

// ------------------------------------------------------------------------------------- colliders

static int part_index(const firn_value *parts, const char *name) {
  int i = 0;
  for (const firn_value *p = parts->first; p; p = p->next, i++)
    if (firn_value_is(p, "name", name)) return i;
  return -1;
}

static bool parts_of(firn_arena *arena, const firn_value *list, firn_collider_def *def) {
  def->part_count = item_count(list);
  firn_part_def *parts = firn_arena_alloc(arena, sizeof *parts * (size_t)def->part_count);
  if (!parts) return false;
  def->parts = parts;
  for (const firn_value *v = list->first; v; v = v->next, parts++) {
    *parts = firn_default_part_def();
    parts->name = firn_value_text(v, "name");
    parts->bare = !firn_value_find(v, "shape");
    if (!parts->bare) parts->shape = shape_of(v, "shape");
    const firn_value *parent = firn_value_find(v, "parent");
    parts->parent = parent ? part_index(list, parent->text) : -1;
    if (!firn_scene_motion_def(arena, firn_value_find(v, "motion"), &parts->motion)) return false;
  }
  return true;
}

static bool collider_of(firn_arena *arena, const firn_value *v, firn_collider_def *def) {
  const firn_value *sequence = firn_value_find(v, "sequence");
  *def = firn_default_collider_def();
  def->name = firn_value_text(v, "name");
  if (sequence)
    def->sequence = sequence->sequence;
  else if (firn_value_find(v, "shape"))
    def->shape = shape_of(v, "shape");
  else if (!parts_of(arena, firn_value_find(v, "parts"), def))
    return false;
  def->friction = firn_value_number_at(v, "friction", 0);
  def->friction_viscosity = firn_value_number_at(v, "friction_viscosity", 0);
  def->adhesion = firn_value_number_at(v, "adhesion", 0);
  def->temperature = firn_value_number_at(v, "temperature", 0);
  def->sticky = firn_value_number_at(v, "sticky", 0) != 0;
  def->absent = firn_value_number_at(v, "present", 0) == 0;
  copy3(def->velocity, firn_value_vec3(v, "velocity"));
  copy3(def->spin, firn_value_vec3(v, "spin"));
  def->forces = firn_value_number(v, "forces") != 0;
  def->load = firn_scene_load_def(firn_value_find(v, "load"));
  return firn_scene_motion_def(arena, firn_value_find(v, "motion"), &def->motion);
}

firn_status firn_scene_collider_defs(const firn_scene *scene, firn_arena *arena, int *count,
                                     firn_collider_def **out) {
  const firn_value *list = firn_value_find(scene->root, "colliders");
  *count = item_count(list);
  firn_collider_def *def = firn_arena_alloc(arena, sizeof *def * (size_t)(*count + 1));
  bool good = def;
  *out = def;
  for (const firn_value *v = list ? list->first : NULL; good && v; v = v->next)
    good = collider_of(arena, v, def++);
  return good ? FIRN_OK : out_of_memory(scene);
}

// ------------------------------------------------------------------------------------------- all

static firn_status add_materials(const builder *b) {
  for (const firn_value *m = section(b, "materials"); m; m = m->next) {
    firn_material_def def = firn_scene_material_def(m, 0);
    char path[120];
    int id;
    snprintf(path, sizeof path, "materials.%.80s", m->key);
    FIRN_TRY(firn_scene_blame(b->scene, m, path, firn_sim_add_material(b->sim, &def, &id)));
    firn_heat_def heat;
    if (firn_scene_heat_def(m, &heat))
      FIRN_TRY(firn_scene_blame(b->scene, m, path, firn_sim_set_heat(b->sim, id, &heat)));
  }
  return FIRN_OK;
}

static firn_status add_colliders(builder *b) {
  int count, id;
  firn_collider_def *def;
  FIRN_TRY(firn_scene_collider_defs(b->scene, &b->arena, &count, &def));
  const firn_value *v = section(b, "colliders");
  for (int i = 0; i < count; i++, v = v->next)
    FIRN_TRY(blame_item(b, "colliders", i, v, firn_sim_add_collider(b->sim, &def[i], &id)));
  return FIRN_OK;
}

static firn_status set_wind(builder *b) {
  const firn_value *wind = firn_value_find(b->scene->root, "wind");
  if (!wind) return FIRN_OK;
  firn_wind_def def = firn_scene_wind_def(wind);
  return firn_scene_blame(b->scene, wind, "wind", firn_sim_set_wind(b->sim, &def));
}

static firn_status add_force(builder *b, const firn_value *v) {
  firn_force_def def = firn_scene_force_def(v, 0);
  return firn_sim_add_force(b->sim, &def, NULL);
}

static firn_status add_each(builder *b, const char *list,
                            firn_status (*add)(builder *b, const firn_value *item)) {
  int i = 0;
  for (const firn_value *v = section(b, list); v; v = v->next, i++) {
    firn_doing(b->scene->context, 0, 0, "building %s[%d]", list, i);
    FIRN_TRY(blame_item(b, list, i, v, add(b, v)));
  }
  return FIRN_OK;
}

// Snow that comes later makes an empty beginning a good one.
static firn_status check_any_snow(const builder *b) {
  const firn_value *snow = firn_value_find(b->scene->root, "snow");
  bool later = section(b, "emitters") || firn_value_find(b->scene->root, "window");
  for (const firn_value *s = section(b, "snow"); s; s = s->next)
    later = later || firn_value_number(s, "time") > 0;
  if (firn_sim_count(b->sim) > 0 || later) return FIRN_OK;
  firn_status status = firn_fail(b->scene->context, FIRN_ERROR_SCENE,
                                 "the snow holds no particle; its shape is smaller than a cell of "
                                 "%g m, or lies within colliders",
                                 b->scene->h);
  bool one = snow->first && !snow->first->next;
  return one ? blame_item(b, "snow", 0, snow->first, status) : blame_section(b, "snow", status);
}

static firn_status populate(builder *b, bool with_snow) {
  FIRN_TRY(add_materials(b));
  FIRN_TRY(add_colliders(b));
  FIRN_TRY(set_wind(b));
  FIRN_TRY(set_bounds(b));
  FIRN_TRY(add_each(b, "emitters", add_emitter));
  FIRN_TRY(add_each(b, "impulses", add_impulse));
  FIRN_TRY(add_each(b, "forces", add_force));
  FIRN_TRY(add_each(b, "sinks", add_sink));
  if (!with_snow) firn_sim_expect_load(b->sim); // fills are noted, not made
  FIRN_TRY(add_each(b, "snow", fill_snow));
  return with_snow ? check_any_snow(b) : FIRN_OK;
}

static firn_status build(const firn_scene *scene, bool with_snow, firn_sim **out) {
  *out = NULL;
  if (scene->report.count)
    return firn_fail(scene->context, FIRN_ERROR_SCENE, "%s has %d errors", scene->file,
                     scene->report.count);
  firn_sim_def def;
  builder b = {.scene = scene, .arena = {.context = scene->context}};
  firn_status status = sim_of(&b, &def);
  if (status == FIRN_OK) {
    status = firn_scene_blame(scene, scene->root, "",
                              firn_sim_create(scene->context, &def, &b.sim));
  }
  if (status == FIRN_OK) status = populate(&b, with_snow);
  firn_arena_free(&b.arena);
  if (status != FIRN_OK) {
    firn_sim_destroy(b.sim);
    return status;
  }
  *out = b.sim;
  return FIRN_OK;
}

firn_status firn_scene_build(const firn_scene *scene, firn_sim **out) {
  if (!scene) return FIRN_ERROR_ARGUMENT;
  if (!out) return firn_fail_null(scene->context, "firn_scene_build");
  return build(scene, true, out);
}

firn_status firn_scene_build_empty(const firn_scene *scene, firn_sim **out) {
  if (!scene) return FIRN_ERROR_ARGUMENT;
  if (!out) return firn_fail_null(scene->context, "firn_scene_build_empty");
  return build(scene, false, out);
}
