// SPDX-License-Identifier: Apache-2.0
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/check.h"
#include "scene/input.h"
#include "scene/making.h"

// `firn: 1` stands first, so that a look at the first line tells what a file is and in which
// version of the format.
static void check_version_first(firn_scene *scene, const firn_node *root) {
  const firn_node *first = root->first, *version = firn_node_find(root, "firn");
  if (version && first != version)
    firn_report_add(&scene->report, version->key_mark, "firn",
                    "expected `firn: 1` as the first key; '%.60s' stands before it", first->key);
}

static bool name_good(const char *name) {
  static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  return *name && !name[strspn(name, good)] && strlen(name) <= 60;
}

static void check_variables(firn_scene *scene, const firn_node *root) {
  const firn_node *variables = firn_node_find(root, "variables");
  if (!variables) return;
  bool empty = variables->kind == FIRN_NODE_SCALAR && !*variables->text;
  if (variables->kind != FIRN_NODE_MAP && !empty) {
    firn_report_add(&scene->report, variables->mark, "variables",
                    "found %s; expected a map from names to values",
                    firn_node_kind_name(variables));
    return;
  }
  static const char *const taken[] = {"quality", "h", "spacing", "frames", "fps"};
  for (const firn_node *n = variables->first; n; n = n->next) {
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
      if (strcmp(n->key, taken[i]) == 0)
        firn_report_add(&scene->report, n->key_mark, "variables",
                        "${%s} is the scene's own %s; give the variable another name", n->key,
                        n->key);
    if (!name_good(n->key))
      firn_report_add(&scene->report, n->key_mark, "variables",
                      "'%.60s' is not a name; expected letters, digits and _", n->key);
  }
}

// Values may then be missing that everybody counts on.
static bool out_of_memory(const firn_scene *scene) {
  return scene->arena.failed || scene->report.failed;
}

static void read_tree(firn_scene *scene, const char *text, size_t size, int override_count,
                      const char *const *overrides) {
  firn_mark base = {.level = FIRN_LEVEL_FILE};
  firn_node *root = firn_node_parse(&scene->arena, &scene->report, text, size, base);
  if (!root) return;
  if (root->kind != FIRN_NODE_MAP) {
    firn_report_add(&scene->report, root->mark, "",
                    "found %s; expected a scene: a map that begins with `firn: 1`",
                    root->kind != FIRN_NODE_SCALAR || *root->text ? firn_node_kind_name(root)
                                                                  : "an empty file");
    return;
  }
  check_version_first(scene, root);
  if (!firn_input_include(scene, root)) return;
  for (int i = 0; i < override_count; i++)
    firn_node_set(&scene->arena, &scene->report, root, overrides[i]);
  check_variables(scene, root);
  firn_scope scope = {.arena = &scene->arena, .root = root};
  scene->root = firn_value_read(&scene->arena, &scene->report, &scope, &firn_schema_root, root,
                                &scene->keys);
  if (!scene->root || out_of_memory(scene)) return;
  scene->scope = &scope;
  firn_scene_complete(scene);
  scene->scope = NULL;
  static void (*const make[])(firn_scene *) = {firn_scene_make_tracks,  firn_scene_make_shapes,
                                               firn_scene_make_probes,  firn_scene_make_render,
                                               firn_scene_check_ground, firn_scene_check_inflow};
  for (size_t i = 0; i < sizeof make / sizeof make[0]; i++)
    if (scene->report.count == 0 && !out_of_memory(scene)) make[i](scene);
  if (scene->report.count == 0 && !out_of_memory(scene))
    scene->resolved = firn_value_write(&scene->arena, scene->root);
}

firn_status firn_scene_read(firn_context *context, const char *file, const char *text, size_t size,
                            int override_count, const char *const *overrides, firn_scene **out) {
  *out = NULL;
  firn_scene *scene = firn_alloc_zero(context, sizeof *scene, "scene");
  if (!scene) return FIRN_ERROR_MEMORY;
  scene->context = context;
  scene->arena.context = context;
  scene->report.context = context;
  scene->file = firn_arena_text(&scene->arena, file, strlen(file));
  scene->report.files[0] = scene->file;
  scene->report.file_count = 1;

  if (scene->file) read_tree(scene, text, size, override_count, overrides);
  if (!scene->file || out_of_memory(scene)) {
    firn_scene_destroy(scene);
    return firn_fail(context, FIRN_ERROR_MEMORY, "out of memory while reading scene %s", file);
  }
  *out = scene;
  if (scene->report.count == 0) return FIRN_OK;
  firn_report_sort(&scene->report);
  return firn_report_fail(&scene->report);
}

void firn_scene_destroy(firn_scene *scene) {
  if (!scene) return;
  firn_context *context = scene->context;
  firn_report_free(&scene->report);
  for (firn_value_keys *k = scene->keys; k; k = k->next) firn_track_free(context, &k->track);
  if (scene->root) firn_scene_release_shapes(scene->root);
  firn_arena_free(&scene->arena);
  firn_free(context, scene, sizeof *scene);
}

const char *firn_scene_file(const firn_scene *scene) {
  return scene->file;
}

int firn_scene_error_count(const firn_scene *scene) {
  return scene->report.count;
}

const firn_scene_error *firn_scene_error_get(const firn_scene *scene, int i) {
  return i >= 0 && i < scene->report.count ? &scene->report.errors[i] : NULL;
}

int firn_scene_frames(const firn_scene *scene) {
  return (int)firn_value_number(scene->root, "frames");
}

const char *firn_scene_resolved_text(const firn_scene *scene) {
  return scene->resolved;
}

double firn_scene_frame_seconds(const firn_scene *scene) {
  return 1 / firn_value_number(scene->root, "fps");
}
