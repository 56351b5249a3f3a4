// SPDX-License-Identifier: Apache-2.0
// What a row of the schema cannot say: values that must fit each other.
#ifndef FIRN_SCENE_CHECK_H
#define FIRN_SCENE_CHECK_H

#include "scene/scene.h"

// Fills in what depends on other values (materials from presets, names) and reports what does not
// fit together.
void firn_scene_complete(firn_scene *scene);

// The parts of it. list is "snow" or "emitters", i the number of the body in it.
void firn_scene_complete_material(firn_scene *scene, firn_value *material);
void firn_scene_name_material(firn_scene *scene, firn_value *body, const char *list, int i);
void firn_scene_check_unused(firn_scene *scene);
void firn_scene_check_snow(firn_scene *scene);
// Warns of snow that nothing can stop; when shapes are made.
void firn_scene_check_ground(firn_scene *scene);
// Warns of emitters whose shape, which they keep full, is far too large or smaller than a cell;
// when shapes are made.
void firn_scene_check_inflow(firn_scene *scene);
void firn_scene_check_colliders(firn_scene *scene);
void firn_scene_check_render(firn_scene *scene);
void firn_scene_check_looks(firn_scene *scene);
void firn_scene_check_solver(firn_scene *scene);
// Whether a collider, a part of one, snow or an emitter has a motion or a velocity of its own.
bool firn_scene_moves(const firn_value *body);

// A name of a list's item, given or made of word and number; reports what is empty, long, or taken.
void firn_scene_check_name(firn_scene *scene, const firn_value *list, firn_value *item,
                           const char *path, const char *word, int i);
// The item of a list that has this name; NULL, and reported, if none has. word says what an item is, owner
// whose list it is: "the scene".
const firn_value *firn_scene_find_item(firn_scene *scene, const firn_value *list, const char *name,
                                       firn_mark mark, const char *path, const char *word,
                                       const char *owner);
// Reports a vector without direction. owner is the record that holds key.
void firn_scene_check_direction(firn_scene *scene, const firn_value *owner, const char *key,
                                const char *path);

#endif
