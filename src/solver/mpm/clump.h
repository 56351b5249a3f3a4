// SPDX-License-Identifier: Apache-2.0
// Clumps: a few particles off the grid whose stencils touch only each other, and no collider. Each is
// stepped on a patch of its own, a dense box of nodes tight around it, which nobody else ever sees:
// clumps are taken a bundle at a time, as many as fill a few groups of lanes, and go through the whole
// step while particles and nodes stay in cache. The kernels are those of the grid (kernels.h), for which
// a bundle is one unit and each clump a block.
#ifndef FIRN_SOLVER_MPM_CLUMP_H
#define FIRN_SOLVER_MPM_CLUMP_H

#include "solver/mpm/flight.h"

// Whether a clump that may come to cover this many nodes along each axis before the next sort may leave
// the grid.
bool mpm_patch_suits(const int nodes[3]);

// What a step of all clumps comes to.
typedef struct mpm_clump_sums {
  mpm_tally tally;
  size_t particles;
  double iterations; // of their solves, times particles
  int indefinite;    // directions of negative curvature
  size_t unfinished; // clumps whose solve stopped short
  double residual;   // relative, of the worst of them
  uint32_t slot;     // some particle of the clump that det_min is of
} mpm_clump_sums;

// All memory that their step will want.
firn_status mpm_prepare_clumps(mpm *m);
// Steps the pieces that fly (flight.h) by view.dt. A clump that this would turn inside out takes it in
// halves, by itself.
firn_status mpm_step_clumps(mpm *m, mpm_clump_sums *sums);

#endif
