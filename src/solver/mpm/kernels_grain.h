// SPDX-License-Identifier: Apache-2.0
// Grains (mpm_grain of view.h), as far as basis and transfer do not matter.
#ifndef FIRN_SOLVER_MPM_KERNELS_GRAIN_H
#define FIRN_SOLVER_MPM_KERNELS_GRAIN_H

#include "solver/mpm/kernels_lane.h"

static inline mpm_grain *grains_of(const mpm_view *view, const mpm_box *box) {
  return (mpm_grain *)(void *)(view->arena + box->arena);
}

_Alignas(64) static const firn_real no_row[FIRN_ROW_REALS];

// Weights along x and y, a particle after the other.
typedef struct across {
  _Alignas(64) firn_real wx[L][4], wy[L][4], dx[L][4], dy[L][4];
} across;

static inline void turn_weights(const stage *s, bool flip, across *out) {
  row_transpose4(lane_load(s->wx[0]), lane_load(s->wx[1]), lane_load(s->wx[2]), lane_load(s->wx[3]),
                 out->wx);
  row_transpose4(lane_load(s->wy[0]), lane_load(s->wy[1]), lane_load(s->wy[2]), lane_load(s->wy[3]),
                 out->wy);
  if (!flip) return;
  row_transpose4(lane_load(s->dx[0]), lane_load(s->dx[1]), lane_load(s->dx[2]), lane_load(s->dx[3]),
                 out->dx);
  row_transpose4(lane_load(s->dy[0]), lane_load(s->dy[1]), lane_load(s->dy[2]), lane_load(s->dy[3]),
                 out->dy);
}

static inline void pad_weights(firn_real out[12], const firn_real w[4]) {
  memset(out, 0, 12 * sizeof *out);
  memcpy(out + 3, w, 4 * sizeof *w);
}

// Leaves lane l's particle, which is number i of its block, as a grain.
static inline void put_grain(const mpm_view *view, const mpm_box *box, uint32_t i, const stage *s,
                             const across *w, int l, bool flip) {
  mpm_grain *grain = grains_of(view, box) + i;
  row_storeu(grain->row, row_load(s->row[l]));
  memcpy(grain->wx, w->wx[l], sizeof grain->wx);
  memcpy(grain->wy, w->wy[l], sizeof grain->wy);
  pad_weights(grain->wz, s->wz[l]);
  if (flip) {
    memcpy(grain->dx, w->dx[l], sizeof grain->dx);
    memcpy(grain->dy, w->dy[l], sizeof grain->dy);
    pad_weights(grain->dz, s->dz[l]);
  }
  for (int a = 0; a < 3; a++) grain->first[a] = s->first[a][l];
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
static inline uint32_t offsets_of(const mpm_grain *grain, int width) {
  static const uint32_t along[3][3] = {{0x00001ff, 0x003fe00, 0x7fc0000},
                                       {0x01c0e07, 0x0e07038, 0x70381c0},
                                       {0x1249249, 0x2492492, 0x4924924}};
  uint32_t all = ~0u;
  for (int a = 0; a < 3; a++) {
    int first = (grain->first[a] + 4) >> 2, last = (grain->first[a] + width + 3) >> 2;
    all &= along[a][first] | along[a][last];
  }
  return all;
}

static inline spline spline_of_grain(const mpm_grain *g) {
  return (spline){g->wx, g->wy, g->dx, g->dy, g->wz + 3, g->dz + 3, NULL, 1};
}

// What was reaped for the lanes of a segment of spray.
static inline void take_reaped(const mpm_view *view, uint32_t slot, const segment *in, stage *s,
                               firn_real *pic) {
  const mpm_grain *grain = grains_of(view, &view->box[in->block]);
  grain += slot + (uint32_t)in->begin - view->block[in->block].first;
  for (int l = in->begin; l < in->end; l++, grain++) {
    row_store(s->row[l], row_loadu(grain->reaped));
    for (int c = 0; c < 3 && pic; c++) pic[c * L + l] = grain->reaped[4 * c + 3];
  }
}

#endif
