// SPDX-License-Identifier: Apache-2.0
// Which snow hangs together, and whether something holds it.
#ifndef FIRN_SOLVER_MPM_SUPPORT_H
#define FIRN_SOLVER_MPM_SUPPORT_H

#include "solver/mpm/mpm.h"

// Bodies are particle blocks that share nodes, and so can push and hold each other. Two that come
// within the width of a spline of each other count as one. bodies [blocks], uint32_t, takes the number of
// each block's body.
firn_status mpm_bodies_find(const mpm *m, firn_buffer *bodies, size_t *count);

// Whether some node of the block lies in a collider, as placed now.
// Whether all of a block lies in the last cell and a half above some collider, whose normal there is
// told; mean: of its positions, cells from its corner.
bool mpm_block_lies(const mpm *m, size_t b, const double mean[3], double normal[3]);
bool mpm_block_touches(const mpm *m, size_t b);

// A body in free motion is not at rest, however slow it is: at_rest [bodies] becomes 1 for those that
// a collider with friction holds, or that neither gravity nor a speed of more than `slow`, m/s, moves
// in the directions that are left free to them. Bodies with 0 in it are left out. scratch is for
// numbers of each.
firn_status mpm_bodies_rest(const mpm *m, const firn_buffer *bodies, size_t count, double slow,
                            firn_buffer *scratch, uint8_t *at_rest);

#endif
