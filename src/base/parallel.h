// SPDX-License-Identifier: Apache-2.0
// The one way to work in parallel: as many threads as the context has, each in firn's floating-point
// mode, whatever the caller's is.
//
//   FIRN_PARALLEL_FOR(context, schedule(dynamic, 4))
//   for (size_t b = 0; b < blocks; b++) work(b);
//
//   FIRN_PARALLEL(context) { // a team, for state of each thread's own or several loops
//     desk *mine = &desks[omp_get_thread_num()];
// #pragma omp for schedule(static)
//     for (size_t i = 0; i < n; i++) work(mine, i);
//   }
//
// Results may not depend on who does what: a loop writes to the place of its index, and what is added
// up is added within parts of fixed size and then over the parts in their order. A reduction of
// floating-point sums would follow the number of threads; max, min, logic and integers may be reduced.
#ifndef FIRN_BASE_PARALLEL_H
#define FIRN_BASE_PARALLEL_H

#include <omp.h>

#include "base/context.h"
#include "base/isa.h"

#define FIRN_PRAGMA(...) _Pragma(#__VA_ARGS__)

#define FIRN_PARALLEL(context)                                                                     \
  FIRN_PRAGMA(omp parallel num_threads((context)->threads))                                        \
  for (unsigned mode_ = firn_fp_enter(), once_ = 1; once_; once_ = 0, firn_fp_leave(mode_))

// The clauses are those of `omp for`. The team waits for all once, at its end.
#define FIRN_PARALLEL_FOR(context, ...)                                                            \
  FIRN_PARALLEL(context) FIRN_PRAGMA(omp for nowait __VA_ARGS__)

#endif
