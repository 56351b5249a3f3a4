// SPDX-License-Identifier: Apache-2.0
// The pressure that keeps the fluid's volume: for each cell that has one
//
//   sum over faces of w_f (p_c - p_n) = - sum of +-[w_f u_f + (1 - w_f) b u_s],   u_f -= p_upper - p_lower,
//
// with p in units of density h/dt, w_f the open share of a face, u_s the velocity of the collider that has
// the rest (Batty et al. 2007) and b the share of it that the snow takes (section 4.2). Beyond the surface p is 0 at the distance theta that phi tells (ghost
// fluid, Enright et al. 2003): there p_c/theta takes the place of p_c - p_n.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/flip/flip.h"

// The shortest distance to the surface, in cells.
static const double THINNEST = 1e-3;

// The blocks that have cells with a pressure, which are those of the multigrid's level 0.
typedef struct poisson {
  size_t count;
  uint32_t *block;     // [count] of the grid
  uint32_t *of;        // [grid blocks + 1] the reverse; count: none
  int32_t (*at)[3];    // [count]
  uint8_t *uniform;    // [count]
  double *x, *r;       // [count][64]
  uint64_t *member;    // [count]
  uint64_t (*link)[3]; // [count]
  uint32_t *label;     // [count][64] number of the cell's pool
  uint32_t *forest;    // [count][64]
  double *pool;        // [count][64][2] of each pool: sum of r, cells; or -1: it has a surface
  void *workspace;
} poisson;

static firn_status reserve(flip *s, poisson *q) {
  size_t blocks = s->grid.count;
  q->count = 0;
  for (size_t g = 0; g < blocks; g++) q->count += s->active[g] != 0;
  size_t cells = q->count * FLIP_CELLS;
  const size_t bytes[] = {cells * sizeof *q->x,
                          cells * sizeof *q->r,
                          2 * cells * sizeof *q->pool,
                          q->count * sizeof *q->member,
                          q->count * sizeof *q->link,
                          cells * sizeof *q->label,
                          cells * sizeof *q->forest,
                          (q->count + 1) / 2 * 2 * sizeof *q->block,
                          (blocks + 2) / 2 * 2 * sizeof *q->of,
                          q->count * sizeof *q->at,
                          q->count};
  void **const array[] = {(void **)&q->x,      (void **)&q->r,      (void **)&q->pool,
                          (void **)&q->member, (void **)&q->link,   (void **)&q->label,
                          (void **)&q->forest, (void **)&q->block,  (void **)&q->of,
                          (void **)&q->at,     (void **)&q->uniform};
  enum { ARRAYS = sizeof bytes / sizeof *bytes };
  size_t all = 0;
  for (int i = 0; i < ARRAYS; i++) all += bytes[i];
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->wet, all + 64, "pressures"));
  FIRN_TRY(
      firn_buffer_reserve(s->world->context, &s->solve, firn_mixed_workspace(cells), "pressures"));
  char *at = s->wet.data;
  for (int i = 0; i < ARRAYS; i++) {
    *array[i] = at;
    at += bytes[i];
  }
  q->workspace = s->solve.data;
  return FIRN_OK;
}

// Whether a block and all around it is fluid, and no collider comes near.
static bool is_uniform(const flip *s, size_t g) {
  static const int offset[3] = {9, 3, 1};
  static const uint64_t last[3] = {0xffff000000000000u, 0xf000f000f000f000u, 0x8888888888888888u},
                        first[3] = {0x000000000000ffffu, 0x000f000f000f000fu, 0x1111111111111111u};
  if (s->cut[g] || ~s->active[g]) return false;
  for (int a = 0; a < 3; a++) {
    uint32_t below = s->grid.around[g][13 - offset[a]], above = s->grid.around[g][13 + offset[a]];
    if (below == FIRN_GRID_NONE || above == FIRN_GRID_NONE) return false;
    if (~s->active[below] & last[a] || ~s->active[above] & first[a]) return false;
  }
  return true;
}

static void list_blocks(flip *s, poisson *q) {
  size_t n = 0;
  for (size_t g = 0; g <= s->grid.count; g++) {
    q->of[g] = (uint32_t)q->count;
    if (g == s->grid.count || !s->active[g]) continue;
    q->of[g] = (uint32_t)n;
    q->block[n] = (uint32_t)g;
    memcpy(q->at[n], s->grid.at[g], sizeof *q->at);
    q->uniform[n++] = is_uniform(s, g);
  }
}

// Share of a cell that the surface is away, from a cell inside to its neighbour outside.
static double surface_at(const flip *s, size_t in, size_t out) {
  double a = (double)s->phi[0][in], b = (double)s->phi[0][out];
  return fmax(THINNEST, a / (a - b));
}

// What flows out of a cell through colliders and open faces, in units of a face's area.
static double outflow(const flip *s, size_t g, int c) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  double sum = 0, b = s->porous ? (double)s->b[0][i] : 1;
  for (int a = 0; a < 3; a++) {
    for (int up = 0; up < 2; up++) {
      size_t face = up ? flip_beside(s, g, c, a, 1) : i;
      double open = (double)s->open[a][face], flow = open * (double)s->u[a][face];
      if (open < 1) flow += (1 - open) * b * (double)s->wall[a][face];
      sum += up ? flow : -flow;
    }
  }
  return sum;
}

