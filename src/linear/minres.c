// SPDX-License-Identifier: Apache-2.0
// Preconditioned MINRES (Paige and Saunders 1975): Lanczos vectors v that are orthonormal in the
// inner product of B^-1 turn A into a tridiagonal matrix, and plane rotations solve its least
// squares problem as it grows. No quantity needs A to be definite. With z = B^-1 v, neither of them
// normalised but by gamma^2 = v'z, and the rotations (c, s):
//
//   delta  = z'A z / gamma^2
//   v_next = A z / gamma - delta/gamma v - gamma/gamma_last v_last,  gamma_next^2 = v_next'B^-1 v_next
//   rho0   = c delta - c_last s gamma        rho1 = hypot(rho0, gamma_next)
//   rho2   = s delta + c_last c gamma        rho3 = s_last gamma
//   d_next = (z/gamma - rho3 d_last - rho2 d) / rho1
//   c_next = rho0/rho1,  s_next = gamma_next/rho1
//   x += c_next eta d_next,  eta = -s_next eta
//
// |eta| is the B^-1 norm of the residual. 14 vectors of traffic an iteration.
#include <stdalign.h>

#include "base/parallel.h"
#include "linear/blocks.h"
#include "linear/solve.h"

typedef struct minres {
  const firn_linear_solve *solve;
  firn_real *v, *v_last; // [count]; the solve's r is one of them
  firn_real *d, *d_last; // [count], directions
  firn_real *z, *u;      // [count], u = A z
  double gamma, gamma_last, delta, eta;
  double c, c_last, s, s_last;
  double lanczos[3];   // v_next = lanczos . (u, v, v_last)
  double direction[3]; // d_next = direction . (z, d, d_last)
  double step;         // of x along d_next
  bool negative;       // the residual points along negative curvature
  bool broken;
} minres;

// z = B^-1 v, and 0 for what does not exist yet; returns v'z.
static double begin(void *args, size_t first, size_t end) {
  minres *k = args;
  const firn_linear_system *s = k->solve->system;
  firn_linear_sum vz = {{0}};
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    s->precondition(s->user, k->v + i, k->z + i, i, FIRN_LINEAR_BLOCK);
    firn_block_dot(&vz, k->v + i, k->z + i);
    firn_block_zero(k->v_last + i);
    firn_block_zero(k->d + i);
    firn_block_zero(k->d_last + i);
  }
  return firn_linear_sum_total(&vz);
}

// Returns z'u.
static double bend(void *args, size_t first, size_t end) {
  minres *k = args;
  firn_linear_sum zu = {{0}};
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) firn_block_dot(&zu, k->z + i, k->u + i);
  return firn_linear_sum_total(&zu);
}

// v_last becomes v_next; returns v_next'B^-1 v_next.
static double extend(void *args, size_t first, size_t end) {
  minres *k = args;
  const firn_linear_system *s = k->solve->system;
  firn_linear_sum vz = {{0}};
  alignas(64) firn_real z[FIRN_LINEAR_BLOCK];
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    firn_block_combine(k->v_last + i, (firn_real)k->lanczos[0], k->u + i, (firn_real)k->lanczos[1],
                       k->v + i, (firn_real)k->lanczos[2]);
    s->precondition(s->user, k->v_last + i, z, i, FIRN_LINEAR_BLOCK);
    firn_block_dot(&vz, k->v_last + i, z);
  }
  return firn_linear_sum_total(&vz);
}

// d_last becomes d_next, x moves along it, z = B^-1 v_next.
static double advance(void *args, size_t first, size_t end) {
  minres *k = args;
  const firn_linear_system *s = k->solve->system;
  for (size_t i = first; i < end; i += FIRN_LINEAR_BLOCK) {
    firn_block_combine(k->d_last + i, (firn_real)k->direction[0], k->z + i,
                       (firn_real)k->direction[1], k->d + i, (firn_real)k->direction[2]);
    firn_block_axpy(k->solve->x + i, (firn_real)k->step, k->d_last + i);
    s->precondition(s->user, k->v_last + i, k->z + i, i, FIRN_LINEAR_BLOCK);
  }
  return 0;
}

