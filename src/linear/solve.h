// SPDX-License-Identifier: Apache-2.0
// What the Krylov solvers share: a solve under way, passes over its vectors, and the loop over
// iterations.
#ifndef FIRN_LINEAR_SOLVE_H
#define FIRN_LINEAR_SOLVE_H

#include <math.h>

#include "base/parallel.h"
#include "linear/blocks.h"

// Vectors of scratch.
enum {
  FIRN_CR_VECTORS = 4,
  FIRN_MINRES_VECTORS = 5,
  FIRN_CG_VECTORS = 2,
  FIRN_BICGSTAB_VECTORS = 6
};

typedef struct firn_linear_solve {
  const firn_linear_system *system;
  double threshold; // of the residual
  int max_iterations;
  size_t chunks;
  size_t piece;                             // reals that passes work on at a time
  firn_real *x, *r;                         // [count]
  firn_real *vector[FIRN_BICGSTAB_VECTORS]; // [count] each, as many as the method has
  double *sums[2];                          // [chunks], the parts of two dot products
  firn_linear_result *out;
} firn_linear_solve;

// Reals of scratch for so many vectors and the sums.
size_t firn_linear_workspace(size_t vectors, size_t count);
// Fills in what solve does not have yet; it has x, r, max_iterations and out. Where out says after it that
// it has converged or broken down, there is nothing to solve.
firn_status firn_linear_set_up(firn_linear_solve *solve, const firn_linear_system *system,
                               double tolerance, double reference2, size_t vectors,
                               firn_real *workspace);

// Each sets *out, with residual as r'B^-1 r or r'norm(r). They are given at least one chunk.
firn_status firn_cr_solve(const firn_linear_solve *solve);
firn_status firn_minres_solve(const firn_linear_solve *solve);
firn_status firn_cg_solve(const firn_linear_solve *solve);

// What the loop over iterations needs to know of a method, whose own state begins with it.
typedef struct firn_linear_state {
  const firn_linear_solve *solve;
  firn_real *direction; // [count], at first B^-1 r; the next product is A direction
  firn_real *product;   // [count]
  int zeros;            // how many of the solve's vectors, from the first on, begin as 0
  double residual;      // r'B^-1 r, or r'norm(r)
  bool negative;        // the last direction's curvature, d'A d, was below 0
  bool broken;          // the last iteration could not be finished
} firn_linear_state;

// Sets the first direction and the residual.
void firn_linear_begin(firn_linear_state *state);
// Iterates until the residual is small, told by iterate(state) after each product. An iteration that
// breaks leaves x where its residual was good.
firn_status firn_linear_loop(firn_linear_state *state, void (*iterate)(void *state));

// Works on the n reals from number i on, whole blocks, and adds to a sum.
typedef void (*firn_linear_pass_fn)(void *args, size_t i, size_t n, firn_linear_sum *sum);

// A pass whose args are a state: the curvature, direction'product.
void firn_linear_bend(void *args, size_t i, size_t n, firn_linear_sum *sum);

// One chunk, less the blocks of it that are still.
double firn_linear_pass_chunk(const firn_linear_solve *solve, size_t first, size_t end,
                              firn_linear_pass_fn pass, void *args);

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
    sums[i] = firn_linear_pass_chunk(solve, first, first + size, pass, args);
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
