// SPDX-License-Identifier: Apache-2.0
#include "linear/multigrid_kernels.h"

#include <string.h>

#include "base/parallel.h"
#include "grid/block_map.h"
#include "world/morton.h"

enum { CELLS = FIRN_MG_CELLS };

// Jacobi's sweeps before the coarser level and, the other way round, after it, by so many times what he would
// take: Chebyshev's for the part of the spectrum that a coarser level does not see, from 1/3 (a wave along one
// axis, of four cells) to 2; from 0.4 it is a little better where cells are cut. They leave less of it than
// three sweeps of 0.8.
static const firn_real STEP[2] = {FIRN_R(0.5664), FIRN_R(1.5764)};
// Of the last level, in pairs.
enum { LAST_PAIRS = 15 };
// Levels of so many blocks are for one thread.
enum { SMALL = 32 };

void firn_multigrid_init(firn_multigrid *mg, firn_context *context) {
  memset(mg, 0, sizeof *mg);
  mg->context = context;
  mg->kernels = &firn_mg_scalar;
#if defined(__x86_64__) && !defined(FIRN_DOUBLE)
  if (context->isa != FIRN_ISA_SCALAR) mg->kernels = &firn_mg_avx2;
#endif
}

void firn_multigrid_free(firn_multigrid *mg) {
  for (int k = 0; k < FIRN_MG_LEVELS; k++) {
    firn_buffer_free(mg->context, &mg->level[k].places);
    firn_buffer_free(mg->context, &mg->level[k].coefficients);
    firn_buffer_free(mg->context, &mg->level[k].vectors);
  }
  firn_buffer_free(mg->context, &mg->table);
}

// --------------------------------------------------------------------------------------- layout

static size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

static firn_status reserve_places(firn_multigrid *mg, firn_mg_level *l, size_t count) {
  const size_t size[] = {sizeof *l->at,     sizeof *l->beside, sizeof *l->slot,
                         sizeof *l->parent, sizeof *l->octant, sizeof *l->child};
  void **const array[] = {(void **)&l->at,     (void **)&l->beside, (void **)&l->slot,
                          (void **)&l->parent, (void **)&l->octant, (void **)&l->child};
  size_t bytes = 0;
  for (int i = 0; i < 6; i++) bytes += aligned(count * size[i]);
  FIRN_TRY(firn_buffer_reserve(mg->context, &l->places, bytes, "multigrid"));
  char *at = l->places.data;
  for (int i = 0; i < 6; i++) {
    *array[i] = at;
    if (at) at += aligned(count * size[i]);
  }
  return FIRN_OK;
}

static firn_status reserve_reals(firn_multigrid *mg, firn_mg_level *l) {
  size_t vector = (l->count + 1) * CELLS * sizeof(firn_real);
  size_t coefficients = l->slots * FIRN_MG_COEFFICIENTS * CELLS * sizeof(firn_real);
  FIRN_TRY(firn_buffer_reserve(mg->context, &l->vectors, 3 * vector, "multigrid"));
  FIRN_TRY(firn_buffer_reserve(mg->context, &l->coefficients, coefficients, "multigrid"));
  l->x = l->vectors.data;
  l->y = l->x + (l->count + 1) * CELLS;
  l->b = l->y + (l->count + 1) * CELLS;
  l->coefficient = l->coefficients.data;
  // Cells that do not exist stay 0 for good, as does the block beside those that have none.
  memset(l->x, 0, 3 * vector);
  return FIRN_OK;
}

static firn_status clear_table(firn_multigrid *mg, size_t blocks, size_t *mask) {
  size_t size = 64;
  while (size < 2 * blocks) size *= 2;
  FIRN_TRY(firn_buffer_reserve(mg->context, &mg->table, size * sizeof(firn_block_map_entry),
                               "multigrid"));
  memset(mg->table.data, 0, size * sizeof(firn_block_map_entry));
  *mask = size - 1;
  return FIRN_OK;
}

// The table holds the level's blocks.
static void find_beside(const firn_multigrid *mg, firn_mg_level *l, size_t mask) {
  firn_block_map_entry *table = mg->table.data;
  FIRN_PARALLEL_FOR(mg->context, schedule(static))
  for (size_t b = 0; b < l->count; b++) {
    for (int d = 0; d < 6; d++) {
      int32_t at[3] = {l->at[b][0], l->at[b][1], l->at[b][2]}, n = l->period[d / 2];
      at[d / 2] += d % 2 ? 1 : -1;
      if (n) at[d / 2] = (at[d / 2] + n) % n;
      const firn_block_map_entry *entry = firn_block_map_find(table, mask, firn_morton(at));
      l->beside[b][d] = entry->key1 ? entry->value : (uint32_t)l->count;
    }
  }
}

