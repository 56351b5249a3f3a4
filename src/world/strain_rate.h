// SPDX-License-Identifier: Apache-2.0
// How fast the snow deforms where each particle is.
#ifndef FIRN_WORLD_STRAIN_RATE_H
#define FIRN_WORLD_STRAIN_RATE_H

#include "world/world.h"

// The symmetric part of the velocity gradient, 1/s, xx yy zz xy xz yz, into out[count][6] in the
// order of ids (firn_particles_number was called). Velocities are averaged to the nodes of the grid
// by mass with quadratic B-splines, and differentiated there: no solver is asked, so all agree on
// what it is.
firn_status firn_world_strain_rate(const firn_world *world, double *out);

#endif
