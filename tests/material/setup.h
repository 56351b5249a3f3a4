// SPDX-License-Identifier: Apache-2.0
// Table 2 of the paper as a row, and the eigenvalues of a 9x9 matrix.
#ifndef FIRN_TESTS_MATERIAL_SETUP_H
#define FIRN_TESTS_MATERIAL_SETUP_H

#include "math/sample.h"

#include "material/law.h"
#include "material/law_kernels.h"

static const double YOUNG = 1.4e5, POISSON = 0.2, THETA_C = 2.5e-2, THETA_S = 7.5e-3, XI = 10;
static const double MU = 1.4e5 / 2.4, LAMBDA = 1.4e5 * 0.2 / (1.2 * 0.6);

static inline firn_material_row table2(int law) {
  return (firn_material_row){
      .mu = (firn_real)MU,
      .lambda = (firn_real)LAMBDA,
      .lo = (firn_real)-THETA_C,
      .hi = (firn_real)THETA_S,
      .xi = (firn_real)XI,
      .ln_jp_lo = -FIRN_REAL_MAX,
      .ln_jp_hi = FIRN_REAL_MAX,
      .density = 400,
      .law = law,
  };
}

// Eigenvalues of the symmetric a[9][9], ascending; a is destroyed. Cyclic Jacobi.
static inline void eigenvalues9(double a[9][9], double l[9]) {
  for (int sweep = 0; sweep < 12; sweep++)
    for (int p = 0; p < 9; p++)
      for (int q = p + 1; q < 9; q++) {
        if (a[p][q] == 0) continue;
        double z = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        double t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z)), c = 1 / sqrt(1 + t * t);
        double s = t * c;
        for (int i = 0; i < 9; i++) {
          double x = a[i][p], y = a[i][q];
          a[i][p] = c * x - s * y;
          a[i][q] = s * x + c * y;
        }
        for (int i = 0; i < 9; i++) {
          double x = a[p][i], y = a[q][i];
          a[p][i] = c * x - s * y;
          a[q][i] = s * x + c * y;
        }
      }
  for (int i = 0; i < 9; i++) {
    int k = i;
    double v = a[i][i];
    for (; k > 0 && l[k - 1] > v; k--) l[k] = l[k - 1];
    l[k] = v;
  }
}

#endif