// Numbers the blocks of a level in the order in which those of the finer one come to them.
static void number_parents(const firn_multigrid *mg, firn_mg_level *fine, firn_mg_level *coarse,
                           size_t mask) {
  firn_block_map_entry *table = mg->table.data;
  coarse->count = 0;
  for (size_t b = 0; b < fine->count; b++) {
    const int32_t *from = fine->at[b];
    int32_t at[3] = {from[0] >> 1, from[1] >> 1, from[2] >> 1};
    uint64_t key = firn_morton(at);
    firn_block_map_entry *entry = firn_block_map_find(table, mask, key);
    if (!entry->key1) {
      *entry = (firn_block_map_entry){key + 1, (uint32_t)coarse->count};
      memcpy(coarse->at[coarse->count], at, sizeof at);
      for (int o = 0; o < 8; o++) coarse->child[coarse->count][o] = UINT32_MAX;
      coarse->count++;
    }
    int octant = 4 * (from[0] & 1) + 2 * (from[1] & 1) + (from[2] & 1);
    fine->parent[b] = entry->value;
    fine->octant[b] = (uint8_t)octant;
    coarse->child[entry->value][octant] = (uint32_t)b;
  }
}

// A block is uniform where it is made of eight such.
static void deal_slots(const firn_mg_level *fine, firn_mg_level *coarse) {
  coarse->slots = 0;
  for (size_t b = 0; b < coarse->count; b++) {
    bool alike = true;
    for (int o = 0; o < 8; o++) {
      uint32_t child = coarse->child[b][o];
      alike = alike && child != UINT32_MAX && fine->slot[child] == FIRN_MG_UNIFORM;
    }
    for (int d = 0; d < 6; d++) alike = alike && coarse->beside[b][d] < coarse->count;
    coarse->slot[b] = alike ? FIRN_MG_UNIFORM : (uint32_t)coarse->slots++;
  }
}

static firn_status lay_coarser(firn_multigrid *mg, int k) {
  firn_mg_level *fine = &mg->level[k], *coarse = &mg->level[k + 1];
  size_t mask;
  FIRN_TRY(reserve_places(mg, coarse, fine->count));
  FIRN_TRY(clear_table(mg, fine->count, &mask));
  // An odd period has no half: the coarse level then knows nothing of it.
  for (int a = 0; a < 3; a++) coarse->period[a] = fine->period[a] % 2 ? 0 : fine->period[a] / 2;
  number_parents(mg, fine, coarse, mask);
  find_beside(mg, coarse, mask);
  deal_slots(fine, coarse);
  coarse->uniform = 2 * fine->uniform;
  return reserve_reals(mg, coarse);
}

firn_status firn_multigrid_layout(firn_multigrid *mg, size_t count, const int32_t (*at)[3],
                                  const uint8_t *uniform, const int32_t period[3]) {
  firn_mg_level *l = &mg->level[0];
  size_t mask;
  mg->levels = 0;
  FIRN_TRY(reserve_places(mg, l, count));
  FIRN_TRY(clear_table(mg, count, &mask));
  firn_block_map_entry *table = mg->table.data;
  l->count = count;
  l->uniform = 1;
  l->slots = 0;
  memcpy(l->period, period, sizeof l->period);
  if (count) memcpy(l->at, at, count * sizeof *at);
  for (size_t b = 0; b < count; b++) {
    uint64_t key = firn_morton(at[b]);
    *firn_block_map_find(table, mask, key) = (firn_block_map_entry){key + 1, (uint32_t)b};
    l->slot[b] = uniform[b] ? FIRN_MG_UNIFORM : (uint32_t)l->slots++;
  }
  find_beside(mg, l, mask);
  FIRN_TRY(reserve_reals(mg, l));
  int k = 0;
  for (; k + 1 < FIRN_MG_LEVELS && mg->level[k].count > 1; k++) FIRN_TRY(lay_coarser(mg, k));
  mg->levels = k + 1;
  return FIRN_OK;
}

