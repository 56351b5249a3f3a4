// SPDX-License-Identifier: Apache-2.0
// What a good scene holds beyond values: tracks of its keys, shapes and sequences. They are made
// while the scene is read, so that a missing mesh is an error with its place in the file.
#ifndef FIRN_SCENE_MAKING_H
#define FIRN_SCENE_MAKING_H

#include "scene/scene.h"

void firn_scene_make_tracks(firn_scene *scene);
void firn_scene_make_shapes(firn_scene *scene);
void firn_scene_make_probes(firn_scene *scene);
void firn_scene_make_render(firn_scene *scene);    // lamps, and looks of colliders
void firn_scene_release_shapes(firn_value *value); // of the value and all below it

#endif
