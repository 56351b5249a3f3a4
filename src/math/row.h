// SPDX-License-Identifier: Apache-2.0
// A row of the grid: 4 consecutive nodes of 4 components (x, y, z, w), 16 reals in node order, held
// in one, two or four vector registers. Scatter and gather are written on rows and so read the same
// for every instruction set. Only for vector translation units: FIRN_LANES 4, 8 or 16.
#ifndef FIRN_MATH_ROW_H
#define FIRN_MATH_ROW_H

#include <string.h>

#include "math/lane.h"

#if FIRN_LANES > 1

#define FIRN_ROW_PARTS (16 / FIRN_LANES)
typedef struct row16 {
  lane r[FIRN_ROW_PARTS]; // [part][node within part, component]
} row16;

#define FIRN_ROW_MAP(expr)                                                                         \
  row16 out;                                                                                       \
  for (int k = 0; k < FIRN_ROW_PARTS; k++) out.r[k] = (expr);                                      \
  return out

FIRN_HD_INLINE row16 row_zero(void) {
  FIRN_ROW_MAP(lane_zero());
}
FIRN_HD_INLINE row16 row_set1(firn_real x) {
  FIRN_ROW_MAP(lane_set1(x));
}
FIRN_HD_INLINE row16 row_load(const firn_real *p) {
  FIRN_ROW_MAP(lane_load(p + k * FIRN_LANES));
}
FIRN_HD_INLINE row16 row_loadu(const firn_real *p) {
  FIRN_ROW_MAP(lane_loadu(p + k * FIRN_LANES));
}
FIRN_HD_INLINE void row_store(firn_real *p, row16 a) {
  for (int k = 0; k < FIRN_ROW_PARTS; k++) lane_store(p + k * FIRN_LANES, a.r[k]);
}
FIRN_HD_INLINE void row_storeu(firn_real *p, row16 a) {
  for (int k = 0; k < FIRN_ROW_PARTS; k++) lane_storeu(p + k * FIRN_LANES, a.r[k]);
}
FIRN_HD_INLINE row16 row_add(row16 a, row16 b) {
  FIRN_ROW_MAP(a.r[k] + b.r[k]);
}
FIRN_HD_INLINE row16 row_sub(row16 a, row16 b) {
  FIRN_ROW_MAP(a.r[k] - b.r[k]);
}
FIRN_HD_INLINE row16 row_mul(row16 a, row16 b) {
  FIRN_ROW_MAP(a.r[k] * b.r[k]);
}
FIRN_HD_INLINE row16 row_div(row16 a, row16 b) {
  FIRN_ROW_MAP(a.r[k] / b.r[k]);
}
FIRN_HD_INLINE row16 row_min(row16 a, row16 b) {
  FIRN_ROW_MAP(lane_min(a.r[k], b.r[k]));
}
FIRN_HD_INLINE row16 row_max(row16 a, row16 b) {
  FIRN_ROW_MAP(lane_max(a.r[k], b.r[k]));
}
// w is one number in all lanes: lane_set1(weight).
FIRN_HD_INLINE row16 row_scale(lane w, row16 a) {
  FIRN_ROW_MAP(w * a.r[k]);
}
FIRN_HD_INLINE row16 row_fma(lane w, row16 a, row16 c) {
  FIRN_ROW_MAP(lane_fma(w, a.r[k], c.r[k]));
}
FIRN_HD_INLINE row16 row_fnma(lane w, row16 a, row16 c) {
  FIRN_ROW_MAP(lane_fnma(w, a.r[k], c.r[k]));
}
// a*b + c, all rows.
FIRN_HD_INLINE row16 row_fma_row(row16 a, row16 b, row16 c) {
  FIRN_ROW_MAP(lane_fma(a.r[k], b.r[k], c.r[k]));
}
FIRN_HD_INLINE row16 row_sqrt(row16 a) {
  FIRN_ROW_MAP(lane_sqrt(a.r[k]));
}
// c - a*b, all rows.
FIRN_HD_INLINE row16 row_fnma_row(row16 a, row16 b, row16 c) {
  FIRN_ROW_MAP(lane_fnma(a.r[k], b.r[k], c.r[k]));
}
// a where x > y, else b.
FIRN_HD_INLINE row16 row_select_gt(row16 x, row16 y, row16 a, row16 b) {
  FIRN_ROW_MAP(lane_select(lane_gt(x.r[k], y.r[k]), a.r[k], b.r[k]));
}

