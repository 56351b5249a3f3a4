// SPDX-License-Identifier: Apache-2.0
// Which instruction sets this machine has, and the floating-point mode of worker threads.
#ifndef FIRN_BASE_ISA_H
#define FIRN_BASE_ISA_H

#include <stdbool.h>

#include <firn/firn.h>

// True if the running CPU and the operating system support isa.
bool firn_isa_available(firn_isa isa);
// The best available one; never FIRN_ISA_AUTO.
firn_isa firn_isa_best(void);

// Denormals slow the transfers by half and mean nothing here: whoever works flushes them, rounds to
// nearest and never traps, and gives the caller's mode back afterwards. All of the mode is set, since
// a caller's rounding would otherwise reach some threads and not others.
unsigned firn_fp_enter(void);
void firn_fp_leave(unsigned mode);
// The same without the flush, for numbers that are handed out.
unsigned firn_fp_keep_small(void);
static inline void firn_fp_restore(const unsigned *mode) {
  firn_fp_leave(*mode);
}

// From here to the end of the block; parallel loops (base/parallel.h) see to it themselves.
#define FIRN_FP_SCOPE                                                                              \
  unsigned mode_ __attribute__((cleanup(firn_fp_restore), unused)) = firn_fp_enter()

#endif
