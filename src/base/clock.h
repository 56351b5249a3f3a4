// SPDX-License-Identifier: Apache-2.0
// Wall time, for reports only: no decision of the simulation ever reads a clock.
#ifndef FIRN_BASE_CLOCK_H
#define FIRN_BASE_CLOCK_H

#include <time.h>

static inline double firn_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
