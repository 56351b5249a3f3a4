// SPDX-License-Identifier: Apache-2.0
// What a good scene holds beyond values: tracks of its keys, shapes and sequences. They are made
// while the scene is read, so that a missing mesh is an error with its place in the file.
#ifndef FIRN_SCENE_MAKING_H
#define FIRN_SCENE_MAKING_H

#include "scene/scene.h"

void firn_scene_make_tracks(firn_scene *scene);
void firn_scene_make_shapes(firn_scene *scene);
void firn_scene_make_probes(firn_scene *scene);
void firn_scene_make_render(firn_scene *scene); // lamps and looks
void firn_scene_make_looks(firn_scene *scene);  // of colliders and their parts
// The files of a sequence, [*count]: those that are named, or those of the pattern, as many as are wanted
// or there are. NULL when memory is out.
const char *const *firn_scene_sequence_files(firn_arena *arena, const firn_value *v, int *count);
// The file of a pattern, whose run of # stands for the number; NULL: it has none, or memory is out.
const char *firn_scene_pattern_file(firn_arena *arena, const char *pattern, int number);
void firn_scene_release_shapes(firn_value *value); // of the value and all below it

#endif
