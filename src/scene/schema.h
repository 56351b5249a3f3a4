// SPDX-License-Identifier: Apache-2.0
// What a scene file may say. These rows, and those that solvers bring, are the only place that knows
// the keys: reader, messages, overrides, the JSON Schema and the reference page all follow them. To
// add a key, add a row and read its value in api/scene_build.c.
#ifndef FIRN_SCENE_SCHEMA_H
#define FIRN_SCENE_SCHEMA_H

#include "base/schema.h"

extern const firn_schema_record firn_schema_root;
extern const firn_schema_record firn_schema_shape; // holds itself: unions of shapes
extern const firn_schema_record firn_schema_snow;
extern const firn_schema_record firn_schema_emitter;
extern const firn_schema_record firn_schema_sink;
extern const firn_schema_record firn_schema_impulse;
extern const firn_schema_record firn_schema_kill_box;
extern const firn_schema_record firn_schema_window;
extern const firn_schema_record firn_schema_wind;
extern const firn_schema_record firn_schema_drag;
extern const firn_schema_record firn_schema_force;
extern const firn_schema_record firn_schema_probe;
extern const firn_schema_record firn_schema_collider;
extern const firn_schema_record firn_schema_render;
extern const firn_schema_record firn_schema_look; // of a collider

// Where below a record a key exists, or one that is spelt much like it (*same is false): below the
// root "flip" gives "mpm.flip", "young" gives "materials.*.young". False if nowhere.
bool firn_schema_locate(const firn_schema_record *record, const char *key, bool *same, char *path,
                        size_t size);

// The properties that a variation may name, and FIRN_PROPERTY_* and dimension of each.
typedef struct firn_schema_property {
  const char *name;
  unsigned property;
  firn_dimension dimension;
} firn_schema_property;
extern const firn_schema_property firn_schema_properties[]; // ends with a name of NULL

// "a pressure above 0 (such as 140 kPa)": what a row expects, for messages and the reference.
void firn_schema_expect(const firn_schema_row *row, char *text, size_t size);

#endif
