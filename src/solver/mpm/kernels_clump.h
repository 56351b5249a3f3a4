// SPDX-License-Identifier: Apache-2.0
// Conjugate residuals on patches of nodes (clump.h), as linear/cr.c has them: many small systems side
// by side, whose products with the matrix share one loop across particles. Vectors are gone through by
// rows of 16 reals, those only that have mass. Sums are formed lane by lane, of some tens of terms each, in
// working precision: the coefficients that they make need no more, and the residual follows x whatever
// these are.
#ifndef FIRN_SOLVER_MPM_KERNELS_CLUMP_H
#define FIRN_SOLVER_MPM_KERNELS_CLUMP_H

#include "linear/solve.h"
#include "math/lane.h"
#include "solver/mpm/kernels.h"

// The rows of a patch that have mass: where they begin.
typedef struct patch_rows {
  size_t count;
  uint16_t at[MPM_BUNDLE_REALS / FIRN_ROW_REALS];
} patch_rows;

// A pass over the rows of a patch, with what it may need.
typedef struct patch_pass {
  mpm_patch_vectors v;
  firn_real *x;
  lane factor, alpha, beta, owed;
} patch_pass;

// Works on the lanes at i and adds to a sum.
typedef lane (*patch_fn)(const patch_pass *p, size_t i, lane sum);

static inline __attribute__((always_inline)) lane patch_row(const patch_pass *p, patch_fn work,
                                                            size_t first, lane sum) {
  for (size_t k = 0; k < FIRN_ROW_REALS; k += FIRN_LANES) sum = work(p, first + k, sum);
  return sum;
}

// Two sums, so that one need not wait for the other.
static inline __attribute__((always_inline)) double patch_over(const patch_pass *p, patch_fn work,
                                                               const patch_rows *rows) {
  lane even = lane_zero(), odd = lane_zero();
  firn_real part[FIRN_LANES + 3] = {0}, four[4];
  size_t n = 0;
  for (; n + 1 < rows->count; n += 2) {
    even = patch_row(p, work, rows->at[n], even);
    odd = patch_row(p, work, rows->at[n + 1], odd);
  }
  if (n < rows->count) even = patch_row(p, work, rows->at[n], even);
  lane_storeu(part, even + odd);
  for (int k = 0; k < 4; k++) four[k] = part[k];
  for (int i = 4; i < FIRN_LANES; i += 4) {
    for (int k = 0; k < 4; k++) four[k] += part[i + k];
  }
  return (double)((four[0] + four[2]) + (four[1] + four[3]));
}

// Fills the vectors mass and inverse.
static void patch_masses(const mpm_view *view, size_t b, const mpm_patch_vectors *vectors);

static void patch_measure(const mpm_view *view, size_t b, const mpm_patch_vectors *vectors,
                          double sums[5]) {
  size_t first = view->box[b].arena, end = first + mpm_patch_reals(&view->box[b]);
  firn_linear_sum momentum = {{0}}, mass = {{0}}, energy = {{0}};
  firn_real one[FIRN_ROW_REALS], moved[FIRN_ROW_REALS];
  for (int k = 0; k < FIRN_ROW_REALS; k++) one[k] = 1;
  patch_masses(view, b, vectors);
  for (size_t i = first; i < end; i += FIRN_ROW_REALS) {
    const firn_real *m = vectors->mass + i, *v = view->node_v + i;
    for (int k = 0; k < FIRN_ROW_REALS; k++) moved[k] = m[k] * v[k];
    firn_block_dot(&momentum, m, v, FIRN_ROW_REALS);
    firn_block_dot(&mass, m, one, FIRN_ROW_REALS);
    firn_block_dot(&energy, moved, v, FIRN_ROW_REALS);
  }
  for (int a = 0; a < 3; a++) {
    sums[a] = 0;
    for (int k = a; k < FIRN_LINEAR_LANES; k += FIRN_NODE_REALS) sums[a] += momentum.lane[k];
  }
  sums[3] = firn_linear_sum_total(&mass) / 3;
  sums[4] = firn_linear_sum_total(&energy);
}

static void find_rows(const firn_real *mass, size_t reals, patch_rows *out) {
  out->count = 0;
  for (size_t i = 0; i < reals; i += FIRN_ROW_REALS) {
    lane most = lane_zero();
    for (size_t k = i; k < i + FIRN_ROW_REALS; k += FIRN_LANES) {
      most = lane_max(most, lane_load(mass + k));
    }
    out->at[out->count] = (uint16_t)i;
    out->count += lmask_any(lane_gt(most, lane_zero()));
  }
}

// r = -factor w, p = q = 0, z = M^-1 r; sums r'z.
static inline lane patch_begin(const patch_pass *p, size_t i, lane sum) {
  lane r = -p->factor * lane_load(p->v.w + i), z = r * lane_load(p->v.inverse + i);
  lane_store(p->v.r + i, r);
  lane_store(p->v.z + i, z);
  lane_store(p->v.p + i, lane_zero());
  lane_store(p->v.q + i, lane_zero());
  return lane_fma(r, z, sum);
}

