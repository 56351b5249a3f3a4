// SPDX-License-Identifier: Apache-2.0
#include "cache/export_sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

firn_status firn_sink_open(firn_context *context, const char *path, firn_sink *sink) {
  *sink = (firn_sink){.context = context, .fd = -1};
  FIRN_TRY(firn_path_format(context, sink->path, "%s", path));
  sink->buffer = firn_alloc(context, FIRN_SINK_BUFFER, "buffer of a file");
  if (!sink->buffer) return FIRN_ERROR_MEMORY;
  firn_status status = firn_file_begin(context, path, sink->part, &sink->fd);
  if (status != FIRN_OK) firn_free(context, sink->buffer, FIRN_SINK_BUFFER);
  return status;
}

static void flush(firn_sink *sink) {
  if (!sink->error) sink->error = firn_file_write_all(sink->fd, sink->buffer, sink->used);
  sink->used = 0;
}

void firn_sink_write(firn_sink *sink, const void *data, size_t size) {
  sink->bytes += size;
  if (sink->used + size > FIRN_SINK_BUFFER) flush(sink);
  if (size > FIRN_SINK_BUFFER) {
    if (!sink->error) sink->error = firn_file_write_all(sink->fd, data, size);
    return;
  }
  if (!size) return;
  memcpy(sink->buffer + sink->used, data, size);
  sink->used += size;
}

void firn_sink_print(firn_sink *sink, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length > 0) {
    firn_sink_write(sink, text, (size_t)length < sizeof text ? (size_t)length : sizeof text - 1);
  }
}

void firn_sink_u32be(firn_sink *sink, uint32_t value) {
  const uint8_t bytes[4] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                            (uint8_t)value};
  firn_sink_write(sink, bytes, sizeof bytes);
}

void firn_sink_u16be(firn_sink *sink, uint16_t value) {
  const uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};
  firn_sink_write(sink, bytes, sizeof bytes);
}

void firn_sink_f32be(firn_sink *sink, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  firn_sink_u32be(sink, bits);
}

firn_status firn_sink_commit(firn_sink *sink) {
  flush(sink);
  firn_free(sink->context, sink->buffer, FIRN_SINK_BUFFER);
  if (!sink->error) return firn_file_finish(sink->context, sink->path, sink->part, sink->fd);
  firn_file_abandon(sink->part, sink->fd);
  return firn_file_fail(sink->context, "write", sink->path, sink->error);
}

void firn_sink_drop(firn_sink *sink) {
  firn_free(sink->context, sink->buffer, FIRN_SINK_BUFFER);
  firn_file_abandon(sink->part, sink->fd);
}