// --------------------------------------------------------------------------------- coefficients

static void invert(firn_real *c) {
  for (int n = 0; n < CELLS; n++) {
    firn_real sum = c[FIRN_MG_HOLD * CELLS + n];
    for (int d = 0; d < 6; d++) sum += c[d * CELLS + n];
    c[FIRN_MG_DIAGONAL * CELLS + n] = sum;
    c[FIRN_MG_INVERSE * CELLS + n] = sum > 0 ? 1 / sum : 0;
  }
}

// Adds the eighth of a block that is a child.
static void add_child(const firn_mg_level *fine, uint32_t child, int octant, firn_real *c) {
  const firn_real half = FIRN_R(0.5), *from = firn_mg_coefficients(fine, child);
  for (int n = 0; n < CELLS; n++) {
    const int q[3] = {n >> 4, n >> 2 & 3, n & 3};
    int to = 16 * (2 * (octant >> 2) + q[0] / 2) + 4 * (2 * (octant >> 1 & 1) + q[1] / 2) +
             2 * (octant & 1) + q[2] / 2;
    for (int d = 0; d < 6; d++) {
      if (q[d / 2] % 2 != d % 2) continue; // inside of the coarse cell
      c[d * CELLS + to] += half * (from ? from[d * CELLS + n] : fine->uniform);
    }
    if (from) c[FIRN_MG_HOLD * CELLS + to] += half * from[FIRN_MG_HOLD * CELLS + n];
  }
}

// Faces to where no block is, which only a period that ends at this level makes.
static void close_faces(const firn_mg_level *l, size_t b, firn_real *c) {
  for (int n = 0; n < CELLS; n++) {
    const int q[3] = {n >> 4, n >> 2 & 3, n & 3};
    for (int d = 0; d < 6; d++)
      if (q[d / 2] == (d % 2 ? 3 : 0) && l->beside[b][d] == l->count) c[d * CELLS + n] = 0;
  }
}

void firn_multigrid_finish(firn_multigrid *mg) {
  FIRN_PARALLEL(mg->context) {
#pragma omp for schedule(static)
    for (size_t b = 0; b < mg->level[0].count; b++) {
      firn_real *c = firn_multigrid_block(mg, b);
      if (c) invert(c);
    }
    for (int k = 1; k < mg->levels; k++) {
      firn_mg_level *l = &mg->level[k];
#pragma omp for schedule(static)
      for (size_t b = 0; b < l->count; b++) {
        if (l->slot[b] == FIRN_MG_UNIFORM) continue;
        firn_real *c = l->coefficient + (size_t)l->slot[b] * FIRN_MG_COEFFICIENTS * CELLS;
        memset(c, 0, FIRN_MG_DIAGONAL * CELLS * sizeof *c);
        for (int o = 0; o < 8; o++)
          if (l->child[b][o] != UINT32_MAX) add_child(&mg->level[k - 1], l->child[b][o], o, c);
        close_faces(l, b, c);
        invert(c);
      }
    }
  }
}

// --------------------------------------------------------------------------------------- sweeps

// What the six neighbours of each cell hold.
static inline void look_around(const firn_mg_level *l, const firn_real *x, size_t b,
                               firn_real out[6][CELLS]) {
  const firn_real *in = x + CELLS * b, *side[6];
  for (int d = 0; d < 6; d++) side[d] = x + CELLS * (size_t)l->beside[b][d];
  memcpy(out[0], side[0] + 48, 16 * sizeof *in);
  memcpy(out[0] + 16, in, 48 * sizeof *in);
  memcpy(out[1], in + 16, 48 * sizeof *in);
  memcpy(out[1] + 48, side[1], 16 * sizeof *in);
  for (int s = 0; s < CELLS; s += 16) {
    memcpy(out[2] + s, side[2] + s + 12, 4 * sizeof *in);
    memcpy(out[2] + s + 4, in + s, 12 * sizeof *in);
    memcpy(out[3] + s, in + s + 4, 12 * sizeof *in);
    memcpy(out[3] + s + 12, side[3] + s, 4 * sizeof *in);
  }
  memcpy(out[4] + 1, in, 63 * sizeof *in);
  memcpy(out[5], in + 1, 63 * sizeof *in);
  for (int s = 0; s < CELLS; s += 4) {
    out[4][s] = side[4][s + 3];
    out[5][s + 3] = side[5][s];
  }
}

