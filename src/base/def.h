// SPDX-License-Identifier: Apache-2.0
// Structs of programs that were compiled against other versions of the headers (context.h has the rules):
// what they hand over is brought to the size that it has here, and what they get to theirs.
#ifndef FIRN_BASE_DEF_H
#define FIRN_BASE_DEF_H

#include "base/context.h"

// A sized struct within another: the only thing that may move what lies behind it.
typedef struct firn_def_part {
  const char *name; // "firn_mpm_def"
  size_t offset;    // in the outer one
  size_t size;      // here
} firn_def_part;

// own, which holds the defaults, takes over what is given. name is "firn_fill_def".
firn_status firn_def_take(firn_context *context, const char *name, const void *given, void *own,
                          size_t own_size);
firn_status firn_def_take_with(firn_context *context, const char *name, const void *given,
                               void *own, size_t own_size, const firn_def_part *part);
// The i-th of an array of such structs.
const void *firn_def_at(const void *array, int i);

// Into a struct of a program. The first is for defs, which are told their size.
void firn_def_give(const void *own, size_t own_size, void *out, size_t size);
void firn_def_give_with(const void *own, size_t own_size, void *out, size_t size,
                        const firn_def_part *part, size_t part_size);
void firn_fill_out(const void *own, size_t own_size, void *out, size_t size);

// FIRN_ERROR_UNSUPPORTED where the room of a struct that keeps its size is in use.
firn_status firn_room_check(firn_context *context, const char *what, const double *room, int count);

// A def of the caller's as one of ours: FIRN_TAKE(context, fill_def, given, def) makes firn_fill_def def,
// or returns.
#define FIRN_TAKE(context, type, given, own)                                                       \
  firn_##type own = firn_default_##type();                                                         \
  FIRN_TRY(firn_def_take((context), "firn_" #type, (given), &own, sizeof own))

// In front of the body of a function that returns the defaults.
#define FIRN_DEFAULTS(type)                                                                        \
  static firn_##type default_##type(void);                                                         \
  void firn_##type##_init(firn_##type *def, size_t size) {                                         \
    const firn_##type own = default_##type();                                                      \
    firn_def_give(&own, sizeof own, def, size);                                                    \
  }                                                                                                \
  static firn_##type default_##type(void)

#endif
