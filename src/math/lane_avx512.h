// SPDX-License-Identifier: Apache-2.0
// lane = 16 floats or 8 doubles: the AVX-512 instance of lane.h.
#ifndef FIRN_MATH_LANE_AVX512_H
#define FIRN_MATH_LANE_AVX512_H

#include <immintrin.h>

// The types are spelt out so that tools that do not read <immintrin.h> know their size.
#ifdef FIRN_DOUBLE
#define FIRN_LANES  8
#define FIRN_MM(op) _mm512_##op##_pd
typedef double lane __attribute__((vector_size(64), may_alias)); // __m512d
typedef __mmask8 lmask;
typedef __m256i ilane;
#define FIRN_MM_CMP(a, b, op) _mm512_cmp_pd_mask(a, b, op)
#define FIRN_MMI(op)          _mm256_##op##_epi32
#define FIRN_MMS(op)          _mm256_##op##_si256
#define FIRN_LMASK_FULL       0xffu
#else
#define FIRN_LANES            16
#define FIRN_MM(op)           _mm512_##op##_ps
typedef float lane __attribute__((vector_size(64), may_alias)); // __m512
typedef __mmask16 lmask;
typedef __m512i ilane;
#define FIRN_MM_CMP(a, b, op) _mm512_cmp_ps_mask(a, b, op)
#define FIRN_MMI(op)          _mm512_##op##_epi32
#define FIRN_MMS(op)          _mm512_##op##_si512
#define FIRN_LMASK_FULL       0xffffu
#endif

#include "math/lane_x86.h"

