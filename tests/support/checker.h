// SPDX-License-Identifier: Apache-2.0
// What watches a test while it runs. Under valgrind and ThreadSanitizer, tests that go through the
// same code very often do so less often.
#ifndef FIRN_TESTS_SUPPORT_CHECKER_H
#define FIRN_TESTS_SUPPORT_CHECKER_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline bool under_tsan(void) {
#if defined(__SANITIZE_THREAD__)
  return true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
#else
  return false;
#endif
}

static inline bool under_valgrind(void) {
  const char *preload = getenv("LD_PRELOAD");
  return preload && strstr(preload, "vgpreload");
}

static inline bool is_slow(void) {
  return under_tsan() || under_valgrind();
}

#endif
