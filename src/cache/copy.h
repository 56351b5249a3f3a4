// SPDX-License-Identifier: Apache-2.0
// Copies of whole files, and what tells whether a file is still the one that was copied.
#ifndef FIRN_CACHE_COPY_H
#define FIRN_CACHE_COPY_H

#include <stdint.h>

#include "base/context.h"

typedef struct firn_file_mark {
  uint64_t size, sum; // bytes, and a hash of them
} firn_file_mark;

firn_status firn_file_sum(firn_context *context, const char *path, firn_file_mark *out);
// The copy appears whole or not at all. A file onto itself is only read.
firn_status firn_file_copy(firn_context *context, const char *from, const char *to,
                           firn_file_mark *out);

#endif