// w = A z, from K z in w; sums z'w.
static inline lane patch_product(const patch_pass *p, size_t i, lane sum) {
  lane z = lane_load(p->v.z + i);
  lane w = lane_fma(lane_load(p->v.mass + i), z, p->factor * lane_load(p->v.w + i));
  lane_store(p->v.w + i, w);
  return lane_fma(z, w, sum);
}

// x += owed p, p = z + beta p, q = w + beta q; sums q'M^-1 q.
static inline lane patch_turn(const patch_pass *p, size_t i, lane sum) {
  lane way = lane_load(p->v.p + i);
  lane q = lane_fma(p->beta, lane_load(p->v.q + i), lane_load(p->v.w + i));
  lane_store(p->x + i, lane_fma(p->owed, way, lane_load(p->x + i)));
  lane_store(p->v.p + i, lane_fma(p->beta, way, lane_load(p->v.z + i)));
  lane_store(p->v.q + i, q);
  return lane_fma(q, q * lane_load(p->v.inverse + i), sum);
}

// r -= alpha q, z = M^-1 r; sums r'z.
static inline lane patch_advance(const patch_pass *p, size_t i, lane sum) {
  lane r = lane_fnma(p->alpha, lane_load(p->v.q + i), lane_load(p->v.r + i));
  lane z = r * lane_load(p->v.inverse + i);
  lane_store(p->v.r + i, r);
  lane_store(p->v.z + i, z);
  return lane_fma(r, z, sum);
}

// x += owed p, which is what x lags behind by.
static inline lane patch_settle(const patch_pass *p, size_t i, lane sum) {
  lane_store(p->x + i, lane_fma(p->owed, lane_load(p->v.p + i), lane_load(p->x + i)));
  return sum;
}

// z = x less the mean, where there is mass.
static void patch_difference(const patch_pass *p, size_t reals, const double mean[3]) {
  firn_real of[FIRN_ROW_REALS];
  for (int k = 0; k < FIRN_ROW_REALS; k++) of[k] = k % 4 < 3 ? (firn_real)mean[k % 4] : 0;
  for (size_t i = 0; i < reals; i += FIRN_LANES) {
    lane way = lane_load(p->x + i) - lane_loadu(of + i % FIRN_ROW_REALS);
    lmask moves = lane_gt(lane_load(p->v.mass + i), lane_zero());
    lane_store(p->v.z + i, lane_select(moves, way, lane_zero()));
  }
  memset(p->v.z + reals, 0, FIRN_ROW_REALS * sizeof *p->v.z); // what rows read beyond the end
}

// One iteration, given w = K z. See linear/cr.c.
static void patch_iterate(patch_pass *p, const patch_rows *rows, mpm_patch_system *s) {
  double last = s->zeta;
  s->zeta = patch_over(p, patch_product, rows);
  s->indefinite += s->zeta < 0;
  double beta = last != 0 ? s->zeta / last : 0;
  s->broken = !isfinite(s->zeta) || s->zeta == 0 || !firn_linear_is_finite(beta);
  if (s->broken) return;
  p->owed = lane_set1((firn_real)s->owed);
  p->beta = lane_set1((firn_real)beta);
  double qy = patch_over(p, patch_turn, rows), alpha = s->zeta / qy;
  s->owed = 0;
  s->broken = !(qy > 0) || !firn_linear_is_finite(alpha);
  if (s->broken) return;
  p->alpha = lane_set1((firn_real)alpha);
  s->residual = patch_over(p, patch_advance, rows);
  s->broken = !firn_linear_is_square(s->residual);
  if (s->broken) return;
  s->owed = alpha;
  s->iterations++;
}

static bool patch_goes_on(const mpm_patch_system *s) {
  return !s->solved && !s->broken && !(s->residual <= s->threshold) &&
         s->iterations < s->max_iterations;
}

static patch_pass pass_at(const mpm_view *view, const mpm_patch_vectors *all, size_t b) {
  size_t at = view->box[b].arena;
  return (patch_pass){.v = {.mass = all->mass + at,
                            .inverse = all->inverse + at,
                            .r = all->r + at,
                            .p = all->p + at,
                            .q = all->q + at,
                            .z = all->z + at,
                            .w = all->w + at},
                      .x = view->node_v + at,
                      .factor = lane_set1(view->stiffness_factor)};
}

// What products with K need of the particles of clumps that are not done, without gaps.
typedef struct patch_lanes {
  _Alignas(64) firn_real x[3][MPM_BUNDLE_SLOTS], s[6][MPM_BUNDLE_SLOTS];
  _Alignas(64) firn_real stiff[2][MPM_BUNDLE_SLOTS], vary[FIRN_VARY_COUNT][MPM_BUNDLE_SLOTS];
  uint16_t material[MPM_BUNDLE_SLOTS];
  firn_unit unit;
  firn_block block[MPM_BUNDLE_CLUMPS];
  mpm_box box[MPM_BUNDLE_CLUMPS];
  uint32_t of[MPM_BUNDLE_CLUMPS]; // which clump of the bundle
} patch_lanes;

