// SPDX-License-Identifier: Apache-2.0
#include "refine/carry.h"

firn_carry_kernel *firn_carry_get(firn_isa isa) {
  if (isa == FIRN_ISA_AUTO) isa = firn_isa_best();
  if (!firn_isa_available(isa)) return firn_carry_scalar;
  switch (isa) {
#if defined(__x86_64__)
  case FIRN_ISA_AVX512: return firn_carry_avx512;
  case FIRN_ISA_AVX2: return firn_carry_avx2;
#endif
  default: return firn_carry_scalar;
  }
}
