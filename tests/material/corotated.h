// SPDX-License-Identifier: Apache-2.0
// The snow law as printed, on F_E, one matrix at a time, in double: the oracle.
//
// Formulas are those of Stomakhin et al. 2013 (sections 5-7) and its technical report, with the
// polar decomposition and the SVD spelt out and nothing rearranged for speed. The fast laws work on
// b_E - I and share no code with this file, so that agreement means something.
#ifndef FIRN_TESTS_MATERIAL_COROTATED_H
#define FIRN_TESTS_MATERIAL_COROTATED_H

#include "math/svd.h"

// Psi = mu |F - R|^2 + lambda/2 (J - 1)^2, J/m^3.
FIRN_HD double firn_oracle_energy(firn_mat3 F, double mu, double lambda) {
  firn_mat3 R, S;
  firn_polar3(F, &R, &S);
  firn_mat3 d = firn_mat3_sub(F, R);
  double j = firn_mat3_det(F) - 1;
  return mu * firn_mat3_dot(d, d) + 0.5 * lambda * j * j;
}

// P = dPsi/dF = 2 mu (F - R) + lambda (J - 1) cof F, Pa.
FIRN_HD firn_mat3 firn_oracle_stress(firn_mat3 F, double mu, double lambda) {
  firn_mat3 R, S;
  firn_polar3(F, &R, &S);
  firn_mat3 P = firn_mat3_scale(2 * mu, firn_mat3_sub(F, R));
  return firn_mat3_axpy(lambda * (firn_mat3_det(F) - 1), firn_mat3_cofactor(F), P);
}

// dR of F = R S under dF: R^T dR = [w]x with (tr S I - S) w the axial vector of R^T dF - dF^T R.
FIRN_HD firn_mat3 firn_oracle_rotation_change(firn_mat3 F, firn_mat3 dF) {
  firn_mat3 R, S;
  firn_polar3(F, &R, &S);
  firn_mat3 B = firn_mat3_mul_tn(R, dF);
  firn_vec3 a = firn_vec3_make(B.m[7] - B.m[5], B.m[2] - B.m[6], B.m[3] - B.m[1]);
  double t = firn_mat3_trace(S);
  firn_vec3 w = firn_mat3_solve(firn_mat3_sub(firn_mat3_diag(t, t, t), S), a);
  return firn_mat3_mul(R, firn_mat3_skew(w));
}

// d cof F, by the product rule on each 2x2 minor.
FIRN_HD firn_mat3 firn_oracle_cofactor_change(firn_mat3 F, firn_mat3 dF) {
  firn_mat3 c;
  const double *f = F.m, *d = dF.m;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int i1 = 3 * ((i + 1) % 3), i2 = 3 * ((i + 2) % 3), j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c.m[3 * i + j] = d[i1 + j1] * f[i2 + j2] + f[i1 + j1] * d[i2 + j2] - d[i1 + j2] * f[i2 + j1] -
                       f[i1 + j2] * d[i2 + j1];
    }
  return c;
}

// dP = 2 mu (dF - dR) + lambda (cof F : dF) cof F + lambda (J - 1) d cof F.
FIRN_HD firn_mat3 firn_oracle_differential(firn_mat3 F, firn_mat3 dF, double mu, double lambda) {
  firn_mat3 cof = firn_mat3_cofactor(F);
  firn_mat3 dP = firn_mat3_sub(dF, firn_oracle_rotation_change(F, dF));
  dP = firn_mat3_scale(2 * mu, dP);
  dP = firn_mat3_axpy(lambda * firn_mat3_dot(cof, dF), cof, dP);
  return firn_mat3_axpy(lambda * (firn_mat3_det(F) - 1), firn_oracle_cofactor_change(F, dF), dP);
}

// The spectrum of d2Psi/dF2 at singular values sigma: the symmetric block of the three stretches
// (eigenvalues left to the caller), three flips and three twists, indexed by the axis they leave.
FIRN_HD void firn_oracle_spectrum(const double sigma[3], double mu, double lambda,
                                  firn_mat3 *stretch, double flip[3], double twist[3]) {
  double J = sigma[0] * sigma[1] * sigma[2];
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double area = sigma[i] * sigma[j];
    stretch->m[4 * k] = 2 * mu + lambda * area * area;
    stretch->m[3 * i + j] = stretch->m[3 * j + i] = lambda * (2 * J - 1) * sigma[k];
    flip[k] = 2 * mu - lambda * (J - 1) * sigma[k];
    twist[k] = 2 * mu * (1 - 2 / (sigma[i] + sigma[j])) + lambda * (J - 1) * sigma[k];
  }
}

// Section 7: clamps the singular values of F_E to [1 - theta_c, 1 + theta_s] and moves what was cut
// off to J_P. Singular values below `least` count as that in J_P (inverted elements).
FIRN_HD firn_mat3 firn_oracle_return(firn_mat3 F_E, double theta_c, double theta_s, double least,
                                     double *J_P) {
  firn_mat3 U, V;
  double S[3];
  firn_svd3(F_E, &U, S, &V);
  for (int k = 0; k < 3; k++) {
    double c = fmin(fmax(S[k], 1 - theta_c), 1 + theta_s);
    *J_P *= fmax(S[k], least) / c;
    S[k] = c;
  }
  return firn_mat3_mul_nt(firn_mat3_mul(U, firn_mat3_diag(S[0], S[1], S[2])), V);
}

#endif
