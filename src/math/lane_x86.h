// SPDX-License-Identifier: Apache-2.0
// What the AVX2 and AVX-512 instances of lane.h write alike. The including header has chosen the types
// and the names of the instructions: FIRN_MM(op) on lanes, FIRN_MM_CMP(a, b, op) for a mask, FIRN_MMI(op)
// on 32-bit integers, FIRN_MMS(op) on their bits.
#ifndef FIRN_MATH_LANE_X86_H
#define FIRN_MATH_LANE_X86_H

FIRN_HD_INLINE lane lane_zero(void) {
  return FIRN_MM(setzero)();
}
FIRN_HD_INLINE lane lane_set1(firn_real x) {
  return FIRN_MM(set1)(x);
}
FIRN_HD_INLINE lane lane_load(const firn_real *p) {
  return FIRN_MM(load)(p);
}
FIRN_HD_INLINE lane lane_loadu(const firn_real *p) {
  return FIRN_MM(loadu)(p);
}
FIRN_HD_INLINE void lane_store(firn_real *p, lane v) {
  FIRN_MM(store)(p, v);
}
FIRN_HD_INLINE void lane_storeu(firn_real *p, lane v) {
  FIRN_MM(storeu)(p, v);
}
#ifdef FIRN_WITHOUT_FMA // for valgrind, to which this instruction costs as much as a hundred others
FIRN_HD_INLINE lane lane_fma(lane a, lane b, lane c) {
  return a * b + c;
}
FIRN_HD_INLINE lane lane_fnma(lane a, lane b, lane c) {
  return c - a * b;
}
#else
FIRN_HD_INLINE lane lane_fma(lane a, lane b, lane c) {
  return FIRN_MM(fmadd)(a, b, c);
}
FIRN_HD_INLINE lane lane_fnma(lane a, lane b, lane c) {
  return FIRN_MM(fnmadd)(a, b, c);
}
#endif
FIRN_HD_INLINE lane lane_min(lane a, lane b) {
  return FIRN_MM(min)(a, b);
}
FIRN_HD_INLINE lane lane_max(lane a, lane b) {
  return FIRN_MM(max)(a, b);
}
FIRN_HD_INLINE lane lane_neg(lane a) {
  return -a;
}
FIRN_HD_INLINE lane lane_copysign(lane a, lane sign) {
  lane bit = lane_set1(FIRN_R(-0.0));
  return FIRN_MM(or)(FIRN_MM(andnot)(bit, a), FIRN_MM(and)(bit, sign));
}
FIRN_HD_INLINE lane lane_sqrt(lane a) {
  return FIRN_MM(sqrt)(a);
}
// True division rather than rcp14 and a Newton step: equally fast where it is overlapped with other
// work, and the same bits on every maker's CPU.
FIRN_HD_INLINE lane lane_rcp(lane a) {
  return FIRN_MM(div)(lane_set1(1), a);
}
FIRN_HD_INLINE lane lane_rsqrt(lane a) {
  return FIRN_MM(div)(lane_set1(1), FIRN_MM(sqrt)(a));
}

FIRN_HD_INLINE lmask lane_lt(lane a, lane b) {
  return FIRN_MM_CMP(a, b, _CMP_LT_OQ);
}
FIRN_HD_INLINE lmask lane_le(lane a, lane b) {
  return FIRN_MM_CMP(a, b, _CMP_LE_OQ);
}
FIRN_HD_INLINE lmask lane_gt(lane a, lane b) {
  return FIRN_MM_CMP(a, b, _CMP_GT_OQ);
}
FIRN_HD_INLINE lmask lane_ge(lane a, lane b) {
  return FIRN_MM_CMP(a, b, _CMP_GE_OQ);
}
FIRN_HD_INLINE lmask lane_eq(lane a, lane b) {
  return FIRN_MM_CMP(a, b, _CMP_EQ_OQ);
}
FIRN_HD_INLINE lmask lane_ne(lane a, lane b) {
  return FIRN_MM_CMP(a, b, _CMP_NEQ_UQ);
}

FIRN_HD_INLINE ilane ilane_set1(int32_t x) {
  return FIRN_MMI(set1)(x);
}
FIRN_HD_INLINE ilane ilane_load(const int32_t *p) {
  return FIRN_MMS(load)((const ilane *)p);
}
FIRN_HD_INLINE ilane ilane_loadu(const int32_t *p) {
  return FIRN_MMS(loadu)((const ilane *)p);
}
FIRN_HD_INLINE void ilane_store(int32_t *p, ilane v) {
  FIRN_MMS(store)((ilane *)p, v);
}
FIRN_HD_INLINE void ilane_storeu(int32_t *p, ilane v) {
  FIRN_MMS(storeu)((ilane *)p, v);
}
FIRN_HD_INLINE ilane ilane_add(ilane a, ilane b) {
  return FIRN_MMI(add)(a, b);
}
FIRN_HD_INLINE ilane ilane_mul(ilane a, ilane b) {
  return FIRN_MMI(mullo)(a, b);
}
FIRN_HD_INLINE ilane ilane_xor(ilane a, ilane b) {
  return FIRN_MMS(xor)(a, b);
}
FIRN_HD_INLINE ilane ilane_and(ilane a, ilane b) {
  return FIRN_MMS(and)(a, b);
}
#define ILANE_SHL(a, n) FIRN_MMI(slli)(a, n)
#define ILANE_SHR(a, n) FIRN_MMI(srli)(a, n)

#endif
