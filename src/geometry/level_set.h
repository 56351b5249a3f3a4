// SPDX-License-Identifier: Apache-2.0
// Sparse signed distance fields: a lattice of nodes, stored in blocks of 8^3 cells near the surface
// and, at the corners of blocks, everywhere.
//
// In a block near the surface the distance is the trilinear interpolant of its nodes, as long as it
// is within the band. Beyond, only block corners c_i are known, H = 8 voxels apart. With weights W_i
// of the trilinear interpolation at x and the surface's points q,
//
//   d^2(x) - |x|^2 = min_q (|q|^2 - 2 q x)     is concave, so it is no less than its interpolant:
//   d^2(x) >= sum_i W_i d_i^2 - sum_i W_i |x - c_i|^2 = sum_i W_i d_i^2 - H^2 sum_a f_a (1 - f_a),
//
// where f are the offsets in the block. That bound is what the field answers far away: never too
// large, off by H^2 / (4 d) at most over a plane, exact around a point, and continuous. Outside the
// lattice's box, whose nearest point is p, d^2(x) >= d^2(p) + |x - p|^2, because the box is convex
// and holds the surface.
#ifndef FIRN_GEOMETRY_LEVEL_SET_H
#define FIRN_GEOMETRY_LEVEL_SET_H

#include <firn/mesh.h>

#include "base/memory.h"
#include "math/real.h"

enum {
  FIRN_LEVEL_SET_CELLS = 8, // cells of a block along an axis
  FIRN_LEVEL_SET_NODES = 9, // nodes of a block: those at its far faces are its neighbours', too
  FIRN_LEVEL_SET_BLOCK = 729
};

typedef struct firn_level_set {
  firn_context *context;
  atomic_int references;
  double origin[3]; // m: node 0
  double voxel;     // m
  double band;      // m: |distance| beyond which the bound is used; infinite for given grids
  int blocks[3];    // of the lattice, along x, y, z
  double hi[3]; // m: far end of the box that is answered from the lattice; origin is the near end
  double bounds[2][3];        // m: of the surface (of the box, for given grids)
  size_t block_count;         // stored blocks
  int32_t *table;             // [blocks z][y][x]: number of a stored block, or -1
  float *corner;              // m: signed distances at block corners, [blocks z + 1][y + 1][x + 1]
  firn_real *value;           // m: [block_count][9 z][9 y][9 x]
  firn_real *corner_velocity; // m/s: [..][3], or NULL: at rest
  firn_real *velocity;        // m/s: [block_count][9 z][9 y][9 x][3]
} firn_level_set;

typedef struct firn_level_set_def {
  double voxel; // m; 0: 1/100 of the longest edge of the mesh's bounds
  int band;     // voxels to each side of the surface; 0: 3
} firn_level_set_def;

// what begins the messages ("collider 'dozer'").
firn_status firn_level_set_from_mesh(firn_context *context, const firn_mesh *mesh,
                                     const firn_level_set_def *def, const char *what,
                                     firn_level_set **out);
// The same, and the velocity of the nearest point of the surface, interpolated between those of its
// triangle's corners, vertex_velocity [vertex_count][3] in m/s.
firn_status firn_level_set_from_moving_mesh(firn_context *context, const firn_mesh *mesh,
                                            const double *vertex_velocity,
                                            const firn_level_set_def *def, const char *what,
                                            firn_level_set **out);
// All nodes are kept. Where the grid ends, so does the body.
firn_status firn_level_set_from_grid(firn_context *context, const firn_distance_grid *grid,
                                     const char *what, firn_level_set **out);

firn_level_set *firn_level_set_retain(const firn_level_set *set);
void firn_level_set_release(const firn_level_set *set);
size_t firn_level_set_bytes(const firn_level_set *set);

// Signed distance [m]; gradient (may be NULL) is that of the interpolant in the band and points away
// from the surface beyond. It is finite, not a unit vector, and may be zero.
double firn_level_set_sample(const firn_level_set *set, const double position[3],
                             double gradient[3]);
// m/s; that of the nearest point of the box outside of it.
void firn_level_set_velocity(const firn_level_set *set, const double position[3],
                             double velocity[3]);

#endif
