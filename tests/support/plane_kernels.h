// SPDX-License-Identifier: Apache-2.0
// Rows of nodes against a plane (solver/mpm/kernels_plane.h), one table a vector instruction set.
#ifndef FIRN_TESTS_SUPPORT_PLANE_KERNELS_H
#define FIRN_TESTS_SUPPORT_PLANE_KERNELS_H

#include "base/isa.h"
#include "solver/mpm/plane.h"

// Four nodes along z: velocity and mass of each, and the first of them, in nodes from some corner.
typedef struct plane_row {
  firn_real v[16];
  int at[3];
} plane_row;

typedef struct plane_kernels {
  const char *name;
  // Collides those nodes of v[4][4] whose bits are set.
  void (*collide)(const mpm_plane *plane, firn_real mass_floor, unsigned bits, firn_real v[16]);
  // Tells the plane of rows that were `before` and are `after`, by all of their mass, in cells of h from `corner`.
  void (*tell)(const mpm_plane *plane, double h, const int32_t corner[3], int count,
               const plane_row *before, const plane_row *after);
} plane_kernels;

// NULL where this machine lacks the instruction set, or where it has no rows.
const plane_kernels *plane_kernels_get(firn_isa isa);

#if defined(__x86_64__)
extern const plane_kernels plane_kernels_avx2;
extern const plane_kernels plane_kernels_avx512;
#endif

#endif
