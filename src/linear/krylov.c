// SPDX-License-Identifier: Apache-2.0
#include "linear/krylov.h"

#include "linear/solve.h"

static size_t vector_count(firn_krylov kind) {
  switch (kind) {
  case FIRN_KRYLOV_CR: return FIRN_CR_VECTORS;
  case FIRN_KRYLOV_MINRES: return FIRN_MINRES_VECTORS;
  case FIRN_KRYLOV_CG: return FIRN_CG_VECTORS;
  }
  return 0;
}

// Doubles in one array of sums: one a chunk, when chunks are as small as they may be.
static size_t sums_count(size_t count) {
  return count / FIRN_LINEAR_BLOCK;
}

size_t firn_krylov_workspace(firn_krylov kind, size_t count) {
  size_t vectors = vector_count(kind);
  size_t sums = 2 * sums_count(count) * (sizeof(double) / sizeof(firn_real));
  return vectors ? vectors * count + sums : 0;
}

static firn_status check(firn_krylov kind, const firn_linear_system *s, double tolerance,
                         int max_iterations) {
  if (!vector_count(kind)) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT, "linear system: krylov is %d, not a solver",
                     (int)kind);
  }
  if (s->count % FIRN_LINEAR_BLOCK || !s->chunk || s->chunk % FIRN_LINEAR_BLOCK) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                     "linear system: count %zu and chunk %zu must be multiples of %d, chunk not 0",
                     s->count, s->chunk, FIRN_LINEAR_BLOCK);
  }
  if (!(tolerance >= 0) || max_iterations < 0) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                     "linear system: tolerance %g and max_iterations %d must not be negative",
                     tolerance, max_iterations);
  }
  return FIRN_OK;
}

firn_status firn_krylov_solve(firn_krylov kind, const firn_linear_system *system, double tolerance,
                              double reference2, int max_iterations, firn_real *x, firn_real *r,
                              firn_real *workspace, firn_linear_result *out) {
  *out = (firn_linear_result){0};
  FIRN_TRY(check(kind, system, tolerance, max_iterations));
  if (!firn_linear_is_square(reference2)) { // the right-hand side has blown up
    out->breakdown = true;
    out->residual = NAN;
    return FIRN_OK;
  }
  if (!system->count) {
    out->converged = true;
    return FIRN_OK;
  }

  void *behind = workspace + vector_count(kind) * system->count;
  double *sums = behind;
  firn_linear_solve solve = {
      .system = system,
      .threshold = tolerance * tolerance * reference2,
      .max_iterations = max_iterations,
      .chunks = (system->count - 1) / system->chunk + 1,
      .x = x,
      .r = r,
      .vectors = workspace,
      .sums = {sums, sums + sums_count(system->count)},
      .out = out,
  };
  firn_status status = FIRN_OK;
  switch (kind) {
  case FIRN_KRYLOV_CR: status = firn_cr_solve(&solve); break;
  case FIRN_KRYLOV_MINRES: status = firn_minres_solve(&solve); break;
  case FIRN_KRYLOV_CG: status = firn_cg_solve(&solve); break;
  }
  out->residual = out->residual == 0 ? 0 : sqrt(out->residual / reference2);
  return status;
}
