// SPDX-License-Identifier: Apache-2.0
// Scenes as the public header promises them: found by name, read, and asked.
#include "api/scene.h"

#include <math.h>
#include <string.h>

#include "base/def.h"
#include "scene/input.h"

// ------------------------------------------------------------------------------------- finding

const char *firn_scene_builtin_name(int i) {
  for (int k = 0; k <= i; k++)
    if (!firn_scene_builtin_names[k]) return NULL;
  return i < 0 ? NULL : firn_scene_builtin_names[i];
}

const char *firn_scene_builtin_doc(int i) {
  return firn_scene_builtin_name(i) ? firn_scene_builtin_titles[i] : NULL;
}

const char *firn_scene_builtin_text(const char *name) {
  return firn_input_builtin(name);
}

firn_status firn_scene_load(firn_context *context, const char *name, int override_count,
                            const char *const *overrides, firn_scene **out) {
  if (!context) return FIRN_ERROR_ARGUMENT;
  if (!name || !out || override_count < 0 || (override_count > 0 && !overrides))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "firn_scene_load: name, out or overrides is NULL");
  *out = NULL;
  const char *builtin = firn_input_builtin(name);
  if (builtin)
    return firn_scene_read(context, name, builtin, strlen(builtin), override_count, overrides, out);
  firn_buffer text = {0};
  size_t size = 0;
  firn_status status = firn_input_read(context, name, &text, &size);
  if (status == FIRN_OK)
    status = firn_scene_read(context, name, text.data, size, override_count, overrides, out);
  firn_buffer_free(context, &text);
  return status;
}

// -------------------------------------------------------------------------------------- asking

static firn_output_def output_of(const firn_scene *scene) {
  const firn_value *v = firn_value_find(scene->root, "output");
  firn_output_def def = firn_default_output_def();
  if (!v) return def;
  def.precision = firn_value_is(v, "precision", "16") ? 16 : 32;
  const firn_value *fields = firn_value_find(v, "fields");
  def.field_count = fields ? fields->count : 0;
  def.fields = fields ? fields->words : NULL;
  def.every = (int)firn_value_number(v, "every");
  def.checkpoints = (int)firn_value_number(v, "checkpoints");
  def.keep_checkpoints = (int)firn_value_number(v, "keep_checkpoints");
  return def;
}

void firn_scene_output_sized(const firn_scene *scene, firn_output_def *out, size_t size) {
  const firn_output_def own = output_of(scene);
  firn_def_give(&own, sizeof own, out, size);
}

const firn_probe_def *firn_scene_probes(const firn_scene *scene, int *count) {
  *count = scene->probe_count;
  return scene->probes;
}

// m^3 of a shape within the blocks of 4 cells an edge that the window touches at time 0.
static double volume_in_window(const firn_scene *scene, const firn_shape *shape) {
  const firn_value *window = firn_value_find(scene->root, "window");
  double lo[3], hi[3], center[3], half[3], whole = firn_shape_volume(shape);
  if (!window || !firn_shape_bounds(shape, lo, hi)) return whole;
  const double *least = firn_value_vec3(window, "min"), *most = firn_value_vec3(window, "max");
  for (int a = 0; a < 3; a++) {
    double block = 4 * scene->h;
    if (isfinite(least[a])) lo[a] = fmax(lo[a], floor(least[a] / block) * block);
    if (isfinite(most[a])) hi[a] = fmin(hi[a], ceil(most[a] / block) * block);
    if (!(lo[a] < hi[a])) return 0;
    center[a] = 0.5 * (lo[a] + hi[a]);
    half[a] = 0.5 * (hi[a] - lo[a]);
  }
  firn_shape_def box_def = firn_box(center, half);
  firn_shape *box = NULL, *seen = NULL;
  double volume = whole; // should memory run out
  if (firn_shape_create(scene->context, &box_def, &box) == FIRN_OK) {
    firn_shape_def both = firn_intersection(2, (const firn_shape *[]){shape, box});
    if (firn_shape_create(scene->context, &both, &seen) == FIRN_OK)
      volume = firn_shape_volume(seen);
  }
  firn_shape_release(seen);
  firn_shape_release(box);
  return volume;
}

// The share of its places that are taken, as far as it is the same everywhere.
static double packing_of(const firn_value *body) {
  const firn_value *list = firn_value_find(body, "variation");
  double share = 1;
  for (const firn_value *v = list ? list->first : NULL; v; v = v->next) {
    const firn_value *of = firn_value_find(v, "of");
    bool somewhere = firn_value_find(v, "depth") || firn_value_find(v, "height") ||
                     firn_value_find(v, "mask");
    for (int i = 0; of && i < of->count && !somewhere; i++)
      if (strcmp(of->words[i], "packing") == 0) share *= firn_value_number(v, "factor");
  }
  return share;
}

double firn_scene_particles(const firn_scene *scene) {
  double cell = scene->h * scene->h * scene->h, count = 0;
  const firn_value *snow = firn_value_find(scene->root, "snow");
  for (const firn_value *body = snow ? snow->first : NULL; body; body = body->next) {
    const firn_value *shape = firn_value_find(body, "shape");
    if (shape && shape->shape)
      count += volume_in_window(scene, shape->shape) / cell * packing_of(body) *
               firn_value_number(body, "per_cell");
  }
  return count;
}
