// SPDX-License-Identifier: Apache-2.0
// Scenes: files that describe a simulation.
#ifndef FIRN_SCENE_H
#define FIRN_SCENE_H

#include <firn/file.h>
#include <firn/probe.h>
#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

// Scene files: YAML, `firn: 1` first. See docs/scenes.md.
typedef struct firn_scene firn_scene;
// A message about a scene: where, and what is wrong.
typedef struct firn_scene_error {
  int line, column; // from 1; 0 for an override, which the message names
  char message[512];
  const char *file; // where: the scene's file or one that it includes; lives as long as the scene
  firn_log_level level; // of advice: a warning, or FIRN_LOG_INFO for a note
  char reserved[4];     // 0
} firn_scene_error;
// name is a file, or a built-in scene. overrides are "path.to.key=value". On FIRN_ERROR_SCENE,
// *out is still a scene that only knows its errors (or NULL when memory ran out).
FIRN_API firn_status firn_scene_load(firn_context *context, const char *name, int override_count,
                                     const char *const *overrides, firn_scene **out);
FIRN_API void firn_scene_destroy(firn_scene *scene);
FIRN_API const char *firn_scene_file(const firn_scene *scene);
FIRN_API int firn_scene_error_count(const firn_scene *scene);
FIRN_API const firn_scene_error *firn_scene_error_get(const firn_scene *scene, int i);
FIRN_API int firn_scene_frames(const firn_scene *scene);
FIRN_API double firn_scene_frame_seconds(const firn_scene *scene); // s, from frame to frame
// Particles to be expected, from volumes: a quick look before a build that may need much memory.
FIRN_API double firn_scene_particles(const firn_scene *scene);
// The same with those that emitters add up to the last frame: by rates, times and shapes, less what
// flies freely into a sink or out of a kill box or a window that rests. An emitter that is buried
// adds fewer.
FIRN_API double firn_scene_particles_at_end(const firn_scene *scene);
// Fails with FIRN_ERROR_SCENE and a message at FILE:LINE:COLUMN of what makes a scene large: its largest
// body of snow, or a spacing or quality that was set later. For whoever finds that it will not fit.
FIRN_API firn_status firn_scene_too_large(const firn_scene *scene, const char *message);
// What is allowed but hardly meant: snow inside colliders or other snow, shapes with parts finer than
// a cell. sim is built from the scene, or from the same with another quality, and not stepped yet; NULL
// leaves out what only particles show. advice lives as long as the call.
typedef void (*firn_advice_fn)(void *user, const firn_scene_error *advice);
FIRN_API firn_status firn_scene_advise(const firn_scene *scene, firn_sim *sim, firn_advice_fn tell,
                                       void *user);
// The part of that advice that needs no simulation and depends on the quality: bands of a
// variation, noise, walls of snow, and parts of colliders that too few cells or particles resolve.
// One message for each of these kinds, about the worst of it.
FIRN_API firn_status firn_scene_advise_resolution(const firn_scene *scene, firn_advice_fn tell,
                                                  void *user);
// The section `output`; names in it live as long as the scene.
FIRN_API void firn_scene_output_sized(const firn_scene *scene, firn_output_def *out, size_t size);
static inline firn_output_def firn_scene_output(const firn_scene *scene) {
  firn_output_def out;
  firn_scene_output_sized(scene, &out, sizeof out);
  return out;
}
// The section `probes`: [count], living as long as the scene.
FIRN_API const firn_probe_def *firn_scene_probes(const firn_scene *scene, int *count);
// The scene as resolved: YAML with every key in SI. Lives as long as the scene.
FIRN_API const char *firn_scene_resolved_text(const firn_scene *scene);
FIRN_API firn_status firn_scene_build(const firn_scene *scene, firn_sim **out);
// The same without particles: what firn_sim_load continues in.
FIRN_API firn_status firn_scene_build_empty(const firn_scene *scene, firn_sim **out);
// Gives sim, built from this scene, the values that the scene keys over time, as they are at the
// sim's time. Call it before each step. A scene without keyed values costs nothing.
FIRN_API firn_status firn_scene_apply(const firn_scene *scene, firn_sim *sim);
// Takes sim, built from this scene, to a time [s, 0 or later] without a step: bodies stand where
// their motions have them by then, keyed values are those of the time, and the snow stays as it is.
// To look at a scene before it is run; bodies that a load moves stay where they began.
// FIRN_ERROR_ARGUMENT for another time.
FIRN_API firn_status firn_scene_pose(const firn_scene *scene, firn_sim *sim, double time);
// Built-in scenes: name, one line, text; NULL past the last.
FIRN_API const char *firn_scene_builtin_name(int i);
FIRN_API const char *firn_scene_builtin_doc(int i);
FIRN_API const char *firn_scene_builtin_text(const char *name);

// What scene files may say, written piece by piece: a JSON Schema (draft 2020-12) for editors, and
// the page docs/scene-reference.md.
typedef void (*firn_text_fn)(void *user, const char *text);
FIRN_API void firn_scene_schema(firn_text_fn write, void *user);
FIRN_API void firn_scene_reference(firn_text_fn write, void *user);

#ifdef __cplusplus
}
#endif

#endif
