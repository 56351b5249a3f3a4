// SPDX-License-Identifier: Apache-2.0
// BiCGSTAB (van der Vorst 1992) with the preconditioner on the right, for A of any kind:
//
//   r^ = r, p = r
//   repeat  y = B^-1 p,  w = A y,  alpha = r^'r / r^'w,  s = r - alpha w
//           z = B^-1 s,  t = A z,  omega = t's / t't
//           x += alpha y + omega z,  r = s - omega t
//           beta = (r^'r / that of before) alpha / omega,  p = r + beta (p - omega w)
//
// Products in r^'... and t's are weighted by B^-1, so that residuals are measured as the other solvers
// do: for a mass matrix as B, a system and the same one times the masses go alike.
#include <stdalign.h>

#include "linear/solve.h"

typedef struct bicgstab {
  const firn_linear_solve *solve;
  firn_real *shadow, *p, *w, *y, *z, *t; // [count]; shadow is B^-1 r^, s lives in r
  double alpha, omega, beta;
} bicgstab;

static void weigh(const bicgstab *k, const firn_real *r, firn_real *z, size_t i, size_t n) {
  k->solve->system->precondition(k->solve->system->user, r + i, z + i, i, n);
}

// shadow = B^-1 r, p = r, y = B^-1 p; sums r'B^-1 r
static void begin(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  bicgstab *k = args;
  const firn_real *r = k->solve->r;
  weigh(k, r, k->shadow, i, n);
  memcpy(k->p + i, r + i, n * sizeof *r);
  memcpy(k->y + i, k->shadow + i, n * sizeof *r);
  firn_block_dot(sum, r + i, k->shadow + i, n);
}

static void shadow_w(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  bicgstab *k = args;
  firn_block_dot(sum, k->shadow + i, k->w + i, n);
}

// s = r - alpha w, z = B^-1 s; sums s'B^-1 s
static void halfway(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  bicgstab *k = args;
  firn_real *r = k->solve->r;
  firn_block_axpy(r + i, (firn_real)-k->alpha, k->w + i, n);
  weigh(k, r, k->z, i, n);
  firn_block_dot(sum, r + i, k->z + i, n);
}

// t's and t't, weighted
static void t_s(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  bicgstab *k = args;
  firn_block_dot(sum, k->t + i, k->z + i, n);
}
static void t_t(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  bicgstab *k = args;
  alignas(64) firn_real own[FIRN_LINEAR_PIECE];
  k->solve->system->precondition(k->solve->system->user, k->t + i, own, i, n);
  firn_block_dot(sum, k->t + i, own, n);
}

// x += alpha y + omega z
static void advance(void *args, size_t i, size_t n, firn_linear_sum *unused) {
  bicgstab *k = args;
  (void)unused;
  firn_block_axpy(k->solve->x + i, (firn_real)k->alpha, k->y + i, n);
  firn_block_axpy(k->solve->x + i, (firn_real)k->omega, k->z + i, n);
}

// r = s - omega t; sums r'B^-1 r
static void reduce(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  bicgstab *k = args;
  alignas(64) firn_real own[FIRN_LINEAR_PIECE];
  firn_real *r = k->solve->r;
  firn_block_axpy(r + i, (firn_real)-k->omega, k->t + i, n);
  k->solve->system->precondition(k->solve->system->user, r + i, own, i, n);
  firn_block_dot(sum, r + i, own, n);
}

static void shadow_r(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  bicgstab *k = args;
  firn_block_dot(sum, k->shadow + i, k->solve->r + i, n);
}

// p = r + beta (p - omega w), y = B^-1 p
static void turn(void *args, size_t i, size_t n, firn_linear_sum *unused) {
  bicgstab *k = args;
  (void)unused;
  firn_block_axpy(k->p + i, (firn_real)-k->omega, k->w + i, n);
  firn_block_xpay(k->p + i, k->solve->r + i, (firn_real)k->beta, n);
  weigh(k, k->p, k->y, i, n);
}

size_t firn_bicgstab_workspace(size_t count) {
  return firn_linear_workspace(FIRN_BICGSTAB_VECTORS, count);
}

// One iteration; false where it cannot be made.
static firn_status iterate(bicgstab *k, double *rho, double *residual, bool *broken) {
  const firn_linear_solve *solve = k->solve;
  const firn_linear_system *system = solve->system;
  FIRN_TRY(system->apply(system->user, k->y, k->w));
  k->alpha = *rho / firn_linear_pass_alone(solve, shadow_w, k);
  *broken = !firn_linear_is_finite(k->alpha);
  if (*broken) return FIRN_OK;
  double half = firn_linear_pass_alone(solve, halfway, k);
  k->omega = 0;
  if (half <= solve->threshold && firn_linear_is_square(half)) { // the first half was enough
    firn_linear_pass_alone(solve, advance, k);
    *residual = half;
    return FIRN_OK;
  }
  FIRN_TRY(system->apply(system->user, k->z, k->t));
  double ts = firn_linear_pass_alone(solve, t_s, k), tt = firn_linear_pass_alone(solve, t_t, k);
  k->omega = ts / tt;
  *broken = !firn_linear_is_finite(k->omega) || k->omega == 0;
  if (*broken) { // half an iteration is what there is
    k->omega = 0;
    if (firn_linear_is_square(half)) firn_linear_pass_alone(solve, advance, k);
    return FIRN_OK;
  }
  double left = firn_linear_pass_alone(solve, reduce, k);
  *broken = !firn_linear_is_square(left);
  if (*broken) return FIRN_OK;
  firn_linear_pass_alone(solve, advance, k);
  *residual = left;
  double next = firn_linear_pass_alone(solve, shadow_r, k);
  // The shadow has turned away from the residual: begin again with the latter as shadow.
  if (!(fabs(next) > 1e-14 * left)) {
    *rho = firn_linear_pass_alone(solve, begin, k);
    return FIRN_OK;
  }
  k->beta = next / *rho * k->alpha / k->omega;
  *rho = next;
  *broken = !firn_linear_is_finite(k->beta);
  if (!*broken) firn_linear_pass_alone(solve, turn, k);
  return FIRN_OK;
}

firn_status firn_bicgstab_solve(const firn_linear_system *system, double tolerance,
                                double reference2, int max_iterations, firn_real *x, firn_real *r,
                                firn_real *workspace, firn_linear_result *out) {
  firn_linear_solve solve = {.max_iterations = max_iterations, .x = x, .r = r, .out = out};
  FIRN_TRY(
      firn_linear_set_up(&solve, system, tolerance, reference2, FIRN_BICGSTAB_VECTORS, workspace));
  if (out->converged || out->breakdown) return FIRN_OK;
  firn_real *const *v = solve.vector;
  bicgstab k = {&solve, v[0], v[1], v[2], v[3], v[4], v[5], 0, 0, 0};
  double rho = firn_linear_pass_alone(&solve, begin, &k), residual = rho;
  out->breakdown = !firn_linear_is_square(rho);
  firn_status status = FIRN_OK;
  while (!out->breakdown && residual > solve.threshold && out->iterations < max_iterations &&
         status == FIRN_OK) {
    status = iterate(&k, &rho, &residual, &out->breakdown);
    out->iterations++;
  }
  out->converged = residual <= solve.threshold;
  out->residual = residual == 0 ? 0 : sqrt(residual / reference2);
  return status;
}
