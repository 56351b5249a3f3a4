// SPDX-License-Identifier: Apache-2.0
// Memory through the context: every byte is counted, every block is aligned to a cache line.
#ifndef FIRN_BASE_MEMORY_H
#define FIRN_BASE_MEMORY_H

#include "base/context.h"

// NULL when memory is out (the message then says what wanted how much) or when size is 0.
void *firn_alloc(firn_context *context, size_t size, const char *what);
void *firn_alloc_zero(firn_context *context, size_t size, const char *what);
// Keeps the first min(old, size) bytes. On failure the old block stays valid and NULL is returned.
void *firn_resize(firn_context *context, void *p, size_t old_size, size_t size, const char *what);
void firn_free(firn_context *context, void *p, size_t size);

// Room in an array to which things are added one by one: the next power of two, so that adding n things
// copies 2 n of them and not n^2 / 2.
size_t firn_room(size_t count);
// The array of `count` things of a size, with room for one more; NULL and a message, with the old one as it
// was, where memory runs out. Free firn_room(count) * size bytes.
void *firn_grow(firn_context *context, void *array, size_t count, size_t size, const char *what);

// A growable array whose content need not survive growth: scratch that lives as long as its owner.
typedef struct firn_buffer {
  void *data;
  size_t size; // bytes
} firn_buffer;

// At least size bytes, content undefined. Grows by a little more than asked, so that slowly
// growing needs do not allocate each time.
firn_status firn_buffer_reserve(firn_context *context, firn_buffer *buffer, size_t size,
                                const char *what);
void firn_buffer_free(firn_context *context, firn_buffer *buffer);

// How many hold a thing that is shared. Not an _Atomic, which C++ and so CUDA do not know.
static inline void firn_hold(int *references) {
  __atomic_add_fetch(references, 1, __ATOMIC_RELAXED);
}
// True: that was the last.
static inline bool firn_let_go(int *references) {
  return __atomic_sub_fetch(references, 1, __ATOMIC_ACQ_REL) == 0;
}

#endif
