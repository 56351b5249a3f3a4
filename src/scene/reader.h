// SPDX-License-Identifier: Apache-2.0
// What the files that turn nodes into values share. Everything here goes on after an error, so that
// one look at a file finds all that is wrong with it.
#ifndef FIRN_SCENE_READER_H
#define FIRN_SCENE_READER_H

#include "scene/value.h"

typedef struct firn_reader {
  firn_arena *arena;
  firn_report *report;
  firn_scope *scope;
  firn_value_keys *keys; // of all keyed values
  char path[200];        // of what is being read
  size_t length;         // of path
  int depth, count;      // of values: variables may hold themselves
  bool stopped;          // by too many of them
} firn_reader;

#define FIRN_READ_FAIL(r, mark, ...) firn_report_add((r)->report, mark, (r)->path, __VA_ARGS__)

// Appends a step to the path and returns the length to go back to.
size_t firn_reader_push(firn_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void firn_reader_pop(firn_reader *r, size_t before);

// A scalar that is left empty, or says null.
bool firn_reader_empty(const firn_node *node);
// The node itself, or the list or map of the variable that it names.
const firn_node *firn_reader_follow(const firn_reader *r, const firn_node *node);
// Reports that node is no such thing as row expects.
void firn_reader_fail_type(firn_reader *r, const firn_schema_row *row, const firn_node *node);

// Reads everything that is not a tree; false if it was reported.
bool firn_reader_scalar(firn_reader *r, const firn_schema_row *row, const firn_node *node,
                        firn_value *value);

#endif
