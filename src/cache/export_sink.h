// SPDX-License-Identifier: Apache-2.0
// A file written in many small pieces that appears whole or not at all.
#ifndef FIRN_CACHE_EXPORT_SINK_H
#define FIRN_CACHE_EXPORT_SINK_H

#include "cache/file.h"

typedef struct firn_sink {
  firn_context *context;
  int fd;
  int error;      // errno of the first write that failed
  uint64_t bytes; // written so far
  size_t used;    // of the buffer
  char *buffer;   // [FIRN_SINK_BUFFER]
  char path[FIRN_PATH_SIZE], part[FIRN_PATH_SIZE];
} firn_sink;

enum { FIRN_SINK_BUFFER = 1 << 16 };

// The first failure sticks; the writer need only look at commit. One of commit and drop must
// follow an open that succeeded.
firn_status firn_sink_open(firn_context *context, const char *path, firn_sink *sink);
void firn_sink_write(firn_sink *sink, const void *data, size_t size);
void firn_sink_print(firn_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3))); // at most 1000 characters; no numbers with a point
void firn_sink_f32be(firn_sink *sink, float value); // big-endian
void firn_sink_u32be(firn_sink *sink, uint32_t value);
void firn_sink_u16be(firn_sink *sink, uint16_t value);
firn_status firn_sink_commit(firn_sink *sink);
void firn_sink_drop(firn_sink *sink);

#endif
