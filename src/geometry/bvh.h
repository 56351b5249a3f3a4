// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over the triangles of a mesh: nearest points, sides and winding numbers.
//
// Nodes have four children, whose boxes are tested together. Coordinates are relative to the middle
// of the mesh, so that boxes in float are good however far from the origin it lies.
#ifndef FIRN_GEOMETRY_BVH_H
#define FIRN_GEOMETRY_BVH_H

#include "geometry/mesh.h"
#include "math/vec3.h"

enum { FIRN_BVH_WIDTH = 4, FIRN_BVH_LEAF = 4 };

typedef struct firn_bvh_node {
  float lo[3][FIRN_BVH_WIDTH], hi[3][FIRN_BVH_WIDTH]; // m; empty children: lo > hi
  // A node's number; or, where count > 0, the first of count triangles; -1 where there is none.
  int32_t child[FIRN_BVH_WIDTH];
  int32_t count[FIRN_BVH_WIDTH];
} firn_bvh_node;

// What a child looks like from afar: its area vector at the middle of its area.
typedef struct firn_bvh_dipole {
  float center[3][FIRN_BVH_WIDTH]; // m
  float area[3][FIRN_BVH_WIDTH];   // m^2, along the normal
  float radius[FIRN_BVH_WIDTH];    // m: of a ball around center that holds the child
} firn_bvh_dipole;

typedef struct firn_bvh_triangle {
  firn_vec3 p[3]; // m
} firn_bvh_triangle;

typedef struct firn_bvh {
  firn_context *context;
  const firn_mesh *mesh; // not held
  firn_vec3 middle;      // m: origin of all coordinates here
  size_t node_count, node_room, triangle_count;
  firn_bvh_node *node; // the first is the root
  firn_bvh_dipole *dipole;
  firn_bvh_triangle *triangle; // in the order of leaves
  uint32_t *number;            // [triangle_count]: in the mesh
  // Normals that tell the side of a nearest point wherever it lies (Baerentzen and Aanaes 2005):
  // of faces, of edges (sums over both faces), of corners (weighted by angle). Not unit vectors.
  float *corner_normal; // [vertex_count][3]
  float *edge_normal;   // [triangle_count][3 edges][3], triangles in the order of leaves
} firn_bvh;

typedef struct firn_bvh_hit {
  uint32_t triangle; // in the order of leaves
  double distance2;  // m^2
  double weight[3];  // of the triangle's corners in the nearest point
} firn_bvh_hit;

firn_status firn_bvh_create(const firn_mesh *mesh, firn_bvh *out);
void firn_bvh_free(firn_bvh *bvh);

// The nearest point of the mesh to p (relative to middle). hint is any triangle, a near one makes it
// quick.
firn_bvh_hit firn_bvh_nearest(const firn_bvh *bvh, firn_vec3 p, uint32_t hint);

// True if p, whose nearest point is hit, lies on the inner side of the surface there. Right for
// meshes whose pieces neither cross nor overlap.
bool firn_bvh_behind(const firn_bvh *bvh, firn_vec3 p, const firn_bvh_hit *hit);

// How often the mesh winds round p, which must not lie on it: a whole number if the mesh is closed.
// beta tells how far away, in radii, a part may be lumped together; infinite: never.
double firn_bvh_winding(const firn_bvh *bvh, firn_vec3 p, double beta);
// True where that number, rounded, is not 0.
bool firn_bvh_inside(const firn_bvh *bvh, firn_vec3 p);

#endif
