// SPDX-License-Identifier: Apache-2.0
#include "base/isa.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

bool firn_isa_available(firn_isa isa) {
  switch (isa) {
  case FIRN_ISA_AUTO:
  case FIRN_ISA_SCALAR: return true;
#if defined(__x86_64__)
  case FIRN_ISA_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  case FIRN_ISA_AVX512:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
  case FIRN_ISA_AVX2:
  case FIRN_ISA_AVX512: return false;
#endif
  }
  return false;
}

firn_isa firn_isa_best(void) {
  if (firn_isa_available(FIRN_ISA_AVX512)) return FIRN_ISA_AVX512;
  if (firn_isa_available(FIRN_ISA_AVX2)) return FIRN_ISA_AVX2;
  return FIRN_ISA_SCALAR;
}

const char *firn_isa_name(firn_isa isa) {
  static const char *const names[] = {"auto", "scalar", "avx2", "avx512"};
  return (unsigned)isa < sizeof names / sizeof *names ? names[isa] : "unknown";
}

#if defined(__x86_64__)
enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x0040, NO_TRAPS = 0x1f80 };

// All of them round to nearest.
static unsigned change_mode(unsigned to) {
  unsigned mode = _mm_getcsr();
  _mm_setcsr(to);
  return mode;
}

unsigned firn_fp_enter(void) {
  return change_mode(NO_TRAPS | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
}

unsigned firn_fp_keep_small(void) {
  return change_mode(NO_TRAPS);
}

void firn_fp_leave(unsigned mode) {
  _mm_setcsr(mode);
}
#else
unsigned firn_fp_enter(void) {
  return 0;
}
unsigned firn_fp_keep_small(void) {
  return 0;
}
void firn_fp_leave(unsigned mode) {
  (void)mode;
}
#endif
