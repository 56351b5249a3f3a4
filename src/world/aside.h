// SPDX-License-Identifier: Apache-2.0
// A world whose state is set aside while another state is loaded, so that a load that fails leaves
// it as it was.
//
// The world then has a store without particles, and copies of all that a load overwrites. Shapes of
// fills, emitters and sinks, tracks of motions and grids of forces are in both, and are freed once.
#ifndef FIRN_WORLD_ASIDE_H
#define FIRN_WORLD_ASIDE_H

#include "world/world.h"

// How many of each there are. They are only ever added, but for those that go when an older state
// with fewer of them is brought back.
typedef struct firn_world_counts {
  int materials, colliders, fills, emitters, sinks, impulses, forces;
} firn_world_counts;

firn_world_counts firn_world_count(const firn_world *world);

// *old takes the world as it is; the world has copies of the first of each, as counts says (none
// may be more than there are). Fails having changed nothing. Solvers add their fields to the new
// store.
firn_status firn_world_set_aside(firn_world *world, const firn_world_counts *counts,
                                 firn_world *old);
// Ends it in either way: the world is what it was, or keeps what it has now.
void firn_world_put_back(firn_world *world, const firn_world *old);
void firn_world_drop_aside(firn_world *world, firn_world *old);

#endif