#if defined(FIRN_LANE_AVX512) && !defined(FIRN_DOUBLE) // ---- 1 x 16 floats

// [a b c d] of one node to all four nodes.
FIRN_HD_INLINE row16 row_splat4(const firn_real *four) {
  row16 out;
  out.r[0] = _mm512_broadcast_f32x4(_mm_loadu_ps(four));
  return out;
}
// The same with 0 in place of d, which may be anything.
FIRN_HD_INLINE row16 row_splat3(const firn_real *four) {
  row16 out;
  out.r[0] = _mm512_maskz_broadcast_f32x4(0x7777, _mm_loadu_ps(four));
  return out;
}
// One weight a node: w4[0] four times, w4[1] four times, ...
FIRN_HD_INLINE row16 row_spread4(const firn_real *w4) {
  row16 out;
  __m512i i = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
  out.r[0] = _mm512_permutexvar_ps(i, _mm512_castps128_ps512(_mm_loadu_ps(w4)));
  return out;
}
// Component w of each node to the node's four components.
FIRN_HD_INLINE row16 row_broadcast_w(row16 a) {
  a.r[0] = _mm512_permute_ps(a.r[0], 0xff);
  return a;
}
// Component w of each node of four rows: those of a as x, of b as y, ...
FIRN_HD_INLINE row16 row_collect_w(row16 a, row16 b, row16 c, row16 d) {
  lane ab = _mm512_mask_permute_ps(_mm512_permute_ps(a.r[0], 0xff), 0x2222, b.r[0], 0xff);
  d.r[0] = _mm512_mask_permute_ps(_mm512_mask_blend_ps(0x8888, ab, d.r[0]), 0x4444, c.r[0], 0xff);
  return d;
}
// And back: component k of each node to its four.
FIRN_HD_INLINE row16 row_broadcast(row16 a, int k) {
  a.r[0] = k == 0   ? _mm512_permute_ps(a.r[0], 0x00)
           : k == 1 ? _mm512_permute_ps(a.r[0], 0x55)
           : k == 2 ? _mm512_permute_ps(a.r[0], 0xaa)
                    : _mm512_permute_ps(a.r[0], 0xff);
  return a;
}
// x, y, z of a with w of b.
FIRN_HD_INLINE row16 row_blend_w(row16 a, row16 b) {
  a.r[0] = _mm512_mask_blend_ps(0x8888, a.r[0], b.r[0]);
  return a;
}
// The sum over the components of each node, in all four of them: (x + y) + (z + w).
FIRN_HD_INLINE row16 row_sum_node(row16 a) {
  lane pair = a.r[0] + _mm512_permute_ps(a.r[0], 0xb1);
  a.r[0] = pair + _mm512_permute_ps(pair, 0x4e);
  return a;
}
// a for those nodes whose bits are set, else b.
FIRN_HD_INLINE row16 row_select_nodes(unsigned bits, row16 a, row16 b) {
  static const uint16_t mask[16] = {0x0000, 0x000f, 0x00f0, 0x00ff, 0x0f00, 0x0f0f, 0x0ff0, 0x0fff,
                                    0xf000, 0xf00f, 0xf0f0, 0xf0ff, 0xff00, 0xff0f, 0xfff0, 0xffff};
  a.r[0] = _mm512_mask_blend_ps(mask[bits], b.r[0], a.r[0]);
  return a;
}
// Nodes [first, first + count) of the row at p; the others are 0 and their memory is not touched.
FIRN_HD_INLINE row16 row_maskz_load(const firn_real *p, unsigned first, unsigned count) {
  row16 out;
  unsigned m = ((1u << 4 * count) - 1u) << 4 * first;
  out.r[0] = _mm512_maskz_loadu_ps((__mmask16)m, p);
  return out;
}
// The sum over the nodes of each row: out[0..3] of a, out[4..7] of b, ... Every instance adds
// (node 0 + node 2) + (node 1 + node 3).
FIRN_HD_INLINE void row_reduce4x4(row16 a, row16 b, row16 c, row16 d, firn_real out[16]) {
  lane ab = _mm512_shuffle_f32x4(a.r[0], b.r[0], 0x44) + _mm512_shuffle_f32x4(a.r[0], b.r[0], 0xee);
  lane cd = _mm512_shuffle_f32x4(c.r[0], d.r[0], 0x44) + _mm512_shuffle_f32x4(c.r[0], d.r[0], 0xee);
  lane_storeu(out, _mm512_shuffle_f32x4(ab, cd, 0x88) + _mm512_shuffle_f32x4(ab, cd, 0xdd));
}

