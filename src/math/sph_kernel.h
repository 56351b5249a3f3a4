// SPDX-License-Identifier: Apache-2.0
// The cubic spline of smoothed particles, of smoothing length 1 and support 2. Lengths are in particle
// spacings throughout, volumes in spacings^3: W is then a pure number, and gradients take one factor of
// 1/spacing at the very end. The particle itself weighs W(0) = 1/pi.
#ifndef FIRN_MATH_SPH_KERNEL_H
#define FIRN_MATH_SPH_KERNEL_H

#include "math/real.h"

#define FIRN_SPH_SUPPORT 2
#define FIRN_SPH_NORM    0.31830988618379067154 // 1/pi

// W(r)
FIRN_HD firn_real firn_sph_kernel(firn_real r) {
  firn_real t = FIRN_R(2) - r;
  if (r >= FIRN_R(2)) return 0;
  return r < FIRN_R(1)
             ? FIRN_R(FIRN_SPH_NORM) * (FIRN_R(1) + r * r * (FIRN_R(0.75) * r - FIRN_R(1.5)))
             : FIRN_R(0.25 * FIRN_SPH_NORM) * t * t * t;
}

// W'(r)/r, never above 0, so that grad_i W(x_i - x_j) = W'/r (x_i - x_j). It has a limit at r = 0:
// particles on top of each other do not push, and nothing is divided by their distance.
FIRN_HD firn_real firn_sph_slope(firn_real r) {
  firn_real t = FIRN_R(2) - r;
  if (r >= FIRN_R(2)) return 0;
  return r < FIRN_R(1) ? FIRN_R(FIRN_SPH_NORM) * (FIRN_R(2.25) * r - FIRN_R(3))
                       : FIRN_R(-0.75 * FIRN_SPH_NORM) * t * t / r;
}

#endif
