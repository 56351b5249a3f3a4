// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: a context with little memory, and nothing left behind.
#ifndef FIRN_TESTS_FUZZ_H
#define FIRN_TESTS_FUZZ_H

#include <firn/firn.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

#define FUZZ_MUST(condition)                                                                       \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                              \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

enum { FUZZ_BYTES = 256 << 20 };

// Refuses single blocks beyond FUZZ_BYTES, as a machine with little memory would: what a file asks
// for must not bring the program down.
static void *fuzz_resize(void *user, void *p, size_t old_size, size_t size) {
  (void)user;
  if (size == 0) {
    free(p);
    return NULL;
  }
  if (size > FUZZ_BYTES) return NULL;
  void *fresh = aligned_alloc(64, (size + 63) / 64 * 64);
  if (fresh && p) {
    memcpy(fresh, p, old_size < size ? old_size : size);
    free(p);
  }
  return fresh;
}

static firn_context *fuzz_context(void) {
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  def.resize = fuzz_resize;
  firn_context *context;
  FUZZ_MUST(firn_context_create(&def, &context) == FIRN_OK);
  return context;
}

static void fuzz_done(firn_context *context) {
  FUZZ_MUST(firn_context_bytes(context) == 0);
  firn_context_destroy(context);
}

// Seeds go into the folder that FIRN_FUZZ_SEEDS names.
static inline void fuzz_seed(const char *name, const void *data, size_t size, const char *more) {
  const char *folder = getenv("FIRN_FUZZ_SEEDS");
  char path[300];
  if (!folder) return;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  FUZZ_MUST(file && fwrite(data, 1, size, file) == size);
  FUZZ_MUST(fputs(more, file) >= 0 && fclose(file) == 0);
}

#endif
