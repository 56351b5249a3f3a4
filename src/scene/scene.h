// SPDX-License-Identifier: Apache-2.0
// A scene: what a file says, read, checked and resolved. Building a simulation from it is the
// business of src/api/scene_build.c.
#ifndef FIRN_SCENE_SCENE_H
#define FIRN_SCENE_SCENE_H

#include "scene/value.h"

struct firn_scene {
  firn_context *context;
  firn_arena arena;      // holds everything below but the errors
  firn_report report;    // empty for a good scene
  const char *file;      // as given, or the name of a built-in scene
  firn_value *root;      // along firn_schema_root
  firn_value_keys *keys; // of all values that are keyed over time
  firn_scope *scope;     // variables, while the scene is read
  const char *resolved;
  firn_probe_def *probes; // [probe_count]
  int probe_count;
  firn_lamp_def *lamps; // of render, [lamp_count]
  int lamp_count;
  firn_look_def *looks; // of colliders, [look_count]; a negative albedo: not given
  int look_count;
  firn_part_look_def *part_looks; // of the parts that have their own, [part_look_count]
  int part_look_count;
  double h; // m, after quality
};

// How a body looks, of a value along firn_schema_look; NULL: albedo -1.
firn_look_def firn_scene_look(const firn_value *v);

// As firn_scene_load of the public header; text is the content of the file.
firn_status firn_scene_read(firn_context *context, const char *file, const char *text, size_t size,
                            int override_count, const char *const *overrides, firn_scene **out);

// The files of scenes/, embedded by cmake/FirnScenes.cmake, each array ending with NULL.
extern const char *const firn_scene_builtin_names[];
extern const char *const firn_scene_builtin_titles[];
extern const char *const firn_scene_builtin_texts[];

#endif