// r = b - A x on one block.
static void residual(const firn_mg_level *l, const firn_real *x, size_t b, firn_real *r) {
  const firn_real *c = firn_mg_coefficients(l, b), *in = x + CELLS * b, *right = l->b + CELLS * b;
  firn_real o[6][CELLS];
  look_around(l, x, b, o);
  if (!c) {
    for (int n = 0; n < CELLS; n++) {
      firn_real sum = (o[0][n] + o[1][n]) + (o[2][n] + o[3][n]) + (o[4][n] + o[5][n]);
      r[n] = right[n] + l->uniform * (sum - 6 * in[n]);
    }
    return;
  }
  for (int n = 0; n < CELLS; n++) {
    firn_real sum = c[n] * o[0][n] + c[CELLS + n] * o[1][n];
    sum += c[2 * CELLS + n] * o[2][n] + c[3 * CELLS + n] * o[3][n];
    sum += c[4 * CELLS + n] * o[4][n] + c[5 * CELLS + n] * o[5][n];
    r[n] = right[n] + (sum - c[FIRN_MG_DIAGONAL * CELLS + n] * in[n]);
  }
}

static void relax(const firn_mg_level *l, const firn_real *x, size_t b, firn_real step,
                  firn_real *y) {
  const firn_real even = step / (6 * l->uniform);
  const firn_real *c = firn_mg_coefficients(l, b), *in = x + CELLS * b;
  firn_real r[CELLS];
  residual(l, x, b, r);
  for (int n = 0; n < CELLS; n++)
    y[n] = in[n] + (c ? step * c[FIRN_MG_INVERSE * CELLS + n] : even) * r[n];
}

static void multiply(const firn_mg_level *l, const firn_real *x, size_t b, double *y) {
  const firn_real *c = firn_mg_coefficients(l, b), *in = x + CELLS * b;
  firn_real o[6][CELLS];
  look_around(l, x, b, o);
  for (int n = 0; n < CELLS; n++) {
    double here = (double)in[n], sum = 0;
    for (int d = 0; d < 6; d++) {
      double weight = c ? (double)c[d * CELLS + n] : (double)l->uniform;
      sum += weight * (here - (double)o[d][n]);
    }
    y[n] = c ? sum + (double)c[FIRN_MG_HOLD * CELLS + n] * here : sum;
  }
}

// The coarse cell of each of a block's, from the first of its eighth of a coarser block on.
static void prolong(const firn_mg_level *l, const firn_real *from, size_t b, firn_real *x) {
  const firn_real *c = firn_mg_coefficients(l, b);
  for (int n = 0; n < CELLS; n++) {
    firn_real value = from[16 * (n >> 5) + 4 * (n >> 3 & 1) + (n >> 1 & 1)];
    bool exists = !c || c[FIRN_MG_INVERSE * CELLS + n] > 0;
    x[n] += exists ? value : 0;
  }
}

const firn_mg_kernels firn_mg_scalar = {residual, relax, multiply, prolong};

// ----------------------------------------------------------------------------------------- cycle

// Who works on a level: all threads of a team, which wait for each other after each loop, or one alone.
typedef struct crew {
  int rank, size;
} crew;

// A loop over this one's share of a level's blocks.
#define FOR_SHARE(who, l, b)                                                                       \
  for (size_t b = (l)->count * (size_t)(who).rank / (size_t)(who).size,                            \
              end_ = (l)->count * (size_t)((who).rank + 1) / (size_t)(who).size;                   \
       b < end_; b++)

static void wait_for(crew who) {
  if (who.size == 1) return;
#pragma omp barrier
}

// y = x + step / diagonal (b - A x).
static void sweep(const firn_multigrid *mg, crew who, const firn_mg_level *l, firn_real step,
                  const firn_real *x, firn_real *y) {
  FOR_SHARE(who, l, b) mg->kernels->relax(l, x, b, step, y + CELLS * b);
  wait_for(who);
}

// The same from 0, for b = r if that is given.
static void sweep_first(crew who, const firn_mg_level *l, firn_real step, const double *r,
                        firn_real *y) {
  const firn_real even = step / (6 * l->uniform);
  FOR_SHARE(who, l, b) {
    const firn_real *c = firn_mg_coefficients(l, b);
    firn_real *right = l->b + CELLS * b, *out = y + CELLS * b;
    for (size_t n = 0; r && n < CELLS; n++) right[n] = (firn_real)r[CELLS * b + n];
    if (c) {
      for (int n = 0; n < CELLS; n++) out[n] = step * c[FIRN_MG_INVERSE * CELLS + n] * right[n];
    } else {
      for (int n = 0; n < CELLS; n++) out[n] = even * right[n];
    }
  }
  wait_for(who);
}