#elif defined(FIRN_LANE_AVX512) // ---- 2 x 8 doubles

FIRN_HD_INLINE row16 row_splat4(const firn_real *four) {
  row16 out;
  out.r[0] = out.r[1] = _mm512_broadcast_f64x4(_mm256_loadu_pd(four));
  return out;
}
FIRN_HD_INLINE row16 row_splat3(const firn_real *four) {
  row16 out;
  out.r[0] = out.r[1] = _mm512_maskz_broadcast_f64x4(0x77, _mm256_loadu_pd(four));
  return out;
}
FIRN_HD_INLINE row16 row_spread4(const firn_real *w4) {
  row16 out;
  __m512d w = _mm512_castpd256_pd512(_mm256_loadu_pd(w4));
  out.r[0] = _mm512_permutexvar_pd(_mm512_set_epi64(1, 1, 1, 1, 0, 0, 0, 0), w);
  out.r[1] = _mm512_permutexvar_pd(_mm512_set_epi64(3, 3, 3, 3, 2, 2, 2, 2), w);
  return out;
}
FIRN_HD_INLINE row16 row_broadcast_w(row16 a) {
  FIRN_ROW_MAP(_mm512_permutex_pd(a.r[k], 0xff));
}
FIRN_HD_INLINE row16 row_collect_w(row16 a, row16 b, row16 c, row16 d) {
  for (int k = 0; k < 2; k++) {
    lane ab = _mm512_mask_permutex_pd(_mm512_permutex_pd(a.r[k], 0xff), 0x22, b.r[k], 0xff);
    d.r[k] = _mm512_mask_permutex_pd(_mm512_mask_blend_pd(0x88, ab, d.r[k]), 0x44, c.r[k], 0xff);
  }
  return d;
}
FIRN_HD_INLINE row16 row_broadcast(row16 a, int c) {
  FIRN_ROW_MAP(c == 0   ? _mm512_permutex_pd(a.r[k], 0x00)
               : c == 1 ? _mm512_permutex_pd(a.r[k], 0x55)
               : c == 2 ? _mm512_permutex_pd(a.r[k], 0xaa)
                        : _mm512_permutex_pd(a.r[k], 0xff));
}
FIRN_HD_INLINE row16 row_blend_w(row16 a, row16 b) {
  FIRN_ROW_MAP(_mm512_mask_blend_pd(0x88, a.r[k], b.r[k]));
}
FIRN_HD_INLINE row16 row_sum_node(row16 a) {
  for (int k = 0; k < 2; k++) {
    lane pair = a.r[k] + _mm512_permute_pd(a.r[k], 0x55);
    a.r[k] = pair + _mm512_permutex_pd(pair, 0x4e);
  }
  return a;
}
FIRN_HD_INLINE row16 row_select_nodes(unsigned bits, row16 a, row16 b) {
  static const uint8_t mask[4] = {0x00, 0x0f, 0xf0, 0xff};
  FIRN_ROW_MAP(_mm512_mask_blend_pd(mask[bits >> 2 * k & 3], b.r[k], a.r[k]));
}
FIRN_HD_INLINE row16 row_maskz_load(const firn_real *p, unsigned first, unsigned count) {
  row16 out;
  unsigned m = ((1u << 4 * count) - 1u) << 4 * first;
  out.r[0] = _mm512_maskz_loadu_pd((__mmask8)(m & 0xff), p);
  out.r[1] = _mm512_maskz_loadu_pd((__mmask8)(m >> 8 & 0xff), p + 8);
  return out;
}
FIRN_HD_INLINE void row_reduce4x4(row16 a, row16 b, row16 c, row16 d, firn_real out[16]) {
  lane sa = a.r[0] + a.r[1], sb = b.r[0] + b.r[1], sc = c.r[0] + c.r[1], sd = d.r[0] + d.r[1];
  lane_storeu(out, _mm512_shuffle_f64x2(sa, sb, 0x44) + _mm512_shuffle_f64x2(sa, sb, 0xee));
  lane_storeu(out + 8, _mm512_shuffle_f64x2(sc, sd, 0x44) + _mm512_shuffle_f64x2(sc, sd, 0xee));
}