static void set_right(const flip *s, const poisson *q, size_t n) {
  size_t g = q->block[n];
  for (int c = 0; c < FLIP_CELLS; c++) {
    size_t i = FLIP_CELLS * n + (size_t)c;
    bool active = flip_bit(s->active, FLIP_CELLS * g + (size_t)c);
    q->x[i] = 0;
    q->r[i] = active ? -outflow(s, g, c) : 0;
  }
}

// Weights and hold of a block.
static void assemble(const flip *s, const poisson *q, size_t n) {
  size_t g = q->block[n];
  firn_real *weight = firn_multigrid_block(&s->mg, n);
  memset(q->link[n], 0, sizeof *q->link);
  q->member[n] = s->active[g];
  if (!weight) {
    memset(q->link[n], 0xff, sizeof *q->link);
    return;
  }
  memset(weight, 0, (FIRN_MG_HOLD + 1) * FLIP_CELLS * sizeof *weight);
  for (int c = 0; c < FLIP_CELLS; c++) {
    size_t i = FLIP_CELLS * g + (size_t)c;
    double hold = 0;
    if (!flip_bit(s->active, i)) continue;
    for (int d = 0; d < 6; d++) {
      size_t other = flip_beside(s, g, c, d / 2, d % 2 ? 1 : -1), face = d % 2 ? other : i;
      firn_real open = s->open[d / 2][face];
      if (!(open > 0)) continue;
      if (flip_bit(s->active, other)) {
        weight[d * FLIP_CELLS + c] = open;
        if (d % 2 == 0) q->link[n][d / 2] |= (uint64_t)1 << c;
      } else {
        hold += (double)open / surface_at(s, i, other);
      }
    }
    weight[FIRN_MG_HOLD * FLIP_CELLS + c] = (firn_real)hold;
  }
}

// Finds pools, and which have a surface: that has pool[1] = -1, others the number of their cells.
static void find_pools(flip *s, const poisson *q) {
  const firn_mg_level *level = &s->mg.level[0];
  size_t pools = flip_pools(q->count, q->member, (const uint64_t(*)[3])q->link,
                            (const uint32_t(*)[6])level->beside, q->label, q->forest);
  memset(q->pool, 0, 2 * pools * sizeof *q->pool);
  s->last.closed = s->last.cells = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < q->count * FLIP_CELLS; i++) {
      if (!flip_bit(q->member, i)) continue;
      const firn_real *weight = firn_multigrid_block(&s->mg, i / FLIP_CELLS);
      double *size = q->pool + 2 * (size_t)q->label[i] + 1;
      bool held = weight && weight[FIRN_MG_HOLD * FLIP_CELLS + i % FLIP_CELLS] > 0;
      if (pass == 0 && held) *size = -1;
      if (pass == 0) s->last.cells++;
      if (pass == 1 && *size >= 0) {
        ++*size;
        s->last.closed++;
      }
    }
  }
}

// A pool without a surface has a pressure up to a constant, and only if no more flows in than out: what
// does is taken from all its cells alike.
static void balance_closed(const flip *s, const poisson *q) {
  for (int pass = 0; pass < 3 && s->last.closed; pass++) {
    for (size_t i = 0; i < q->count * FLIP_CELLS; i++) {
      if (!flip_bit(q->member, i)) continue;
      double *pool = q->pool + 2 * (size_t)q->label[i];
      if (!(pool[1] > 0)) continue;
      if (pass == 0) pool[0] = 0;
      if (pass == 1) pool[0] += q->r[i];
      if (pass == 2) q->r[i] -= pool[0] / pool[1];
    }
  }
}

// Solves for x until |r| is below tolerance times reference.
static firn_status solve(flip *s, const poisson *q, double tolerance, double reference) {
  firn_mixed_system system = {s->world->context, q->count * FLIP_CELLS, &s->mg,
                              firn_multigrid_apply, firn_multigrid_cycle};
  firn_linear_result result;
  firn_mixed_solve(&system, tolerance, reference, s->def.pressure_iterations, q->x, q->r,
                   q->workspace, &result);
  s->last.pressure_iterations += result.iterations;
  s->last.unconverged += !result.converged;
  s->last.residual = fmax(s->last.residual, result.residual);
  if (!result.breakdown) return FIRN_OK;
  return firn_fail(s->world->context, FIRN_ERROR_NONFINITE,
                   "step %llu at time %g s: the pressure of %zu cells is not finite; a step of %g "
                   "s may be too long",
                   (unsigned long long)s->memory.steps, s->world->time, s->last.cells, s->dt);
}

static double norm_of(const flip *s, const poisson *q) {
  return sqrt(firn_mixed_norm2(s->world->context, q->r, q->count * FLIP_CELLS, q->workspace));
}

