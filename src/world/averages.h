// SPDX-License-Identifier: Apache-2.0
// Particles averaged to the nodes of the grid by B-splines and by mass, outside of any step and in
// double: no solver is asked, and looking changes nothing.
#ifndef FIRN_WORLD_AVERAGES_H
#define FIRN_WORLD_AVERAGES_H

#include "world/world.h"

enum { FIRN_AROUND_MOST = 64 };

// What a node has received.
typedef struct firn_average {
  double mass; // kg
  double v[3]; // m/s
  double r[3]; // cells from the node to the centre of that mass; 0 where velocities were affine
} firn_average;

// The nodes around a particle.
typedef struct firn_around {
  int count; // 27 or 64
  const firn_average *node[FIRN_AROUND_MOST];
  double w[FIRN_AROUND_MOST], slope[FIRN_AROUND_MOST][3]; // weights and their gradients, 1/cell
} firn_around;

typedef void (*firn_around_fn)(void *user, size_t slot, const firn_around *around);

// Averages the particles of slots from `first` on (0 for all, or one of those not sorted yet) with
// splines of `width` nodes, 3 or 4, and then calls visit for each of them, by several threads at once.
// affine: the velocity that a particle gives to a node is the one it has there, where the solver has it
// carry a gradient.
firn_status firn_world_average(const firn_world *world, int width, size_t first, bool affine,
                               firn_around_fn visit, void *user);

#endif
