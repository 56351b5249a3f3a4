// SPDX-License-Identifier: Apache-2.0
// What the three Krylov solvers share: a solve under way, and passes over its vectors.
#ifndef FIRN_LINEAR_SOLVE_H
#define FIRN_LINEAR_SOLVE_H

#include <math.h>

#include "base/parallel.h"
#include "linear/krylov.h"

// Vectors of scratch.
enum { FIRN_CR_VECTORS = 4, FIRN_MINRES_VECTORS = 5, FIRN_CG_VECTORS = 2 };

typedef struct firn_linear_solve {
  const firn_linear_system *system;
  double threshold; // of r'B^-1 r
  int max_iterations;
  size_t chunks;
  firn_real *x, *r;   // [count]
  firn_real *vectors; // [FIRN_<kind>_VECTORS][count]
  double *sums[2];    // [chunks], the parts of two dot products
  firn_linear_result *out;
} firn_linear_solve;

// Each sets *out, with residual as r'B^-1 r. They are given at least one chunk.
firn_status firn_cr_solve(const firn_linear_solve *solve);
firn_status firn_minres_solve(const firn_linear_solve *solve);
firn_status firn_cg_solve(const firn_linear_solve *solve);

// Works on the reals first to end, whole blocks, and returns their part of a sum.
typedef double (*firn_linear_pass_fn)(void *args, size_t first, size_t end);

// One chunk, less the blocks of it that are still.
static inline double firn_linear_pass_chunk(const firn_linear_system *system, size_t first,
                                            size_t end, firn_linear_pass_fn pass, void *args) {
  const uint8_t *still = system->still;
  if (!still) return pass(args, first, end);
  double total = 0;
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    size_t start = i;
    while (i < end && !still[i / FIRN_LINEAR_BLOCK]) i += FIRN_LINEAR_BLOCK;
    if (i > start) total += pass(args, start, i);
  }
  return total;
}

// One pass over all chunks, by every thread of the team that calls it. Each adds up all parts for
// itself, in order, which is cheaper than to wait for one that does; so all get the same number and
// take the same turns. Passes alternate between the two arrays of sums: a thread that is still
// adding up one must not find it overwritten by the next.
static inline double firn_linear_pass(const firn_linear_solve *solve, int which,
                                      firn_linear_pass_fn pass, void *args) {
  size_t count = solve->system->count, chunk = solve->system->chunk;
  double *sums = solve->sums[which], total = 0;
// Dealt out in turns: blocks that are still lie together.
#pragma omp for schedule(static, 4)
  for (size_t i = 0; i < solve->chunks; i++) {
    size_t first = i * chunk, size = count - first < chunk ? count - first : chunk;
    sums[i] = firn_linear_pass_chunk(solve->system, first, first + size, pass, args);
  }
  for (size_t i = 0; i < solve->chunks; i++) total += sums[i];
  return total;
}

// The same where there is no team yet.
static inline double firn_linear_pass_alone(const firn_linear_solve *solve,
                                            firn_linear_pass_fn pass, void *args) {
  double result = 0;
  FIRN_PARALLEL(solve->system->context) {
    double total = firn_linear_pass(solve, 0, pass, args);
#pragma omp master
    result = total;
  }
  return result;
}

// Whether a number is a squared norm.
static inline bool firn_linear_is_square(double value) {
  return isfinite(value) && value >= 0;
}

// Whether a coefficient survives its conversion to firn_real.
static inline bool firn_linear_is_finite(double coefficient) {
  return isfinite((firn_real)coefficient);
}

#endif
