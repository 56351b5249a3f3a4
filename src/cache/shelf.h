// SPDX-License-Identifier: Apache-2.0
// What an archive in memory holds (archive_memory.c): arrays and attributes by name, each a copy of
// its own.
#ifndef FIRN_CACHE_SHELF_H
#define FIRN_CACHE_SHELF_H

#include "cache/archive.h"

typedef struct firn_shelf firn_shelf;

enum { FIRN_SHELF_NAME = 160 };

typedef struct firn_shelf_item {
  char name[FIRN_SHELF_NAME]; // of an array; of an attribute "object@name"
  firn_archive_info info;
  void *data; // [count][components]
} firn_shelf_item;

firn_status firn_shelf_make(firn_context *context, firn_shelf **out);
void firn_shelf_free(firn_shelf *shelf, firn_context *context); // NULL is allowed

// Copies an array. A name is used once. FIRN_ERROR_ARGUMENT: it is too long.
firn_status firn_shelf_put(firn_shelf *shelf, firn_context *context, const char *name,
                           firn_archive_info info, const void *data);
// NULL: there is none. Quick where things are asked for in the order in which they were put.
const firn_shelf_item *firn_shelf_find(firn_shelf *shelf, const char *name);
// Whether there is an array of this name, or a group: something whose name begins with it.
bool firn_shelf_has(firn_shelf *shelf, const char *object);
// Arrays of a group, those of its groups left out.
int firn_shelf_count(const firn_shelf *shelf, const char *group);
// The name under which an attribute is kept. False: it does not fit.
bool firn_shelf_attribute(const char *object, const char *name, char out[FIRN_SHELF_NAME]);

#endif