// The rotation that takes gamma_next out of the tridiagonal matrix.
static void rotate(minres *k, double gamma_next) {
  double rho0 = k->c * k->delta - k->c_last * k->s * k->gamma;
  double rho1 = hypot(rho0, gamma_next);
  double rho2 = k->s * k->delta + k->c_last * k->c * k->gamma;
  double rho3 = k->s_last * k->gamma;
  k->negative = k->c * rho0 < 0; // the sign of r'B^-1 A B^-1 r, as CR sees it
  k->direction[0] = 1 / (k->gamma * rho1);
  k->direction[1] = -rho2 / rho1;
  k->direction[2] = -rho3 / rho1;
  k->c_last = k->c, k->s_last = k->s;
  k->c = rho0 / rho1, k->s = gamma_next / rho1;
  k->step = k->c * k->eta;
  k->eta *= -k->s;
  k->gamma_last = k->gamma, k->gamma = gamma_next;
  // rho1 is 0 where A is singular along the new direction.
  k->broken = !firn_linear_is_finite(k->direction[0]) || !firn_linear_is_finite(k->direction[1]) ||
              !firn_linear_is_finite(k->direction[2]) || !firn_linear_is_finite(k->step);
}

// One iteration, given u = A z.
static void iterate(minres *k) {
  const firn_linear_solve *solve = k->solve;
  FIRN_PARALLEL(solve->system->context) {
    minres mine = *k; // every thread comes to the same scalars
    mine.delta = firn_linear_pass(solve, 0, bend, &mine) / (mine.gamma * mine.gamma);
    mine.lanczos[0] = 1 / mine.gamma;
    mine.lanczos[1] = -mine.delta / mine.gamma;
    mine.lanczos[2] = -mine.gamma / mine.gamma_last;
    mine.broken = !firn_linear_is_finite(mine.lanczos[0]) ||
                  !firn_linear_is_finite(mine.lanczos[1]) ||
                  !firn_linear_is_finite(mine.lanczos[2]);
    if (!mine.broken) {
      double vz = firn_linear_pass(solve, 1, extend, &mine);
      mine.broken = !firn_linear_is_square(vz);
      if (!mine.broken) rotate(&mine, sqrt(vz));
    }
    if (!mine.broken) firn_linear_pass(solve, 0, advance, &mine);
#pragma omp master
    *k = mine;
  }
}

static void swap(firn_real **a, firn_real **b) {
  firn_real *t = *a;
  *a = *b;
  *b = t;
}

firn_status firn_minres_solve(const firn_linear_solve *solve) {
  const firn_linear_system *s = solve->system;
  firn_linear_result *out = solve->out;
  firn_real *w = solve->vectors;
  minres k = {.solve = solve,
              .v = solve->r,
              .v_last = w,
              .d = w + s->count,
              .d_last = w + 2 * s->count,
              .z = w + 3 * s->count,
              .u = w + 4 * s->count,
              .gamma_last = 1,
              .c = 1,
              .c_last = 1};

  out->residual = firn_linear_pass_alone(solve, begin, &k);
  out->breakdown = !firn_linear_is_square(out->residual);
  out->converged = out->residual <= solve->threshold && !out->breakdown;
  k.eta = k.gamma = sqrt(out->residual);
  while (!out->converged && !out->breakdown && out->iterations < solve->max_iterations) {
    FIRN_TRY(s->apply(s->user, k.z, k.u));
    iterate(&k);
    if (k.negative) out->indefinite++;
    out->breakdown = k.broken;
    if (k.broken) break;
    swap(&k.v, &k.v_last);
    swap(&k.d, &k.d_last);
    out->residual = k.eta * k.eta;
    out->iterations++;
    out->converged = out->residual <= solve->threshold;
  }
  return FIRN_OK;
}
