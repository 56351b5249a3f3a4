// SPDX-License-Identifier: Apache-2.0
// Grains (mpm_grain of view.h), as far as basis and transfer do not matter.
#ifndef FIRN_SOLVER_MPM_KERNELS_GRAIN_H
#define FIRN_SOLVER_MPM_KERNELS_GRAIN_H

#include "solver/mpm/kernels_lane.h"

static inline mpm_grain *grains_of(const mpm_view *view, const mpm_box *box) {
  return (mpm_grain *)(void *)(view->arena + box->arena);
}

static inline mpm_grain *grain_of(const mpm_view *view, uint32_t grain) {
  return (mpm_grain *)(void *)(view->arena + FIRN_ROW_REALS * (size_t)grain);
}

// The grains of a unit, if there is nothing else in its arenas and these follow each other; else NULL. spray: and all of its
// blocks are, with no collider close to their particles.
static inline mpm_grain *grains_in_order(const mpm_view *view, const firn_unit *unit, bool spray) {
  const mpm_box *box = &view->box[unit->first_block];
  size_t arena = box->arena;
  bool all = unit->block_count > 1;
  for (uint32_t b = 0; b < unit->block_count && all; b++, box++) {
    const firn_block *block = &view->block[unit->first_block + b];
    all = box->thin && box->arena == arena;
    if (spray) all = all && !box->near && view->reach[unit->first_block + b].spray;
    arena += block->count * (sizeof(mpm_grain) / sizeof(firn_real));
  }
  return all ? grains_of(view, &view->box[unit->first_block]) : NULL;
}

static inline mpm_grain *grains_of_unit(const mpm_view *view, const firn_unit *unit) {
  return grains_in_order(view, unit, false);
}

static inline const mpm_grain *reaped_of_unit(const mpm_view *view, const firn_unit *unit) {
  return view->spray ? grains_in_order(view, unit, true) : NULL;
}

// Some grains, as many as a lane has places for, and their weights.
enum { TOGETHER = L / 4 };
typedef struct handful {
  mpm_grain *grain[TOGETHER];
  int count;
} handful;
typedef struct seeds {
  _Alignas(64) firn_real w[L][4],
      d[L][4];                   // [4 n + axis], weights of the n-th; under FLIP their derivatives
  _Alignas(64) int32_t first[L]; // [4 n + axis], first node of the stencil, from the block's corner
} seeds;

// One of these.
typedef struct grain_seed {
  const firn_real *row, *wx, *wy, *wz, *dx, *dy, *dz;
  const int32_t *first;
} grain_seed;

static inline grain_seed seed_of(const handful *h, const seeds *s, int n) {
  const firn_real(*w)[4] = s->w + 4 * n, (*d)[4] = s->d + 4 * n;
  return (grain_seed){h->grain[n]->row, w[0], w[1], w[2], d[0], d[1], d[2], s->first + 4 * n};
}

// Weights along z of four nodes, the first of them `from` behind that of the stencil (-3 to 3).
static inline row16 weights_from(const firn_real w[4], int from) {
  return from == 0 ? row_spread4(w) : row_spread4_from(w, from);
}

// value + n slope, for the nodes of a stencil from its second (-1 to 2).
static inline row16 row_offset(int n, row16 slope, row16 value) {
  return n == -1  ? row_sub(value, slope)
         : n == 0 ? value
         : n == 1 ? row_add(value, slope)
                  : row_fma(lane_set1(2), slope, value);
}

// Adds how much nodes fall in a step to four sums over them, by the weight of those that do, which is component w of the
// sums: once for all of a stencil.
static inline void add_fall(const row16 *fall, firn_real sums[16]) {
  row16 all = row_load(sums);
  row_store(sums, row_fma_row(*fall, row_broadcast_w(all), all));
}

// Leaves lane l's particle as a grain.
static inline void put_grain(const mpm_view *view, uint32_t slot, const stage *s, int l,
                             mpm_grain *grain) {
  // Of the group after the next, where all is thin; there may be none.
  __builtin_prefetch((void *)((uintptr_t)grain + 2 * L * sizeof *grain), 1);
  row_store(grain->row, row_load(s->row[l]));
  for (int a = 0; a < 3; a++) grain->row[7 + 4 * a] = view->x[a][slot + (uint32_t)l];
}

// The same for a whole group, which has `count` particles; r: their rows, across lanes.
static inline __attribute__((always_inline)) void put_rows(lane r[16], int count,
                                                           mpm_grain *grain) {
  for (int q = 0; q < FIRN_ROW_PARTS; q++) {
    lane_transpose(r + q * L);
    for (int l = 0; l < L; l++) {
      if (l < count) lane_store(grain[l].row + q * L, r[q * L + l]);
    }
  }
  for (int l = 0; l < L; l++) {
    __builtin_prefetch((void *)((uintptr_t)(grain + l) + 2 * L * sizeof *grain), 1);
  }
}

// What was reaped for a group, which is the first of `left` particles.
static inline __attribute__((always_inline)) void take_rows(const mpm_grain *grain, uint32_t left,
                                                            lane r[16]) {
  for (int l = 0; l < L; l++) {
    __builtin_prefetch((const void *)((uintptr_t)grain[l].reaped + 2 * L * sizeof *grain));
  }
  for (int q = 0; q < FIRN_ROW_PARTS; q++) {
    for (int l = 0; l < L; l++) {
      r[q * L + l] = (uint32_t)l < left ? lane_load(grain[l].reaped + q * L) : lane_zero();
    }
    lane_transpose(r + q * L);
  }
}

// Where a particle's stencil lies among node blocks, along x and y: the offset in `target` and the
// row in the block.
typedef struct places {
  int target[4], row[4];
} places;

static inline places places_along(int first, int width, int stride, int row) {
  places p = {{0}, {0}};
  for (int i = 0; i < width; i++) {
    int n = first + i, d = n < 0 ? -1 : n >> 2;
    p.target[i] = (d + 1) * stride;
    p.row[i] = (n & 3) * row;
  }
  return p;
}

// Bits of the offsets from its block at which a grain has nodes.
static inline uint32_t offsets_of(const int32_t grain_first[3], int width) {
  static const uint32_t along[3][3] = {{0x00001ff, 0x003fe00, 0x7fc0000},
                                       {0x01c0e07, 0x0e07038, 0x70381c0},
                                       {0x1249249, 0x2492492, 0x4924924}};
  uint32_t all = ~0u;
  for (int a = 0; a < 3; a++) {
    int first = (grain_first[a] + 4) >> 2, last = (grain_first[a] + width + 3) >> 2;
    all &= along[a][first] | along[a][last];
  }
  return all;
}

// Share of FLIP in the velocity of particles, of whose nodes a share damps (mpm_view.damps).
static inline lane flip_share(const mpm_view *view, lane damped) {
  lane alpha = lane_set1(view->alpha);
  return lane_fnma(alpha, damped, alpha);
}

// What was reaped for the lanes of a segment of spray.
static inline void take_reaped(const mpm_view *view, uint32_t slot, const segment *in, stage *s,
                               firn_real *pic) {
  const mpm_grain *grain = grains_of(view, &view->box[in->block]);
  grain += slot + (uint32_t)in->begin - view->block[in->block].first;
  for (int l = in->begin; l < in->end; l++, grain++) {
    // Of the group after the next, as put_grain does.
    __builtin_prefetch((const void *)((uintptr_t)grain->reaped + 2 * L * sizeof *grain));
    row_store(s->row[l], row_load(grain->reaped));
    for (int c = 0; c < 3 && pic; c++) pic[c * L + l] = grain->reaped[4 * c + 7];
  }
}

#endif
