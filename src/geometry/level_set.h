// SPDX-License-Identifier: Apache-2.0
// Sparse signed distance fields: a lattice of nodes, stored in blocks of 8^3 cells near the surface
// and, at the corners of blocks, everywhere.
#ifndef FIRN_GEOMETRY_LEVEL_SET_H
#define FIRN_GEOMETRY_LEVEL_SET_H

#include <firn/mesh.h>

#include "base/memory.h"
#include "geometry/level_set_sample.h"

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

#endif
