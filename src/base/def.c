// SPDX-License-Identifier: Apache-2.0
#include "base/def.h"

#include <string.h>

static size_t size_of(const void *def) {
  size_t size;
  memcpy(&size, def, sizeof size);
  return size;
}

static void set_size(void *def, size_t size) {
  memcpy(def, &size, sizeof size);
}

static bool is_zero(const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++)
    if (byte[i]) return false;
  return true;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

// No struct of ours is near a megabyte, and none has ever been its size alone: what is not plausible is no
// size at all.
static firn_status check_size(firn_context *context, const char *name, size_t size) {
  if (size > sizeof size && size % sizeof size == 0 && size < 1u << 20) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT,
                   "%s: size is %zu; begin with what firn_default_%s() returns", name, size,
                   name + strlen("firn_"));
}

static firn_status check_rest(firn_context *context, const char *name, const void *rest,
                              size_t size) {
  if (is_zero(rest, size)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_UNSUPPORTED,
                   "%s: it says more than version %s of the library knows of", name,
                   firn_version());
}

firn_status firn_def_take(firn_context *context, const char *name, const void *given, void *own,
                          size_t own_size) {
  size_t size = size_of(given), common = least(size, own_size);
  FIRN_TRY(check_size(context, name, size));
  memcpy(own, given, common);
  set_size(own, own_size);
  return check_rest(context, name, (const char *)given + common, size - common);
}

firn_status firn_def_take_with(firn_context *context, const char *name, const void *given,
                               void *own, size_t own_size, const firn_def_part *part) {
  const char *from = given;
  char *to = own;
  size_t size = size_of(given);
  FIRN_TRY(check_size(context, name, size));
  // The outer struct is told apart from its part, which has to be there.
  size_t part_size = size >= part->offset + sizeof size ? size_of(from + part->offset) : 0;
  FIRN_TRY(check_size(context, part->name, part_size));
  if (size < part->offset + part_size) return check_size(context, name, 0);
  size_t behind = part->offset + part_size, own_behind = part->offset + part->size;
  size_t rest = size - behind, common = least(rest, own_size - own_behind);
  memcpy(to, from, part->offset);
  memcpy(to + own_behind, from + behind, common);
  set_size(own, own_size);
  FIRN_TRY(firn_def_take(context, part->name, from + part->offset, to + part->offset, part->size));
  return check_rest(context, name, from + behind + common, rest - common);
}

const void *firn_def_at(const void *array, int i) {
  return (const char *)array + (size_t)i * size_of(array);
}

void firn_fill_out(const void *own, size_t own_size, void *out, size_t size) {
  size_t common = least(size, own_size);
  memcpy(out, own, common);
  memset((char *)out + common, 0, size - common);
}

void firn_def_give(const void *own, size_t own_size, void *out, size_t size) {
  firn_fill_out(own, own_size, out, size);
  set_size(out, size);
}

void firn_def_give_with(const void *own, size_t own_size, void *out, size_t size,
                        const firn_def_part *part, size_t part_size) {
  const char *from = own;
  char *to = out;
  size_t behind = part->offset + part_size, own_behind = part->offset + part->size;
  memcpy(to, from, part->offset);
  firn_def_give(from + part->offset, part->size, to + part->offset, part_size);
  firn_fill_out(from + own_behind, own_size - own_behind, to + behind, size - behind);
  set_size(out, size);
}

firn_status firn_room_check(firn_context *context, const char *what, const double *room,
                            int count) {
  return check_rest(context, what, room, (size_t)count * sizeof *room);
}
