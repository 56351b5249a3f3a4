// SPDX-License-Identifier: Apache-2.0
// Three doubles. Scalar geometry and the reference implementations work in double whatever
// firn_real is; loops across particles use lanes.
#ifndef FIRN_MATH_VEC3_H
#define FIRN_MATH_VEC3_H

#include "math/real.h"

FIRN_HD int firn_finite3(const double v[3]) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

typedef struct firn_vec3 {
  double x, y, z;
} firn_vec3;

FIRN_HD firn_vec3 firn_vec3_make(double x, double y, double z) {
  firn_vec3 v;
  v.x = x;
  v.y = y;
  v.z = z;
  return v;
}

FIRN_HD firn_vec3 firn_vec3_add(firn_vec3 a, firn_vec3 b) {
  return firn_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

FIRN_HD firn_vec3 firn_vec3_sub(firn_vec3 a, firn_vec3 b) {
  return firn_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

FIRN_HD firn_vec3 firn_vec3_scale(double k, firn_vec3 a) {
  return firn_vec3_make(k * a.x, k * a.y, k * a.z);
}

FIRN_HD double firn_vec3_dot(firn_vec3 a, firn_vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

FIRN_HD firn_vec3 firn_vec3_cross(firn_vec3 a, firn_vec3 b) {
  return firn_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

FIRN_HD double firn_vec3_norm(firn_vec3 a) {
  return sqrt(firn_vec3_dot(a, a));
}

// a / |a|, or `otherwise` where a = 0.
FIRN_HD firn_vec3 firn_vec3_unit(firn_vec3 a, firn_vec3 otherwise) {
  double n = firn_vec3_norm(a);
  return n > 0 ? firn_vec3_scale(1 / n, a) : otherwise;
}

#endif
