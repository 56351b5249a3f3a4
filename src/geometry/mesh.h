// SPDX-License-Identifier: Apache-2.0
// Triangle meshes: what readers hand over, and what becomes of it.
//
// A mesh has an inside if the triangles at every edge balance: as many run through it one way as the
// other. The boundary of the sum of triangles is then zero, the winding number is a whole number
// off the surface, and inside is where it is not 0. This also admits edges of four triangles (two
// boxes that touch) and pieces that overlap, which a test for exactly two would refuse.
#ifndef FIRN_GEOMETRY_MESH_H
#define FIRN_GEOMETRY_MESH_H

#include <firn/mesh.h>

#include "base/memory.h"

struct firn_mesh {
  firn_context *context;
  int references;
  size_t vertex_count, triangle_count;
  size_t vertex_room, triangle_room; // allocated
  double *position;                  // m, [vertex_count][3]
  uint32_t *triangle;                // [triangle_count][3], counterclockwise seen from outside
  firn_mesh_report report;
  uint64_t digest; // of positions and triangles
};

// 2^29 triangles: their corners still count in 32 bits.
#define FIRN_MESH_MAX ((size_t)1 << 29)

// ------------------------------------------------------------------------------- made by readers

firn_mesh *firn_mesh_new(firn_context *context); // empty, one reference; NULL when memory is out
firn_status firn_mesh_add_vertex(firn_mesh *mesh, const double position[3]);
firn_status firn_mesh_add_triangle(firn_mesh *mesh, uint32_t a, uint32_t b, uint32_t c);
// Cuts a polygon of count corners, flat or nearly so, into count - 2 triangles.
firn_status firn_mesh_add_polygon(firn_mesh *mesh, const uint32_t *corner, size_t count);

// Places, welds, cleans, turns and fills as def says, and fills in the report; name begins the
// messages.
firn_status firn_mesh_finish(firn_mesh *mesh, const char *name, const firn_mesh_def *def);

// Parts of it, in this order (mesh_weld.c, mesh_check.c).
firn_status firn_mesh_weld(firn_mesh *mesh, double distance);
firn_status firn_mesh_check(firn_mesh *mesh, firn_holes holes);

// "3 open edges in 1 hole; the first from (0 0 0) to (1 0 0)", for messages.
void firn_mesh_say_open(const firn_mesh *mesh, char *text, size_t size);

#endif
