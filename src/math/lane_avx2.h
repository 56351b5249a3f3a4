// SPDX-License-Identifier: Apache-2.0
// lane = 8 floats or 4 doubles: the AVX2 + FMA instance of lane.h.
#ifndef FIRN_MATH_LANE_AVX2_H
#define FIRN_MATH_LANE_AVX2_H

#include <immintrin.h>

// The types are spelt out so that tools that do not read <immintrin.h> know their size.
// lmask is a vector of all-ones and all-zeros lanes, as the blend instructions want it.
#ifdef FIRN_DOUBLE
#define FIRN_LANES  4
#define FIRN_MM(op) _mm256_##op##_pd
typedef double lane __attribute__((vector_size(32), may_alias)); // __m256d
typedef lane lmask;
typedef __m128i ilane;
#define FIRN_MMI(op)    _mm_##op##_epi32
#define FIRN_MMS(op)    _mm_##op##_si128
#define FIRN_LMASK_FULL 0xf
#else
#define FIRN_LANES      8
#define FIRN_MM(op)     _mm256_##op##_ps
typedef float lane __attribute__((vector_size(32), may_alias)); // __m256
typedef lane lmask;
typedef __m256i ilane;
#define FIRN_MMI(op)    _mm256_##op##_epi32
#define FIRN_MMS(op)    _mm256_##op##_si256
#define FIRN_LMASK_FULL 0xff
#endif
#define FIRN_MM_CMP(a, b, op) FIRN_MM(cmp)(a, b, op)

#include "math/lane_x86.h"

