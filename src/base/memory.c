// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

static void count(firn_context *context, size_t old_size, size_t size) {
  size_t bytes = __atomic_add_fetch(&context->bytes, size - old_size, __ATOMIC_RELAXED);
  size_t peak = __atomic_load_n(&context->peak, __ATOMIC_RELAXED);
  while (bytes > peak && !__atomic_compare_exchange_n(&context->peak, &peak, bytes, true,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

void *firn_resize(firn_context *context, void *p, size_t old_size, size_t size, const char *what) {
  void *result = context->resize(context->resize_user, p, old_size, size);
  if (!result && size) {
    firn_fail(context, FIRN_ERROR_MEMORY, "out of memory: %s wanted %zu bytes, %zu are held", what,
              size, firn_context_bytes(context));
    return NULL;
  }
  count(context, old_size, size);
  return result;
}

void *firn_alloc(firn_context *context, size_t size, const char *what) {
  return size ? firn_resize(context, NULL, 0, size, what) : NULL;
}

void *firn_alloc_zero(firn_context *context, size_t size, const char *what) {
  void *p = firn_alloc(context, size, what);
  if (p) memset(p, 0, size);
  return p;
}

void firn_free(firn_context *context, void *p, size_t size) {
  if (p) firn_resize(context, p, size, 0, "");
}

size_t firn_room(size_t count) {
  size_t room = count ? 1 : 0;
  while (room < count) room *= 2;
  return room;
}

void *firn_grow(firn_context *context, void *array, size_t count, size_t size, const char *what) {
  size_t room = firn_room(count), more = firn_room(count + 1);
  return more == room ? array : firn_resize(context, array, room * size, more * size, what);
}

firn_status firn_buffer_reserve(firn_context *context, firn_buffer *buffer, size_t size,
                                const char *what) {
  if (size <= buffer->size) return FIRN_OK;
  size_t wanted = buffer->size && size < SIZE_MAX / 2 ? size + size / 64 : size;
  firn_buffer_free(context, buffer);
  buffer->data = firn_alloc(context, wanted, what);
  if (!buffer->data) return FIRN_ERROR_MEMORY;
  buffer->size = wanted;
  return FIRN_OK;
}

void firn_buffer_free(firn_context *context, firn_buffer *buffer) {
  firn_free(context, buffer->data, buffer->size);
  *buffer = (firn_buffer){0};
}
