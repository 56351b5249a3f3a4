// SPDX-License-Identifier: Apache-2.0
// What viscosity.c shares with its loops for each instruction set.
#ifndef FIRN_SOLVER_FLIP_VISCOSITY_H
#define FIRN_SOLVER_FLIP_VISCOSITY_H

#include "solver/flip/kernels.h"

// Channels of the solve, [blocks + 1][64] each; the edge along an axis that a cell has is at its lower
// corner in the other two.
struct flip_flow {
  flip *s;
  size_t size;                     // reals of a channel
  firn_real *mu, *edge[3];         // Pa s
  firn_real *density;              // kg/m^3
  firn_real *normal[3], *shear[3]; // stresses times dt/h
  firn_real *inverse[3];           // of the diagonal; 0: not asked for. One after the other, as ...
  firn_real *x, *r, *work;         // ... these have the three components
  firn_real factor;                // 2 dt/h^2
  uint8_t *still;                  // [3][blocks + 1] no face of that component is asked for
  uint8_t *busy;                   // [blocks + 1] some stress may not be 0
};

// The other two axes.
static const int FLIP_OTHER[3][2] = {{1, 2}, {0, 2}, {0, 1}};

#endif
