// SPDX-License-Identifier: Apache-2.0
// The decorations that let one text compile as C17 and as CUDA, host and device.
#ifndef FIRN_BASE_DEVICE_H
#define FIRN_BASE_DEVICE_H

// FIRN_HD: callable on host and device. FIRN_HD_INLINE: the same, and inlined by force, for what
// sits inside vector loops (a call would spill every live vector register). tests/build/headers.cu
// calls each such function on a device; the C++ overloads of libm for integers are the host's only.
#if defined(__CUDACC__)
#define FIRN_HD        __host__ __device__ static inline
#define FIRN_HD_INLINE __host__ __device__ static __forceinline__
#else
#define FIRN_HD        static inline
#define FIRN_HD_INLINE static inline __attribute__((always_inline))
#endif

#endif
