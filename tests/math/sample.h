// SPDX-License-Identifier: Apache-2.0
// Random numbers and matrices for the tests of math and material, and the loop over instruction
// sets. Everything is a function of a counter: a failing case fails again.
#ifndef FIRN_TESTS_MATH_SAMPLE_H
#define FIRN_TESTS_MATH_SAMPLE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/isa.h"
#include "base/random.h"
#include "math/svd.h"

typedef struct sample {
  uint64_t seed, next;
} sample;

// Uniform in [lo, hi).
static inline double sample_uniform(sample *s, double lo, double hi) {
  firn_philox r = firn_philox4x32(s->seed, s->next++, 0, 0);
  double u = ((double)r.v[0] + (double)r.v[1] * 0x1p-32) * 0x1p-32;
  return lo + (hi - lo) * u;
}

// Log-uniform: 10^[lo, hi).
static inline double sample_decades(sample *s, double lo, double hi) {
  return pow(10, sample_uniform(s, lo, hi));
}

static inline firn_mat3 sample_matrix(sample *s, double size) {
  firn_mat3 a;
  for (int i = 0; i < 9; i++) a.m[i] = sample_uniform(s, -size, size);
  return a;
}

// A rotation, from a quaternion drawn in the unit ball.
static inline firn_mat3 sample_rotation(sample *s) {
  double q[4], n2;
  do {
    n2 = 0;
    for (int i = 0; i < 4; i++) {
      q[i] = sample_uniform(s, -1, 1);
      n2 += q[i] * q[i];
    }
  } while (n2 > 1 || n2 < 0.01);
  double w = q[0], x = q[1], y = q[2], z = q[3], k = 2 / n2;
  firn_mat3 r = {{1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y),
                  k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x),
                  k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y)}};
  return r;
}

// Q diag(d) Q^T.
static inline firn_mat3 sample_congruence(firn_mat3 q, const double d[3]) {
  return firn_mat3_mul_nt(firn_mat3_mul(q, firn_mat3_diag(d[0], d[1], d[2])), q);
}

// Column i of a [k][n] array as matrices: nine components row-major, or six as xx yy zz xy xz yz.
static inline firn_mat3 soa_matrix(const firn_real *a, size_t n, size_t i) {
  firn_mat3 m;
  for (size_t c = 0; c < 9; c++) m.m[c] = (double)a[c * n + i];
  return m;
}

static inline void soa_set_matrix(firn_real *a, size_t n, size_t i, firn_mat3 m) {
  for (size_t c = 0; c < 9; c++) a[c * n + i] = (firn_real)m.m[c];
}

static inline firn_mat3 soa_symmetric(const firn_real *a, size_t n, size_t i) {
  double xx = (double)a[i], yy = (double)a[n + i], zz = (double)a[2 * n + i];
  double xy = (double)a[3 * n + i], xz = (double)a[4 * n + i], yz = (double)a[5 * n + i];
  return (firn_mat3){{xx, xy, xz, xy, yy, yz, xz, yz, zz}};
}

static inline void soa_set_symmetric(firn_real *a, size_t n, size_t i, firn_mat3 m) {
  static const int entry[6] = {0, 4, 8, 1, 2, 5};
  for (size_t c = 0; c < 6; c++) a[c * n + i] = (firn_real)m.m[entry[c]];
}

static inline firn_real *new_reals(size_t count) {
  firn_real *p = calloc(count ? count : 1, sizeof *p);
  assert_non_null(p);
  return p;
}

// The largest of |value| seen, nan included; a test ends with one assertion on it.
static inline void worst(double *max, double value) {
  double a = fabs(value);
  if (!(a <= *max)) *max = a;
}

#define assert_below(value, bound)                                                                 \
  do {                                                                                             \
    double value_ = (value), bound_ = (bound);                                                     \
    if (!(value_ <= bound_))                                                                       \
      fail_msg("%s:%d: " #value " = %.6g exceeds " #bound " = %.6g", __FILE__, __LINE__, value_,   \
               bound_);                                                                            \
  } while (0)

// for_each_isa(isa): scalar, AVX2, AVX-512, without those this machine lacks, which it names.
static inline int isa_usable(firn_isa isa) {
  if (firn_isa_available(isa)) return 1;
  print_message("not run on %s: this CPU lacks it\n", firn_isa_name(isa));
  return 0;
}
#define for_each_isa(isa)                                                                          \
  for (firn_isa isa = FIRN_ISA_SCALAR; isa <= FIRN_ISA_AVX512; isa = (firn_isa)(isa + 1))          \
    if (isa_usable(isa))

// Setup of a group: workers flush denormals (base/isa.h), and what they call must be as good in that
// mode.
static inline int flush_denormals(void **state) {
  (void)state;
  firn_fp_enter();
  return 0;
}

#endif
