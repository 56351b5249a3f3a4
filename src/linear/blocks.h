// SPDX-License-Identifier: Apache-2.0
// What the Krylov solvers are made of: operations on one block of FIRN_LINEAR_BLOCK reals. Several
// of them applied to the same block in turn read memory once and the first-level cache after that,
// so a pass over the vectors is written as a list of them.
#ifndef FIRN_LINEAR_BLOCKS_H
#define FIRN_LINEAR_BLOCKS_H

#include <string.h>

#include "linear/krylov.h"

// A sum of products, in double whatever the vectors are: products of floats are then exact and never
// out of range, which costs 0.15 ns a term. Sixteen interleaved partial sums fill the registers of
// any machine; their fixed shape gives all of them the same answer.
enum { FIRN_LINEAR_LANES = 16 };
typedef struct firn_linear_sum {
  double lane[FIRN_LINEAR_LANES];
} firn_linear_sum;

// sum += a'b
static inline void firn_block_dot(firn_linear_sum *sum, const firn_real *restrict a,
                                  const firn_real *restrict b) {
  double lane[FIRN_LINEAR_LANES];
  memcpy(lane, sum->lane, sizeof lane);
  for (int i = 0; i < FIRN_LINEAR_BLOCK; i += FIRN_LINEAR_LANES)
    for (int k = 0; k < FIRN_LINEAR_LANES; k++) lane[k] += (double)a[i + k] * (double)b[i + k];
  memcpy(sum->lane, lane, sizeof lane);
}

static inline double firn_linear_sum_total(const firn_linear_sum *sum) {
  double lane[FIRN_LINEAR_LANES];
  memcpy(lane, sum->lane, sizeof lane);
  for (int half = FIRN_LINEAR_LANES / 2; half; half /= 2)
    for (int k = 0; k < half; k++) lane[k] += lane[k + half];
  return lane[0];
}

static inline void firn_block_zero(firn_real *y) {
  memset(y, 0, FIRN_LINEAR_BLOCK * sizeof *y);
}

// y += a x
static inline void firn_block_axpy(firn_real *restrict y, firn_real a,
                                   const firn_real *restrict x) {
  for (int i = 0; i < FIRN_LINEAR_BLOCK; i++) y[i] += a * x[i];
}

// y = x + a y
static inline void firn_block_xpay(firn_real *restrict y, const firn_real *restrict x,
                                   firn_real a) {
  for (int i = 0; i < FIRN_LINEAR_BLOCK; i++) y[i] = x[i] + a * y[i];
}

// z = a x + b y + c z
static inline void firn_block_combine(firn_real *restrict z, firn_real a,
                                      const firn_real *restrict x, firn_real b,
                                      const firn_real *restrict y, firn_real c) {
  for (int i = 0; i < FIRN_LINEAR_BLOCK; i++) z[i] = a * x[i] + b * y[i] + c * z[i];
}

#endif
