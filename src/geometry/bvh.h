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
  // A node's number; or, where count > 0, that of a leaf of count triangles; -1: there is none.
  int32_t child[FIRN_BVH_WIDTH];
  int32_t count[FIRN_BVH_WIDTH];
} firn_bvh_node;

// What a child looks like from afar: its area vector at the middle of its area.
typedef struct firn_bvh_dipole {
  float center[3][FIRN_BVH_WIDTH]; // m
  float area[3][FIRN_BVH_WIDTH];   // m^2, along the normal
  float radius[FIRN_BVH_WIDTH];    // m: of a ball around center that holds the child
} firn_bvh_dipole;

// The triangles of a leaf side by side, in float: good enough to see which of them are worth a closer
// look. A triangle is a + s u + t v; lanes without one lie far away.
typedef struct firn_bvh_leaf {
  float a[3][FIRN_BVH_LEAF], u[3][FIRN_BVH_LEAF], v[3][FIRN_BVH_LEAF]; // m
  float uu[FIRN_BVH_LEAF], uv[FIRN_BVH_LEAF], vv[FIRN_BVH_LEAF];       // m^2: dot products
  float iuu[FIRN_BVH_LEAF], ivv[FIRN_BVH_LEAF], iww[FIRN_BVH_LEAF];    // 1/m^2: 1/|side|^2, or 0
  float idet[FIRN_BVH_LEAF];                                           // 1/m^4: 1/|u x v|^2, or 0
} firn_bvh_leaf;

typedef struct firn_bvh_triangle {
  firn_vec3 p[3]; // m
} firn_bvh_triangle;

typedef struct firn_bvh {
  firn_context *context;
  const firn_mesh *mesh; // not held
  firn_vec3 middle;      // m: origin of all coordinates here
  float slack;           // m^2: by which squared distances in float may be off
  size_t node_count, node_room, leaf_count;
  firn_bvh_node *node; // the first is the root
  firn_bvh_dipole *dipole;
  firn_bvh_leaf *leaf;         // [leaf_count]
  firn_bvh_triangle *triangle; // [leaf_count][4]; where a leaf has fewer, the rest is undefined
  uint32_t *number;            // [leaf_count][4]: in the mesh
  // Normals that tell the side of a nearest point wherever it lies (Baerentzen and Aanaes 2005):
  // of faces, of edges (sums over both faces), of corners (weighted by angle). Not unit vectors.
  float *corner_normal; // [vertex_count][3]
  float *edge_normal;   // [leaf_count][4 triangles][3 edges][3]
} firn_bvh;

typedef struct firn_bvh_hit {
  uint32_t triangle; // 4 leaf + lane
  double distance2;  // m^2
  double weight[3];  // of the triangle's corners in the nearest point
} firn_bvh_hit;

firn_status firn_bvh_create(const firn_mesh *mesh, firn_bvh *out);
void firn_bvh_free(firn_bvh *bvh);

// The nearest point of the mesh to p (relative to middle). hint is the triangle of any hit, or 0; a
// near one makes it quick.
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
