// SPDX-License-Identifier: Apache-2.0
// The kernels between particles and grid. Lengths are in cells.
#ifndef FIRN_SOLVER_FLIP_TRANSFER_H
#define FIRN_SOLVER_FLIP_TRANSFER_H

#include "math/real.h"

// What a particle block adds up on its own piece of the grid.
enum {
  FLIP_ARENA_MOMENTUM,   // of each component, on its faces
  FLIP_ARENA_WEIGHT = 3, // likewise
  FLIP_ARENA_FILL = 6,
  FLIP_ARENA_DURABILITY, // times ...
  FLIP_ARENA_MIDDLE,     // ... weight, in the middle
  FLIP_ARENA_NEAR,       // the least squared distance of a particle from the middle of the cell
  FLIP_ARENA_CHANNELS
};

// The radial kernels of section 3.2: their radius, which the paper does not tell, is that of public code
// that uses the same; what is closer than 1/100 counts as that far, since the sharp one is singular.
#define FLIP_RADIUS2  FIRN_R(1.96)
#define FLIP_CLOSEST2 FIRN_R(1e-4)

static inline firn_real flip_sharp(firn_real r2) {
  return firn_max(FLIP_RADIUS2 / firn_max(r2, FLIP_CLOSEST2) - 1, 0);
}
static inline firn_real flip_smooth(firn_real r2) {
  return firn_max(1 - r2 * (1 / FLIP_RADIUS2), 0);
}

// The quadratic B-spline at a distance.
static inline firn_real flip_spline(firn_real d) {
  firn_real a = firn_abs(d), b = firn_max(FIRN_R(1.5) - a, 0);
  return a < FIRN_R(0.5) ? FIRN_R(0.75) - a * a : FIRN_R(0.5) * b * b;
}

// Radius of a particle, of which the surface is made.
#define FLIP_PARTICLE_RADIUS FIRN_R(0.6)

#endif
