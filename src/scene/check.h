// SPDX-License-Identifier: Apache-2.0
// What a row of the schema cannot say: values that must fit each other.
#ifndef FIRN_SCENE_CHECK_H
#define FIRN_SCENE_CHECK_H

#include "scene/scene.h"

// Fills in what depends on other values (materials from presets, names) and reports what does not
// fit together.
void firn_scene_complete(firn_scene *scene);

#endif
