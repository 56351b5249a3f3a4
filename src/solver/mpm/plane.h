// SPDX-License-Identifier: Apache-2.0
// A collider that is one half space and does not turn, as most floors and walls are. Where it alone is near, the
// vector kernels collide rows of nodes with it (kernels_plane.h); everybody else asks contact.c.
#ifndef FIRN_SOLVER_MPM_PLANE_H
#define FIRN_SOLVER_MPM_PLANE_H

#include "solver/mpm/contact.h"

typedef struct mpm_plane {
  double point[3], normal[3]; // m, through which it goes, and its outward normal
  double velocity[3];         // m/s
  double pivot[3];            // m, that torques are about
  double friction;            // may be infinite
  bool sticky;
  bool damps;     // it is sticky, and nodes that it holds damp (mpm_view.damps)
  mpm_push *push; // what the snow does to it is added here; NULL: nobody asks
} mpm_plane;

// Whether a part is a half space: a point of its surface and its normal.
bool mpm_part_is_flat(const firn_part *part, double point[3], double normal[3]);

// How many colliders have some of these parts, counted up to 2; the first of them, and its place among those recorded,
// are left as they were where there is none.
int mpm_colliders_near(const firn_world *world, uint64_t near, const firn_collider **first,
                       int *slot);

// The plane that alone is near the nodes of block g, or near those of a parcel; false where that is not so.
bool mpm_plane_at_nodes(const mpm_view *view, size_t g, mpm_plane *out);
bool mpm_plane_at_parcel(const mpm_view *view, const mpm_cube *cube, mpm_plane *out);

#endif
