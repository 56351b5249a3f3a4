// SPDX-License-Identifier: Apache-2.0
#include "scene/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

enum { CHUNK = 16384, ALIGN = 16 };

struct firn_arena_chunk {
  firn_arena_chunk *next;
  size_t size, used; // bytes, this header included
};

void *firn_arena_alloc(firn_arena *arena, size_t size) {
  size_t header = (sizeof(firn_arena_chunk) + ALIGN - 1) / ALIGN * ALIGN;
  if (size > SIZE_MAX / 2) {
    arena->failed = true;
    return NULL;
  }
  size = (size + ALIGN - 1) / ALIGN * ALIGN;
  firn_arena_chunk *chunk = arena->chunks;
  if (!chunk || chunk->size - chunk->used < size) {
    size_t want = header + (size > CHUNK - header ? size : CHUNK - header);
    chunk = firn_alloc_zero(arena->context, want, "scene");
    if (!chunk) {
      arena->failed = true;
      return NULL;
    }
    *chunk = (firn_arena_chunk){arena->chunks, want, header};
    arena->chunks = chunk;
  }
  void *p = (char *)chunk + chunk->used;
  chunk->used += size;
  return p;
}

char *firn_arena_text(firn_arena *arena, const char *text, size_t length) {
  char *copy = firn_arena_alloc(arena, length + 1);
  if (copy) memcpy(copy, text, length);
  return copy;
}

char *firn_arena_format(firn_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? NULL : firn_arena_alloc(arena, (size_t)length + 1);
  if (!text) return NULL;
  va_start(args, format);
  vsnprintf(text, (size_t)length + 1, format, args);
  va_end(args);
  return text;
}

void firn_arena_free(firn_arena *arena) {
  while (arena->chunks) {
    firn_arena_chunk *next = arena->chunks->next;
    firn_free(arena->context, arena->chunks, arena->chunks->size);
    arena->chunks = next;
  }
}
