// SPDX-License-Identifier: Apache-2.0
#include "solver/flip/kernels.h"

#include "base/isa.h"

static const flip_kernels scalar = {flip_scatter_scalar, flip_move_scalar, flip_stress_scalar,
                                    flip_force_scalar};
#if defined(__x86_64__) && !defined(FIRN_DOUBLE)
static const flip_kernels avx2 = {flip_scatter_avx2, flip_move_avx2, flip_stress_avx2,
                                  flip_force_avx2};
// A cell has some 8 particles: 16 lanes would be half empty, and take 58 ns a particle instead of 36.
static const flip_kernels avx512 = {flip_scatter_avx512, flip_move_avx2, flip_stress_avx2,
                                    flip_force_avx2};
#endif

const flip_kernels *flip_choose_kernels(const firn_context *context) {
#if defined(__x86_64__) && !defined(FIRN_DOUBLE)
  if (context->isa == FIRN_ISA_AVX512) return &avx512;
  if (context->isa == FIRN_ISA_AVX2) return &avx2;
#else
  (void)context;
#endif
  return &scalar;
}
