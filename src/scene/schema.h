// SPDX-License-Identifier: Apache-2.0
// What a scene file may say. These rows are the only place that knows the keys: reader, messages,
// overrides, the JSON Schema and the reference page all follow them. To add a key, add a row and read
// its value in api/scene_build.c; to add a solver's section, add a record and one row at the root.
#ifndef FIRN_SCENE_SCHEMA_H
#define FIRN_SCENE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "scene/units.h"

typedef enum firn_schema_type {
  FIRN_TYPE_BOOL,
  FIRN_TYPE_INT,
  FIRN_TYPE_REAL,     // a number with a dimension
  FIRN_TYPE_VEC2,     // two of them
  FIRN_TYPE_VEC3,     // three of them, [x, y, z]
  FIRN_TYPE_RANGE,    // two of them, [least, most], in ascending order
  FIRN_TYPE_NUMBERS,  // a list of as many as wanted, or of tuples of width numbers
  FIRN_TYPE_TEXT,     // one line
  FIRN_TYPE_PATH,     // a file; relative ones begin at the scene file's folder
  FIRN_TYPE_PATHS,    // a list of them
  FIRN_TYPE_ENUM,     // one of choices
  FIRN_TYPE_WORDS,    // a list of choices; a single one may stand without brackets
  FIRN_TYPE_MATERIAL, // the name of a material of this scene or of a preset
  FIRN_TYPE_ANYTHING, // a map that is used before the schema is: variables
  FIRN_TYPE_RECORD,   // a map with the keys of record
  FIRN_TYPE_LIST,     // a list of such maps
  FIRN_TYPE_TABLE,    // a map from free names to such maps
  FIRN_TYPE_CHOICE,   // a map with exactly one key of record: {sphere: {...}}, and its modifiers
  FIRN_TYPE_CHOICES   // a list of such maps
} firn_schema_type;

typedef struct firn_schema_record firn_schema_record;

typedef struct firn_schema_row {
  const char *key;
  firn_schema_type type;
  firn_dimension dimension;         // numbers
  const char *range;                // allowed interval in SI, "(0, 1]"; NULL: any finite number
  const char *initial;              // default as a file would say it; NULL: none
  const char *choices;              // ENUM, WORDS: "cubic|quadratic"
  const char *when;                 // "law=snow": only if the key law beside it says snow
  const char *group;                // keys of one group exclude each other
  bool required;                    // one of the group, where there is a group
  bool keyed;                       // may change with time: {keys: [[0 s, 1], [1 s, 2]]}
  bool optional;                    // RECORD: absent rather than full of defaults when not given
  bool modifier;                    // in the record of a CHOICE: beside the one key, not instead
  int width;                        // NUMBERS: numbers a tuple; 0: a plain list
  const firn_schema_record *record; // RECORD, LIST, TABLE, CHOICE, CHOICES; may be its own
  const char *doc;                  // one line
} firn_schema_row;

struct firn_schema_record {
  const char *name; // "a collider", for messages and the reference
  const firn_schema_row *rows;
  int count;
};

extern const firn_schema_record firn_schema_root;
extern const firn_schema_record firn_schema_mpm;
extern const firn_schema_record firn_schema_material;
extern const firn_schema_record firn_schema_shape; // holds itself: unions of shapes
extern const firn_schema_record firn_schema_snow;
extern const firn_schema_record firn_schema_emitter;
extern const firn_schema_record firn_schema_sink;
extern const firn_schema_record firn_schema_kill_box;
extern const firn_schema_record firn_schema_window;
extern const firn_schema_record firn_schema_probe;
extern const firn_schema_record firn_schema_collider;
extern const firn_schema_record firn_schema_render;
extern const firn_schema_record firn_schema_look; // of a collider

const firn_schema_row *firn_schema_find(const firn_schema_record *record, const char *key);
// Where below a record a key exists, or one that is spelt much like it (*same is false): below the
// root "flip" gives "mpm.flip", "young" gives "materials.*.young". False if nowhere.
bool firn_schema_locate(const firn_schema_record *record, const char *key, bool *same, char *path,
                        size_t size);

typedef struct firn_interval {
  double least, most;
  bool open_least, open_most; // the end itself is excluded
} firn_interval;

// Reads the range of a row; NULL is every finite number.
firn_interval firn_interval_parse(const char *range);
bool firn_interval_holds(const firn_interval *interval, double value);

// The properties that a variation may name, and FIRN_PROPERTY_* and dimension of each.
typedef struct firn_schema_property {
  const char *name;
  unsigned property;
  firn_dimension dimension;
} firn_schema_property;
extern const firn_schema_property firn_schema_properties[]; // ends with a name of NULL

// The i-th of "a|b|c", in buffer; false past the last.
bool firn_schema_choice(const char *choices, int i, char *buffer, size_t size);

// "a pressure above 0 (such as 140 kPa)": what a row expects, for messages and the reference.
void firn_schema_expect(const firn_schema_row *row, char *text, size_t size);

#endif
