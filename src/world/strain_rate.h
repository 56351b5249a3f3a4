// SPDX-License-Identifier: Apache-2.0
// How the velocity of the snow changes from place to place where each particle is.
#ifndef FIRN_WORLD_STRAIN_RATE_H
#define FIRN_WORLD_STRAIN_RATE_H

#include "world/world.h"

// Velocities, with the affine part where particles carry one, are averaged to the nodes of the grid by
// mass with quadratic B-splines, and differentiated there: all solvers agree on what it is. A velocity
// that is linear in space has its own gradient, at a surface too. Of a direction in which a particle
// has next to nobody beside it nothing is known, and its derivatives are 0.

// The symmetric part of the gradient, 1/s, xx yy zz xy xz yz, into out[count][6] in the order of ids
// (firn_particles_number was called).
firn_status firn_world_strain_rate(const firn_world *world, double *out);

// Gives the particles that are not sorted yet, from slot `first` on, the gradient of their own
// velocities as the affine velocity that the solver has them carry; nothing where it does not.
firn_status firn_world_find_affine(firn_world *world, size_t first);

#endif
