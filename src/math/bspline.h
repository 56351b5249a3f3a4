// SPDX-License-Identifier: Apache-2.0
// B-spline weights along one axis, across lanes.
//
// Positions are in cells. A particle at x touches the nodes
//   cubic      floor(x) - 1 .. floor(x) + 2,     offset f = x - floor(x) in [0, 1)
//   quadratic  floor(x - 1/2) .. + 2,            offset f = x - floor(x - 1/2) in [1/2, 3/2)
// w[i] is the weight of the i-th of them and dw[i] its derivative by x, in 1/cell (divide by h for
// the gradient). In three dimensions w_ip = N N N and grad w_ip = (N' N N, N N' N, N N N') / h
// (Stomakhin et al. 2013, section 4.1).
#ifndef FIRN_MATH_BSPLINE_H
#define FIRN_MATH_BSPLINE_H

#include "math/lane.h"

// Second moment sum_i w_i (x_i - x)^2 in cells^2, the D of APIC.
#define FIRN_BSPLINE_CUBIC_D     FIRN_R(1.0 / 3.0)
#define FIRN_BSPLINE_QUADRATIC_D FIRN_R(0.25)

// First node and offset.
FIRN_HD_INLINE lane firn_bspline_cubic_base(lane x, lane *f) {
  lane cell = lane_floor(x);
  *f = x - cell;
  return cell - lane_set1(1);
}

FIRN_HD_INLINE lane firn_bspline_quadratic_base(lane x, lane *f) {
  lane node = lane_floor(x - lane_set1(FIRN_R(0.5)));
  *f = x - node;
  return node;
}

// With a = |x - x_i|: a < 1: a^3/2 - a^2 + 2/3; a < 2: (2 - a)^3/6. Here a = 1 + f, f, 1 - f, 2 - f.
//
// The weights must sum to one without bias: 1/6 and 2/3 are not exact, and if all four weights were
// made of them, interpolated velocities would grow or shrink by the same 1.06 eps in every step,
// 1e-2 in 10^5 float steps. So the inner two are made of their sum, 1 - w_0 - w_3, and of their
// difference, t^3 - 5/4 t with t = f - 1/2, which is as good and keeps the mirror symmetry.
FIRN_HD_INLINE void firn_bspline_cubic(lane f, lane w[4], lane dw[4]) {
  const lane half = lane_set1(FIRN_R(0.5)), sixth = lane_set1(FIRN_R(1.0 / 6.0));
  const lane three_halves = lane_set1(FIRN_R(1.5)), five_eighths = lane_set1(FIRN_R(0.625));
  const lane one = lane_set1(1), two = lane_set1(2);
  lane g = one - f, f2 = f * f, g2 = g * g, t = f - half, half_t = half * t;
  w[0] = sixth * g * g2;
  w[3] = sixth * f * f2;
  lane mean = half * (one - (w[0] + w[3]));
  lane slope = lane_fma(half_t, t, -five_eighths);
  w[1] = lane_fma(t, slope, mean);
  w[2] = lane_fnma(t, slope, mean);
  dw[0] = -half * g2;
  dw[1] = f * lane_fma(three_halves, f, -two);
  dw[2] = g * lane_fnma(three_halves, g, two);
  dw[3] = half * f2;
}

// With a = |x - x_i|: a < 1/2: 3/4 - a^2; a < 3/2: (3/2 - a)^2/2. Here the distances are f, f - 1 and
// 2 - f.
FIRN_HD_INLINE void firn_bspline_quadratic(lane f, lane w[3], lane dw[3]) {
  const lane half = lane_set1(FIRN_R(0.5));
  lane a = lane_set1(FIRN_R(1.5)) - f, b = f - lane_set1(1), c = f - half;
  w[0] = half * a * a;
  w[1] = lane_fnma(b, b, lane_set1(FIRN_R(0.75)));
  w[2] = half * c * c;
  dw[0] = -a;
  dw[1] = lane_set1(-2) * b;
  dw[2] = c;
}

// The same in double, whatever a lane holds: for fields that users read.
FIRN_HD void firn_bspline_quadratic_double(double f, double w[3], double dw[3]) {
  double a = 1.5 - f, b = f - 1, c = f - 0.5;
  w[0] = 0.5 * a * a;
  w[1] = 0.75 - b * b;
  w[2] = 0.5 * c * c;
  dw[0] = -a;
  dw[1] = -2 * b;
  dw[2] = c;
}

FIRN_HD void firn_bspline_cubic_double(double f, double w[4], double dw[4]) {
  double g = 1 - f;
  w[0] = g * g * g / 6;
  w[1] = 2.0 / 3 - f * f * (1 - 0.5 * f);
  w[2] = 2.0 / 3 - g * g * (1 - 0.5 * g);
  w[3] = f * f * f / 6;
  dw[0] = -0.5 * g * g;
  dw[1] = f * (1.5 * f - 2);
  dw[2] = g * (2 - 1.5 * g);
  dw[3] = 0.5 * f * f;
}

#endif
