// SPDX-License-Identifier: Apache-2.0
// Sums over neighbours: mass, first and second moments about a place.
#ifndef FIRN_RENDER_VOLUME_MOMENTS_H
#define FIRN_RENDER_VOLUME_MOMENTS_H

#include <string.h>

#include "math/jacobi.h"
#include "render/volume_shape.h"

enum { FIRN_MOMENTS = 10 };

// A mass at r.
static inline void firn_moments_put(float *m, float mass, const float r[3]) {
  const float add[FIRN_MOMENTS] = {1,           r[0],        r[1],        r[2],        r[0] * r[0],
                                   r[1] * r[1], r[2] * r[2], r[0] * r[1], r[0] * r[2], r[1] * r[2]};
  for (int n = 0; n < FIRN_MOMENTS; n++) m[n] += mass * add[n];
}

// Moments m about a place that lies d away.
static inline void firn_moments_add(double out[FIRN_MOMENTS], double weight, const float *m,
                                    const double d[3]) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  out[0] += weight * (double)m[0];
  for (int a = 0; a < 3; a++) out[1 + a] += weight * ((double)m[1 + a] + (double)m[0] * d[a]);
  for (int b = 0; b < 6; b++) {
    int r = pair[b][0], c = pair[b][1];
    out[4 + b] += weight * ((double)m[4 + b] + d[r] * (double)m[1 + c] + d[c] * (double)m[1 + r] +
                            (double)m[0] * d[r] * d[c]);
  }
}

// The window is a cube of this width, convolved with others so that its variance is a share of width^2.
static inline firn_grain_company firn_moments_company(const double m[FIRN_MOMENTS], double width,
                                                      double share) {
  double a[3][3], mean[3] = {m[1] / m[0], m[2] / m[0], m[3] / m[0]};
  firn_grain_company out = {
      .window = width * width * width, .endless = share * width * width, .mass = m[0]};
  static const int where[3][3] = {{4, 7, 8}, {7, 5, 9}, {8, 9, 6}};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++) a[r][c] = m[where[r][c]] / m[0] - mean[r] * mean[c];
  firn_jacobi(3, *a, *out.axis);
  for (int k = 0; k < 3; k++) out.variance[k] = a[k][k];
  return out;
}

#endif
