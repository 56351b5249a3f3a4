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

#include "base/parallel.h"
#include "linear/blocks.h"
#include "linear/solve.h"

typedef struct cg {
  const firn_linear_solve *solve;
  firn_real *p, *q; // [count]
  double curvature; // p'A p
  double alpha, beta;
  double rz;   // r'B^-1 r
  bool broken; // alpha could not be formed, or rz is not a square
} cg;

// p = B^-1 r; returns r'p.
static double begin(void *args, size_t first, size_t end) {
  cg *k = args;
  const firn_linear_system *s = k->solve->system;
  firn_linear_sum rz = {{0}};
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    s->precondition(s->user, k->solve->r + i, k->p + i, i, FIRN_LINEAR_BLOCK);
    firn_block_dot(&rz, k->solve->r + i, k->p + i);
  }
  return firn_linear_sum_total(&rz);
}

// Returns p'q.
static double bend(void *args, size_t first, size_t end) {
  cg *k = args;
  firn_linear_sum pq = {{0}};
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) firn_block_dot(&pq, k->p + i, k->q + i);
  return firn_linear_sum_total(&pq);
}

// r -= alpha q; returns r'B^-1 r.
static double reduce(void *args, size_t first, size_t end) {
  cg *k = args;
  const firn_linear_system *s = k->solve->system;
  firn_real *r = k->solve->r;
  firn_linear_sum rz = {{0}};
  alignas(64) firn_real z[FIRN_LINEAR_BLOCK];
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    firn_block_axpy(r + i, (firn_real)-k->alpha, k->q + i);
    s->precondition(s->user, r + i, z, i, FIRN_LINEAR_BLOCK);
    firn_block_dot(&rz, r + i, z);
  }
  return firn_linear_sum_total(&rz);
}

// x += alpha p, p = B^-1 r + beta p
static double advance(void *args, size_t first, size_t end) {
  cg *k = args;
  const firn_linear_system *s = k->solve->system;
  alignas(64) firn_real z[FIRN_LINEAR_BLOCK];
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    firn_block_axpy(k->solve->x + i, (firn_real)k->alpha, k->p + i);
    s->precondition(s->user, k->solve->r + i, z, i, FIRN_LINEAR_BLOCK);
    firn_block_xpay(k->p + i, z, (firn_real)k->beta);
  }
  return 0;
}

// One iteration, given q = A p.
static void iterate(cg *k) {
  const firn_linear_solve *solve = k->solve;
  FIRN_PARALLEL(solve->system->context) {
    cg mine = *k; // every thread comes to the same scalars
    double rz_last = mine.rz;
    mine.curvature = firn_linear_pass(solve, 0, bend, &mine);
    mine.alpha = rz_last / mine.curvature;
    mine.broken = mine.curvature == 0 || !firn_linear_is_finite(mine.alpha);
    if (!mine.broken) {
      mine.rz = firn_linear_pass(solve, 1, reduce, &mine);
      mine.beta = mine.rz / rz_last;
      mine.broken = !firn_linear_is_square(mine.rz) || !firn_linear_is_finite(mine.beta);
    }
    if (!mine.broken) firn_linear_pass(solve, 0, advance, &mine);
#pragma omp master
    *k = mine;
  }
}

firn_status firn_cg_solve(const firn_linear_solve *solve) {
  const firn_linear_system *s = solve->system;
  firn_linear_result *out = solve->out;
  cg k = {.solve = solve, .p = solve->vectors, .q = solve->vectors + s->count};

  out->residual = k.rz = firn_linear_pass_alone(solve, begin, &k);
  out->breakdown = !firn_linear_is_square(k.rz);
  out->converged = k.rz <= solve->threshold && !out->breakdown;
  while (!out->converged && !out->breakdown && out->iterations < solve->max_iterations) {
    FIRN_TRY(s->apply(s->user, k.p, k.q));
    iterate(&k);
    if (k.curvature < 0) out->indefinite++;
    out->breakdown = k.broken;
    if (k.broken) break;
    out->residual = k.rz;
    out->iterations++;
    out->converged = k.rz <= solve->threshold;
  }
  return FIRN_OK;
}
