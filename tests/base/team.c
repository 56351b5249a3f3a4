// SPDX-License-Identifier: Apache-2.0
// The threads of a context: how many, and what their caller knows of waiting for them.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // cpu_set_t
#endif
#include "base/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

static bool too_many; // cores, for a cpu_set_t

// In place of the C library's.
int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  memset(set, 0, size);
  if (!too_many) return syscall(SYS_sched_getaffinity, pid, size, set) < 0 ? -1 : 0;
  errno = EINVAL;
  return -1;
}

static void cores_beyond_a_cpu_set_are_counted_otherwise(void **state) {
  (void)state;
  cpu_set_t set;
  assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
  assert_int_equal(firn_team_processors(), CPU_COUNT(&set));
  too_many = true;
  assert_int_equal(firn_team_processors(), sysconf(_SC_NPROCESSORS_ONLN));
  too_many = false;
}

#if FIRN_OWN_TEAM
enum { THREADS = 8 };
static int held[2],
    released[2]; // pipes: a worker says that it is held, and waits until it may go on

// A signal handler: holds the thread wherever it is.
static void hold(int signal) {
  (void)signal;
  char byte = 0;
  int error = errno;
  if (write(held[1], &byte, 1) != 1 || read(released[0], &byte, 1) != 1) abort();
  errno = error;
}

// In place of the C library's: workers can be held, though they block all other signals.
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old) {
  sigset_t but_one;
  if (set) {
    but_one = *set;
    sigdelset(&but_one, SIGUSR1);
    set = &but_one;
  }
  return sigprocmask(how, set, old); // of the calling thread, with Linux
}

static unsigned asleep(const firn_context *context) {
  return __atomic_load_n(&context->team.sleepers, __ATOMIC_SEQ_CST);
}

// Of seven workers six are held while they wait for the next region. The caller does the parts of these six,
// in which it has their numbers, and waits for the seventh, which ends once the caller sleeps. By then the
// caller must have its own number again, since only waits of number 0 count when workers are judged.
static void a_caller_that_did_a_workers_part_knows_that_it_waited(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = THREADS;
  firn_context *context;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(pipe(held), 0);
  assert_int_equal(pipe(released), 0);
  const struct sigaction by = {.sa_handler = hold};
  assert_int_equal(sigaction(SIGUSR1, &by, NULL), 0);
  int begun = 0, parts = 0;
  FIRN_PARALLEL(context) {
    __atomic_add_fetch(&begun, 1, __ATOMIC_SEQ_CST); // the workers are made
  }
  assert_int_equal(begun, THREADS);
  char byte[THREADS] = {0};
  for (int i = 2; i < THREADS; i++) {
    assert_int_equal(pthread_kill(context->team.worker[i - 1].thread, SIGUSR1), 0);
    assert_int_equal(read(held[0], byte, 1), 1);
  }
  const pthread_t caller = pthread_self();
  const long waits = context->team.waits;
  unsigned sleepers = 0; // held
  begun = 0;
  FIRN_PARALLEL(context) {
    if (!pthread_equal(pthread_self(), caller)) {
      sleepers = asleep(context);
      __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
      while (asleep(context) == sleepers) sched_yield();
    } else if (omp_get_thread_num() > 0) {
      parts++;
    } else {
      while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) sched_yield();
    }
  }
  assert_int_equal(parts, THREADS - 2);
  assert_int_equal(context->team.waits, waits + 1);
  assert_int_equal(write(released[1], byte, THREADS - 2), THREADS - 2);
  firn_context_destroy(context);
  for (int i = 0; i < 2; i++) close(held[i]), close(released[i]);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cores_beyond_a_cpu_set_are_counted_otherwise),
#if FIRN_OWN_TEAM
    cmocka_unit_test(a_caller_that_did_a_workers_part_knows_that_it_waited),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
