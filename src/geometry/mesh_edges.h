// SPDX-License-Identifier: Apache-2.0
// The edges of a mesh and the triangles that meet there.
#ifndef FIRN_GEOMETRY_MESH_EDGES_H
#define FIRN_GEOMETRY_MESH_EDGES_H

#include "geometry/mesh.h"

typedef struct firn_mesh_edge {
  uint32_t a, b;        // a < b
  int32_t balance;      // triangles that run from a to b less those that run from b to a
  uint32_t count;       // triangles
  uint32_t triangle[2]; // the first two
} firn_mesh_edge;

typedef struct firn_mesh_edges {
  firn_mesh_edge *edge; // [count], in the order in which triangles name them
  uint32_t *of;         // [triangle_count][3]: edge from corner k to corner k + 1
  size_t count, room, of_room;
} firn_mesh_edges;

firn_status firn_mesh_edges_find(const firn_mesh *mesh, firn_mesh_edges *out);
void firn_mesh_edges_free(firn_context *context, firn_mesh_edges *edges);
// Counts balances anew after triangles were turned.
void firn_mesh_edges_balance(const firn_mesh *mesh, firn_mesh_edges *edges);

#endif
