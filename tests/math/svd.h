// SPDX-License-Identifier: Apache-2.0
// Reference decompositions of one 3x3 matrix, in double: SVD, polar, symmetric eigenvectors.
//
// Written for accuracy. The one-sided Jacobi method finds small singular values to their own
// relative precision (as far as the matrix determines them), which methods through F^T F cannot:
// they lose every sigma below 1e-8 of the largest.
#ifndef FIRN_TESTS_MATH_SVD_H
#define FIRN_TESTS_MATH_SVD_H

#include "math/jacobi.h"
#include "math/mat3.h"

// A unit vector orthogonal to the unit vector a.
FIRN_HD firn_vec3 firn_vec3_orthogonal(firn_vec3 a) {
  double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
  firn_vec3 axis = x <= y && x <= z ? firn_vec3_make(1, 0, 0)
                   : y <= z         ? firn_vec3_make(0, 1, 0)
                                    : firn_vec3_make(0, 0, 1);
  return firn_vec3_unit(firn_vec3_cross(a, axis), axis);
}

// Rotates columns p, q: p' = c p - s q, q' = s p + c q.
FIRN_HD void firn_mat3_rotate_columns(firn_mat3 *a, int p, int q, double c, double s) {
  for (int i = 0; i < 3; i++) {
    double x = a->m[3 * i + p], y = a->m[3 * i + q];
    a->m[3 * i + p] = c * x - s * y;
    a->m[3 * i + q] = s * x + c * y;
  }
}

// F = U diag(S) V^T, det U = det V = +1, S[0] >= S[1] >= |S[2]|; S[2] has the sign of det F.
FIRN_HD void firn_svd3(firn_mat3 F, firn_mat3 *U, double S[3], firn_mat3 *V) {
  firn_mat3 a = F, v = firn_mat3_identity();

  // Rotate pairs of columns until all are orthogonal relative to their lengths; a tighter threshold
  // than 2 eps would chase the rounding of the products themselves.
  for (int sweep = 0, busy = 1; busy && sweep < 30; sweep++) {
    busy = 0;
    for (int k = 0; k < 3; k++) {
      int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
      firn_vec3 x = firn_mat3_column(a, p), y = firn_mat3_column(a, q);
      double nx = firn_vec3_dot(x, x), ny = firn_vec3_dot(y, y), g = firn_vec3_dot(x, y);
      if (fabs(g) <= 2 * DBL_EPSILON * sqrt(nx) * sqrt(ny)) continue;
      double z = (ny - nx) / (2 * g);
      double t = (z < 0 ? -1 : 1) / (fabs(z) + sqrt(1 + z * z));
      double c = 1 / sqrt(1 + t * t), s = t * c;
      firn_mat3_rotate_columns(&a, p, q, c, s);
      firn_mat3_rotate_columns(&v, p, q, c, s);
      busy = 1;
    }
  }

  // Longest first; a quarter turn in place of a swap keeps det V.
  for (int k = 0; k < 3; k++) {
    int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
    if (firn_vec3_norm(firn_mat3_column(a, p)) >= firn_vec3_norm(firn_mat3_column(a, q))) continue;
    firn_mat3_rotate_columns(&a, p, q, 0, -1);
    firn_mat3_rotate_columns(&v, p, q, 0, -1);
  }

  // Unit columns; missing ones are completed to a rotation.
  firn_vec3 a0 = firn_mat3_column(a, 0), a1 = firn_mat3_column(a, 1), a2 = firn_mat3_column(a, 2);
  S[0] = firn_vec3_norm(a0);
  firn_vec3 u0 = firn_vec3_unit(a0, firn_vec3_make(1, 0, 0));
  a1 = firn_vec3_sub(a1, firn_vec3_scale(firn_vec3_dot(u0, a1), u0));
  S[1] = firn_vec3_norm(a1);
  firn_vec3 u1 = firn_vec3_unit(a1, firn_vec3_orthogonal(u0));
  firn_vec3 u2 = firn_vec3_cross(u0, u1);
  S[2] = firn_vec3_dot(u2, a2);
  firn_mat3_set_column(U, 0, u0);
  firn_mat3_set_column(U, 1, u1);
  firn_mat3_set_column(U, 2, u2);
  *V = v;
}

// F = R T, R a rotation, T symmetric; where det F < 0, T has one negative eigenvalue.
FIRN_HD void firn_polar3(firn_mat3 F, firn_mat3 *R, firn_mat3 *T) {
  firn_mat3 U, V;
  double S[3];
  firn_svd3(F, &U, S, &V);
  *R = firn_mat3_mul_nt(U, V);
  *T = firn_mat3_mul_nt(firn_mat3_mul(V, firn_mat3_diag(S[0], S[1], S[2])), V);
}

// A = Q diag(l) Q^T for symmetric A (its lower triangle is not read), det Q = +1, l unsorted.
FIRN_HD void firn_sym3_eigen(firn_mat3 A, double l[3], firn_mat3 *Q) {
  firn_jacobi(3, A.m, Q->m);
  for (int k = 0; k < 3; k++) l[k] = A.m[4 * k];
}

#endif
