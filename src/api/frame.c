// SPDX-License-Identifier: Apache-2.0
// A simulation as a frame file.
#include <string.h>

#include "api/files.h"
#include "api/output.h"
#include "api/sim.h"
#include "base/memory.h"
#include "cache/frame.h"
#include "cache/pack.h"

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

static double round_field(const firn_frame_head *head, const char *name, size_t n, double *data) {
  double step = strcmp(name, "position") == 0 ? firn_pack_step_position(head->h)
                                              : firn_pack_step(n, data);
  firn_pack_round(n, data, step);
  return step;
}

static firn_status add_field(firn_sim *sim, firn_archive *archive, const firn_frame_head *head,
                             const firn_field_info *info, double *data) {
  bool integer = strcmp(info->name, "id") == 0 || strcmp(info->name, "material") == 0;
  size_t n = head->count * (size_t)info->components;
  FIRN_TRY(firn_sim_read(sim, info->name, data));
  double step = head->packed && !integer ? round_field(head, info->name, n, data) : 0;
  narrow(data, n, integer);
  const firn_frame_array array = {
      .name = info->name,
      .unit = info->unit,
      .type = integer ? FIRN_ARCHIVE_U32 : FIRN_ARCHIVE_F32,
      .components = info->components,
      .step = step,
      .data = data,
  };
  return firn_frame_add(archive, head, &array);
}

static firn_status add_fields(firn_sim *sim, const firn_output_def *def, firn_archive *archive,
                              const firn_frame_head *head, double *data) {
  firn_field_info info;
  for (int i = 0; firn_sim_field(sim, i, &info) == FIRN_OK; i++) {
    if (firn_output_has_field(def, &info)) {
      FIRN_TRY(add_field(sim, archive, head, &info, data));
    }
  }
  return FIRN_OK;
}

static firn_frame_body body_of(const firn_part *part, int collider, int i) {
  const firn_pose *pose = &part->pose;
  firn_frame_body body = {.collider = collider, .part = i, .shape = firn_part_digest(part)};
  memcpy(body.rotation, pose->q, sizeof body.rotation);
  memcpy(body.shift, pose->shift, sizeof body.shift);
  memcpy(body.pivot, pose->pivot, sizeof body.pivot);
  memcpy(body.velocity, pose->velocity, sizeof body.velocity);
  memcpy(body.spin, pose->spin, sizeof body.spin);
  return body;
}

static firn_status add_bodies(const firn_world *world, firn_archive *archive) {
  size_t room = 0, count = 0;
  for (int c = 0; c < world->collider_count; c++) room += (size_t)world->collider[c].part_count;
  firn_frame_body *body = firn_alloc(world->context, room * sizeof *body, "bodies of a frame");
  if (room && !body) return FIRN_ERROR_MEMORY;
  for (int c = 0; c < world->collider_count; c++)
    for (int i = 0; i < world->collider[c].part_count; i++)
      body[count++] = body_of(&world->collider[c].part[i], c, i);
  firn_status status = firn_frame_add_bodies(world->context, archive, count, body);
  firn_free(world->context, body, room * sizeof *body);
  return status;
}

firn_status firn_sim_write_numbered_frame(firn_sim *sim, const firn_output_def *def,
                                          const char *path, int frame) {
  firn_context *context = sim->world.context;
  const firn_frame_text text[] = {{"solver", sim->type->name}, {"precision", firn_precision()}};
  const firn_frame_head head = {.count = firn_sim_count(sim),
                                .time = firn_sim_time(sim),
                                .h = firn_sim_h(sim),
                                .spacing = firn_sim_h(sim) / 2,
                                .kernel = firn_sim_h(sim),
                                .frame = frame,
                                .packed = firn_output_is_packed(def),
                                .text_count = sizeof text / sizeof *text,
                                .text = text};
  firn_field_info info;
  size_t widest = 1;
  for (int i = 0; firn_sim_field(sim, i, &info) == FIRN_OK; i++) {
    bool wider = (size_t)info.components > widest;
    if (wider && firn_output_has_field(def, &info)) widest = (size_t)info.components;
  }
  // One row more, so that an empty frame has a place to read nothing into.
  size_t size = (head.count + 1) * widest * sizeof(double);
  double *data = firn_alloc(context, size, "a field of a frame");
  if (!data) return FIRN_ERROR_MEMORY;
  firn_archive *archive;
  firn_status status = firn_frame_begin(context, path, &head, &archive);
  if (status == FIRN_OK) {
    status = add_bodies(&sim->world, archive);
    if (status == FIRN_OK) status = add_fields(sim, def, archive, &head, data);
    if (status == FIRN_OK) {
      status = firn_archive_commit(archive);
    } else {
      firn_archive_close(archive);
    }
  }
  firn_free(context, data, size);
  return status;
}

firn_status firn_sim_write_frame_as(firn_sim *sim, const firn_output_def *def, const char *path) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!def || !path) return firn_fail_null(sim->world.context, "firn_sim_write_frame_as");
  FIRN_TRY(firn_output_check(sim->world.context, def, sim));
  return firn_sim_write_numbered_frame(sim, def, path, -1);
}

firn_status firn_sim_write_frame(firn_sim *sim, const char *path) {
  if (!sim || !path) return FIRN_ERROR_ARGUMENT;
  const firn_output_def def = firn_default_output_def();
  return firn_sim_write_numbered_frame(sim, &def, path, -1);
}
