// SPDX-License-Identifier: Apache-2.0
// The working precision.
#ifndef FIRN_MATH_REAL_H
#define FIRN_MATH_REAL_H

#include <float.h>
#include <math.h>

#include <firn/real.h>

#include "base/device.h"

// firn_real is float; double with -DFIRN_DOUBLE. FIRN_R(x) is the constant x in that precision. It
// is a cast rather than a suffix so that FIRN_R(1) and FIRN_R(NAME) work too.
#ifdef FIRN_DOUBLE
#define FIRN_REAL_EPS DBL_EPSILON
#define FIRN_REAL_MIN DBL_MIN
#define FIRN_REAL_MAX DBL_MAX
#else
#define FIRN_REAL_EPS FLT_EPSILON
#define FIRN_REAL_MIN FLT_MIN
#define FIRN_REAL_MAX FLT_MAX
#endif
#define FIRN_R(x) ((firn_real)(x))

// Whether a number of the public interface keeps its meaning in the working precision.
FIRN_HD int firn_real_is_finite(double x) {
  return fabs(x) <= (double)FIRN_REAL_MAX;
}
// Positive, and not a denormal, which workers would flush to 0.
FIRN_HD int firn_real_is_positive(double x) {
  return x >= (double)FIRN_REAL_MIN && x <= (double)FIRN_REAL_MAX;
}

// libm in the working precision.
#ifdef FIRN_DOUBLE
#define FIRN_LIBM(name) name
#else
#define FIRN_LIBM(name) name##f
#endif
FIRN_HD firn_real firn_sqrt(firn_real x) {
  return FIRN_LIBM(sqrt)(x);
}
FIRN_HD firn_real firn_exp(firn_real x) {
  return FIRN_LIBM(exp)(x);
}
FIRN_HD firn_real firn_log(firn_real x) {
  return FIRN_LIBM(log)(x);
}
FIRN_HD firn_real firn_expm1(firn_real x) {
  return FIRN_LIBM(expm1)(x);
}
FIRN_HD firn_real firn_log1p(firn_real x) {
  return FIRN_LIBM(log1p)(x);
}
FIRN_HD firn_real firn_floor(firn_real x) {
  return FIRN_LIBM(floor)(x);
}
FIRN_HD firn_real firn_abs(firn_real x) {
  return FIRN_LIBM(fabs)(x);
}
// Like the x86 instructions: the second operand when either is nan.
FIRN_HD firn_real firn_min(firn_real a, firn_real b) {
  return a < b ? a : b;
}
FIRN_HD firn_real firn_max(firn_real a, firn_real b) {
  return a > b ? a : b;
}

#endif
