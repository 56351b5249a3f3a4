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

struct firn_context {
  firn_resize_fn resize;
  void *resize_user;
  firn_log_fn log;
  void *log_user;
  int threads;
  firn_share *share; // [threads]
  firn_isa isa;
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

// Passes a failure on: FIRN_TRY(firn_do(...)).
#define FIRN_TRY(call)                                                                             \
  do {                                                                                             \
    firn_status try_status_ = (call);                                                              \
    if (try_status_ != FIRN_OK) return try_status_;                                                \
  } while (0)

#endif
