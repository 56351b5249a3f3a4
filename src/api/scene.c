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
