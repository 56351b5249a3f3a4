// SPDX-License-Identifier: Apache-2.0
// An allocator that keeps its own books and can refuse: for tests of what happens when memory runs out,
// and of what is given back.
#ifndef FIRN_TESTS_SUPPORT_BOOKS_H
#define FIRN_TESTS_SUPPORT_BOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <firn/firn.h>

typedef struct books {
  size_t bytes, blocks; // held now
  size_t calls;         // that asked for memory
  size_t refuse_at;     // number of the call that gets nothing, from 1; 0: none
  bool stubborn;        // nor do those after it, until somebody sets refuse_at to 0
  size_t refused;
  size_t wrong;  // old sizes that were not what had been asked for
  uint64_t seed; // of the bytes of new blocks; 0: they are all 0xff
} books;

// The size is kept in front of each block.
enum { BOOKS_FRONT = 64 };

// Bytes that as reals are of all sizes and either sign (Knuth's generator).
static inline void books_scribble(books *b, char *to, size_t size) {
  for (size_t i = 0; i < size; i++) {
    b->seed = b->seed * 6364136223846793005u + 1442695040888963407u;
    to[i] = (char)(b->seed >> 56);
  }
}

// user is the books.
static inline void *books_resize(void *user, void *p, size_t old_size, size_t size) {
  books *b = user;
  char *old = p ? (char *)p - BOOKS_FRONT : NULL;
  if (size) {
    b->calls++;
    bool refuse = b->refuse_at &&
                  (b->stubborn ? b->calls >= b->refuse_at : b->calls == b->refuse_at);
    b->refused += refuse;
    if (refuse || size > SIZE_MAX / 2) return NULL;
  }
  if (old) {
    size_t told;
    memcpy(&told, old, sizeof told);
    b->wrong += told != old_size;
  }
  char *block = NULL;
  if (size) {
    block = aligned_alloc(64, BOOKS_FRONT + (size + 63) / 64 * 64);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    // What nobody wrote must not matter: as floats these bytes are nan.
    memset(block + BOOKS_FRONT, 0xff, size);
    if (b->seed) books_scribble(b, block + BOOKS_FRONT, size);
    if (old) memcpy(block + BOOKS_FRONT, p, old_size < size ? old_size : size);
    b->blocks++;
    b->bytes += size;
  }
  if (old) {
    free(old);
    b->blocks--;
    b->bytes -= old_size;
  }
  return block ? block + BOOKS_FRONT : NULL;
}

// The next `count` calls get memory, and none after them until books_open.
static inline void books_close_after(books *b, size_t count) {
  b->refuse_at = b->calls + count + 1;
  b->stubborn = true;
}

static inline void books_open(books *b) {
  b->refuse_at = 0;
}

// A context with these books.
static inline firn_status books_context(books *b, int threads, firn_context **out) {
  firn_context_def def = firn_default_context_def();
  def.threads = threads;
  def.resize = books_resize;
  def.resize_user = b;
  return firn_context_create(&def, out);
}

#endif
