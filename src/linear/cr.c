// SPDX-License-Identifier: Apache-2.0
// Preconditioned conjugate residuals. In exact arithmetic
//
//   z = B^-1 r,  p = z,  q = A p,  zeta = z'A z
//   repeat  y = B^-1 q,  alpha = zeta / q'y,  x += alpha p,  r -= alpha q,  z -= alpha y
//           w = A z,  zeta' = z'w,  beta = zeta' / zeta,  p = z + beta p,  q = w + beta q
//
// Here an iteration is one product with A and one parallel region with a dot product and two
// passes. Three things bring its traffic down to 14 vectors, from 18 as written above: y lives for
// one block only; z is B^-1 r anew, which costs the same as y and cannot drift away from r; and x
// is moved by the last alpha and p when the next pass loads p anyway.
#include <stdalign.h>

#include "base/parallel.h"
#include "linear/blocks.h"
#include "linear/solve.h"

typedef struct cr {
  const firn_linear_solve *solve;
  firn_real *p, *q, *z, *w; // [count]
  double zeta, beta, alpha;
  double owed; // x lags behind by this times p
  double rz;   // r'B^-1 r
  bool broken; // alpha could not be formed
} cr;

// z = B^-1 r, p = q = 0; returns r'z.
static double begin(void *args, size_t first, size_t end) {
  cr *k = args;
  const firn_linear_system *s = k->solve->system;
  firn_linear_sum rz = {{0}};
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    s->precondition(s->user, k->solve->r + i, k->z + i, i, FIRN_LINEAR_BLOCK);
    firn_block_dot(&rz, k->solve->r + i, k->z + i);
    firn_block_zero(k->p + i);
    firn_block_zero(k->q + i);
  }
  return firn_linear_sum_total(&rz);
}

// Returns z'w.
static double bend(void *args, size_t first, size_t end) {
  cr *k = args;
  firn_linear_sum zw = {{0}};
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) firn_block_dot(&zw, k->z + i, k->w + i);
  return firn_linear_sum_total(&zw);
}

// x += owed p, p = z + beta p, q = w + beta q; returns q'B^-1 q.
static double turn(void *args, size_t first, size_t end) {
  cr *k = args;
  const firn_linear_system *s = k->solve->system;
  firn_linear_sum qy = {{0}};
  alignas(64) firn_real y[FIRN_LINEAR_BLOCK];
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    firn_block_axpy(k->solve->x + i, (firn_real)k->owed, k->p + i);
    firn_block_xpay(k->p + i, k->z + i, (firn_real)k->beta);
    firn_block_xpay(k->q + i, k->w + i, (firn_real)k->beta);
    s->precondition(s->user, k->q + i, y, i, FIRN_LINEAR_BLOCK);
    firn_block_dot(&qy, k->q + i, y);
  }
  return firn_linear_sum_total(&qy);
}

// r -= alpha q, z = B^-1 r; returns r'z.
static double advance(void *args, size_t first, size_t end) {
  cr *k = args;
  const firn_linear_system *s = k->solve->system;
  firn_real *r = k->solve->r;
  firn_linear_sum rz = {{0}};
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    firn_block_axpy(r + i, (firn_real)-k->alpha, k->q + i);
    s->precondition(s->user, r + i, k->z + i, i, FIRN_LINEAR_BLOCK);
    firn_block_dot(&rz, r + i, k->z + i);
  }
  return firn_linear_sum_total(&rz);
}

// x += owed p
static double settle(void *args, size_t first, size_t end) {
  cr *k = args;
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK)
    firn_block_axpy(k->solve->x + i, (firn_real)k->owed, k->p + i);
  return 0;
}

// One iteration, given w = A z.
static void iterate(cr *k) {
  const firn_linear_solve *solve = k->solve;
  FIRN_PARALLEL(solve->system->context) {
    cr mine = *k; // every thread comes to the same scalars
    double zeta_last = mine.zeta;
    mine.zeta = firn_linear_pass(solve, 0, bend, &mine);
    mine.beta = zeta_last != 0 ? mine.zeta / zeta_last : 0;
    mine.broken = !isfinite(mine.zeta) || mine.zeta == 0 || !firn_linear_is_finite(mine.beta);
    if (!mine.broken) {
      double qy = firn_linear_pass(solve, 1, turn, &mine);
      mine.owed = 0;
      mine.alpha = mine.zeta / qy;
      mine.broken = !(qy > 0) || !firn_linear_is_finite(mine.alpha);
    }
    if (!mine.broken) mine.rz = firn_linear_pass(solve, 0, advance, &mine);
#pragma omp master
    *k = mine;
  }
}

firn_status firn_cr_solve(const firn_linear_solve *solve) {
  const firn_linear_system *s = solve->system;
  firn_linear_result *out = solve->out;
  firn_real *v = solve->vectors;
  cr k = {.solve = solve, .p = v, .q = v + s->count, .z = v + 2 * s->count, .w = v + 3 * s->count};

  firn_status status = FIRN_OK;
  out->residual = k.rz = firn_linear_pass_alone(solve, begin, &k);
  out->breakdown = !firn_linear_is_square(k.rz);
  out->converged = k.rz <= solve->threshold && !out->breakdown;
  while (!out->converged && !out->breakdown && out->iterations < solve->max_iterations) {
    status = s->apply(s->user, k.z, k.w);
    if (status != FIRN_OK) break;
    iterate(&k);
    if (k.zeta < 0) out->indefinite++;
    out->breakdown = k.broken || !firn_linear_is_square(k.rz);
    if (out->breakdown) break; // x stays where its residual was good
    k.owed = k.alpha;
    out->residual = k.rz;
    out->iterations++;
    out->converged = k.rz <= solve->threshold;
  }
  if (k.owed != 0) firn_linear_pass_alone(solve, settle, &k);
  return status;
}
