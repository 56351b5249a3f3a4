// SPDX-License-Identifier: Apache-2.0
#include "support/law_kernels.h"

const firn_law_kernels *firn_law_kernels_get(firn_isa isa) {
  if (!firn_isa_available(isa)) return NULL;
  switch (isa == FIRN_ISA_AUTO ? firn_isa_best() : isa) {
#if defined(__x86_64__)
  case FIRN_ISA_AVX512: return &firn_law_kernels_avx512;
  case FIRN_ISA_AVX2: return &firn_law_kernels_avx2;
#endif
  case FIRN_ISA_SCALAR: return &firn_law_kernels_scalar;
  default: return NULL;
  }
}
