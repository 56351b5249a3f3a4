// SPDX-License-Identifier: Apache-2.0
#include "support/plane_kernels.h"

const plane_kernels *plane_kernels_get(firn_isa isa) {
  if (!firn_isa_available(isa)) return NULL;
#if defined(__x86_64__)
  if (isa == FIRN_ISA_AVX512) return &plane_kernels_avx512;
  if (isa == FIRN_ISA_AVX2) return &plane_kernels_avx2;
#endif
  return NULL;
}
