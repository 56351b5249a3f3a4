// SPDX-License-Identifier: Apache-2.0
// A YAML document as a tree of texts with their places; no meaning yet.
#ifndef FIRN_SCENE_NODE_H
#define FIRN_SCENE_NODE_H

#include "scene/arena.h"
#include "scene/report.h"

typedef enum firn_node_kind { FIRN_NODE_SCALAR, FIRN_NODE_LIST, FIRN_NODE_MAP } firn_node_kind;

typedef struct firn_node firn_node;
struct firn_node {
  firn_node_kind kind;
  bool quoted;        // a scalar in quotes or a block scalar
  const char *text;   // of a scalar
  firn_mark mark;     // where it begins
  const char *key;    // under which it hangs in a map; NULL in a list
  firn_mark key_mark; // where the key begins
  firn_node *first, *last, *next;
};

// Reads text; NULL when it is not YAML, in which case the report says where, or when memory is out.
// Anchors and merge keys (<<) are resolved: every use is a copy of its own. An empty text is an
// empty scalar. Marks take origin, file and level from base.
firn_node *firn_node_parse(firn_arena *arena, firn_report *report, const char *text, size_t size,
                           firn_mark base);

firn_node *firn_node_find(const firn_node *map, const char *key);
void firn_node_append(firn_node *parent, firn_node *child);
void firn_node_remove(firn_node *parent, const char *key);

// "a scalar", "a list", "a map", for messages.
const char *firn_node_kind_name(const firn_node *node);

// Applies "path.to.key=value" to the tree. Items of a list go by number from 0, or by the value of
// their key "name". Missing maps on the way are made; a missing item of a list is an error.
void firn_node_set(firn_arena *arena, firn_report *report, firn_node *root, const char *assignment);
// The same for the map `set` of a file: its keys are paths.
void firn_node_set_all(firn_arena *arena, firn_report *report, firn_node *root,
                       const firn_node *map);

// Adds to map what other says beyond it, key by key and deeply; where both say something that is
// not a map, map's word counts.
void firn_node_merge(firn_node *map, firn_node *other);
int firn_node_count(const firn_node *list);

#endif
