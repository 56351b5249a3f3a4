// SPDX-License-Identifier: Apache-2.0
// The vector kernels for AVX512: four pairs of basis and transfer from one text.
#define FIRN_LANE_AVX512
#include "solver/mpm/kernels_clump_lane.h"

#define WIDTH   4
#define APIC    0
#define K(name) name##_cubic_flip
#include "solver/mpm/kernels_lane.inc.h"

#define WIDTH   4
#define APIC    1
#define K(name) name##_cubic_apic
#include "solver/mpm/kernels_lane.inc.h"

#define WIDTH   3
#define APIC    0
#define K(name) name##_quadratic_flip
#include "solver/mpm/kernels_lane.inc.h"

#define WIDTH   3
#define APIC    1
#define K(name) name##_quadratic_apic
#include "solver/mpm/kernels_lane.inc.h"

const mpm_kernels *firn_mpm_kernels_avx512(const mpm_stencil *stencil, bool apic) {
  if (stencil->width == 4) return apic ? &table_cubic_apic : &table_cubic_flip;
  return apic ? &table_quadratic_apic : &table_quadratic_flip;
}
