// SPDX-License-Identifier: Apache-2.0
// processors: 2
// Several hosts at once, each with a context of its own and through all that its team knows: regions,
// loops of either kind, blocks for one, barriers, shares. By itself it holds the results; races.sh runs it
// under ThreadSanitizer. It needs nothing but the room base.
#include "base/parallel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1000, HOSTS = 4 };

typedef struct host {
  int threads, rounds;
  long a[ITEMS], b[ITEMS];
  bool wrong;
} host;

// a = 2 (ITEMS - 1 - i) and b = 2 i by loops of their own; returns how many were alone.
static int mix(const firn_context *context, long *a, long *b) {
  int ones = 0;
  FIRN_PARALLEL(context) {
#pragma omp for schedule(static)
    for (int i = 0; i < ITEMS; i++) a[i] = b[ITEMS - 1 - i];
#pragma omp single
    ones++;
    // Nobody waits at the ends of these two: threads may be some loops ahead of others.
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = ITEMS - 1; i >= 0; i -= 2) b[i] = a[ITEMS - 1 - i];
#pragma omp for schedule(dynamic, 3) nowait
    for (int i = ITEMS - 2; i >= 0; i -= 2) b[i] = a[ITEMS - 1 - i];
#pragma omp barrier
#pragma omp for schedule(dynamic, 4)
    for (size_t i = 0; i < ITEMS; i++) a[i] = b[i];
    // More of them than a team has places for: each place is made, left and made again.
    for (int k = 0; k < 3 * FIRN_TEAM_LOOPS; k++) {
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < 5; i++) {
        if (i == k % 5) __atomic_add_fetch(&a[k], 1000, __ATOMIC_RELAXED);
      }
    }
#pragma omp barrier
#pragma omp for schedule(static)
    for (int k = 0; k < 3 * FIRN_TEAM_LOOPS; k++) a[k] -= 1000;
  }
  return ones;
}

// Sums of several kinds at once, which threads add to under a lock.
static bool adds_up(const firn_context *context) {
  size_t sum = 0, lo[3] = {ITEMS, ITEMS, ITEMS};
  bool last = false;
  FIRN_PARALLEL_FOR(context, schedule(static) reduction(+ : sum) reduction(min : lo) reduction(|| : last))
  for (size_t i = 0; i < ITEMS; i++) {
    sum += i;
    if (i >= 3 && i < lo[i % 3]) lo[i % 3] = i;
    last = last || i == ITEMS - 1;
  }
  return sum == (size_t)ITEMS * (ITEMS - 1) / 2 && lo[0] == 3 && lo[1] == 4 && lo[2] == 5 && last;
}

// All to the last share, which the others help with.
static bool deal_unevenly(const firn_context *context) {
  for (int t = 0; t < context->threads; t++) context->share[t] = (firn_share){.next = 0, .end = 0};
  context->share[context->threads - 1].end = ITEMS;
  return true;
}

static bool is_right(const host *h, long most, size_t least, int ones) {
  for (long i = 0; i < ITEMS; i++)
    if (h->a[i] != 2 * i + 1) return false;
  return most == ITEMS - 1 && least == ITEMS / 2 && ones == 1;
}

static void *play(void *user) {
  host *h = user;
  firn_context_def def = firn_default_context_def();
  def.threads = h->threads;
  firn_context *context;
  h->wrong = firn_context_create(&def, &context) != FIRN_OK;
  long *a = h->a, *b = h->b;
  for (int r = 0; r < h->rounds && !h->wrong; r++) {
    long most = 0;
    size_t least = ITEMS;
    memset(h->a, 0, sizeof h->a);
    FIRN_PARALLEL_FOR(context, schedule(dynamic, 7) reduction(max : most))
    for (size_t i = 0; i < ITEMS; i++) {
      a[i] += (long)i;
      if (a[i] > most) most = a[i];
    }
    FIRN_PARALLEL_FOR(context, schedule(static) reduction(min : least))
    for (size_t i = 0; i < ITEMS; i++) {
      b[i] = 2 * a[i];
      if (i >= ITEMS / 2 && least > i) least = i;
    }
    int ones = mix(context, a, b);
    FIRN_SHARED_FOR(context, walk, ITEMS) a[walk.at] += 2;
    FIRN_DEALT_FOR(context, walk, deal_unevenly(context)) a[walk.at] -= 1;
    h->wrong = !is_right(h, most, least, ones) || !adds_up(context);
  }
  if (context) firn_context_destroy(context);
  return NULL;
}

// hosts [ROUNDS]
int main(int count, char **words) {
  static const int threads[HOSTS] = {1, 2, 3, 8};
  static host hosts[HOSTS];
  pthread_t thread[HOSTS];
  int wrong = 0;
  for (int i = 0; i < HOSTS; i++) {
    hosts[i] = (host){.threads = threads[i], .rounds = count > 1 ? atoi(words[1]) : 100};
    if (pthread_create(&thread[i], NULL, play, &hosts[i]) != 0) return EXIT_FAILURE;
  }
  for (int i = 0; i < HOSTS; i++) {
    pthread_join(thread[i], NULL);
    if (hosts[i].wrong) printf("wrong with %d threads\n", hosts[i].threads);
    wrong += hosts[i].wrong;
  }
  return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
