// SPDX-License-Identifier: Apache-2.0
// Memory that is given back all at once: the trees and texts of one scene.
#ifndef FIRN_SCENE_ARENA_H
#define FIRN_SCENE_ARENA_H

#include "base/context.h"

typedef struct firn_arena_chunk firn_arena_chunk;

typedef struct firn_arena {
  firn_context *context;
  firn_arena_chunk *chunks;
  bool failed; // memory ran out at some time; whoever owns the arena reports it once
} firn_arena;

// Zeroed; NULL (and failed is set) when memory is out.
void *firn_arena_alloc(firn_arena *arena, size_t size);
// The first length bytes of text and a zero.
char *firn_arena_text(firn_arena *arena, const char *text, size_t length);
char *firn_arena_format(firn_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void firn_arena_free(firn_arena *arena);

#endif
