// SPDX-License-Identifier: Apache-2.0
// The threads of a context.
//
// Loops are OpenMP's (parallel.h), but who runs them is not. GNU's OpenMP library has threads that wait
// spin for some 13 milliseconds before they sleep, unless the environment says otherwise when it is
// loaded. Beside other work on the same cores that makes two threads ten times as slow as one, and a
// library cannot ask its host for a new start. So what gcc makes of the pragmas calls a team of the
// context's own, of team.c. Its threads spin for some 50 microseconds, or for a millisecond where nobody
// else wants their cores, then sleep; they end with the context. Who calls does not wait for a worker
// that has not come yet, as it may be without a core for milliseconds: it does that one's part itself, and
// where the workers are no help, for want of cores or as loops are short, it leaves them alone for a while.
//
// Names are changed by the assembler, in each file that includes this, so that a host's own OpenMP keeps to
// itself, even in a static library. A construct that team.c does not know fails to link. With clang, whose
// OpenMP is another and which the sanitizers need, all is as usual.
#ifndef FIRN_BASE_TEAM_H
#define FIRN_BASE_TEAM_H

#include "base/context.h"

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define FIRN_OWN_TEAM 1
#else
#define FIRN_OWN_TEAM 0
#endif

void firn_team_init(firn_team *team, int threads, firn_team_worker *worker);
void firn_team_end(firn_team *team);
// Cores that this process may use.
int firn_team_processors(void);

#if FIRN_OWN_TEAM
// The team of this context runs the next region that this thread begins. Returns its size.
int firn_team_of(const firn_context *context);

#define FIRN_TEAM_NAME(name) ".set " #name ", firn_team_" #name "\n"
__asm__(FIRN_TEAM_NAME(GOMP_parallel) FIRN_TEAM_NAME(GOMP_barrier)         //
        FIRN_TEAM_NAME(GOMP_single_start)                                  //
        FIRN_TEAM_NAME(GOMP_atomic_start) FIRN_TEAM_NAME(GOMP_atomic_end)  //
        FIRN_TEAM_NAME(GOMP_loop_end) FIRN_TEAM_NAME(GOMP_loop_end_nowait) //
        FIRN_TEAM_NAME(GOMP_loop_nonmonotonic_dynamic_start)               //
        FIRN_TEAM_NAME(GOMP_loop_nonmonotonic_dynamic_next)                //
        FIRN_TEAM_NAME(GOMP_loop_ull_nonmonotonic_dynamic_start)           //
        FIRN_TEAM_NAME(GOMP_loop_ull_nonmonotonic_dynamic_next)            //
        FIRN_TEAM_NAME(omp_get_thread_num) FIRN_TEAM_NAME(omp_get_num_threads));
#else
static inline int firn_team_of(const firn_context *context) {
  return context->threads;
}
#endif

#endif