#elif !defined(FIRN_DOUBLE) // ---- 2 x 8 floats

FIRN_HD_INLINE row16 row_splat4(const firn_real *four) {
  row16 out;
  __m128 v = _mm_loadu_ps(four);
  out.r[0] = out.r[1] = _mm256_insertf128_ps(_mm256_castps128_ps256(v), v, 1);
  return out;
}
FIRN_HD_INLINE row16 row_splat3(const firn_real *four) {
  row16 out;
  __m128 v = _mm_blend_ps(_mm_loadu_ps(four), _mm_setzero_ps(), 0x8);
  out.r[0] = out.r[1] = _mm256_insertf128_ps(_mm256_castps128_ps256(v), v, 1);
  return out;
}
FIRN_HD_INLINE row16 row_spread4(const firn_real *w4) {
  row16 out;
  __m128 v = _mm_loadu_ps(w4);
  __m256 w = _mm256_insertf128_ps(_mm256_castps128_ps256(v), v, 1);
  out.r[0] = _mm256_permutevar_ps(w, _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0));
  out.r[1] = _mm256_permutevar_ps(w, _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2));
  return out;
}
FIRN_HD_INLINE row16 row_broadcast_w(row16 a) {
  FIRN_ROW_MAP(_mm256_permute_ps(a.r[k], 0xff));
}
FIRN_HD_INLINE row16 row_collect_w(row16 a, row16 b, row16 c, row16 d) {
  for (int k = 0; k < 2; k++) {
    lane ab = _mm256_unpackhi_ps(a.r[k], b.r[k]), cd = _mm256_unpackhi_ps(c.r[k], d.r[k]);
    d.r[k] = _mm256_shuffle_ps(ab, cd, 0xee);
  }
  return d;
}
FIRN_HD_INLINE row16 row_broadcast(row16 a, int c) {
  FIRN_ROW_MAP(c == 0   ? _mm256_permute_ps(a.r[k], 0x00)
               : c == 1 ? _mm256_permute_ps(a.r[k], 0x55)
               : c == 2 ? _mm256_permute_ps(a.r[k], 0xaa)
                        : _mm256_permute_ps(a.r[k], 0xff));
}
FIRN_HD_INLINE row16 row_blend_w(row16 a, row16 b) {
  FIRN_ROW_MAP(_mm256_blend_ps(a.r[k], b.r[k], 0x88));
}
FIRN_HD_INLINE row16 row_sum_node(row16 a) {
  for (int k = 0; k < 2; k++) {
    lane pair = a.r[k] + _mm256_permute_ps(a.r[k], 0xb1);
    a.r[k] = pair + _mm256_permute_ps(pair, 0x4e);
  }
  return a;
}
FIRN_HD_INLINE row16 row_select_nodes(unsigned bits, row16 a, row16 b) {
  __m256i n = _mm256_set_epi32(2, 2, 2, 2, 1, 1, 1, 1);
  row16 out;
  for (int k = 0; k < 2; k++) {
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)(bits >> 2 * k)), n);
    out.r[k] = _mm256_blendv_ps(b.r[k], a.r[k], _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, n)));
  }
  return out;
}
FIRN_HD_INLINE row16 row_maskz_load(const firn_real *p, unsigned first, unsigned count) {
  row16 out;
  __m256i lo = _mm256_set1_epi32((int)first), hi = _mm256_set1_epi32((int)(first + count));
  __m256i n0 = _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0),
          n1 = _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2);
  __m256i m0 = _mm256_andnot_si256(_mm256_cmpgt_epi32(lo, n0), _mm256_cmpgt_epi32(hi, n0));
  __m256i m1 = _mm256_andnot_si256(_mm256_cmpgt_epi32(lo, n1), _mm256_cmpgt_epi32(hi, n1));
  out.r[0] = _mm256_maskload_ps(p, m0);
  out.r[1] = _mm256_maskload_ps(p + 8, m1);
  return out;
}
FIRN_HD_INLINE void row_reduce4x4(row16 a, row16 b, row16 c, row16 d, firn_real out[16]) {
  lane sa = a.r[0] + a.r[1], sb = b.r[0] + b.r[1], sc = c.r[0] + c.r[1], sd = d.r[0] + d.r[1];
  lane_storeu(out, _mm256_permute2f128_ps(sa, sb, 0x20) + _mm256_permute2f128_ps(sa, sb, 0x31));
  lane_storeu(out + 8, _mm256_permute2f128_ps(sc, sd, 0x20) + _mm256_permute2f128_ps(sc, sd, 0x31));
}

