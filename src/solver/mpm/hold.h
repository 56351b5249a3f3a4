// SPDX-License-Identifier: Apache-2.0
// What contact holds of the nodes that are solved for (D-6).
#ifndef FIRN_SOLVER_MPM_HOLD_H
#define FIRN_SOLVER_MPM_HOLD_H

#include "solver/mpm/mpm.h"

// Tells which nodes of block g, near a collider, are held: from their constraints.
void mpm_hold_note(const mpm *m, size_t g);
// Removes from node block g of a vector, [64][4], what contact holds.
void mpm_hold_project(const mpm *m, size_t g, firn_real *block);

// Bits of the nodes of block g that are held, if it is solved for; and its number among blocks near colliders.
static inline uint64_t mpm_held_nodes(const mpm *m, size_t g, uint32_t *index) {
  *index = ((const uint32_t *)m->constraint_of.data)[g];
  return *index == FIRN_GRID_NONE ? 0 : ((const uint64_t *)m->held.data)[*index];
}

// How node n of it is held: direction, and kind in [3].
static inline const firn_real *mpm_constraint(const mpm *m, uint32_t index, int n) {
  return (const firn_real *)m->constraint.data + (64 * (size_t)index + (size_t)n) * 4;
}

#endif
