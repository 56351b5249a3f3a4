// SPDX-License-Identifier: Apache-2.0
// Connected pieces of a cloud of particles.
#ifndef FIRN_WORLD_PIECES_H
#define FIRN_WORLD_PIECES_H

#include "base/context.h"

// position is [count][3] in m, mass [count] in kg; h in m stands for a cell of 0. label, if not
// NULL, is [count]: the rank of a particle's piece by mass, 0 the largest, and UINT32_MAX for dust.
// def may be NULL.
firn_status firn_pieces_find(firn_context *context, const firn_pieces_def *def, size_t count,
                             const double *position, const double *mass, double h, firn_pieces *out,
                             uint32_t *label);

#endif
