// SPDX-License-Identifier: Apache-2.0
// One small vector type for loops across particles.
//
// `lane` is FIRN_LANES values of firn_real. A translation unit chooses the width by defining one of
//
//   FIRN_LANE_AVX512   16 floats / 8 doubles   (compile with AVX-512 F, DQ, VL)
//   FIRN_LANE_AVX2      8 floats / 4 doubles   (compile with AVX2, FMA)
//
// before the first include; with neither, lane is firn_real itself, which is the plain C path, the
// oracle of the others, and what nvcc compiles for the device. (The names differ from the enum
// constants FIRN_ISA_* of base/isa.h on purpose: a macro of that name would rewrite the enum.)
// + - * / and unary minus work on lanes with operators, everything else through the functions
// below, so a law is written once.
//
// Values
//   lane_zero() lane_set1(x) lane_load(p) lane_loadu(p) lane_store(p,v) lane_storeu(p,v)
//   lane_fma(a,b,c) = a*b+c    lane_fnma(a,b,c) = c-a*b    (fused, but for the scalar path of a
//   baseline CPU: never rely on the fusion for an error-free transformation)
//   lane_min lane_max (the second operand if either is nan) lane_abs lane_neg lane_copysign
//   lane_sqrt, lane_rcp, lane_rsqrt (full precision, all but rsqrt correctly rounded)
//   lane_floor, lane_round (to nearest even)
//   lane_exp, lane_expm1, lane_log, lane_log1p, lane_log_near(u, u - 1) (lane_math.h)
//   lane_hmin lane_hmax lane_hsum: across lanes, sum in the order of a binary tree
//   lane_transpose(lane r[FIRN_LANES]): square, in place
// Masks
//   lmask; lane_lt le gt ge eq ne; lane_select(m,a,b) = a where m; lmask_and or not any all none;
//   lane_mask_first(n): the first n lanes; lmask_bits(m): bit i for lane i
// 32-bit integers
//   ilane; lane_to_ilane (of integral values), ilane_to_lane, ilane_set1, ilane_load(u),
//   ilane_store(u), ilane_select(m,a,b); ilane_negative(a), a mask
//   ilane_add, ilane_mul (both wrap), ilane_xor, ilane_and
//   ILANE_SHL(a,n) ILANE_SHR(a,n) ILANE_ROTL(a,n): n a constant, SHR brings in zeros
//   lane_gather(base, index), ilane_gather(base, index)
//   ilane_gather16(base, index): unsigned shorts; reads two bytes more than it gives
#ifndef FIRN_MATH_LANE_H
#define FIRN_MATH_LANE_H

#include <stdint.h>

#include "math/real.h"

#if defined(FIRN_LANE_AVX512)
#include "math/lane_avx512.h"
#elif defined(FIRN_LANE_AVX2)
#include "math/lane_avx2.h"
#else
#include "math/lane_scalar.h"
#endif

// In this order a nan in x comes through, so that the solver can see it.
FIRN_HD_INLINE lane lane_clamp(lane x, lane lo, lane hi) {
  return lane_min(hi, lane_max(lo, x));
}

// ---- across lanes: rare, so through memory, in an order that no compiler may choose
#if FIRN_LANES == 1
FIRN_HD_INLINE firn_real lane_hsum(lane x) {
  return x;
}
FIRN_HD_INLINE firn_real lane_hmin(lane x) {
  return x;
}
FIRN_HD_INLINE firn_real lane_hmax(lane x) {
  return x;
}
#else
FIRN_HD_INLINE firn_real lane_hsum(lane x) {
  firn_real v[FIRN_LANES];
  lane_storeu(v, x);
  for (int half = FIRN_LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) v[i] += v[i + half];
  return v[0];
}
FIRN_HD_INLINE firn_real lane_hmin(lane x) {
  firn_real v[FIRN_LANES];
  lane_storeu(v, x);
  for (int half = FIRN_LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) v[i] = firn_min(v[i], v[i + half]);
  return v[0];
}
FIRN_HD_INLINE firn_real lane_hmax(lane x) {
  firn_real v[FIRN_LANES];
  lane_storeu(v, x);
  for (int half = FIRN_LANES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) v[i] = firn_max(v[i], v[i + half]);
  return v[0];
}
#endif

#include "math/lane_math.h"

#endif