static void fetch_lanes(patch_lanes *to, mpm_view *view) {
  size_t bytes = sizeof to->x[0];
  for (int a = 0; a < 3; a++) memcpy(to->x[a], view->x[a], bytes), view->x[a] = to->x[a];
  for (int i = 0; i < 6; i++) memcpy(to->s[i], view->s[i], bytes), view->s[i] = to->s[i];
  for (int i = 0; i < 2; i++) {
    memcpy(to->stiff[i], view->stiff[i], bytes), view->stiff[i] = to->stiff[i];
  }
  for (int i = 0; i < FIRN_VARY_COUNT && view->vary[i]; i++) {
    memcpy(to->vary[i], view->vary[i], bytes), view->vary[i] = to->vary[i];
  }
  memcpy(to->material, view->material, sizeof to->material);
  to->unit = *view->unit;
  memcpy(to->block, view->block, to->unit.block_count * sizeof *to->block);
  memcpy(to->box, view->box, to->unit.block_count * sizeof *to->box);
  for (uint32_t b = 0; b < to->unit.block_count; b++) to->of[b] = b;
  view->material = to->material;
  view->unit = &to->unit;
  view->block = to->block;
  view->box = to->box;
}

// Closes up where that spares the loop a group of lanes.
static void close_up(patch_lanes *lanes, const mpm_view *view, const mpm_patch_system *system) {
  firn_unit left = {0};
  for (uint32_t b = 0; b < lanes->unit.block_count; b++) {
    if (patch_goes_on(&system[lanes->of[b]])) left.count += lanes->block[b].count;
  }
  if ((left.count + FIRN_LANES - 1) / FIRN_LANES >=
      (lanes->unit.count + FIRN_LANES - 1) / FIRN_LANES) {
    return;
  }
  uint32_t to = 0;
  for (uint32_t b = 0; b < lanes->unit.block_count; b++) {
    firn_block block = lanes->block[b];
    if (!patch_goes_on(&system[lanes->of[b]])) continue;
    for (uint32_t i = block.first; i < block.first + block.count; i++, to++) {
      for (int a = 0; a < 3; a++) lanes->x[a][to] = lanes->x[a][i];
      for (int k = 0; k < 6; k++) lanes->s[k][to] = lanes->s[k][i];
      for (int k = 0; k < 2; k++) lanes->stiff[k][to] = lanes->stiff[k][i];
      for (int k = 0; k < FIRN_VARY_COUNT && view->vary[k]; k++) {
        lanes->vary[k][to] = lanes->vary[k][i];
      }
      lanes->material[to] = lanes->material[i];
    }
    uint32_t n = left.block_count++;
    lanes->block[n] = (firn_block){.first = to - block.count, .count = block.count};
    lanes->box[n] = lanes->box[b];
    lanes->of[n] = lanes->of[b];
  }
  lanes->unit = left;
}

static void patch_solve(const mpm_kernels *kernels, const mpm_view *view,
                        const mpm_patch_vectors *vectors, mpm_patch_system *system) {
  patch_pass pass[MPM_BUNDLE_CLUMPS];
  patch_rows rows[MPM_BUNDLE_CLUMPS];
  size_t count = view->unit[0].block_count;
  mpm_view product = *view; // K z, into w
  patch_lanes lanes;
  fetch_lanes(&lanes, &product);
  product.arena = vectors->w;
  product.direction = vectors->z;
  // The residual of the first guess, M v* - A v*, is that of v* less the mean: K gives 0 for the latter.
  for (size_t b = 0; b < count; b++) {
    size_t reals = mpm_patch_reals(&view->box[b]);
    pass[b] = pass_at(view, vectors, b);
    if (system[b].solved) continue;
    patch_difference(&pass[b], reals, system[b].mean);
    find_rows(pass[b].v.mass, reals, &rows[b]);
  }
  kernels->hessian(&product, 0);
  bool some = false;
  for (size_t b = 0; b < count; b++) {
    mpm_patch_system *s = &system[b];
    if (s->solved) continue;
    s->residual = patch_over(&pass[b], patch_begin, &rows[b]);
    s->broken = !firn_linear_is_square(s->residual);
    s->iterations = s->indefinite = 0;
    s->zeta = s->owed = 0;
    some = some || patch_goes_on(s);
  }
  while (some) {
    close_up(&lanes, &product, system);
    kernels->hessian(&product, 0);
    some = false;
    for (uint32_t k = 0; k < lanes.unit.block_count; k++) {
      uint32_t b = lanes.of[k];
      if (!patch_goes_on(&system[b])) continue;
      patch_iterate(&pass[b], &rows[b], &system[b]);
      some = some || patch_goes_on(&system[b]);
    }
  }
  for (size_t b = 0; b < count; b++) {
    if (system[b].solved) continue;
    pass[b].owed = lane_set1((firn_real)system[b].owed);
    if (system[b].owed != 0) patch_over(&pass[b], patch_settle, &rows[b]);
  }
}

#endif
