// SPDX-License-Identifier: Apache-2.0
// Where the text of a scene comes from: a file, or the built-in scenes.
#ifndef FIRN_SCENE_INPUT_H
#define FIRN_SCENE_INPUT_H

#include "base/memory.h"
#include "scene/scene.h"

// The text of a built-in scene, or NULL.
const char *firn_input_builtin(const char *name);

// Reads a whole file into text; what goes wrong is said in the context's message.
firn_status firn_input_read(firn_context *context, const char *name, firn_buffer *text,
                            size_t *size);

// Merges what root includes into it and carries out its `set`. What goes wrong is reported; false if
// something could not be read at all, so that nobody can say what is missing.
bool firn_input_include(firn_scene *scene, firn_node *root);

#endif
