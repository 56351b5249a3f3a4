// SPDX-License-Identifier: Apache-2.0
// Multigrid for 7-point operators on sparse blocks of 4x4x4 cells, as a preconditioner:
//
//   (A x)_c = sum over faces of weight_f (x_c - x_n) + hold_c x_c
//
// with weights of at least 0, 0 where there is no neighbour, and hold the part of the diagonal that
// belongs to values known to be 0. A closed set of cells without hold makes A singular.
//
// A coarse cell is eight fine ones, its weights and hold half the sums of theirs: the Galerkin product
// with piecewise constant transfer, scaled so that it is also the operator discretised anew. So one
// code serves all levels. Trilinear transfer took two to four times the iterations, since it is wrong
// at walls. The smoother is Jacobi's, which threads may share without colours.
#ifndef FIRN_LINEAR_MULTIGRID_H
#define FIRN_LINEAR_MULTIGRID_H

#include "base/memory.h"
#include "math/real.h"

enum {
  FIRN_MG_LEVELS = 14,
  FIRN_MG_CELLS = 64, // of a block: 16 x + 4 y + z
};

// Coefficients of a block whose faces are not all alike, [64] each.
enum {
  FIRN_MG_WEIGHT,   // of the six faces: -x +x -y +y -z +z
  FIRN_MG_HOLD = 6, // what the diagonal has besides their sum
  FIRN_MG_DIAGONAL,
  FIRN_MG_INVERSE, // of the diagonal; 0: no cell
  FIRN_MG_COEFFICIENTS
};

typedef struct firn_mg_level {
  size_t count;           // blocks
  int32_t (*at)[3];       // [count] block coordinates
  int32_t period[3];      // blocks; 0: none
  uint32_t (*beside)[6];  // [count] -x +x -y +y -z +z; count where there is none, whose x is 0
  uint32_t *slot;         // [count] of its coefficients; FIRN_MG_UNIFORM: all weights are `uniform`
  firn_real uniform;      //
  size_t slots;           //
  firn_real *coefficient; // [slots][FIRN_MG_COEFFICIENTS][64]
  uint32_t *parent;       // [count] block of the next level
  uint8_t *octant;        // [count] which eighth of it: 4 x + 2 y + z
  uint32_t (*child)[8];   // [count] blocks of the level before
  firn_real *x, *y, *b;   // [count + 1][64]
  firn_buffer places, coefficients, vectors;
} firn_mg_level;

#define FIRN_MG_UNIFORM UINT32_MAX

typedef struct firn_multigrid {
  firn_context *context;
  const struct firn_mg_kernels *kernels;
  int levels;
  firn_mg_level level[FIRN_MG_LEVELS];
  firn_buffer table; // from coordinates to blocks, of one level
} firn_multigrid;

void firn_multigrid_init(firn_multigrid *mg, firn_context *context);
void firn_multigrid_free(firn_multigrid *mg);

// Lays out level 0 over these blocks, and coarser ones. uniform[b]: all cells of the block exist and
// all their faces have weight 1. The caller then fills weight and hold of the other blocks, where
// firn_multigrid_block says, and finishes.
firn_status firn_multigrid_layout(firn_multigrid *mg, size_t count, const int32_t (*at)[3],
                                  const uint8_t *uniform, const int32_t period[3]);
static inline firn_real *firn_multigrid_block(const firn_multigrid *mg, size_t b) {
  const firn_mg_level *l = &mg->level[0];
  if (l->slot[b] == FIRN_MG_UNIFORM) return NULL;
  return l->coefficient + (size_t)l->slot[b] * FIRN_MG_COEFFICIENTS * FIRN_MG_CELLS;
}
void firn_multigrid_finish(firn_multigrid *mg);

// y = A p on level 0 (user is the multigrid), [count][64]: for firn_mixed_system. Behind p lies a block of zeros.
void firn_multigrid_apply(void *user, const firn_real *p, double *y);
// z = one cycle for A z = r, from 0.
void firn_multigrid_cycle(void *user, const double *r, firn_real *z);

#endif
