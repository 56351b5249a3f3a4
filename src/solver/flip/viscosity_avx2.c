// SPDX-License-Identifier: Apache-2.0
// The operator of viscosity.c in float, eight cells at a time. Products are not fused, so that plain C gives
// the same.
#define FIRN_LANE_AVX2
#include "solver/flip/viscosity.h"

#include "grid/beside_lane.h"

#ifndef FIRN_DOUBLE

// The block on side d, -x +x -y +y -z +z, of block g.
static inline size_t block_beside(const flip *s, size_t g, int d) {
  static const int offset[6] = {-9, 9, -3, 3, -1, 1};
  uint32_t other = s->grid.around[g][13 + offset[d]];
  return FLIP_CELLS * (other == FIRN_GRID_NONE ? s->grid.count : other);
}

// The normal stress along a, and the shear on edges along it: du_p/dx_q + du_q/dx_p.
FIRN_HD_INLINE void stress_along(const flip_flow *f, float *const u[3], const size_t side[6],
                                 size_t first, int a) {
  const int p = FLIP_OTHER[a][0], q = FLIP_OTHER[a][1];
  const lane factor = lane_set1(f->factor), half = lane_set1(f->factor / 2);
  for (int n = 0; n < FLIP_CELLS; n += FIRN_LANES) {
    size_t i = first + (size_t)n;
    lane up = firn_beside8(u[a] + first, u[a] + side[2 * a + 1], n, 2 * a + 1);
    lane_storeu(f->normal[a] + i, factor * lane_loadu(f->mu + i) * (up - lane_loadu(u[a] + i)));
    lane one = firn_beside8(u[p] + first, u[p] + side[2 * q], n, 2 * q);
    lane two = firn_beside8(u[q] + first, u[q] + side[2 * p], n, 2 * p);
    lane_storeu(f->shear[a] + i, half * lane_loadu(f->edge[a] + i) *
                                     (lane_loadu(u[p] + i) - one + lane_loadu(u[q] + i) - two));
  }
}

void flip_stress_avx2(const flip_flow *f, float *const u[3], size_t g) {
  size_t side[6];
  for (int d = 0; d < 6; d++) side[d] = block_beside(f->s, g, d);
  stress_along(f, u, side, FLIP_CELLS * g, 0);
  stress_along(f, u, side, FLIP_CELLS * g, 1);
  stress_along(f, u, side, FLIP_CELLS * g, 2);
}

FIRN_HD_INLINE void force_along(const flip_flow *f, const float *u, const size_t side[6],
                                size_t first, int a, float *out) {
  const int p = FLIP_OTHER[a][0], q = FLIP_OTHER[a][1];
  const float *normal = f->normal[a], *one = f->shear[p], *two = f->shear[q];
  for (int n = 0; n < FLIP_CELLS; n += FIRN_LANES) {
    size_t i = first + (size_t)n;
    lane down = firn_beside8(normal + first, normal + side[2 * a], n, 2 * a);
    lane sum = lane_loadu(f->density + i) * lane_loadu(u + i) + down - lane_loadu(normal + i);
    sum += lane_loadu(one + i) - firn_beside8(one + first, one + side[2 * q + 1], n, 2 * q + 1);
    sum += lane_loadu(two + i) - firn_beside8(two + first, two + side[2 * p + 1], n, 2 * p + 1);
    lmask asked = lane_gt(lane_loadu(f->inverse[a] + i), lane_zero());
    lane_storeu(out + i, lane_select(asked, sum, lane_zero()));
  }
}

void flip_force_avx2(const flip_flow *f, float *const u[3], size_t g, float *const out[3]) {
  size_t side[6];
  for (int d = 0; d < 6; d++) side[d] = block_beside(f->s, g, d);
  force_along(f, u[0], side, FLIP_CELLS * g, 0, out[0]);
  force_along(f, u[1], side, FLIP_CELLS * g, 1, out[1]);
  force_along(f, u[2], side, FLIP_CELLS * g, 2, out[2]);
}

#endif