#else // ---- 4 x 4 doubles: a register is a node

FIRN_HD_INLINE row16 row_splat4(const firn_real *four) {
  row16 out;
  out.r[0] = out.r[1] = out.r[2] = out.r[3] = _mm256_loadu_pd(four);
  return out;
}
FIRN_HD_INLINE row16 row_splat3(const firn_real *four) {
  __m256d v = _mm256_blend_pd(_mm256_loadu_pd(four), _mm256_setzero_pd(), 0x8);
  FIRN_ROW_MAP(v);
}
FIRN_HD_INLINE row16 row_spread4(const firn_real *w4) {
  FIRN_ROW_MAP(lane_set1(w4[k]));
}
FIRN_HD_INLINE row16 row_broadcast_w(row16 a) {
  FIRN_ROW_MAP(_mm256_permute4x64_pd(a.r[k], 0xff));
}
FIRN_HD_INLINE row16 row_collect_w(row16 a, row16 b, row16 c, row16 d) {
  for (int k = 0; k < 4; k++) {
    lane ab = _mm256_unpackhi_pd(a.r[k], b.r[k]), cd = _mm256_unpackhi_pd(c.r[k], d.r[k]);
    d.r[k] = _mm256_permute2f128_pd(ab, cd, 0x31);
  }
  return d;
}
FIRN_HD_INLINE row16 row_broadcast(row16 a, int c) {
  FIRN_ROW_MAP(c == 0   ? _mm256_permute4x64_pd(a.r[k], 0x00)
               : c == 1 ? _mm256_permute4x64_pd(a.r[k], 0x55)
               : c == 2 ? _mm256_permute4x64_pd(a.r[k], 0xaa)
                        : _mm256_permute4x64_pd(a.r[k], 0xff));
}
FIRN_HD_INLINE row16 row_blend_w(row16 a, row16 b) {
  FIRN_ROW_MAP(_mm256_blend_pd(a.r[k], b.r[k], 0x8));
}
FIRN_HD_INLINE row16 row_sum_node(row16 a) {
  for (int k = 0; k < 4; k++) {
    lane pair = a.r[k] + _mm256_permute_pd(a.r[k], 0x5);
    a.r[k] = pair + _mm256_permute4x64_pd(pair, 0x4e);
  }
  return a;
}
FIRN_HD_INLINE row16 row_select_nodes(unsigned bits, row16 a, row16 b) {
  FIRN_ROW_MAP(bits >> k & 1 ? a.r[k] : b.r[k]);
}
FIRN_HD_INLINE row16 row_maskz_load(const firn_real *p, unsigned first, unsigned count) {
  FIRN_ROW_MAP((unsigned)k - first < count ? _mm256_loadu_pd(p + 4 * k) : _mm256_setzero_pd());
}
FIRN_HD_INLINE void row_reduce4x4(row16 a, row16 b, row16 c, row16 d, firn_real out[16]) {
  lane_storeu(out, (a.r[0] + a.r[2]) + (a.r[1] + a.r[3]));
  lane_storeu(out + 4, (b.r[0] + b.r[2]) + (b.r[1] + b.r[3]));
  lane_storeu(out + 8, (c.r[0] + c.r[2]) + (c.r[1] + c.r[3]));
  lane_storeu(out + 12, (d.r[0] + d.r[2]) + (d.r[1] + d.r[3]));
}

