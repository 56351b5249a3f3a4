// SPDX-License-Identifier: Apache-2.0
// processors: 2
// The threads of a context: how many, and what their caller knows of waiting for them.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // cpu_set_t
#endif
#include "base/parallel.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
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
static void nap(void) {
  nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
}

// The caller leaves the region once one worker is in it, does what nobody else has begun, and waits for
// that one: by then in nobody's place but its own, so that the wait counts when workers are judged.
static void a_caller_that_did_a_workers_part_knows_that_it_waited(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = 8;
  int helped = 0;
  for (int round = 0; round < 40 && helped < 5; round++) {
    firn_context *context;
    assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
    const pthread_t caller = pthread_self();
    int begun = 0, parts = 0;
    FIRN_PARALLEL(context) {
      if (!pthread_equal(pthread_self(), caller)) {
        __atomic_store_n(&begun, 1, __ATOMIC_RELEASE);
        nap();
      } else if (omp_get_thread_num() > 0) {
        parts++;
      } else {
        while (!__atomic_load_n(&begun, __ATOMIC_ACQUIRE)) sched_yield();
      }
    }
    assert_true(context->team.waits > 0);
    helped += parts > 0;
    firn_context_destroy(context);
  }
  assert_true(helped > 0);
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