// Where an eighth of a coarser block begins.
static size_t eighth(const firn_mg_level *l, size_t b) {
  size_t o = l->octant[b];
  return CELLS * (size_t)l->parent[b] + 32 * (o >> 2) + 8 * (o >> 1 & 1) + 2 * (o & 1);
}

// The coarser level's b: sums of eight residuals.
static void restrict_to(const firn_multigrid *mg, crew who, const firn_mg_level *l,
                        const firn_mg_level *coarse) {
  FOR_SHARE(who, l, b) {
    firn_real r[CELLS], *out = coarse->b + eighth(l, b);
    mg->kernels->residual(l, l->x, b, r);
    for (int n = 0; n < 8; n++) {
      const firn_real *from = r + 32 * (n >> 2) + 8 * (n >> 1 & 1) + 2 * (n & 1);
      out[16 * (n >> 2) + 4 * (n >> 1 & 1) + (n & 1)] =
          ((from[0] + from[1]) + (from[4] + from[5])) +
          ((from[16] + from[17]) + (from[20] + from[21]));
    }
  }
  wait_for(who);
}

// Adds what the coarser level found.
static void prolong_from(const firn_multigrid *mg, crew who, const firn_mg_level *coarse,
                         const firn_mg_level *l) {
  FOR_SHARE(who, l, b) mg->kernels->prolong(l, coarse->x + eighth(l, b), b, l->x + CELLS * b);
  wait_for(who);
}

// From level i to the next, and back. Level 0 is of the vectors that were given.
static void descend(const firn_multigrid *mg, crew who, int i, const double *r) {
  const firn_mg_level *l = &mg->level[i];
  sweep_first(who, l, STEP[0], i ? NULL : r, l->y);
  sweep(mg, who, l, STEP[1], l->y, l->x);
  restrict_to(mg, who, l, l + 1);
}
static void ascend(const firn_multigrid *mg, crew who, int i, firn_real *z) {
  const firn_mg_level *l = &mg->level[i];
  prolong_from(mg, who, l + 1, l);
  sweep(mg, who, l, STEP[1], l->x, l->y);
  sweep(mg, who, l, STEP[0], l->y, i ? l->x : z);
}
// All of the last level.
static void settle(const firn_multigrid *mg, int i, const double *r, firn_real *z) {
  const firn_mg_level *l = &mg->level[i];
  const crew alone = {0, 1};
  sweep_first(alone, l, STEP[0], i ? NULL : r, l->y);
  for (int n = 0; n < LAST_PAIRS; n++) {
    sweep(mg, alone, l, STEP[1], l->y, l->x);
    sweep(mg, alone, l, n % 2 ? STEP[0] : STEP[1], l->x, l->y);
  }
  sweep(mg, alone, l, STEP[0], l->y, i ? l->x : z);
}

void firn_multigrid_cycle(void *user, const double *r, firn_real *z) {
  const firn_multigrid *mg = user;
  int last = mg->levels - 1, small = 0; // the first level of those for one thread
  while (small < last && mg->level[small].count > SMALL) small++;
  FIRN_PARALLEL(mg->context) {
    const crew all = {omp_get_thread_num(), omp_get_num_threads()}, alone = {0, 1};
    for (int i = 0; i < small; i++) descend(mg, all, i, r);
#pragma omp single
    {
      for (int i = small; i < last; i++) descend(mg, alone, i, r);
      settle(mg, last, r, z);
      for (int i = last - 1; i >= small; i--) ascend(mg, alone, i, z);
    }
    for (int i = small - 1; i >= 0; i--) ascend(mg, all, i, z);
  }
}

// --------------------------------------------------------------------------------------- product

void firn_multigrid_apply(void *user, const firn_real *p, double *y) {
  const firn_multigrid *mg = user;
  const firn_mg_level *l = &mg->level[0];
  FIRN_PARALLEL_FOR(mg->context, schedule(static))
  for (size_t b = 0; b < l->count; b++) mg->kernels->multiply(l, p, b, y + CELLS * b);
}
