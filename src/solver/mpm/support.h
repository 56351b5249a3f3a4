// SPDX-License-Identifier: Apache-2.0
// Which snow hangs together, and whether some collider holds it.
#ifndef FIRN_SOLVER_MPM_SUPPORT_H
#define FIRN_SOLVER_MPM_SUPPORT_H

#include "solver/mpm/mpm.h"

// Bodies of particle blocks that share nodes, and so can push and hold each other. Two that come
// within the width of a spline of each other count as one.
typedef struct mpm_bodies {
  firn_buffer of; // uint32_t [blocks]: the first block of the body
} mpm_bodies;

// Finds the bodies on the grid as it is laid out.
firn_status mpm_bodies_find(const mpm *m, mpm_bodies *bodies);
void mpm_bodies_free(const mpm *m, mpm_bodies *bodies);

// Whether some node of the block lies in a collider, as placed now.
bool mpm_block_touches(const mpm *m, size_t b);

#endif
