// SPDX-License-Identifier: Apache-2.0
// A scene as understood: every key of the schema with its value in SI, defaults filled in.
#ifndef FIRN_SCENE_VALUE_H
#define FIRN_SCENE_VALUE_H

#include "scene/expression.h"
#include "scene/schema.h"
#include "world/track.h"

typedef struct firn_value firn_value;
typedef struct firn_value_keys firn_value_keys;

// A value that changes with time.
struct firn_value_keys {
  firn_track_def def; // as given; arrays live in the arena
  firn_track track;   // made of it once the scene is known to be good
  int width;          // numbers a key: 1 or 3
  firn_value *value;  // whose keys they are
  firn_value_keys *next;
};

struct firn_value {
  const firn_schema_row *row; // what it is; of an item, the row of its list or table
  const char *key;            // key, name in a table, or NULL for an item of a list
  firn_mark mark;             // where the file says so; line 0: a default
  firn_mark key_mark;         // of an item of a table: where its name stands
  bool given;                 // by the file or an override
  bool scales;                // a scalar that follows the quality, as by ${h}
  double number[3];           // BOOL, INT, REAL, keyed ENUM: [0]; RANGE, VEC2: [0], [1]; VEC3: all
  const char *text;           // TEXT, PATH, ENUM, MATERIAL
  int count;                  // NUMBERS: tuples; WORDS, PATHS
  const double *numbers;      // NUMBERS: [count][width]
  firn_formula *formulas;   // FORMULAS: [width]; number has the first three where they are numbers
  const char *const *words; // WORDS, PATHS: [count]
  firn_value_keys *keys;    // NULL: constant
  firn_shape *shape;        // CHOICE of shapes: made of it; owned by the scene
  firn_sequence *sequence;  // of a collider, likewise
  firn_value *first, *last, *next;
};

// Reads node as record into a tree. What is wrong goes to the report; the tree then has gaps. All
// values that are keyed over time are listed in keys.
firn_value *firn_value_read(firn_arena *arena, firn_report *report, firn_scope *scope,
                            const firn_schema_record *record, const firn_node *node,
                            firn_value_keys **keys);

// The file of this name beside the scene file that names it, as an absolute path. file "" stands for
// the current folder. NULL when memory is out.
const char *firn_input_path(firn_arena *arena, const char *file, const char *name);

// The value of a key of a record, table or choice; NULL if it has none.
firn_value *firn_value_find(const firn_value *record, const char *key);
// True if the file gave it well or a default did; false for NULL and for what was reported.
bool firn_value_good(const firn_value *value);
// For a key that the schema promises: its number or text. Zero and "" where there is a gap.
double firn_value_number(const firn_value *record, const char *key);
const double *firn_value_vec3(const firn_value *record, const char *key); // [3]
const char *firn_value_text(const firn_value *record, const char *key);
bool firn_value_is(const firn_value *record, const char *key, const char *choice);

// The number or vector of a key at a time: that of its keys where it has some.
double firn_value_number_at(const firn_value *record, const char *key, double time);
void firn_value_vec3_at(const firn_value *record, const char *key, double time, double out[3]);
// Puts the values of a record at a time where their rows say that they lie in def.
void firn_value_fill(const firn_value *record, double time, void *def);

// Adds a value that the file left out, in the order of the schema.
firn_value *firn_value_add(firn_arena *arena, firn_value *record, const firn_schema_row *row);

// Writes the tree as YAML that reads back to the same numbers, with its paths as they are or as a
// function has them. NULL when memory is out.
typedef const char *(*firn_path_fn)(void *user, const char *path);
char *firn_value_write(firn_arena *arena, const firn_value *root);
char *firn_value_write_with(firn_arena *arena, const firn_value *root, firn_path_fn path,
                            void *user);

#endif
