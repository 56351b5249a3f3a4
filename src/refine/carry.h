// SPDX-License-Identifier: Apache-2.0
// The particles of a cell through a step; carry.inc.h has the law, for each instruction set.
#ifndef FIRN_REFINE_CARRY_H
#define FIRN_REFINE_CARRY_H

#include <stddef.h>
#include <stdint.h>

#include "base/isa.h"
#include "math/real.h"

// Eight reals, so that one is moved as a whole when particles are sorted, and some of them turn into
// vectors by a transpose. Seven arrays instead took twice as long to sort: stores to that many pages at
// once miss the translation buffer.
typedef struct firn_fine_particle {
  _Alignas(8 * sizeof(firn_real)) firn_real x[3]; // m
  firn_real v[3];                                 // m/s
  uint32_t row;                                   // its number, as it was set
  firn_real place; // the cell that it goes to: 36 x + 6 y + z from one below its block, [0, 216)
} firn_fine_particle;

// A step, the same for all cells.
typedef struct firn_carry {
  firn_real dt;         // s
  firn_real inverse;    // 1/m, of the cell's size
  firn_real fall[3];    // m/s, dt times gravity
  firn_real by_density; // 1 over the density from which on particles go with the snow
  bool printed;
} firn_carry;

typedef enum firn_carry_kind {
  FIRN_CARRY_ALONE, // no snow at any corner
  FIRN_CARRY_MIXED,
  FIRN_CARRY_DENSE // a = 1 at all corners
} firn_carry_kind;

typedef struct firn_carry_cell {
  firn_carry_kind kind;
  firn_real corner[3]; // cells
  // x, y, z of the momentum, and the volume, as polynomials of the place in the cell: the coefficient at
  // 4 i + 2 j + k is that of x^i y^j z^k.
  firn_real k[4][8];
  firn_real place; // of the cell itself
} firn_carry_cell;

// Moves particles 0 to count - 1, and tells them their places. Returns the square of the highest speed,
// m2/s2.
typedef firn_real firn_carry_kernel(const firn_carry *step, const firn_carry_cell *cell,
                                    size_t count, firn_fine_particle *particle);
firn_carry_kernel firn_carry_scalar, firn_carry_avx2, firn_carry_avx512;
firn_carry_kernel *firn_carry_get(firn_isa isa);

#endif
