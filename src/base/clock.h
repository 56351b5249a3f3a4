// SPDX-License-Identifier: Apache-2.0
// Wall time and CPU time, for reports only: no decision of the simulation ever reads a clock.
#ifndef FIRN_BASE_CLOCK_H
#define FIRN_BASE_CLOCK_H

#include <time.h>

static inline double firn_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// CPU time of all threads of the process: on a machine that others use as well, what work costs.
static inline double firn_cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
