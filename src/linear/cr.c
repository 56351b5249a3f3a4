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
// is moved by the last alpha and p when the next pass loads p anyway. The first iteration takes 7: z
// and w become p and q as they are, and x has nothing to catch up with. Many solves of a snow step have
// but one or two.
#include <stdalign.h>

#include "linear/solve.h"

typedef struct cr {
  firn_linear_state state;
  firn_real *p, *q, *z, *w; // [count]
  double zeta, beta, alpha;
  double owed; // x lags behind by this times p
} cr;

// Sums q'B^-1 q.
static void weigh(void *args, size_t i, size_t n, firn_linear_sum *qy) {
  cr *k = args;
  const firn_linear_system *s = k->state.solve->system;
  alignas(64) firn_real y[FIRN_LINEAR_PIECE];
  s->precondition(s->user, k->q + i, y, i, n);
  firn_block_dot(qy, k->q + i, y, n);
}

// x += owed p, p = z + beta p, q = w + beta q; the same sum.
static void turn(void *args, size_t i, size_t n, firn_linear_sum *qy) {
  cr *k = args;
  firn_block_axpy(k->state.solve->x + i, (firn_real)k->owed, k->p + i, n);
  firn_block_xpay(k->p + i, k->z + i, (firn_real)k->beta, n);
  firn_block_xpay(k->q + i, k->w + i, (firn_real)k->beta, n);
  weigh(k, i, n, qy);
}

static void swap(firn_real **a, firn_real **b) {
  firn_real *t = *a;
  *a = *b;
  *b = t;
}

// p = z, q = w, whose places the next z and w take.
static void set_out(cr *k) {
  swap(&k->p, &k->z);
  swap(&k->q, &k->w);
  k->state.direction = k->z;
  k->state.product = k->w;
}

// Sums what the residual is measured by, given z = B^-1 r.
static void measure(void *args, size_t i, size_t n, firn_linear_sum *rr) {
  const cr *k = args;
  const firn_linear_solve *solve = k->state.solve;
  const firn_linear_system *s = solve->system;
  alignas(64) firn_real y[FIRN_LINEAR_PIECE];
  if (s->norm) s->norm(s->user, solve->r + i, y, i, n);
  firn_block_dot(rr, solve->r + i, s->norm ? y : k->z + i, n);
}

// r -= alpha q, z = B^-1 r; sums the residual.
static void advance(void *args, size_t i, size_t n, firn_linear_sum *rr) {
  cr *k = args;
  const firn_linear_solve *solve = k->state.solve;
  firn_block_axpy(solve->r + i, (firn_real)-k->alpha, k->q + i, n);
  solve->system->precondition(solve->system->user, solve->r + i, k->z + i, i, n);
  measure(k, i, n, rr);
}

// x += owed p
static void settle(void *args, size_t i, size_t n, firn_linear_sum *unused) {
  (void)unused;
  cr *k = args;
  firn_block_axpy(k->state.solve->x + i, (firn_real)k->owed, k->p + i, n);
}

// One iteration, given w = A z. It breaks if alpha cannot be formed or the residual is not a square.
static void iterate(void *state) {
  cr *k = state;
  const firn_linear_solve *solve = k->state.solve;
  FIRN_PARALLEL(solve->system->context) {
    cr mine = *k; // every thread comes to the same scalars
    double zeta_last = mine.zeta;
    bool first = zeta_last == 0;
    mine.zeta = firn_linear_pass(solve, 0, firn_linear_bend, &mine.state);
    mine.state.negative = mine.zeta < 0;
    mine.beta = zeta_last != 0 ? mine.zeta / zeta_last : 0;
    mine.state.broken = !isfinite(mine.zeta) || mine.zeta == 0 || !firn_linear_is_finite(mine.beta);
    if (!mine.state.broken) {
      if (first) set_out(&mine);
      double qy = firn_linear_pass(solve, 1, first ? weigh : turn, &mine);
      mine.owed = 0;
      mine.alpha = mine.zeta / qy;
      mine.state.broken = !(qy > 0) || !firn_linear_is_finite(mine.alpha);
    }
    if (!mine.state.broken) {
      mine.state.residual = firn_linear_pass(solve, 0, advance, &mine);
      mine.state.broken = !firn_linear_is_square(mine.state.residual);
      if (!mine.state.broken) mine.owed = mine.alpha;
    }
#pragma omp master
    *k = mine;
  }
}

firn_status firn_cr_solve(const firn_linear_solve *solve) {
  firn_real *const *v = solve->vector;
  cr k = {.state = {.solve = solve, .direction = v[2], .product = v[3]},
          .p = v[0],
          .q = v[1],
          .z = v[2],
          .w = v[3]};
  firn_linear_begin(&k.state);
  if (solve->system->norm) k.state.residual = firn_linear_pass_alone(solve, measure, &k);
  firn_status status = firn_linear_loop(&k.state, iterate);
  if (k.owed != 0) firn_linear_pass_alone(solve, settle, &k);
  return status;
}
