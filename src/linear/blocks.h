// SPDX-License-Identifier: Apache-2.0
// What the Krylov solvers are made of: operations on a piece of a vector, n reals of whole blocks.
// Several of them applied to the same piece in turn read memory once and the first-level cache after
// that, so a pass over the vectors is written as a list of them.
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

// For i from 0 to n in steps. Most pieces are full, and a constant number spares those the remainder.
#define FIRN_BLOCK_EACH(n, step, statement)                                                        \
  do {                                                                                             \
    if ((n) == FIRN_LINEAR_PIECE) {                                                                \
      for (size_t i = 0; i < FIRN_LINEAR_PIECE; i += (step)) statement;                            \
    } else {                                                                                       \
      for (size_t i = 0; i < (n); i += (step)) statement;                                          \
    }                                                                                              \
  } while (0)

// sum += a'b
static inline void firn_block_dot(firn_linear_sum *__restrict sum, const firn_real *__restrict a,
                                  const firn_real *__restrict b, size_t n) {
  size_t whole = n - n % FIRN_LINEAR_LANES;
  FIRN_BLOCK_EACH(whole, FIRN_LINEAR_LANES,
                  for (size_t k = 0; k < FIRN_LINEAR_LANES; k++)
                      sum->lane[k] += (double)a[i + k] * (double)b[i + k]);
  for (size_t k = 0; whole + k < n; k++)
    sum->lane[k] += (double)a[whole + k] * (double)b[whole + k];
}

static inline double firn_linear_sum_total(const firn_linear_sum *sum) {
  double part[FIRN_LINEAR_LANES];
  memcpy(part, sum->lane, sizeof part);
  for (int half = FIRN_LINEAR_LANES / 2; half; half /= 2)
    for (int k = 0; k < half; k++) part[k] += part[k + half];
  return part[0];
}

// y += a x
static inline void firn_block_axpy(firn_real *__restrict y, firn_real a,
                                   const firn_real *__restrict x, size_t n) {
  FIRN_BLOCK_EACH(n, 1, y[i] += a * x[i]);
}

// y = x + a y
static inline void firn_block_xpay(firn_real *__restrict y, const firn_real *__restrict x,
                                   firn_real a, size_t n) {
  FIRN_BLOCK_EACH(n, 1, y[i] = x[i] + a * y[i]);
}

// z = a x + b y + c z
static inline void firn_block_combine(firn_real *__restrict z, firn_real a,
                                      const firn_real *__restrict x, firn_real b,
                                      const firn_real *__restrict y, firn_real c, size_t n) {
  FIRN_BLOCK_EACH(n, 1, z[i] = a * x[i] + b * y[i] + c * z[i]);
}

#endif
