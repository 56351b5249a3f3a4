// SPDX-License-Identifier: Apache-2.0
// Matrix-free Krylov solvers for symmetric systems P A P x = P b with a symmetric positive definite
// preconditioner B. P projects out the degrees of freedom that collisions fix: a start x that obeys
// them keeps them, since every direction stays in the range of P.
//
//   CR      minimises r'B^-1 r; indefinite A may break it down, not make it diverge
//   MINRES  the same iterates as CR in exact arithmetic, by Lanczos: no breakdown on indefinite A
//   CG      minimises the energy norm of the error; positive definite A only
//
// One product with A an iteration each. The answer does not depend on the number of threads.
#ifndef FIRN_LINEAR_KRYLOV_H
#define FIRN_LINEAR_KRYLOV_H

#include "base/context.h"
#include "math/real.h"

// Reals that a pass works on at a time, less where they are no whole blocks: the most that a block may
// have and the least of a chunk.
enum { FIRN_LINEAR_PIECE = 256 };

typedef struct firn_linear_system {
  firn_context *context;
  size_t count; // reals in a vector, a multiple of block
  size_t block; // reals that belong together: 256 of a grid block, 6 of a body, 1 of a pressure
  size_t chunk; // reals in a chunk, likewise; sums are formed per chunk and added in order
  void *user;
  // y = P A x for x in the range of P; symmetric there. Called outside parallel regions. A status
  // other than FIRN_OK ends the solve and is passed on.
  firn_status (*apply)(void *user, const firn_real *x, firn_real *y); // [count], [count]
  // z = B^-1 r for one range of the vector: r and z point to its first real, which is number
  // `first` of the whole vector, and hold `count` reals, whole blocks. r and z do not overlap. Called
  // inside parallel loops. z must be in the range of P, and 0 in reals that are unused, such as the w
  // of a grid's nodes. It must be projected even where B^-1 itself keeps the range: what rounding
  // leaves of r outside would stay in r'z and stop CR from converging any further.
  void (*precondition)(void *user, const firn_real *r, firn_real *z, size_t first, size_t count);
  // Blocks that x is to keep as it is, [count / block], 1: keep; NULL: none. The solve touches no
  // vector there, and apply must not read them.
  const uint8_t *still;
  // y = C r as z = B^-1 r is made: CR then stops by r'C r instead of r'B^-1 r, and so, whatever the preconditioner, at the
  // same error; it need not fall from one iteration to the next, as r'B^-1 r does. NULL: B^-1. The others know r'B^-1 r alone.
  void (*norm)(void *user, const firn_real *r, firn_real *y, size_t first, size_t count);
} firn_linear_system;

typedef struct firn_linear_result {
  int iterations;
  double
      residual; // sqrt(r'B^-1 r / reference2), or of the norm, last; infinite where only reference2 is 0
  bool converged;
  int indefinite; // directions of negative curvature met, d'A d < 0
  bool breakdown; // a division by zero or a value that is not finite came up
} firn_linear_result;

// Reals of scratch that a solve needs; 0 for an unknown kind.
size_t firn_krylov_workspace(firn_krylov kind, size_t count);

// Improves x until r'B^-1 r, or what the norm makes of r, is at most tolerance^2 reference2. All arrays are aligned to 64 bytes.
// Breakdown and too many iterations are told in *out, not by the status: x is then the last iterate
// whose residual was finite, and the caller decides.
firn_status firn_krylov_solve(firn_krylov kind, const firn_linear_system *system, double tolerance,
                              double reference2, // squared norm that tolerance is relative to
                              int max_iterations,
                              firn_real *x, // [count], in: initial guess
                              firn_real *r, // [count], in: P(b - A x), out: scratch
                              firn_real *workspace, firn_linear_result *out);

// BiCGSTAB, for A that need not be symmetric: two products with A an iteration. The same in everything
// else.
size_t firn_bicgstab_workspace(size_t count);
firn_status firn_bicgstab_solve(const firn_linear_system *system, double tolerance,
                                double reference2, int max_iterations, firn_real *x, firn_real *r,
                                firn_real *workspace, firn_linear_result *out);

#endif
