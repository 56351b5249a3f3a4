// SPDX-License-Identifier: Apache-2.0
// A simulation as a frame file.
#include <string.h>

#include "api/files.h"
#include "api/sim.h"
#include "base/memory.h"
#include "cache/frame.h"

// Inner state and what follows from the rest: large, and nothing to look at.
static bool is_shown(const char *name) {
  static const char *const hidden[] = {"volume", "material", "strain", "stress", "affine"};
  for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
    if (strcmp(name, hidden[i]) == 0) return false;
  }
  return true;
}

// Doubles to floats, or to integers, where they stand. Element i is read before it is written, and
// never later, so the bytes do not meet.
static void narrow(double *data, size_t n, bool integer) {
  void *bytes = data;
  char *out = bytes;
  for (size_t i = 0; i < n; i++, out += 4) {
    float real = (float)data[i];
    uint32_t whole = integer ? (uint32_t)data[i] : 0;
    memcpy(out, integer ? (void *)&whole : (void *)&real, 4);
  }
}

static firn_status add_field(firn_sim *sim, firn_archive *archive, const firn_frame_head *head,
                             const firn_field_info *info, double *data) {
  bool integer = strcmp(info->name, "id") == 0;
  FIRN_TRY(firn_sim_read(sim, info->name, data));
  narrow(data, head->count * (size_t)info->components, integer);
  const firn_frame_array array = {
      .name = info->name,
      .unit = info->unit,
      .type = integer ? FIRN_ARCHIVE_U32 : FIRN_ARCHIVE_F32,
      .components = info->components,
      .data = data,
  };
  return firn_frame_add(archive, head, &array);
}

firn_status firn_sim_write_numbered_frame(firn_sim *sim, const char *path, int frame) {
  firn_context *context = sim->world.context;
  const firn_frame_text text[] = {{"solver", sim->type->name}, {"precision", firn_precision()}};
  const firn_frame_head head = {.count = firn_sim_count(sim),
                                .time = firn_sim_time(sim),
                                .frame = frame,
                                .h = firn_sim_h(sim),
                                .text_count = sizeof text / sizeof *text,
                                .text = text};
  firn_field_info info;
  size_t widest = 1;
  for (int i = 0; firn_sim_field(sim, i, &info) == FIRN_OK; i++) {
    if (is_shown(info.name) && (size_t)info.components > widest) widest = (size_t)info.components;
  }
  // One row more, so that an empty frame has a place to read nothing into.
  size_t size = (head.count + 1) * widest * sizeof(double);
  double *data = firn_alloc(context, size, "a field of a frame");
  if (!data) return FIRN_ERROR_MEMORY;
  firn_archive *archive;
  firn_status status = firn_frame_begin(context, path, &head, &archive);
  if (status == FIRN_OK) {
    for (int i = 0; status == FIRN_OK && firn_sim_field(sim, i, &info) == FIRN_OK; i++) {
      if (is_shown(info.name)) status = add_field(sim, archive, &head, &info, data);
    }
    if (status == FIRN_OK) {
      status = firn_archive_commit(archive);
    } else {
      firn_archive_close(archive);
    }
  }
  firn_free(context, data, size);
  return status;
}

firn_status firn_sim_write_frame(firn_sim *sim, const char *path) {
  if (!sim || !path) return FIRN_ERROR_ARGUMENT;
  return firn_sim_write_numbered_frame(sim, path, -1);
}
