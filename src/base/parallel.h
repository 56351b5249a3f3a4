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
//   FIRN_SHARED_FOR(context, walk, blocks) work(walk.at); // 0 to blocks - 1
//
// The last is for loops that come again and again over the same things, a step's above all. Each thread
// begins with a share of its own, always the same, and helps others once that is done: what it needs
// is then likely to be in its cache, where a small scene lies as a whole. Not within another such loop.
//
// Results may not depend on who does what: a loop writes to the place of its index, and what is added
// up is added within parts of fixed size and then over the parts in their order. A reduction of
// floating-point sums would follow the number of threads; max, min, logic and integers may be reduced.
#ifndef FIRN_BASE_PARALLEL_H
#define FIRN_BASE_PARALLEL_H

#include <omp.h>

#include "base/context.h"
#include "base/isa.h"
#include "base/team.h"

#define FIRN_PRAGMA(...) _Pragma(#__VA_ARGS__)

#define FIRN_PARALLEL(context)                                                                     \
  FIRN_PRAGMA(omp parallel num_threads(firn_team_of(context)))                                     \
  for (unsigned mode_ = firn_fp_enter(), once_ = 1; once_; once_ = 0, firn_fp_leave(mode_))

// The clauses are those of `omp for`. The team waits for all once, at its end.
#define FIRN_PARALLEL_FOR(context, ...)                                                            \
  FIRN_PARALLEL(context) FIRN_PRAGMA(omp for nowait __VA_ARGS__)

static inline bool firn_shares_deal(const firn_context *context, size_t things) {
  size_t n = (size_t)context->threads;
  for (size_t t = 0; t < n; t++) {
    context->share[t].next = things * t / n;
    context->share[t].end = things * (t + 1) / n;
  }
  return true;
}

// A thread's way through the shares.
typedef struct firn_share_walk {
  firn_share *share;
  int count, own, done; // shares
  size_t at;
} firn_share_walk;

static inline firn_share_walk firn_share_begin(const firn_context *context) {
  firn_share_walk w = {context->share, context->threads, omp_get_thread_num(), 0, 0};
  return w;
}

static inline bool firn_share_next(firn_share_walk *w) {
  for (; w->done < w->count; w->done++) {
    firn_share *s = &w->share[(w->own + w->done) % w->count];
    if (__atomic_load_n(&s->next, __ATOMIC_RELAXED) >= s->end) continue;
    w->at = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
    if (w->at < s->end) return true;
  }
  return false;
}

#define FIRN_SHARED_FOR(context, walk, things)                                                     \
  FIRN_DEALT_FOR(context, walk, firn_shares_deal(context, things))

// The same where shares are dealt by somebody else, who returns true.
#define FIRN_DEALT_FOR(context, walk, deal)                                                        \
  for (bool dealt_ = (deal); dealt_; dealt_ = false)                                               \
    FIRN_PARALLEL(context)                                                                         \
      for (firn_share_walk walk = firn_share_begin(context); firn_share_next(&(walk));)

#endif
