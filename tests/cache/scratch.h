// SPDX-License-Identifier: Apache-2.0
// What the tests of files share: a context and a folder that vanishes afterwards.
#ifndef FIRN_TESTS_CACHE_SCRATCH_H
#define FIRN_TESTS_CACHE_SCRATCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE // nftw; include this header first
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cache/file.h"

typedef struct scratch {
  firn_context *context;
  char folder[256];
  char path[1024]; // of the last scratch_path
} scratch;

static inline int scratch_open(void **state) {
  scratch *s = calloc(1, sizeof *s);
  if (!s) return -1;
  // In memory where there is such a place: tests make thousands of files durable.
  const char *base = getenv("TMPDIR");
  if (!base) base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  snprintf(s->folder, sizeof s->folder, "%s/firn-test-XXXXXX", base);
  firn_context_def def = firn_default_context_def();
  if (!mkdtemp(s->folder) || firn_context_create(&def, &s->context)) {
    free(s);
    return -1;
  }
  *state = s;
  return 0;
}

static inline int scratch_remove(const char *path, const struct stat *info, int kind,
                                 struct FTW *walk) {
  (void)info;
  (void)kind;
  (void)walk;
  return remove(path);
}

// Also the allocation balance: nothing a test made may be left.
static inline int scratch_close(void **state) {
  scratch *s = *state;
  nftw(s->folder, scratch_remove, 8, FTW_DEPTH | FTW_PHYS);
  size_t left = firn_context_bytes(s->context);
  firn_context_destroy(s->context);
  free(s);
  if (left) print_error("%zu bytes of the context were not freed\n", left);
  return left ? -1 : 0;
}

static inline const char *scratch_path(scratch *s, const char *name) {
  snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
  return s->path;
}

static inline bool scratch_exists(scratch *s, const char *name) {
  struct stat info;
  return stat(scratch_path(s, name), &info) == 0;
}

// The whole file; fails the test when it cannot be read. Free size + 1 bytes of the context.
static inline void scratch_read(scratch *s, const char *name, char **data, size_t *size) {
  assert_int_equal(firn_file_get(s->context, scratch_path(s, name), data, size), FIRN_OK);
}

static inline void assert_same_bytes(scratch *s, const char *a, const char *b) {
  size_t size_a, size_b;
  char *data_a, *data_b;
  scratch_read(s, a, &data_a, &size_a);
  scratch_read(s, b, &data_b, &size_b);
  assert_int_equal(size_a, size_b);
  assert_memory_equal(data_a, data_b, size_a);
  firn_free(s->context, data_a, size_a + 1);
  firn_free(s->context, data_b, size_b + 1);
}

// The message of the context must name each of these.
#define assert_message(s, ...)                                                                     \
  do {                                                                                             \
    const char *const words_[] = {__VA_ARGS__};                                                    \
    const char *message_ = firn_context_message((s)->context);                                     \
    for (size_t i_ = 0; i_ < sizeof words_ / sizeof *words_; i_++) {                               \
      if (!strstr(message_, words_[i_])) {                                                         \
        fail_msg("message \"%s\" does not say \"%s\"", message_, words_[i_]);                      \
      }                                                                                            \
    }                                                                                              \
  } while (0)

#endif
