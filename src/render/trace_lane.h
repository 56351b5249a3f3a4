// SPDX-License-Identifier: Apache-2.0
// What the path tracer needs of lanes beyond math/lane.h: whole numbers, random numbers, gathers of 16
// bits. Pictures are float in either build.
#ifndef FIRN_RENDER_TRACE_LANE_H
#define FIRN_RENDER_TRACE_LANE_H

#undef FIRN_DOUBLE
#include "math/lane.h"

#if defined(FIRN_LANE_AVX512)
FIRN_HD_INLINE ilane ilane_xor(ilane a, ilane b) {
  return _mm512_xor_si512(a, b);
}
FIRN_HD_INLINE ilane ilane_and(ilane a, ilane b) {
  return _mm512_and_si512(a, b);
}
#define ILANE_SHL(a, n)  _mm512_slli_epi32(a, n)
#define ILANE_SHR(a, n)  _mm512_srli_epi32(a, n)
#define ILANE_ROTL(a, n) _mm512_rol_epi32(a, n)
FIRN_HD_INLINE ilane ilane_select(lmask m, ilane a, ilane b) {
  return _mm512_mask_blend_epi32(m, b, a);
}
FIRN_HD_INLINE lmask ilane_negative(ilane a) {
  return _mm512_movepi32_mask(a);
}
FIRN_HD_INLINE lane lane_from_bits(ilane a) {
  return _mm512_castsi512_ps(a);
}
FIRN_HD_INLINE ilane lane_bits(lane a) {
  return _mm512_castps_si512(a);
}
FIRN_HD_INLINE ilane ilane_gather(const int32_t *base, ilane i) {
  return _mm512_i32gather_epi32(i, base, 4);
}
// Reads two bytes more than it gives.
FIRN_HD_INLINE ilane ilane_gather16(const uint16_t *base, ilane i) {
  return _mm512_and_si512(_mm512_i32gather_epi32(i, base, 2), _mm512_set1_epi32(0xffff));
}
#elif defined(FIRN_LANE_AVX2)
FIRN_HD_INLINE ilane ilane_xor(ilane a, ilane b) {
  return _mm256_xor_si256(a, b);
}
FIRN_HD_INLINE ilane ilane_and(ilane a, ilane b) {
  return _mm256_and_si256(a, b);
}
#define ILANE_SHL(a, n)  _mm256_slli_epi32(a, n)
#define ILANE_SHR(a, n)  _mm256_srli_epi32(a, n)
#define ILANE_ROTL(a, n) _mm256_or_si256(_mm256_slli_epi32(a, n), _mm256_srli_epi32(a, 32 - (n)))
FIRN_HD_INLINE ilane ilane_select(lmask m, ilane a, ilane b) {
  return _mm256_blendv_epi8(b, a, _mm256_castps_si256(m));
}
FIRN_HD_INLINE lmask ilane_negative(ilane a) {
  return _mm256_castsi256_ps(_mm256_srai_epi32(a, 31));
}
FIRN_HD_INLINE lane lane_from_bits(ilane a) {
  return _mm256_castsi256_ps(a);
}
FIRN_HD_INLINE ilane lane_bits(lane a) {
  return _mm256_castps_si256(a);
}
FIRN_HD_INLINE ilane ilane_gather(const int32_t *base, ilane i) {
  return _mm256_i32gather_epi32(base, i, 4);
}
FIRN_HD_INLINE ilane ilane_gather16(const uint16_t *base, ilane i) {
  return _mm256_and_si256(_mm256_i32gather_epi32((const int *)base, i, 2),
                          _mm256_set1_epi32(0xffff));
}
#else
#include <string.h>
FIRN_HD_INLINE ilane ilane_xor(ilane a, ilane b) {
  return a ^ b;
}
FIRN_HD_INLINE ilane ilane_and(ilane a, ilane b) {
  return a & b;
}
#define ILANE_SHL(a, n)  ((ilane)((uint32_t)(a) << (n)))
#define ILANE_SHR(a, n)  ((ilane)((uint32_t)(a) >> (n)))
#define ILANE_ROTL(a, n) ((ilane)((uint32_t)(a) << (n) | (uint32_t)(a) >> (32 - (n))))
FIRN_HD_INLINE ilane ilane_select(lmask m, ilane a, ilane b) {
  return m ? a : b;
}
FIRN_HD_INLINE lmask ilane_negative(ilane a) {
  return a < 0;
}
FIRN_HD_INLINE lane lane_from_bits(ilane a) {
  lane x;
  memcpy(&x, &a, sizeof x);
  return x;
}
FIRN_HD_INLINE ilane lane_bits(lane a) {
  ilane x;
  memcpy(&x, &a, sizeof x);
  return x;
}
FIRN_HD_INLINE ilane ilane_gather(const int32_t *base, ilane i) {
  return base[i];
}
FIRN_HD_INLINE ilane ilane_gather16(const uint16_t *base, ilane i) {
  return base[i];
}
#endif

// Products of whole numbers that wrap: signed overflow is not C's, nor is it the vector units'.
FIRN_HD_INLINE ilane ilane_wrapping_mul(ilane a, uint32_t b) {
#if FIRN_LANES == 1
  return (ilane)((uint32_t)a * b);
#else
  return ilane_mul(a, ilane_set1((int32_t)b));
#endif
}

// xoroshiro64* (Blackman and Vigna 2018): two words a path, one product a number. The high bits are
// the good ones.
typedef struct lane_random {
  ilane s0, s1;
} lane_random;

FIRN_HD_INLINE ilane lane_random_bits(lane_random *r) {
  ilane out = ilane_wrapping_mul(r->s0, 0x9E3779BBu);
  ilane t = ilane_xor(r->s1, r->s0);
  r->s0 = ilane_xor(ilane_xor(ILANE_ROTL(r->s0, 26), t), ILANE_SHL(t, 9));
  r->s1 = ILANE_ROTL(t, 13);
  return out;
}
// In (0, 1], 24 bits.
FIRN_HD_INLINE lane lane_unit(ilane bits) {
  return lane_fma(ilane_to_lane(ILANE_SHR(bits, 8)), lane_set1(0x1p-24f), lane_set1(0x1p-25f));
}
FIRN_HD_INLINE lane lane_uniform(lane_random *r) {
  return lane_unit(lane_random_bits(r));
}

// A point of the unit circle, uniform: a quarter by Taylor's series (2e-7), turned by two more bits.
FIRN_HD_INLINE void lane_circle(ilane bits, lane *x, lane *y) {
  lane t = (lane_unit(bits) - lane_set1(0.5f)) * lane_set1(1.57079632679f), z = t * t;
  lane s = lane_fma(z, lane_set1(-1.0f / 5040), lane_set1(1.0f / 120));
  s = lane_fma(s, z, lane_set1(-1.0f / 6));
  s = lane_fma(s * z, t, t);
  lane c = lane_fma(z, lane_set1(1.0f / 40320), lane_set1(-1.0f / 720));
  c = lane_fma(c, z, lane_set1(1.0f / 24));
  c = lane_fma(c, z, lane_set1(-0.5f));
  c = lane_fma(c, z, lane_set1(1));
  lmask swap = ilane_negative(ILANE_SHL(bits, 24));
  ilane flip = ILANE_SHL(ILANE_SHR(ILANE_SHL(bits, 25), 31), 31);
  lane a = lane_select(swap, s, c), b = lane_select(swap, c, s);
  *x = lane_from_bits(ilane_xor(lane_bits(a), flip));
  *y = lane_from_bits(ilane_xor(lane_bits(b), flip));
}

#endif
