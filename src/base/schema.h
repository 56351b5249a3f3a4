// SPDX-License-Identifier: Apache-2.0
// Rows that describe settings: name, type, dimension, range, default, a line of words, and where in
// a def struct the value lies. A solver's rows stand with the solver; what a C program gets as
// default, what is refused, and what a scene file may say all come from them.
#ifndef FIRN_BASE_SCHEMA_H
#define FIRN_BASE_SCHEMA_H

#include "base/context.h"
#include "base/units.h"

typedef enum firn_schema_type {
  FIRN_TYPE_BOOL,
  FIRN_TYPE_INT,
  FIRN_TYPE_REAL,     // a number with a dimension
  FIRN_TYPE_VEC2,     // two of them
  FIRN_TYPE_VEC3,     // three of them, [x, y, z]
  FIRN_TYPE_RANGE,    // two of them, [least, most], in ascending order
  FIRN_TYPE_NUMBERS,  // a list of as many as wanted, or of tuples of width numbers
  FIRN_TYPE_FORMULAS, // a list of width numbers, each of which may be an expression of x, y and z
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
  firn_dimension dimension;     // numbers
  const char *range;            // allowed interval in SI, "(0, 1]"; NULL: any finite number
  const char *initial;          // default as a file would say it; NULL: none
  const char *choices;          // ENUM, WORDS: "cubic|quadratic" ...
  const char *(*choice)(int i); // ... or the i-th, NULL past the last
  const char *when;             // "law=snow|sand": only if the key law beside it says one of these
  const char *group;            // keys of one group exclude each other
  bool required;                // one of the group, where there is a group
  bool keyed;                   // may change with time: {keys: [[0 s, 1], [1 s, 2]]}
  bool optional;                // RECORD: absent rather than full of defaults when not given
  bool names_items; // TABLE: its names are those of a list's items, which check.c looks up
  bool modifier;    // in the record of a CHOICE: beside the one key, not instead
  int width;        // NUMBERS: numbers a tuple; 0: a plain list; FORMULAS: of the list
  const firn_schema_record *record; // RECORD, LIST, TABLE, CHOICE, CHOICES; may be its own
  size_t offset, size;              // FIRN_SCHEMA_AT; size 0: in no def
  const char *doc;                  // one line; NULL: what its record says
} firn_schema_row;

// Where in a def the value of a row lies: as bool (BOOL, or ENUM of two), int or enum (INT, ENUM),
// double (REAL), double[2] (VEC2, RANGE) or double[3] (VEC3).
#define FIRN_SCHEMA_AT(def, member)                                                                \
  .offset = offsetof(def, member), .size = sizeof(((def *)0)->member)

struct firn_schema_record {
  const char *name; // "a collider", for messages and the reference
  const firn_schema_row *rows;
  int count;
  const char *doc; // one line, for rows that hold it and say nothing themselves
};

// The rows of a record, an array: {"a collider", FIRN_SCHEMA_ROWS(rows)}.
#define FIRN_SCHEMA_ROWS(rows_) .rows = rows_, .count = (int)(sizeof(rows_) / sizeof((rows_)[0]))

const firn_schema_row *firn_schema_find(const firn_schema_record *record, const char *key);
const char *firn_schema_doc(const firn_schema_row *row);

// The i-th of "a|b|c", in buffer; false past the last.
bool firn_schema_choice(const char *choices, int i, char *buffer, size_t size);
// The same of a row.
bool firn_schema_row_choice(const firn_schema_row *row, int i, char *buffer, size_t size);
// Which of "a|b|c" a word is; -1: none.
int firn_schema_chosen(const char *choices, const char *word);

typedef struct firn_interval {
  double least, most;
  bool open_least, open_most; // the end itself is excluded
} firn_interval;

// Reads the range of a row; NULL is every finite number.
firn_interval firn_interval_parse(const char *range);
bool firn_interval_holds(const firn_interval *interval, double value);

// Puts the value of a row where it lies in def: one number, or as many as the row has; true is 1 and
// a choice its place in the list. Does nothing for a row that lies in no def.
void firn_schema_set(const firn_schema_row *row, void *def, const double *number);
// Sets what the rows say to their defaults, and leaves the rest of def alone.
void firn_schema_defaults(const firn_schema_record *record, void *def);
// FIRN_ERROR_ARGUMENT for the first value that its row does not allow, with `owner: key` in the
// message.
firn_status firn_schema_check(firn_context *context, const char *owner,
                              const firn_schema_record *record, const void *def);

#endif
