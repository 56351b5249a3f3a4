// SPDX-License-Identifier: Apache-2.0
// The context: everything that in a careless library would be global.
#ifndef FIRN_BASE_CONTEXT_H
#define FIRN_BASE_CONTEXT_H

#include <firn/firn.h>

enum { FIRN_MESSAGE_SIZE = 1024 };

// What is left of a thread's share of a loop (parallel.h); each fills a line of the cache.
typedef struct firn_share {
  size_t next, end;
  char pad[64 - 2 * sizeof(size_t)];
} firn_share;

// A loop of a team's (team.c), whose indices are given out in portions.
typedef struct firn_team_loop {
  size_t next, count, chunk;      // indices, from 0
  unsigned long long first, step; // what they stand for
  unsigned number, left;          // which of the region's it is, 0: none; threads that are through
  char pad[64 - 5 * 8 - 2 * sizeof(int)]; // a line of the cache
} firn_team_loop;
enum { FIRN_TEAM_LOOPS = 8 };

// A worker of a team, on a line of the cache.
typedef struct firn_team_worker {
  unsigned long thread; // pthread_t
  unsigned offered;     // its part of the region waits for whoever takes it
  char pad[64 - sizeof(unsigned long) - sizeof(int)];
} firn_team_worker;

// A word that many wait for or change, on a line of the cache.
typedef struct firn_team_word {
  unsigned is;
  char pad[64 - sizeof(int)];
} firn_team_word;

// Threads that work together (team.h).
typedef struct firn_team {
  int most, count;          // threads wanted; those that there are, with the one that calls
  firn_team_worker *worker; // [most - 1]
  void (*work)(void *);     // the region under way ...
  void *data;
  unsigned sleepers;      // who wait for any of the words below in the kernel
  unsigned singles;       // blocks for one that were begun
  int crowded;            // waits to come for which cores count as wanted by others
  double regions, waited; // s, that regions took of late, and that of these the caller waited ...
  int waits;              // ... so often
  double alone, until;    // s: the last spell without workers, and when it ends
  bool busy, over;
  char pad[64];
  firn_team_word region;         // raised with each; workers wait for that
  firn_team_word working;        // parts that are not done yet; the caller waits for 0
  firn_team_word round, arrived; // of the barrier
  firn_team_word lock;           // held by one
  firn_team_loop loop[FIRN_TEAM_LOOPS];
} firn_team;

struct firn_context {
  firn_resize_fn resize;
  void *resize_user;
  firn_log_fn log;
  void *log_user;
  firn_activity_fn activity;
  void *activity_user;
  firn_stop_fn stop;
  void *stop_user;
  int threads;
  firn_share *share; // [threads]
  firn_team team;
  firn_isa isa;
  bool include_outside; // see firn_context_def
  // Through __atomic_* only: C++, and so CUDA, knows no _Atomic.
  size_t bytes; // allocated now
  size_t peak;  // allocated at most so far
  char message[FIRN_MESSAGE_SIZE];
};

// Keeps the message and returns status, so that `return firn_fail(...)` reads well. A context of
// NULL is allowed: the message is lost, the status is not.
firn_status firn_fail(firn_context *context, firn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The same for a pointer that must not be NULL: FIRN_ERROR_ARGUMENT, naming the function.
firn_status firn_fail_null(firn_context *context, const char *function);

void firn_note(firn_context *context, firn_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// FIRN_CANCELLED where the caller wants to stop. Not from within a parallel loop.
firn_status firn_check_stop(firn_context *context);

// Reports what is being done, or how much of it (firn_activity). Not from within a parallel loop.
void firn_doing(firn_context *context, size_t done, size_t total, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Passes a failure on: FIRN_TRY(firn_do(...)).
#define FIRN_TRY(call)                                                                             \
  do {                                                                                             \
    firn_status try_status_ = (call);                                                              \
    if (try_status_ != FIRN_OK) return try_status_;                                                \
  } while (0)

#endif