FIRN_HD_INLINE lane lane_abs(lane a) {
  return FIRN_MM(andnot)(lane_set1(FIRN_R(-0.0)), a);
}
FIRN_HD_INLINE lane lane_floor(lane a) {
  return FIRN_MM(round)(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
FIRN_HD_INLINE lane lane_round(lane a) {
  return FIRN_MM(round)(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

FIRN_HD_INLINE lane lane_select(lmask m, lane a, lane b) {
  return FIRN_MM(blendv)(b, a, m);
}
FIRN_HD_INLINE lmask lmask_and(lmask a, lmask b) {
  return FIRN_MM(and)(a, b);
}
FIRN_HD_INLINE lmask lmask_or(lmask a, lmask b) {
  return FIRN_MM(or)(a, b);
}
FIRN_HD_INLINE lmask lmask_not(lmask a) {
  return FIRN_MM(xor)(a, FIRN_MM(cmp)(lane_zero(), lane_zero(), _CMP_EQ_OQ));
}
FIRN_HD_INLINE int lmask_any(lmask a) {
  return FIRN_MM(movemask)(a) != 0;
}
FIRN_HD_INLINE int lmask_all(lmask a) {
  return FIRN_MM(movemask)(a) == FIRN_LMASK_FULL;
}
FIRN_HD_INLINE int lmask_none(lmask a) {
  return FIRN_MM(movemask)(a) == 0;
}
FIRN_HD_INLINE unsigned lmask_bits(lmask a) {
  return (unsigned)FIRN_MM(movemask)(a);
}
FIRN_HD_INLINE lmask lane_mask_first(int n) {
#ifdef FIRN_DOUBLE
  __m256i i = _mm256_set_epi64x(3, 2, 1, 0);
  return _mm256_castsi256_pd(_mm256_cmpgt_epi64(_mm256_set1_epi64x(n), i));
#else
  __m256i i = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
  return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(n), i));
#endif
}

// ---- integers: as many as there are lanes, so half a register beside doubles
#ifdef FIRN_DOUBLE
FIRN_HD_INLINE ilane lane_to_ilane(lane a) {
  return _mm256_cvtpd_epi32(a);
}
FIRN_HD_INLINE lane ilane_to_lane(ilane a) {
  return _mm256_cvtepi32_pd(a);
}
FIRN_HD_INLINE lane lane_gather(const firn_real *base, ilane i) {
  return _mm256_i32gather_pd(base, i, 8);
}
FIRN_HD_INLINE ilane ilane_select(lmask m, ilane a, ilane b) {
  __m256i half = _mm256_permutevar8x32_epi32(_mm256_castpd_si256(m),
                                             _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
  return _mm_blendv_epi8(b, a, _mm256_castsi256_si128(half));
}
FIRN_HD_INLINE lmask ilane_negative(ilane a) {
  return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(_mm_srai_epi32(a, 31)));
}
#else
FIRN_HD_INLINE ilane lane_to_ilane(lane a) {
  return _mm256_cvtps_epi32(a);
}
FIRN_HD_INLINE lane ilane_to_lane(ilane a) {
  return _mm256_cvtepi32_ps(a);
}
FIRN_HD_INLINE lane lane_gather(const firn_real *base, ilane i) {
  return _mm256_i32gather_ps(base, i, 4);
}
FIRN_HD_INLINE ilane ilane_select(lmask m, ilane a, ilane b) {
  return _mm256_blendv_epi8(b, a, _mm256_castps_si256(m));
}
FIRN_HD_INLINE lmask ilane_negative(ilane a) {
  return _mm256_castsi256_ps(_mm256_srai_epi32(a, 31));
}
#endif
#define ILANE_ROTL(a, n) FIRN_MMS(or)(FIRN_MMI(slli)(a, n), FIRN_MMI(srli)(a, 32 - (n)))
FIRN_HD_INLINE ilane ilane_gather(const int32_t *base, ilane i) {
  return FIRN_MMI(i32gather)(base, i, 4);
}
FIRN_HD_INLINE ilane ilane_gather16(const uint16_t *base, ilane i) {
  return FIRN_MMS(and)(FIRN_MMI(i32gather)((const int *)base, i, 2), FIRN_MMI(set1)(0xffff));
}

// ---- exponent fields, for lane_math.h
// x 2^n for integral n in the range of normal exponents.
FIRN_HD_INLINE lane lane_scale2(lane x, lane n) {
#ifdef FIRN_DOUBLE
  // Adding 1.5 2^52 leaves n, two's complement, in the low bits of the significand.
  __m256i bits = _mm256_castpd_si256(n + lane_set1(6755399441055744.0));
  bits = _mm256_slli_epi64(_mm256_add_epi64(bits, _mm256_set1_epi64x(1023)), 52);
  return x * _mm256_castsi256_pd(bits);
#else
  __m256i bits = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  return x * _mm256_castsi256_ps(_mm256_slli_epi32(bits, 23));
#endif
}
// x = m 2^e with m in [sqrt 1/2, sqrt 2), x positive and normal; returns e.
FIRN_HD_INLINE lane lane_split2(lane x, lane *m) {
#ifdef FIRN_DOUBLE
  // e biased by 1023, so that the logical shift (AVX2 has no arithmetic one for 64 bits) will do.
  __m256i bits = _mm256_castpd_si256(x);
  __m256i bias = _mm256_set1_epi64x(0x3ff0000000000000ll - 0x3fe6a09e667f3bcdll);
  __m256i k = _mm256_srli_epi64(_mm256_add_epi64(bits, bias), 52);
  __m256i shift = _mm256_slli_epi64(_mm256_sub_epi64(k, _mm256_set1_epi64x(1023)), 52);
  *m = _mm256_castsi256_pd(_mm256_sub_epi64(bits, shift));
  __m256d big = _mm256_set1_pd(4503599627370496.0); // 2^52: its low bits count units
  __m256d kd = _mm256_castsi256_pd(_mm256_or_si256(k, _mm256_castpd_si256(big)));
  return kd - _mm256_set1_pd(4503599627370496.0 + 1023.0);
#else
  __m256i bits = _mm256_castps_si256(x), half = _mm256_set1_epi32(0x3f3504f3);
  __m256i e = _mm256_srai_epi32(_mm256_sub_epi32(bits, half), 23);
  *m = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(e, 23)));
  return _mm256_cvtepi32_ps(e);
#endif
}

// ---- transpose
#ifdef FIRN_DOUBLE
FIRN_HD_INLINE void lane_transpose(lane r[FIRN_LANES]) {
  lane a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
  lane c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
  r[0] = _mm256_permute2f128_pd(a, c, 0x20);
  r[1] = _mm256_permute2f128_pd(b, d, 0x20);
  r[2] = _mm256_permute2f128_pd(a, c, 0x31);
  r[3] = _mm256_permute2f128_pd(b, d, 0x31);
}
#else
FIRN_HD_INLINE void lane_transpose(lane r[FIRN_LANES]) {
  lane t[8], u[8];
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    u[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
    u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
  }
  for (int i = 0; i < 4; i++) {
    r[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
    r[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
  }
}
#endif

#endif
