// SPDX-License-Identifier: Apache-2.0
// What tests of the program load before it to send it a signal at a moment of their choice, which no load
// of the machine shifts: the program raises the signal itself, and goes on. Not a test.
//
//   STOP_AT      a part of the path of a file that is opened or renamed; or clock:N, the N-th look at the clock
//   STOP_SIGNAL  the number of the signal (SIGINT); it is raised once
//   STOP_COUNT   a file for the number of looks at the clock, written at the end
#define _GNU_SOURCE // RTLD_NEXT

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long looks; // at the clock
static bool raised;

// dlsym's answer as a function, looked up once.
#define REAL(name)                                                                                 \
  (*({                                                                                             \
    static __typeof__(&name) real_;                                                                \
    if (!real_) *(void **)&real_ = dlsym(RTLD_NEXT, #name);                                        \
    &real_;                                                                                        \
  }))

static void stop(void) {
  const char *number = getenv("STOP_SIGNAL");
  if (__atomic_exchange_n(&raised, true, __ATOMIC_RELAXED)) return;
  kill(getpid(), number ? (int)strtol(number, NULL, 10) : SIGINT);
}

static void pass(const char *path) {
  const char *at = getenv("STOP_AT");
  if (at && strstr(path, at)) stop();
}

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved
#define OPEN(name)                                                                                 \
  int name(const char *path, int flags, ...) {                                                     \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(arguments, int) : 0;              \
    va_end(arguments);                                                                             \
    pass(path);                                                                                    \
    return REAL(name)(path, flags, mode);                                                          \
  }
OPEN(open)
OPEN(open64)

FILE *fopen(const char *path, const char *modes) {
  pass(path);
  return REAL(fopen)(path, modes);
}

int rename(const char *old, const char *new) {
  pass(new);
  return REAL(rename)(old, new);
}

int clock_gettime(clockid_t id, struct timespec *t) {
  const char *at = getenv("STOP_AT");
  long made = __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
  if (at && strncmp(at, "clock:", 6) == 0 && made == strtol(at + 6, NULL, 10)) stop();
  return REAL(clock_gettime)(id, t);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("STOP_COUNT");
  FILE *file = path ? REAL(fopen)(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", looks);
  fclose(file);
}
