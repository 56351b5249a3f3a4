// SPDX-License-Identifier: Apache-2.0
// Eigenvectors of one small symmetric matrix of any size, in double, by Jacobi's rotations in cyclic
// order. Each error is a few units in the last place of the matrix's norm.
#ifndef FIRN_MATH_JACOBI_H
#define FIRN_MATH_JACOBI_H

#include "math/real.h"

// A = V diag(l) V^T for symmetric a[n][n], whose lower triangle is not read. On return l is the
// diagonal of a, unsorted, and V, of det +1, has the eigenvectors as its columns. v[n][n] may be NULL.
FIRN_HD void firn_jacobi(int n, double *a, double *v) {
  double scale = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      if (j < i) a[n * i + j] = a[n * j + i];
      if (v) v[n * i + j] = i == j;
      scale += a[n * i + j] * a[n * i + j];
    }
  scale = sqrt(scale);
  for (int sweep = 0, busy = 1; busy && sweep < 30; sweep++) {
    busy = 0;
    for (int p = 0; p < n - 1; p++)
      for (int q = p + 1; q < n; q++) {
        double g = a[n * p + q];
        if (fabs(g) <= 0.125 * DBL_EPSILON * scale) continue;
        double z = (a[(n + 1) * q] - a[(n + 1) * p]) / (2 * g);
        double t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
        double c = 1 / sqrt(1 + t * t), s = t * c;
        for (int r = 0; r < n; r++) {
          if (r == p || r == q) continue;
          double x = a[n * p + r], y = a[n * q + r];
          a[n * p + r] = a[n * r + p] = c * x - s * y;
          a[n * q + r] = a[n * r + q] = s * x + c * y;
        }
        // The entry that should vanish is set to 0 rather than computed, or rounding would keep the
        // sweeps going.
        a[(n + 1) * p] -= t * g;
        a[(n + 1) * q] += t * g;
        a[n * p + q] = a[n * q + p] = 0;
        for (int r = 0; v && r < n; r++) {
          double x = v[n * r + p], y = v[n * r + q];
          v[n * r + p] = c * x - s * y;
          v[n * r + q] = s * x + c * y;
        }
        busy = 1;
      }
  }
}

#endif