// The residual that rounding leaves: velocities have no more digits than their type.
static double rounding(const flip *s) {
  const double *gravity = s->world->gravity;
  double fall = 0;
  for (int a = 0; a < 3; a++) fall += gravity[a] * gravity[a];
  double speed = sqrt(s->memory.speed2_max) + s->dt * sqrt(fall);
  return (double)FIRN_REAL_EPS * speed * sqrt((double)s->last.cells);
}

double flip_drop(const flip *s, size_t g, int c, int a) {
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  if (!flip_bit(s->active, below)) return s->p[i] / surface_at(s, i, below);
  if (!flip_bit(s->active, i)) return -s->p[below] / surface_at(s, below, i);
  return s->p[i] - s->p[below];
}

// Takes the gradient of the pressure from open faces beside the fluid. These are then known.
static void press_block(flip *s, size_t g) {
  for (int a = 0; a < 3; a++) {
    uint64_t known = 0;
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
      if (!(s->open[a][i] > 0)) continue;
      if (!flip_bit(s->active, i) && !flip_bit(s->active, below)) continue;
      s->u[a][i] = (firn_real)((double)s->u[a][i] - flip_drop(s, g, c, a));
      known |= (uint64_t)1 << c;
    }
    s->known[a][g] = s->moved[a][g] = known;
  }
}

// The least pressure in a cell: on the walls that close it, half a cell from its middle.
static double least_in(const flip *s, size_t g, int c) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  double least = s->p[i];
  for (int a = 0; a < 3; a++) {
    size_t above = flip_beside(s, g, c, a, 1), below = flip_beside(s, g, c, a, -1);
    double up = (double)s->open[a][above], down = (double)s->open[a][i];
    if (down > 0 && flip_bit(s->active, below))
      least -= (1 - up) / 2 * fmax(0, s->p[below] - s->p[i]);
    if (up > 0 && flip_bit(s->active, above))
      least -= (1 - down) / 2 * fmax(0, s->p[above] - s->p[i]);
  }
  return least;
}

// Pressures of a pool without a surface are from 0 upwards.
static void shift_closed(const flip *s, const poisson *q) {
  for (int pass = 0; pass < 3 && s->last.closed; pass++) {
    for (size_t i = 0; i < q->count * FLIP_CELLS; i++) {
      if (!flip_bit(q->member, i)) continue;
      double *pool = q->pool + 2 * (size_t)q->label[i];
      size_t g = q->block[i / FLIP_CELLS], c = i % FLIP_CELLS;
      if (!(pool[1] > 0)) continue;
      if (pass == 0) pool[0] = (double)INFINITY;
      if (pass == 1) pool[0] = fmin(pool[0], least_in(s, g, (int)c));
      if (pass == 2) s->p[FLIP_CELLS * g + c] -= pool[0];
    }
  }
}

static void press(flip *s, const poisson *q) {
  for (size_t n = 0; n < q->count; n++)
    memcpy(s->p + FLIP_CELLS * (size_t)q->block[n], q->x + FLIP_CELLS * n,
           FLIP_CELLS * sizeof *s->p);
  shift_closed(s, q);
  FLIP_FOR_BLOCKS(s, g) press_block(s, g);
}

firn_status flip_project(flip *s, bool again) {
  poisson q = {0};
  double start = firn_seconds();
  FIRN_TRY(reserve(s, &q)); // where it was before, if again
  if (!again) {
    list_blocks(s, &q);
    FIRN_TRY(firn_multigrid_layout(&s->mg, q.count, (const int32_t(*)[3])q.at, q.uniform,
                                   s->world->particles.period));
    FIRN_PARALLEL_FOR(s->world->context, schedule(dynamic, 8))
    for (size_t n = 0; n < q.count; n++) assemble(s, &q, n);
    firn_multigrid_finish(&s->mg);
    find_pools(s, &q);
  }
  FIRN_PARALLEL_FOR(s->world->context, schedule(dynamic, 8))
  for (size_t n = 0; n < q.count; n++) set_right(s, &q, n);
  balance_closed(s, &q);
  // A second solve of a step need not be more exact than the first.
  double norm = q.count ? norm_of(s, &q) : 0;
  s->last.norm = fmax(s->last.norm, norm);
  double tolerance = norm > 0 ? fmax(s->def.pressure_tolerance, rounding(s) / s->last.norm) : 1;
  if (q.count) FIRN_TRY(solve(s, &q, tolerance, s->last.norm));
  press(s, &q);
  s->cost.project += firn_seconds() - start;
  return FIRN_OK;
}

firn_status flip_spread(flip *s, const double *source) {
  const double tolerance = 1e-3;
  poisson q = {0};
  FIRN_TRY(reserve(s, &q)); // where the projection had it
  double norm = 0;
  for (size_t n = 0; n < q.count; n++) {
    for (size_t c = 0; c < FLIP_CELLS; c++) {
      q.x[FLIP_CELLS * n + c] = 0;
      q.r[FLIP_CELLS * n + c] = source[FLIP_CELLS * (size_t)q.block[n] + c];
    }
  }
  balance_closed(s, &q);
  if (q.count) norm = norm_of(s, &q);
  if (norm > 0) FIRN_TRY(solve(s, &q, tolerance, norm));
  press(s, &q);
  return FIRN_OK;
}
