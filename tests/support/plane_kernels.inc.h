// SPDX-License-Identifier: Apache-2.0
// The bodies of plane_kernels, compiled once for each vector instruction set. The including file has
// chosen the lane (FIRN_LANE_AVX2, ...) and defines KERNELS_TABLE and KERNELS_NAME.
#include "solver/mpm/kernels_plane.h"
#include "support/plane_kernels.h"

static void collide(const mpm_plane *plane, firn_real mass_floor, unsigned bits, firn_real v[16]) {
  const plane_math p = plane_math_of(plane, mass_floor, 1);
  row_storeu(v, plane_collide(&p, bits, row_loadu(v)));
}

static void tell(const mpm_plane *plane, double h, const int32_t corner[3], int count,
                 const plane_row *before, const plane_row *after) {
  const plane_math p = plane_math_of(plane, 0, h);
  plane_sums sums = plane_sums_begin();
  for (int i = 0; i < count; i++) {
    row16 was = row_loadu(before[i].v);
    plane_tell(&sums, row_broadcast_w(was), was, row_loadu(after[i].v), before[i].at);
  }
  plane_end(&p, &sums, corner);
}

const plane_kernels KERNELS_TABLE = {.name = KERNELS_NAME, .collide = collide, .tell = tell};