#endif

// Those nodes of a row that have been made, from bytes that are 1, or 0 for the others.
typedef struct row_made {
#if defined(FIRN_LANE_AVX512) && !defined(FIRN_DOUBLE)
  __mmask16 reals;
#else
  unsigned nodes; // bits
#endif
} row_made;
FIRN_HD_INLINE row_made row_made_of(const uint8_t made[4]) {
  uint32_t bytes;
  memcpy(&bytes, made, sizeof bytes);
#if defined(FIRN_LANE_AVX512) && !defined(FIRN_DOUBLE)
  __m128i node = _mm_set_epi8(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
  __m128i each = _mm_shuffle_epi8(_mm_set1_epi32((int)bytes), node);
  return (row_made){_mm_test_epi8_mask(each, each)};
#else
  return (row_made){bytes * 0x01020408u >> 24};
#endif
}
// These as they are, and 0 in place of the others.
FIRN_HD_INLINE row16 row_load_made(const firn_real *p, row_made made) {
#if defined(FIRN_LANE_AVX512) && !defined(FIRN_DOUBLE)
  row16 out;
  out.r[0] = _mm512_maskz_loadu_ps(made.reals, p);
  return out;
#else
  return row_select_nodes(made.nodes, row_loadu(p), row_zero());
#endif
}

// As row_spread4, for w4[-from], w4[1 - from], ...; 0 where that is not one of the four (from is -4 to 4).
FIRN_HD_INLINE row16 row_spread4_from(const firn_real *w4, int from) {
#if defined(FIRN_LANE_AVX512) && !defined(FIRN_DOUBLE)
  // In registers: what has just been written in two pieces cannot be read as one without a wait.
  row16 out;
  __m512i node = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
  __m512i i = _mm512_sub_epi32(node, _mm512_set1_epi32(from));
  __mmask16 in = _mm512_cmplt_epu32_mask(i, _mm512_set1_epi32(4));
  out.r[0] = _mm512_maskz_permutexvar_ps(in, i, _mm512_castps128_ps512(_mm_loadu_ps(w4)));
  return out;
#else
  firn_real all[12] = {0};
  for (int k = 0; k < 4; k++) all[4 + k] = w4[k];
  return row_spread4(all + 4 - from);
#endif
}

// Four values of each particle, from across lanes to one after the other: out[l] = a, b, c, d of
// lane l. out is aligned to 64 bytes.
FIRN_HD_INLINE void row_transpose4(lane a, lane b, lane c, lane d, firn_real (*out)[4]) {
#if defined(FIRN_DOUBLE)
  firn_real t[4][FIRN_LANES];
  lane_storeu(t[0], a);
  lane_storeu(t[1], b);
  lane_storeu(t[2], c);
  lane_storeu(t[3], d);
  for (int l = 0; l < FIRN_LANES; l++) {
    for (int i = 0; i < 4; i++) out[l][i] = t[i][l];
  }
#elif defined(FIRN_LANE_AVX512)
  __m512d ab0 = _mm512_castps_pd(_mm512_unpacklo_ps(a, b)),
          ab1 = _mm512_castps_pd(_mm512_unpackhi_ps(a, b)),
          cd0 = _mm512_castps_pd(_mm512_unpacklo_ps(c, d)),
          cd1 = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
  // Quarter q of quad[r] is the particle of lane 4 q + r.
  lane quad[4] = {_mm512_castpd_ps(_mm512_unpacklo_pd(ab0, cd0)),
                  _mm512_castpd_ps(_mm512_unpackhi_pd(ab0, cd0)),
                  _mm512_castpd_ps(_mm512_unpacklo_pd(ab1, cd1)),
                  _mm512_castpd_ps(_mm512_unpackhi_pd(ab1, cd1))};
  lane lo01 = _mm512_shuffle_f32x4(quad[0], quad[1], 0x44),
       hi01 = _mm512_shuffle_f32x4(quad[0], quad[1], 0xee),
       lo23 = _mm512_shuffle_f32x4(quad[2], quad[3], 0x44),
       hi23 = _mm512_shuffle_f32x4(quad[2], quad[3], 0xee);
  lane_store(out[0], _mm512_shuffle_f32x4(lo01, lo23, 0x88));
  lane_store(out[4], _mm512_shuffle_f32x4(lo01, lo23, 0xdd));
  lane_store(out[8], _mm512_shuffle_f32x4(hi01, hi23, 0x88));
  lane_store(out[12], _mm512_shuffle_f32x4(hi01, hi23, 0xdd));
#else
  __m256d ab0 = _mm256_castps_pd(_mm256_unpacklo_ps(a, b)),
          ab1 = _mm256_castps_pd(_mm256_unpackhi_ps(a, b)),
          cd0 = _mm256_castps_pd(_mm256_unpacklo_ps(c, d)),
          cd1 = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
  lane quad[4] = {_mm256_castpd_ps(_mm256_unpacklo_pd(ab0, cd0)),
                  _mm256_castpd_ps(_mm256_unpackhi_pd(ab0, cd0)),
                  _mm256_castpd_ps(_mm256_unpacklo_pd(ab1, cd1)),
                  _mm256_castpd_ps(_mm256_unpackhi_pd(ab1, cd1))};
  lane_store(out[0], _mm256_permute2f128_ps(quad[0], quad[1], 0x20));
  lane_store(out[2], _mm256_permute2f128_ps(quad[2], quad[3], 0x20));
  lane_store(out[4], _mm256_permute2f128_ps(quad[0], quad[1], 0x31));
  lane_store(out[6], _mm256_permute2f128_ps(quad[2], quad[3], 0x31));
#endif
}

// Component w of the second to fourth of four columns, for the rows of FIRN_LANES / 4 particles: three lanes each, and
// a fourth that is 0.
FIRN_HD_INLINE lane row_load_w3(const firn_real *const row[FIRN_LANES / 4]) {
#if defined(FIRN_LANE_AVX512) && !defined(FIRN_DOUBLE)
  const __m512i at = _mm512_set_epi32(0, 31, 27, 23, 0, 15, 11, 7, 0, 31, 27, 23, 0, 15, 11, 7);
  lane lo = _mm512_permutex2var_ps(lane_loadu(row[0]), at, lane_loadu(row[1]));
  lane hi = _mm512_permutex2var_ps(lane_loadu(row[2]), at, lane_loadu(row[3]));
  return _mm512_maskz_mov_ps(0x7777, _mm512_mask_blend_ps(0xff00, lo, hi));
#elif defined(FIRN_LANE_AVX512)
  const __m256d lo = _mm256_setr_pd(row[0][7], row[0][11], row[0][15], 0),
                hi = _mm256_setr_pd(row[1][7], row[1][11], row[1][15], 0);
  return _mm512_insertf64x4(_mm512_castpd256_pd512(lo), hi, 1);
#elif !defined(FIRN_DOUBLE)
  return _mm256_setr_ps(row[0][7], row[0][11], row[0][15], 0, row[1][7], row[1][11], row[1][15], 0);
#else
  return _mm256_setr_pd(row[0][7], row[0][11], row[0][15], 0);
#endif
}

// Sixteen values of each particle likewise: row out[l] is r[0] ... r[15] of lane l.
FIRN_HD_INLINE void row_transpose16(lane r[16], firn_real (*out)[16]) {
  for (int q = 0; q < FIRN_ROW_PARTS; q++) {
    lane_transpose(r + q * FIRN_LANES);
    for (int l = 0; l < FIRN_LANES; l++) lane_store(out[l] + q * FIRN_LANES, r[q * FIRN_LANES + l]);
  }
}
// And back.
FIRN_HD_INLINE void row_untranspose16(firn_real (*in)[16], lane r[16]) {
  for (int q = 0; q < FIRN_ROW_PARTS; q++) {
    for (int l = 0; l < FIRN_LANES; l++) r[q * FIRN_LANES + l] = lane_load(in[l] + q * FIRN_LANES);
    lane_transpose(r + q * FIRN_LANES);
  }
}

#endif // FIRN_LANES > 1
#endif
