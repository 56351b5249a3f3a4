// SPDX-License-Identifier: Apache-2.0
// The loops of multigrid_kernels.h in float. Products are not fused, so that plain C gives the same. Wider
// lanes gain nothing: memory is waited for.
#define FIRN_LANE_AVX2
#include "grid/beside_lane.h"
#include "linear/multigrid_kernels.h"

#ifndef FIRN_DOUBLE

enum { CELLS = FIRN_MG_CELLS, L = FIRN_LANES };

// A block and those beside it.
typedef struct place {
  const float *in, *side[6];
} place;

static inline place place_of(const firn_mg_level *l, const float *x, size_t b) {
  place p = {.in = x + CELLS * b};
  for (int d = 0; d < 6; d++) p.side[d] = x + CELLS * (size_t)l->beside[b][d];
  return p;
}

// What the six neighbours hold of eight cells from n on.
FIRN_HD_INLINE void look_around(const place *p, int n, lane out[6]) {
  out[0] = firn_beside8(p->in, p->side[0], n, 0);
  out[1] = firn_beside8(p->in, p->side[1], n, 1);
  out[2] = firn_beside8(p->in, p->side[2], n, 2);
  out[3] = firn_beside8(p->in, p->side[3], n, 3);
  out[4] = firn_beside8(p->in, p->side[4], n, 4);
  out[5] = firn_beside8(p->in, p->side[5], n, 5);
}

// b - A x of eight cells.
FIRN_HD_INLINE lane residual_of(const firn_mg_level *l, const place *p, const float *right,
                                const float *c, int n) {
  lane o[6], in = lane_loadu(p->in + n), b = lane_loadu(right + n);
  look_around(p, n, o);
  if (!c) {
    lane sum = (o[0] + o[1]) + (o[2] + o[3]) + (o[4] + o[5]);
    return b + lane_set1(l->uniform) * (sum - lane_set1(6) * in);
  }
  lane w[6];
  for (int d = 0; d < 6; d++) w[d] = lane_loadu(c + d * CELLS + n) * o[d];
  lane sum = w[0] + w[1];
  sum += w[2] + w[3];
  sum += w[4] + w[5];
  return b + (sum - lane_loadu(c + FIRN_MG_DIAGONAL * CELLS + n) * in);
}

static void residual(const firn_mg_level *l, const float *x, size_t b, float *r) {
  const float *c = firn_mg_coefficients(l, b), *right = l->b + CELLS * b;
  place p = place_of(l, x, b);
  if (c) {
    for (int n = 0; n < CELLS; n += L) lane_storeu(r + n, residual_of(l, &p, right, c, n));
  } else {
    for (int n = 0; n < CELLS; n += L) lane_storeu(r + n, residual_of(l, &p, right, NULL, n));
  }
}

static void relax(const firn_mg_level *l, const float *x, size_t b, float step, float *y) {
  const float *c = firn_mg_coefficients(l, b), *right = l->b + CELLS * b;
  const lane even = lane_set1(step / (6 * l->uniform)), damping = lane_set1(step);
  place p = place_of(l, x, b);
  if (c) {
    for (int n = 0; n < CELLS; n += L) {
      lane by = damping * lane_loadu(c + FIRN_MG_INVERSE * CELLS + n);
      lane_storeu(y + n, lane_loadu(p.in + n) + by * residual_of(l, &p, right, c, n));
    }
  } else {
    for (int n = 0; n < CELLS; n += L)
      lane_storeu(y + n, lane_loadu(p.in + n) + even * residual_of(l, &p, right, NULL, n));
  }
}

static inline __m256d wide(lane a, int high) {
  return _mm256_cvtps_pd(high ? _mm256_extractf128_ps(a, 1) : _mm256_castps256_ps128(a));
}

static void multiply(const firn_mg_level *l, const float *x, size_t b, double *y) {
  const float *c = firn_mg_coefficients(l, b);
  place p = place_of(l, x, b);
  for (int n = 0; n < CELLS; n += L) {
    lane o[6], in = lane_loadu(p.in + n);
    look_around(&p, n, o);
    for (int high = 0; high < 2; high++) {
      __m256d here = wide(in, high), sum = _mm256_setzero_pd();
      for (int d = 0; d < 6; d++) {
        __m256d w = c ? wide(lane_loadu(c + d * CELLS + n), high)
                      : _mm256_set1_pd((double)l->uniform);
        sum += w * (here - wide(o[d], high));
      }
      if (c) sum += wide(lane_loadu(c + FIRN_MG_HOLD * CELLS + n), high) * here;
      _mm256_storeu_pd(y + n + 4 * high, sum);
    }
  }
}

static void prolong(const firn_mg_level *l, const float *from, size_t b, float *x) {
  const float *c = firn_mg_coefficients(l, b);
  for (int n = 0; n < CELLS; n += L) {
    // Two rows of four cells are below the same two.
    const float *two = from + 16 * (n >> 5) + 4 * (n >> 3 & 1);
    __m128 row = _mm_setr_ps(two[0], two[0], two[1], two[1]);
    lane value = _mm256_set_m128(row, row);
    if (c) {
      lmask exists = lane_gt(lane_loadu(c + FIRN_MG_INVERSE * CELLS + n), lane_zero());
      value = lane_select(exists, value, lane_zero());
    }
    lane_storeu(x + n, lane_loadu(x + n) + value);
  }
}

const firn_mg_kernels firn_mg_avx2 = {residual, relax, multiply, prolong};

#endif
