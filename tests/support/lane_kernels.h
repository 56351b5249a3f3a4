// SPDX-License-Identifier: Apache-2.0
// The lane and row functions over arrays, one table an instruction set: tests hold every table against
// the reference.
//
// Arrays are SoA: a [k][n] array has its k-th component at a + k*n. n is arbitrary.
#ifndef FIRN_TESTS_SUPPORT_LANE_KERNELS_H
#define FIRN_TESTS_SUPPORT_LANE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"
#include "math/real.h"

typedef enum firn_lane_map {
  FIRN_LANE_OP_ABS,
  FIRN_LANE_OP_SQRT,
  FIRN_LANE_OP_RCP,
  FIRN_LANE_OP_RSQRT,
  FIRN_LANE_OP_FLOOR,
  FIRN_LANE_OP_ROUND,
  FIRN_LANE_OP_EXP,
  FIRN_LANE_OP_LOG,
  FIRN_LANE_OP_LOG1P,
  FIRN_LANE_OP_EXPM1
} firn_lane_map;

typedef struct firn_lane_kernels {
  const char *name;
  int lanes;
  // y[n] = op(x[n])
  void (*map)(firn_lane_map op, size_t n, const firn_real *x, firn_real *y);
  // w[width][n] and dw[width][n] of offsets f[n]; width 4 is the cubic, 3 the quadratic spline
  void (*bspline)(int width, size_t n, const firn_real *f, firn_real *w, firn_real *dw);
  // F[9][n] = U diag(S) V^T
  void (*svd)(size_t n, const firn_real *F, firn_real *U, firn_real *S, firn_real *V);
  // F[9][n] = R[9][n] T[6][n]
  void (*polar)(size_t n, const firn_real *F, firn_real *R, firn_real *T);
  // A[6][n] = Q[9][n] diag(l[3][n]) Q^T, by Jacobi
  void (*eigen)(size_t n, const firn_real *A, firn_real *l, firn_real *Q);
  // the split of sym3_lane.h: l[3][n], P[6][n], N[6][n]
  void (*split)(size_t n, const firn_real *A, firn_real *l, firn_real *P, firn_real *N);

  // ---- pieces of lane.h, on one vector of `lanes` values
  void (*transpose)(const firn_real *in, firn_real *out); // [lanes][lanes]
  void (*across)(const firn_real *x, firn_real out[3]);   // sum, min, max
  // out = x < y ? a : b on the first `count` lanes, 0 beyond; returns the bits of x < y there
  unsigned (*select)(int count, const firn_real *x, const firn_real *y, const firn_real *a,
                     const firn_real *b, firn_real *out);
  // out = base[(int)index + shift]; also stores the integers
  void (*gather)(const firn_real *base, const firn_real *index, int32_t shift, firn_real *out,
                 int32_t *integers);
  // out[10][lanes]: a + b, a * b, a ^ b, a & b, a << 9, a >> 9, a rotated by 13, a < 0 ? a : b,
  // base[b & 7], pair[b & 7]
  void (*integers)(const int32_t *a, const int32_t *b, const int32_t *base, const uint16_t *pair,
                   int32_t *out);

  // ---- pieces of row.h (NULL in the scalar table)
  // out[16] = w * a[16] + splat(four) * spread(w4)
  void (*row_affine)(firn_real w, const firn_real *a, const firn_real *four, const firn_real *w4,
                     firn_real *out);
  void (*row_reduce)(const firn_real *abcd, firn_real *out); // abcd[4][16] -> out[16]
  // nodes [first, first + count) of the row at p, others 0 and untouched
  void (*row_part)(const firn_real *p, unsigned first, unsigned count, firn_real *out);
  // out = (x, y, z) / w with w kept, per node
  void (*row_unweight)(const firn_real *a, firn_real *out);
} firn_lane_kernels;

// The table of an instruction set (FIRN_ISA_AUTO: the best); NULL where this machine lacks it.
const firn_lane_kernels *firn_lane_kernels_get(firn_isa isa);

extern const firn_lane_kernels firn_lane_kernels_scalar;
#if defined(__x86_64__)
extern const firn_lane_kernels firn_lane_kernels_avx2;
extern const firn_lane_kernels firn_lane_kernels_avx512;
#endif

#endif
