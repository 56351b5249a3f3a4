// SPDX-License-Identifier: Apache-2.0
// exp, expm1, log and log1p across lanes, without a branch and without libm. Part of lane.h.
//
// The scalar instance calls libm. The others: float within 2 ulp, double within 1e-15 relative
// (tests/math/lane.c measures). Nothing here is a minimax fit; the series are short enough as they
// stand, and anybody can check a factorial.
#ifndef FIRN_MATH_LANE_MATH_H
#define FIRN_MATH_LANE_MATH_H

#if FIRN_LANES == 1

// Clamped like the vector versions: what would be subnormal is 0, the largest result is finite.
FIRN_HD_INLINE lane lane_exp(lane x) {
#ifdef FIRN_DOUBLE
  return x < -708 ? 0 : firn_exp(x > 709 ? 709 : x);
#else
  return x < -87 ? 0 : firn_exp(x > 88 ? 88 : x);
#endif
}
FIRN_HD_INLINE lane lane_expm1(lane x) {
#ifdef FIRN_DOUBLE
  return firn_expm1(x > 709 ? 709 : x);
#else
  return firn_expm1(x > 88 ? 88 : x);
#endif
}
FIRN_HD_INLINE lane lane_log(lane x) {
  return firn_log(x);
}
FIRN_HD_INLINE lane lane_log1p(lane x) {
  return firn_log1p(x);
}
FIRN_HD_INLINE lane lane_log_near(lane u, lane x) {
  return u > FIRN_R(0.5) && u < 2 ? firn_log1p(x) : firn_log(u);
}

#else

// ((p x + a) x + b) x + c.
FIRN_HD_INLINE lane firn_lane_horner(lane p, lane x, firn_real a, firn_real b, firn_real c) {
  p = lane_fma(p, x, lane_set1(a));
  p = lane_fma(p, x, lane_set1(b));
  return lane_fma(p, x, lane_set1(c));
}

// e^f - 1 for |f| <= ln 2 / 2. Taylor: the first term left out is below 2^-53 (degree 13) and 2^-27
// (degree 7).
FIRN_HD_INLINE lane firn_lane_exp_tail(lane f) {
#ifdef FIRN_DOUBLE
  lane p = lane_set1(1.0 / 6227020800.0);
  p = firn_lane_horner(p, f, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0);
  p = firn_lane_horner(p, f, 1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0);
#else
  lane p = lane_set1(FIRN_R(1.0 / 5040.0));
#endif
  p = firn_lane_horner(p, f, FIRN_R(1.0 / 720.0), FIRN_R(1.0 / 120.0), FIRN_R(1.0 / 24.0));
  p = lane_fma(p, f, lane_set1(FIRN_R(1.0 / 6.0)));
  p = lane_fma(p, f, lane_set1(FIRN_R(0.5)));
  return lane_fma(p * f, f, f);
}

// e^x = 2^n e^f with |f| <= ln 2 / 2; ln 2 in two pieces so that n times the first is exact.
// 0 below -87 (-708 in double), constant above 88 (709).
FIRN_HD_INLINE lane firn_lane_exp_split(lane x, lane *n, lmask *under) {
#ifdef FIRN_DOUBLE
  const lane lo = lane_set1(-708), hi = lane_set1(709);
  const lane ln2_hi = lane_set1(0x1.62e42fefap-1), ln2_lo = lane_set1(0x1.cf79abc9e3b39p-40);
#else
  const lane lo = lane_set1(-87), hi = lane_set1(88);
  const lane ln2_hi = lane_set1(0x1.62e4p-1f), ln2_lo = lane_set1(0x1.7f7d1cp-20f);
#endif
  *under = lane_lt(x, lo);
  lane y = lane_min(hi, lane_max(lo, x)); // in this order a nan comes through
  *n = lane_round(y * lane_set1(FIRN_R(1.44269504088896340736)));
  lane f = lane_fnma(*n, ln2_hi, y);
  return lane_fnma(*n, ln2_lo, f);
}

FIRN_HD_INLINE lane lane_exp(lane x) {
  lane n;
  lmask under;
  lane p = firn_lane_exp_tail(firn_lane_exp_split(x, &n, &under)) + lane_set1(1);
  return lane_select(under, lane_zero(), lane_scale2(p, n));
}

// e^x - 1, without losing the digits of a small x.
FIRN_HD_INLINE lane lane_expm1(lane x) {
  const lane one = lane_set1(1);
  lane n;
  lmask under;
  lane p = firn_lane_exp_tail(firn_lane_exp_split(x, &n, &under));
  lane far = lane_select(under, lane_zero(), lane_scale2(p + one, n)) - one;
  return lane_select(lane_eq(n, lane_zero()), p, far);
}

// log of 2^e (1 + f), f in [sqrt 1/2 - 1, sqrt 2 - 1]. With s = f / (2 + f),
//   log(1 + f) = 2 atanh s = f - s f + 2 (s^3/3 + s^5/5 + ...) = f - (f^2/2 - s (f^2/2 + R)),
//   R = 2 (s^2/3 + s^4/5 + ...), |s| <= 0.1716:
// the last form keeps the leading term exact.
FIRN_HD_INLINE lane firn_lane_log_tail(lane e, lane f) {
#ifdef FIRN_DOUBLE
  const lane ln2_hi = lane_set1(0x1.62e42fefap-1), ln2_lo = lane_set1(0x1.cf79abc9e3b39p-40);
#else
  const lane ln2_hi = lane_set1(0x1.62e4p-1f), ln2_lo = lane_set1(0x1.7f7d1cp-20f);
#endif
  lane s = f / (lane_set1(2) + f), z = s * s;
#ifdef FIRN_DOUBLE
  lane r = lane_set1(2.0 / 23.0);
  r = firn_lane_horner(r, z, 2.0 / 21.0, 2.0 / 19.0, 2.0 / 17.0);
  r = firn_lane_horner(r, z, 2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0);
#else
  lane r = lane_set1(FIRN_R(2.0 / 11.0));
#endif
  r = firn_lane_horner(r, z, FIRN_R(2.0 / 9.0), FIRN_R(2.0 / 7.0), FIRN_R(2.0 / 5.0));
  r = lane_fma(r, z, lane_set1(FIRN_R(2.0 / 3.0)));
  r = r * z;
  lane half = f * f * lane_set1(FIRN_R(0.5));
  lane t = lane_fma(s, half + r, e * ln2_lo) - half;
  return lane_fma(e, ln2_hi, t + f);
}

// x positive and normal.
FIRN_HD_INLINE lane lane_log(lane x) {
  lane m;
  lane e = lane_split2(x, &m);
  return firn_lane_log_tail(e, m - lane_set1(1));
}

// log u where x = u - 1 is known better than by subtraction: what u rounds away is given back to f.
// Outside (1/2, 2) u says it all.
FIRN_HD_INLINE lane lane_log_near(lane u, lane x) {
  lane m;
  lane e = lane_split2(u, &m);
  lmask near = lmask_and(lane_gt(u, lane_set1(FIRN_R(0.5))), lane_lt(u, lane_set1(2)));
  lane lost = lane_select(near, x - (u - lane_set1(1)), lane_zero());
  return firn_lane_log_tail(e, (m - lane_set1(1)) + lane_scale2(lost, -e));
}

// x > -1.
FIRN_HD_INLINE lane lane_log1p(lane x) {
  return lane_log_near(lane_set1(1) + x, x);
}

#endif
#endif
