// SPDX-License-Identifier: Apache-2.0
// What this machine can do at best, measured: the yardstick beside firn's own speed.
#ifndef FIRN_CLI_MACHINE_H
#define FIRN_CLI_MACHINE_H

#include <firn/firn.h>

typedef struct machine {
  double copy;  // bytes/s read plus written by a copy far larger than the caches
  double flops; // flop/s of independent fused multiply-adds in the library's precision
} machine;

// With this many threads and this instruction set. Takes about a second.
machine machine_measure(int threads, firn_isa isa);

#endif
