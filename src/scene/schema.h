// SPDX-License-Identifier: Apache-2.0
// What a scene file may say. These rows are the only place that knows the keys: reader, messages,
// overrides and the reference page all follow them. To add a key, add a row and read its value in
// api/scene.c; to add a solver's section, add a record and one row at the root.
#ifndef FIRN_SCENE_SCHEMA_H
#define FIRN_SCENE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "scene/units.h"

typedef enum firn_schema_type {
  FIRN_TYPE_BOOL,
  FIRN_TYPE_INT,
  FIRN_TYPE_REAL,     // a number with a dimension
  FIRN_TYPE_VEC3,     // three of them, [x, y, z]
  FIRN_TYPE_RANGE,    // two of them, [least, most], in ascending order
  FIRN_TYPE_TEXT,     // one line
  FIRN_TYPE_ENUM,     // one of choices
  FIRN_TYPE_MATERIAL, // the name of a material of this scene or of a preset
  FIRN_TYPE_RECORD,   // a map with the keys of record
  FIRN_TYPE_LIST,     // a list of such maps
  FIRN_TYPE_TABLE,    // a map from free names to such maps
  FIRN_TYPE_CHOICE    // a map with exactly one key of record: {sphere: {...}}
} firn_schema_type;

typedef struct firn_schema_record firn_schema_record;

typedef struct firn_schema_row {
  const char *key;
  firn_schema_type type;
  firn_dimension dimension;         // REAL, VEC3, RANGE
  const char *range;                // allowed interval in SI, "(0, 1]"; NULL: any finite number
  const char *initial;              // default as a file would say it; NULL: none
  const char *choices;              // ENUM: "cubic|quadratic"
  const char *when;                 // "law=snow": only if the key law beside it says snow
  const char *group;                // keys of one group exclude each other
  bool required;                    // one of the group, where there is a group
  const firn_schema_record *record; // RECORD, LIST, TABLE, CHOICE
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

const firn_schema_row *firn_schema_find(const firn_schema_record *record, const char *key);
// Where else in the schema a key exists, as "mpm.flip" or "materials.*.young"; false if nowhere.
bool firn_schema_locate(const char *key, char *path, size_t size);

typedef struct firn_interval {
  double least, most;
  bool open_least, open_most; // the end itself is excluded
} firn_interval;

// Reads the range of a row; NULL is every finite number.
firn_interval firn_interval_parse(const char *range);
bool firn_interval_holds(const firn_interval *interval, double value);

// "a pressure above 0 (such as 140 kPa)": what a row expects, for messages and the reference.
void firn_schema_expect(const firn_schema_row *row, char *text, size_t size);

#endif
