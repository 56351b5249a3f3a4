// SPDX-License-Identifier: Apache-2.0
// 3x3 matrices of doubles, row-major.
#ifndef FIRN_TESTS_MATH_MAT3_H
#define FIRN_TESTS_MATH_MAT3_H

#include "math/vec3.h"

typedef struct firn_mat3 {
  double m[9]; // [row][column]
} firn_mat3;

FIRN_HD firn_mat3 firn_mat3_diag(double x, double y, double z) {
  firn_mat3 a;
  for (int i = 0; i < 9; i++) a.m[i] = 0;
  a.m[0] = x;
  a.m[4] = y;
  a.m[8] = z;
  return a;
}

FIRN_HD firn_mat3 firn_mat3_identity(void) {
  return firn_mat3_diag(1, 1, 1);
}

FIRN_HD firn_mat3 firn_mat3_transpose(firn_mat3 a) {
  firn_mat3 t;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) t.m[3 * i + j] = a.m[3 * j + i];
  return t;
}

// a + k b.
FIRN_HD firn_mat3 firn_mat3_axpy(double k, firn_mat3 b, firn_mat3 a) {
  for (int i = 0; i < 9; i++) a.m[i] += k * b.m[i];
  return a;
}

FIRN_HD firn_mat3 firn_mat3_sub(firn_mat3 a, firn_mat3 b) {
  return firn_mat3_axpy(-1, b, a);
}

FIRN_HD firn_mat3 firn_mat3_scale(double k, firn_mat3 a) {
  for (int i = 0; i < 9; i++) a.m[i] *= k;
  return a;
}

FIRN_HD firn_mat3 firn_mat3_mul(firn_mat3 a, firn_mat3 b) {
  firn_mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[3 * i + j] = a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] +
                       a.m[3 * i + 2] * b.m[6 + j];
  return c;
}

// a b^T.
FIRN_HD firn_mat3 firn_mat3_mul_nt(firn_mat3 a, firn_mat3 b) {
  return firn_mat3_mul(a, firn_mat3_transpose(b));
}

// a^T b.
FIRN_HD firn_mat3 firn_mat3_mul_tn(firn_mat3 a, firn_mat3 b) {
  return firn_mat3_mul(firn_mat3_transpose(a), b);
}

FIRN_HD firn_vec3 firn_mat3_apply(firn_mat3 a, firn_vec3 v) {
  return firn_vec3_make(a.m[0] * v.x + a.m[1] * v.y + a.m[2] * v.z,
                        a.m[3] * v.x + a.m[4] * v.y + a.m[5] * v.z,
                        a.m[6] * v.x + a.m[7] * v.y + a.m[8] * v.z);
}

FIRN_HD firn_vec3 firn_mat3_column(firn_mat3 a, int j) {
  return firn_vec3_make(a.m[j], a.m[3 + j], a.m[6 + j]);
}

FIRN_HD void firn_mat3_set_column(firn_mat3 *a, int j, firn_vec3 v) {
  a->m[j] = v.x;
  a->m[3 + j] = v.y;
  a->m[6 + j] = v.z;
}

FIRN_HD double firn_mat3_trace(firn_mat3 a) {
  return a.m[0] + a.m[4] + a.m[8];
}

// a : b = sum a_ij b_ij.
FIRN_HD double firn_mat3_dot(firn_mat3 a, firn_mat3 b) {
  double s = 0;
  for (int i = 0; i < 9; i++) s += a.m[i] * b.m[i];
  return s;
}

FIRN_HD double firn_mat3_norm(firn_mat3 a) {
  return sqrt(firn_mat3_dot(a, a));
}

// cof a = det a a^-T, defined for singular a too.
FIRN_HD firn_mat3 firn_mat3_cofactor(firn_mat3 a) {
  firn_mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c.m[3 * i + j] = a.m[3 * i1 + j1] * a.m[3 * i2 + j2] - a.m[3 * i1 + j2] * a.m[3 * i2 + j1];
    }
  return c;
}

FIRN_HD double firn_mat3_det(firn_mat3 a) {
  firn_mat3 c = firn_mat3_cofactor(a);
  return a.m[0] * c.m[0] + a.m[1] * c.m[1] + a.m[2] * c.m[2];
}

// [w]x: the matrix of v -> w x v.
FIRN_HD firn_mat3 firn_mat3_skew(firn_vec3 w) {
  firn_mat3 a = firn_mat3_diag(0, 0, 0);
  a.m[1] = -w.z;
  a.m[2] = w.y;
  a.m[3] = w.z;
  a.m[5] = -w.x;
  a.m[6] = -w.y;
  a.m[7] = w.x;
  return a;
}

// a^-1 v by Cramer's rule; a must not be singular.
FIRN_HD firn_vec3 firn_mat3_solve(firn_mat3 a, firn_vec3 v) {
  firn_mat3 c = firn_mat3_cofactor(a);
  double d = a.m[0] * c.m[0] + a.m[1] * c.m[1] + a.m[2] * c.m[2];
  return firn_vec3_scale(1 / d, firn_mat3_apply(firn_mat3_transpose(c), v));
}

#endif
