// SPDX-License-Identifier: Apache-2.0
// The loops of multigrid.c over the cells of one block. All instruction sets give the same bits.
#ifndef FIRN_LINEAR_MULTIGRID_KERNELS_H
#define FIRN_LINEAR_MULTIGRID_KERNELS_H

#include "linear/multigrid.h"

// x: [count + 1][64], of which the last is 0.
typedef struct firn_mg_kernels {
  // r = b - A x
  void (*residual)(const firn_mg_level *l, const firn_real *x, size_t b, firn_real *r);
  // y = x + step / diagonal (b - A x)
  void (*relax)(const firn_mg_level *l, const firn_real *x, size_t b, firn_real step, firn_real *y);
  // y = A x
  void (*multiply)(const firn_mg_level *l, const firn_real *x, size_t b, double *y);
  // x += what the coarser level has for the block's cells; from: its eighth of a block there
  void (*prolong)(const firn_mg_level *l, const firn_real *from, size_t b, firn_real *x);
} firn_mg_kernels;

static inline const firn_real *firn_mg_coefficients(const firn_mg_level *l, size_t b) {
  if (l->slot[b] == FIRN_MG_UNIFORM) return NULL;
  return l->coefficient + (size_t)l->slot[b] * FIRN_MG_COEFFICIENTS * FIRN_MG_CELLS;
}

extern const firn_mg_kernels firn_mg_scalar; // multigrid.c
#ifndef FIRN_DOUBLE
extern const firn_mg_kernels firn_mg_avx2;
#endif

#endif
