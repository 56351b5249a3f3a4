// SPDX-License-Identifier: Apache-2.0
// What the MPM step asks of its inner loops. Each instruction set fills one table; the scalar one
// is the oracle for the others.
#ifndef FIRN_SOLVER_MPM_KERNELS_H
#define FIRN_SOLVER_MPM_KERNELS_H

#include "solver/mpm/view.h"

// Vectors of the solves on patches, laid out as the patches are.
typedef struct mpm_patch_vectors {
  firn_real *mass, *inverse; // of each node, in its first three reals; 0 where it does not move
  firn_real *r;              // residual
  firn_real *p, *q, *z, *w;  // as linear/cr.c has them
} mpm_patch_vectors;

// One patch's system.
typedef struct mpm_patch_system {
  double mean[3];     // m/s, velocity of the clump
  double threshold;   // of r'M^-1 r
  int max_iterations; // 0: leave it as it is
  int iterations, indefinite;
  double residual; // r'M^-1 r
  bool broken;
  bool solved;       // by few_solve
  double zeta, owed; // linear/cr.c
} mpm_patch_system;

typedef struct mpm_kernels {
  // Fills lo and n of block b's next_box from its particles' positions. Returns false if a particle
  // is outside what the block may reach.
  bool (*bound)(const mpm_view *view, size_t b);
  // Steps 1 and 3: plastic return and stress, then mass, momentum and force into the arenas of the
  // unit's blocks. Under APIC the force enters the momentum with dt at once; blocks that sleep have
  // been scattered with a dt of 1 and no velocity, so whoever adds up arenas multiplies by dt.
  // Implicit: also writes s and stiff.
  void (*scatter)(const mpm_view *view, size_t u, mpm_tally *tally);
  // Adds the grains of a tile's thin blocks to arrays of nodes: momentum and force under FLIP,
  // where either may be NULL; what is scattered under APIC to `momentum` alone. stiff: only of
  // blocks that take part in the solve, on nodes that do. Rows that `sown` has no bit of are written, not added to.
  // NULL: knows neither grains nor spray.
  void (*sow)(const mpm_view *view, const mpm_tile *tile, firn_real *momentum, firn_real *force,
              bool stiff);
  // Steps 1 and 4 to 6 for a parcel of spray, on nodes of the caller's; what gather needs, into its grains.
  void (*reap)(const mpm_view *view, const firn_parcel *parcel, mpm_parcel_nodes *nodes);
  // Steps 1, 4, 5: adds up the arenas over node block g, velocities, gravity, collisions.
  void (*nodes)(const mpm_view *view, size_t g);
  // The smallest det(I + dt grad v) of the unit's particles, into the tally; changes nothing.
  void (*check)(const mpm_view *view, size_t u, mpm_tally *tally);
  // Steps 7 to 10 (7 without the plastic return, which scatter makes).
  void (*gather)(const mpm_view *view, size_t u, mpm_tally *tally);
  // The elastic part of the implicit operator: differential of the stress for the velocities in
  // view->direction, into the arenas (channel 0, one channel).
  void (*hessian)(const mpm_view *view, size_t u);
  // product = m direction + beta dt^2 (sum of arenas) on node block g.
  void (*hessian_nodes)(const mpm_view *view, size_t g);
  // The stiffness preconditioner: what particles give to nodes as they give mass, into the arenas as above ...
  void (*stiffness)(const mpm_view *view, size_t u);
  // ... and 1 / (m + beta dt^2 (sum of arenas)) of node block g, into view->inverse.
  void (*stiffness_nodes)(const mpm_view *view, size_t g);
  // The same for clumps, block by block of a view with a patch_channel. Sums become velocities; under
  // FLIP those before the step are left behind them ...
  void (*patch_nodes)(const mpm_view *view, size_t b);
  // ... and become FLIP's difference once velocities are final; returns how far those differ, m/s.
  double (*patch_finish)(const mpm_view *view, size_t b);
  // Semi-implicit: the vectors mass and inverse, and the sums that mpm_datum_of wants ...
  void (*patch_measure)(const mpm_view *view, size_t b, const mpm_patch_vectors *vectors,
                        double sums[5]);
  // ... conjugate residuals for clumps of up to MPM_FEW particles in the space of their gradients
  // (kernels_few.h). Those that it is not sure of it leaves as they are; others are `solved`. NULL:
  // knows no such thing ...
  void (*few_solve)(const mpm_view *view, const mpm_patch_vectors *vectors,
                    mpm_patch_system *system);
  // ... and conjugate residuals on all other patches of unit 0 side by side, each by itself. One that breaks
  // down keeps its last good velocities, and their residual in r.
  void (*patch_solve)(const struct mpm_kernels *kernels, const mpm_view *view,
                      const mpm_patch_vectors *vectors, mpm_patch_system *system);
} mpm_kernels;

// The 3x3 blocks of the operator for the block preconditioner, near rest (S = I), where they are
// positive definite: V0 (mu |g|^2 I + (mu + lambda) g g^T) summed over particles. Plain C for every
// instruction set: it is made once a step. Arenas need two channels.
void firn_mpm_diagonal(const mpm_view *view, size_t u);
void firn_mpm_diagonal_nodes(const mpm_view *view, size_t g);

// The table for an instruction set, or NULL where it was not compiled in.
const mpm_kernels *firn_mpm_kernels_scalar(const mpm_stencil *stencil, bool apic);
const mpm_kernels *firn_mpm_kernels_avx2(const mpm_stencil *stencil, bool apic);
const mpm_kernels *firn_mpm_kernels_avx512(const mpm_stencil *stencil, bool apic);

#endif
