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

// Reals from one vector of scratch to the next: each is aligned to 64 bytes.
static size_t stride_of(size_t count) {
  return (count + 15) / 16 * 16;
}

// Doubles in one array of sums: one a chunk, when chunks are as small as they may be.
static size_t sums_count(size_t count) {
  return (count + FIRN_LINEAR_PIECE - 1) / FIRN_LINEAR_PIECE;
}

size_t firn_linear_workspace(size_t vectors, size_t count) {
  size_t sums = 2 * sums_count(count) * (sizeof(double) / sizeof(firn_real));
  return vectors ? vectors * stride_of(count) + sums : 0;
}

size_t firn_krylov_workspace(firn_krylov kind, size_t count) {
  return firn_linear_workspace(vector_count(kind), count);
}

static firn_status check(const firn_linear_system *s, double tolerance, int max_iterations) {
  if (!s->block || s->block > FIRN_LINEAR_PIECE) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                     "linear system: blocks of %zu reals, not of 1 to %d", s->block,
                     FIRN_LINEAR_PIECE);
  }
  if (s->count % s->block || s->chunk < FIRN_LINEAR_PIECE || s->chunk % s->block) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                     "linear system: count %zu and chunk %zu must be multiples of block, %zu, and "
                     "chunk at least %d",
                     s->count, s->chunk, s->block, FIRN_LINEAR_PIECE);
  }
  if (!(tolerance >= 0) || max_iterations < 0) {
    return firn_fail(s->context, FIRN_ERROR_ARGUMENT,
                     "linear system: tolerance %g and max_iterations %d must not be negative",
                     tolerance, max_iterations);
  }
  return FIRN_OK;
}

double firn_linear_pass_chunk(const firn_linear_solve *solve, size_t first, size_t end,
                              firn_linear_pass_fn pass, void *args) {
  const uint8_t *still = solve->system->still;
  size_t block = solve->system->block, at_block = first / block; // counted, not divided for each
  double total = 0;
  for (size_t i = first; i < end; i += block, at_block++) {
    size_t start = i;
    for (; i < end && !(still && still[at_block]); at_block++) i += block;
    if (i == start) continue; // most, where most snow sleeps
    firn_linear_sum sum = {{0}};
    for (size_t at = start, n; at < i; at += n) {
      n = i - at < solve->piece ? i - at : solve->piece;
      pass(args, at, n, &sum);
    }
    total += firn_linear_sum_total(&sum);
  }
  return total;
}

static void begin(void *args, size_t i, size_t n, firn_linear_sum *rz) {
  const firn_linear_state *k = args;
  const firn_linear_solve *solve = k->solve;
  solve->system->precondition(solve->system->user, solve->r + i, k->direction + i, i, n);
  firn_block_dot(rz, solve->r + i, k->direction + i, n);
  for (int v = 0; v < k->zeros; v++) memset(solve->vector[v] + i, 0, n * sizeof(firn_real));
}

void firn_linear_begin(firn_linear_state *state) {
  state->residual = firn_linear_pass_alone(state->solve, begin, state);
}

void firn_linear_bend(void *args, size_t i, size_t n, firn_linear_sum *sum) {
  const firn_linear_state *k = args;
  firn_block_dot(sum, k->direction + i, k->product + i, n);
}

firn_status firn_linear_loop(firn_linear_state *state, void (*iterate)(void *state)) {
  const firn_linear_solve *solve = state->solve;
  const firn_linear_system *s = solve->system;
  firn_linear_result *out = solve->out;
  out->residual = state->residual;
  out->breakdown = !firn_linear_is_square(state->residual);
  out->converged = state->residual <= solve->threshold && !out->breakdown;
  while (!out->converged && !out->breakdown && out->iterations < solve->max_iterations) {
    FIRN_TRY(s->apply(s->user, state->direction, state->product));
    iterate(state);
    if (state->negative) out->indefinite++;
    out->breakdown = state->broken;
    if (state->broken) break;
    out->residual = state->residual;
    out->iterations++;
    out->converged = state->residual <= solve->threshold;
  }
  return FIRN_OK;
}

firn_status firn_linear_set_up(firn_linear_solve *solve, const firn_linear_system *system,
                               double tolerance, double reference2, size_t vectors,
                               firn_real *workspace) {
  firn_linear_result *out = solve->out;
  *out = (firn_linear_result){0};
  FIRN_TRY(check(system, tolerance, solve->max_iterations));
  if (!firn_linear_is_square(reference2)) { // the right-hand side has blown up
    out->breakdown = true;
    out->residual = NAN;
    return FIRN_OK;
  }
  out->converged = !system->count;
  if (out->converged) return FIRN_OK;
  size_t stride = stride_of(system->count);
  void *behind = workspace + vectors * stride;
  solve->system = system;
  solve->threshold = tolerance * tolerance * reference2;
  solve->chunks = (system->count - 1) / system->chunk + 1;
  solve->piece = FIRN_LINEAR_PIECE / system->block * system->block;
  solve->sums[0] = behind;
  solve->sums[1] = solve->sums[0] + sums_count(system->count);
  for (size_t i = 0; i < vectors; i++) solve->vector[i] = workspace + i * stride;
  return FIRN_OK;
}

firn_status firn_krylov_solve(firn_krylov kind, const firn_linear_system *system, double tolerance,
                              double reference2, int max_iterations, firn_real *x, firn_real *r,
                              firn_real *workspace, firn_linear_result *out) {
  firn_linear_solve solve = {.max_iterations = max_iterations, .x = x, .r = r, .out = out};
  firn_status status = FIRN_OK;
  if (!vector_count(kind)) {
    *out = (firn_linear_result){0};
    return firn_fail(system->context, FIRN_ERROR_ARGUMENT,
                     "linear system: krylov is %d, not a solver", (int)kind);
  }
  FIRN_TRY(
      firn_linear_set_up(&solve, system, tolerance, reference2, vector_count(kind), workspace));
  if (out->converged || out->breakdown) return FIRN_OK;
  switch (kind) {
  case FIRN_KRYLOV_CR: status = firn_cr_solve(&solve); break;
  case FIRN_KRYLOV_MINRES: status = firn_minres_solve(&solve); break;
  case FIRN_KRYLOV_CG: status = firn_cg_solve(&solve); break;
  }
  out->residual = out->residual == 0 ? 0 : sqrt(out->residual / reference2);
  return status;
}
