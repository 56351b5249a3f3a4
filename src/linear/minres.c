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

#include "linear/solve.h"

typedef struct minres {
  firn_linear_state state;
  firn_real *v, *v_last; // [count]; the solve's r is one of them
  firn_real *d, *d_last; // [count], directions
  firn_real *z, *u;      // [count], u = A z
  double gamma, gamma_last, delta, eta;
  double c, c_last, s, s_last;
  double lanczos[3];   // v_next = lanczos . (u, v, v_last)
  double direction[3]; // d_next = direction . (z, d, d_last)
  double step;         // of x along d_next
} minres;

// v_last becomes v_next; sums v_next'B^-1 v_next.
static void extend(void *args, size_t i, size_t n, firn_linear_sum *vz) {
  minres *k = args;
  const firn_linear_system *s = k->state.solve->system;
  alignas(64) firn_real z[FIRN_LINEAR_PIECE];
  firn_block_combine(k->v_last + i, (firn_real)k->lanczos[0], k->u + i, (firn_real)k->lanczos[1],
                     k->v + i, (firn_real)k->lanczos[2], n);
  s->precondition(s->user, k->v_last + i, z, i, n);
  firn_block_dot(vz, k->v_last + i, z, n);
}

// d_last becomes d_next, x moves along it, z = B^-1 v_next.
static void advance(void *args, size_t i, size_t n, firn_linear_sum *unused) {
  (void)unused;
  minres *k = args;
  const firn_linear_system *s = k->state.solve->system;
  firn_block_combine(k->d_last + i, (firn_real)k->direction[0], k->z + i,
                     (firn_real)k->direction[1], k->d + i, (firn_real)k->direction[2], n);
  firn_block_axpy(k->state.solve->x + i, (firn_real)k->step, k->d_last + i, n);
  s->precondition(s->user, k->v_last + i, k->z + i, i, n);
}

// The rotation that takes gamma_next out of the tridiagonal matrix.
static void rotate(minres *k, double gamma_next) {
  double rho0 = k->c * k->delta - k->c_last * k->s * k->gamma;
  double rho1 = hypot(rho0, gamma_next);
  double rho2 = k->s * k->delta + k->c_last * k->c * k->gamma;
  double rho3 = k->s_last * k->gamma;
  k->state.negative = k->c * rho0 < 0; // the sign of r'B^-1 A B^-1 r, as CR sees it
  k->direction[0] = 1 / (k->gamma * rho1);
  k->direction[1] = -rho2 / rho1;
  k->direction[2] = -rho3 / rho1;
  k->c_last = k->c, k->s_last = k->s;
  k->c = rho0 / rho1, k->s = gamma_next / rho1;
  k->step = k->c * k->eta;
  k->eta *= -k->s;
  k->gamma_last = k->gamma, k->gamma = gamma_next;
  // rho1 is 0 where A is singular along the new direction.
  k->state.broken = !firn_linear_is_finite(k->direction[0]) ||
                    !firn_linear_is_finite(k->direction[1]) ||
                    !firn_linear_is_finite(k->direction[2]) || !firn_linear_is_finite(k->step);
}

static void swap(firn_real **a, firn_real **b) {
  firn_real *t = *a;
  *a = *b;
  *b = t;
}

// One iteration, given u = A z.
static void iterate(void *state) {
  minres *k = state;
  const firn_linear_solve *solve = k->state.solve;
  FIRN_PARALLEL(solve->system->context) {
    minres mine = *k; // every thread comes to the same scalars
    mine.delta = firn_linear_pass(solve, 0, firn_linear_bend, &mine.state) /
                 (mine.gamma * mine.gamma);
    mine.lanczos[0] = 1 / mine.gamma;
    mine.lanczos[1] = -mine.delta / mine.gamma;
    mine.lanczos[2] = -mine.gamma / mine.gamma_last;
    mine.state.broken = !firn_linear_is_finite(mine.lanczos[0]) ||
                        !firn_linear_is_finite(mine.lanczos[1]) ||
                        !firn_linear_is_finite(mine.lanczos[2]);
    if (!mine.state.broken) {
      double vz = firn_linear_pass(solve, 1, extend, &mine);
      mine.state.broken = !firn_linear_is_square(vz);
      if (!mine.state.broken) rotate(&mine, sqrt(vz));
    }
    if (!mine.state.broken) firn_linear_pass(solve, 0, advance, &mine);
#pragma omp master
    *k = mine;
  }
  k->state.residual = k->eta * k->eta;
  swap(&k->v, &k->v_last);
  swap(&k->d, &k->d_last);
}

firn_status firn_minres_solve(const firn_linear_solve *solve) {
  firn_real *const *w = solve->vector;
  minres k = {.state = {.solve = solve, .direction = w[3], .product = w[4], .zeros = 3},
              .v = solve->r,
              .v_last = w[0],
              .d = w[1],
              .d_last = w[2],
              .z = w[3],
              .u = w[4],
              .gamma_last = 1,
              .c = 1,
              .c_last = 1};
  firn_linear_begin(&k.state);
  k.eta = k.gamma = sqrt(k.state.residual);
  return firn_linear_loop(&k.state, iterate);
}
