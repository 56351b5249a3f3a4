// SPDX-License-Identifier: Apache-2.0
// Rotations as unit quaternions x, y, z, w.
#ifndef FIRN_WORLD_QUATERNION_H
#define FIRN_WORLD_QUATERNION_H

#include <math.h>
#include <stdbool.h>

#include "base/device.h"

FIRN_HD void firn_cross(const double a[3], const double b[3], double out[3]) {
  double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
}

// p q: q first, then p. out may be either.
FIRN_HD void firn_quaternion_multiply(const double p[4], const double q[4], double out[4]) {
  double x = p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
         y = p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
         z = p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0];
  out[3] = p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2];
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

FIRN_HD void firn_quaternion_conjugate(const double q[4], double out[4]) {
  for (int a = 0; a < 3; a++) out[a] = -q[a];
  out[3] = q[3];
}

// q v q^-1. out may be v.
FIRN_HD void firn_quaternion_rotate(const double q[4], const double v[3], double out[3]) {
  double c[3], d[3];
  firn_cross(q, v, c);
  for (int a = 0; a < 3; a++) c[a] *= 2;
  firn_cross(q, c, d);
  for (int a = 0; a < 3; a++) out[a] = v[a] + q[3] * c[a] + d[a];
}

// The turn by |r| rad about r.
FIRN_HD void firn_quaternion_exp(const double r[3], double out[4]) {
  double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  // sin(x/2)/x; the series is exact to rounding where the quotient would lose digits.
  double scale = angle > 1e-4 ? sin(angle / 2) / angle : 0.5 - angle * angle / 48;
  for (int a = 0; a < 3; a++) out[a] = scale * r[a];
  out[3] = cos(angle / 2);
}

// The shorter turn, rad, at most pi.
FIRN_HD void firn_quaternion_log(const double q[4], double out[3]) {
  double s = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), sign = q[3] < 0 ? -1 : 1;
  double scale = s > 1e-8 ? 2 * atan2(s, sign * q[3]) / s : 2;
  for (int a = 0; a < 3; a++) out[a] = sign * scale * q[a];
}

// Row-major.
FIRN_HD void firn_quaternion_matrix(const double q[4], double out[9]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y - w * z);
  out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y);
  out[7] = 2 * (y * z + w * x);
  out[8] = 1 - 2 * (x * x + y * y);
}

#endif
