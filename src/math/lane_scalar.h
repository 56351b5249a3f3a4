// SPDX-License-Identifier: Apache-2.0
// lane = one firn_real: the plain C and CUDA instance of lane.h.
#ifndef FIRN_MATH_LANE_SCALAR_H
#define FIRN_MATH_LANE_SCALAR_H

#define FIRN_LANES 1
typedef firn_real lane;
typedef int lmask;
typedef int32_t ilane;

FIRN_HD_INLINE lane lane_zero(void) {
  return 0;
}
FIRN_HD_INLINE lane lane_set1(firn_real x) {
  return x;
}
FIRN_HD_INLINE lane lane_load(const firn_real *p) {
  return *p;
}
FIRN_HD_INLINE lane lane_loadu(const firn_real *p) {
  return *p;
}
FIRN_HD_INLINE void lane_store(firn_real *p, lane v) {
  *p = v;
}
FIRN_HD_INLINE void lane_storeu(firn_real *p, lane v) {
  *p = v;
}

// On a CPU without FMA the C library emulates fma at a hundred times the cost: multiply and add.
#if defined(__CUDA_ARCH__) && defined(FIRN_DOUBLE)
FIRN_HD_INLINE lane lane_fma(lane a, lane b, lane c) {
  return fma(a, b, c);
}
FIRN_HD_INLINE lane lane_fnma(lane a, lane b, lane c) {
  return fma(-a, b, c);
}
#elif defined(__CUDA_ARCH__)
FIRN_HD_INLINE lane lane_fma(lane a, lane b, lane c) {
  return fmaf(a, b, c);
}
FIRN_HD_INLINE lane lane_fnma(lane a, lane b, lane c) {
  return fmaf(-a, b, c);
}
#else
FIRN_HD_INLINE lane lane_fma(lane a, lane b, lane c) {
  return a * b + c;
}
FIRN_HD_INLINE lane lane_fnma(lane a, lane b, lane c) {
  return c - a * b;
}
#endif

FIRN_HD_INLINE lane lane_min(lane a, lane b) {
  return a < b ? a : b;
}
FIRN_HD_INLINE lane lane_max(lane a, lane b) {
  return a > b ? a : b;
}
FIRN_HD_INLINE lane lane_abs(lane a) {
  return firn_abs(a);
}
FIRN_HD_INLINE lane lane_neg(lane a) {
  return -a;
}
FIRN_HD_INLINE lane lane_copysign(lane a, lane sign) {
#ifdef FIRN_DOUBLE
  return copysign(a, sign);
#else
  return copysignf(a, sign);
#endif
}
FIRN_HD_INLINE lane lane_sqrt(lane a) {
  return firn_sqrt(a);
}
FIRN_HD_INLINE lane lane_rcp(lane a) {
  return 1 / a;
}
FIRN_HD_INLINE lane lane_rsqrt(lane a) {
  return 1 / firn_sqrt(a);
}
FIRN_HD_INLINE lane lane_floor(lane a) {
  return firn_floor(a);
}
FIRN_HD_INLINE lane lane_round(lane a) {
#ifdef FIRN_DOUBLE
  return rint(a);
#else
  return rintf(a);
#endif
}

FIRN_HD_INLINE lmask lane_lt(lane a, lane b) {
  return a < b;
}
FIRN_HD_INLINE lmask lane_le(lane a, lane b) {
  return a <= b;
}
FIRN_HD_INLINE lmask lane_gt(lane a, lane b) {
  return a > b;
}
FIRN_HD_INLINE lmask lane_ge(lane a, lane b) {
  return a >= b;
}
FIRN_HD_INLINE lmask lane_eq(lane a, lane b) {
  return a == b;
}
FIRN_HD_INLINE lmask lane_ne(lane a, lane b) {
  return a != b;
}
FIRN_HD_INLINE lane lane_select(lmask m, lane a, lane b) {
  return m ? a : b;
}
FIRN_HD_INLINE lmask lmask_and(lmask a, lmask b) {
  return a & b;
}
FIRN_HD_INLINE lmask lmask_or(lmask a, lmask b) {
  return a | b;
}
FIRN_HD_INLINE lmask lmask_not(lmask a) {
  return !a;
}
FIRN_HD_INLINE int lmask_any(lmask a) {
  return a;
}
FIRN_HD_INLINE int lmask_all(lmask a) {
  return a;
}
FIRN_HD_INLINE int lmask_none(lmask a) {
  return !a;
}
FIRN_HD_INLINE unsigned lmask_bits(lmask a) {
  return (unsigned)a;
}
FIRN_HD_INLINE lmask lane_mask_first(int n) {
  return n > 0;
}

FIRN_HD_INLINE ilane lane_to_ilane(lane a) {
  return (ilane)a;
}
FIRN_HD_INLINE lane ilane_to_lane(ilane a) {
  return (lane)a;
}
FIRN_HD_INLINE ilane ilane_set1(int32_t x) {
  return x;
}
FIRN_HD_INLINE ilane ilane_load(const int32_t *p) {
  return *p;
}
FIRN_HD_INLINE ilane ilane_loadu(const int32_t *p) {
  return *p;
}
FIRN_HD_INLINE void ilane_store(int32_t *p, ilane v) {
  *p = v;
}
FIRN_HD_INLINE void ilane_storeu(int32_t *p, ilane v) {
  *p = v;
}
// Unsigned, because these wrap, as they do in vector units; signed overflow is not defined.
FIRN_HD_INLINE ilane ilane_add(ilane a, ilane b) {
  return (ilane)((uint32_t)a + (uint32_t)b);
}
FIRN_HD_INLINE ilane ilane_mul(ilane a, ilane b) {
  return (ilane)((uint32_t)a * (uint32_t)b);
}
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
FIRN_HD_INLINE ilane ilane_gather(const int32_t *base, ilane i) {
  return base[i];
}
FIRN_HD_INLINE ilane ilane_gather16(const uint16_t *base, ilane i) {
  return base[i];
}
FIRN_HD_INLINE lane lane_gather(const firn_real *base, ilane i) {
  return base[i];
}

FIRN_HD_INLINE void lane_transpose(lane r[FIRN_LANES]) {
  (void)r;
}

#endif
