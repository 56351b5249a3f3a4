// SPDX-License-Identifier: Apache-2.0
// Preconditioned conjugate gradients, for positive definite A:
//
//   z = B^-1 r,  p = z
//   repeat  q = A p,  alpha = r'z / p'q,  x += alpha p,  r -= alpha q
//           z = B^-1 r,  beta = r'z / (r'z of before),  p = z + beta p
//
// z lives for one block only and is formed twice, which costs less than a vector that is written
// and read: 10 vectors of traffic an iteration. x moves last, so that a residual that is no longer
// finite leaves it alone.
#include <stdalign.h>

#include "linear/solve.h"

typedef struct cg {
  firn_linear_state state;
  firn_real *p, *q; // [count]
  double alpha, beta;
} cg;

// r -= alpha q; sums r'B^-1 r.
static void reduce(void *args, size_t i, size_t n, firn_linear_sum *rz) {
  cg *k = args;
  const firn_linear_solve *solve = k->state.solve;
  alignas(64) firn_real z[FIRN_LINEAR_PIECE];
  firn_block_axpy(solve->r + i, (firn_real)-k->alpha, k->q + i, n);
  solve->system->precondition(solve->system->user, solve->r + i, z, i, n);
  firn_block_dot(rz, solve->r + i, z, n);
}

// x += alpha p, p = B^-1 r + beta p
static void advance(void *args, size_t i, size_t n, firn_linear_sum *unused) {
  (void)unused;
  cg *k = args;
  const firn_linear_solve *solve = k->state.solve;
  alignas(64) firn_real z[FIRN_LINEAR_PIECE];
  firn_block_axpy(solve->x + i, (firn_real)k->alpha, k->p + i, n);
  solve->system->precondition(solve->system->user, solve->r + i, z, i, n);
  firn_block_xpay(k->p + i, z, (firn_real)k->beta, n);
}

// One iteration, given q = A p. It breaks if alpha cannot be formed or r'z is not a square.
static void iterate(void *state) {
  cg *k = state;
  const firn_linear_solve *solve = k->state.solve;
  FIRN_PARALLEL(solve->system->context) {
    cg mine = *k; // every thread comes to the same scalars
    double rz_last = mine.state.residual;
    double curvature = firn_linear_pass(solve, 0, firn_linear_bend, &mine.state);
    mine.state.negative = curvature < 0;
    mine.alpha = rz_last / curvature;
    mine.state.broken = curvature == 0 || !firn_linear_is_finite(mine.alpha);
    if (!mine.state.broken) {
      double rz = mine.state.residual = firn_linear_pass(solve, 1, reduce, &mine);
      mine.beta = rz / rz_last;
      mine.state.broken = !firn_linear_is_square(rz) || !firn_linear_is_finite(mine.beta);
    }
    if (!mine.state.broken) firn_linear_pass(solve, 0, advance, &mine);
#pragma omp master
    *k = mine;
  }
}

firn_status firn_cg_solve(const firn_linear_solve *solve) {
  firn_real *p = solve->vector[0], *q = solve->vector[1];
  cg k = {.state = {.solve = solve, .direction = p, .product = q}, .p = p, .q = q};
  firn_linear_begin(&k.state);
  return firn_linear_loop(&k.state, iterate);
}