FIRN_HD_INLINE lane lane_abs(lane a) {
  return FIRN_MM(abs)(a);
}
FIRN_HD_INLINE lane lane_floor(lane a) {
  return FIRN_MM(roundscale)(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
FIRN_HD_INLINE lane lane_round(lane a) {
  return FIRN_MM(roundscale)(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

FIRN_HD_INLINE lane lane_select(lmask m, lane a, lane b) {
  return FIRN_MM(mask_blend)(m, b, a);
}
FIRN_HD_INLINE lmask lmask_and(lmask a, lmask b) {
  return (lmask)(a & b);
}
FIRN_HD_INLINE lmask lmask_or(lmask a, lmask b) {
  return (lmask)(a | b);
}
FIRN_HD_INLINE lmask lmask_not(lmask a) {
  return (lmask)(~a & FIRN_LMASK_FULL);
}
FIRN_HD_INLINE int lmask_any(lmask a) {
  return a != 0;
}
FIRN_HD_INLINE int lmask_all(lmask a) {
  return a == FIRN_LMASK_FULL;
}
FIRN_HD_INLINE int lmask_none(lmask a) {
  return a == 0;
}
FIRN_HD_INLINE unsigned lmask_bits(lmask a) {
  return a;
}
FIRN_HD_INLINE lmask lane_mask_first(int n) {
  return n <= 0 ? (lmask)0 : n >= FIRN_LANES ? (lmask)FIRN_LMASK_FULL : (lmask)((1u << n) - 1u);
}

// ---- integers: as many as there are lanes, so half a register beside doubles
#ifdef FIRN_DOUBLE
FIRN_HD_INLINE ilane lane_to_ilane(lane a) {
  return _mm512_cvtpd_epi32(a);
}
FIRN_HD_INLINE lane ilane_to_lane(ilane a) {
  return _mm512_cvtepi32_pd(a);
}
FIRN_HD_INLINE lane lane_gather(const firn_real *base, ilane i) {
  return _mm512_i32gather_pd(i, base, 8);
}
FIRN_HD_INLINE ilane ilane_gather(const int32_t *base, ilane i) {
  return _mm256_i32gather_epi32(base, i, 4);
}
FIRN_HD_INLINE ilane ilane_gather16(const uint16_t *base, ilane i) {
  return _mm256_and_si256(_mm256_i32gather_epi32((const int *)base, i, 2),
                          _mm256_set1_epi32(0xffff));
}
FIRN_HD_INLINE lmask ilane_negative(ilane a) {
  return _mm256_movepi32_mask(a);
}
#else
FIRN_HD_INLINE ilane lane_to_ilane(lane a) {
  return _mm512_cvtps_epi32(a);
}
FIRN_HD_INLINE lane ilane_to_lane(ilane a) {
  return _mm512_cvtepi32_ps(a);
}
FIRN_HD_INLINE lane lane_gather(const firn_real *base, ilane i) {
  return _mm512_i32gather_ps(i, base, 4);
}
FIRN_HD_INLINE ilane ilane_gather(const int32_t *base, ilane i) {
  return _mm512_i32gather_epi32(i, base, 4);
}
FIRN_HD_INLINE ilane ilane_gather16(const uint16_t *base, ilane i) {
  return _mm512_and_si512(_mm512_i32gather_epi32(i, base, 2), _mm512_set1_epi32(0xffff));
}
FIRN_HD_INLINE lmask ilane_negative(ilane a) {
  return _mm512_movepi32_mask(a);
}
#endif
#define ILANE_ROTL(a, n) FIRN_MMI(rol)(a, n)
FIRN_HD_INLINE ilane ilane_select(lmask m, ilane a, ilane b) {
  return FIRN_MMI(mask_blend)(m, b, a);
}

// ---- exponent fields, for lane_math.h
// x 2^n for integral n.
FIRN_HD_INLINE lane lane_scale2(lane x, lane n) {
  return FIRN_MM(scalef)(x, n);
}
// x = m 2^e with m in [sqrt 1/2, sqrt 2), x positive and normal; returns e.
FIRN_HD_INLINE lane lane_split2(lane x, lane *m) {
#ifdef FIRN_DOUBLE
  __m512i bits = _mm512_castpd_si512(x), half = _mm512_set1_epi64(0x3fe6a09e667f3bcdll);
  __m512i e = _mm512_srai_epi64(_mm512_sub_epi64(bits, half), 52);
  *m = _mm512_castsi512_pd(_mm512_sub_epi64(bits, _mm512_slli_epi64(e, 52)));
  return _mm512_cvtepi64_pd(e);
#else
  __m512i bits = _mm512_castps_si512(x), half = _mm512_set1_epi32(0x3f3504f3);
  __m512i e = _mm512_srai_epi32(_mm512_sub_epi32(bits, half), 23);
  *m = _mm512_castsi512_ps(_mm512_sub_epi32(bits, _mm512_slli_epi32(e, 23)));
  return _mm512_cvtepi32_ps(e);
#endif
}

// ---- transpose
#ifdef FIRN_DOUBLE
FIRN_HD_INLINE void lane_transpose(lane r[FIRN_LANES]) {
  lane t[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm512_unpacklo_pd(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_pd(r[i], r[i + 1]);
  }
  for (int i = 0; i < 2; i++) {
    r[i] = _mm512_shuffle_f64x2(t[i], t[i + 2], 0x88);
    r[i + 2] = _mm512_shuffle_f64x2(t[i], t[i + 2], 0xdd);
    r[i + 4] = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0x88);
    r[i + 6] = _mm512_shuffle_f64x2(t[i + 4], t[i + 6], 0xdd);
  }
  for (int i = 0; i < 4; i++) {
    t[i] = _mm512_shuffle_f64x2(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f64x2(r[i], r[i + 4], 0xdd);
  }
  for (int i = 0; i < 8; i++) r[i] = t[i];
}
#else
FIRN_HD_INLINE void lane_transpose(lane r[FIRN_LANES]) {
  lane t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    __m512d a = _mm512_castps_pd(t[i]), b = _mm512_castps_pd(t[i + 1]);
    __m512d c = _mm512_castps_pd(t[i + 2]), d = _mm512_castps_pd(t[i + 3]);
    r[i] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    r[i + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    r[i + 2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    r[i + 3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
  }
  for (int i = 0; i < 4; i++) {
    t[i] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_f32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_f32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; i++) {
    r[i] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_f32x4(t[i], t[i + 8], 0xdd);
    r[i + 4] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 12] = _mm512_shuffle_f32x4(t[i + 4], t[i + 12], 0xdd);
  }
}
#endif

#endif
