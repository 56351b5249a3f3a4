// SPDX-License-Identifier: Apache-2.0
// A simulation as a frame file.
#include <string.h>

#include "api/files.h"
#include "api/output.h"
#include "api/sim.h"
#include "base/def.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cache/frame.h"
#include "cache/pack.h"

// A frame in the making.
typedef struct job {
  firn_sim *sim;
  const firn_output_def *def;
  firn_archive *archive;
  firn_frame_head head;
  size_t room;  // values a particle
  double *data; // [room][count]
} job;

// Doubles to floats, or to integers, where they stand. Elements n to 2n land where those up to n
// were, which are read by then; so these can be written at once.
static void narrow(const firn_context *context, double *data, size_t n, bool integer) {
  char *bytes = (void *)data;
  for (size_t begin = 0, end = 1; begin < n; begin = end, end = 2 * begin < n ? 2 * begin : n) {
    FIRN_PARALLEL(context) {
      unsigned mode = firn_fp_keep_small();
#pragma omp for schedule(static)
      for (size_t i = begin; i < end; i++) {
        float real = (float)data[i];
        uint32_t whole = integer ? (uint32_t)data[i] : 0;
        memcpy(bytes + 4 * i, integer ? (void *)&whole : (void *)&real, 4);
      }
      firn_fp_leave(mode);
    }
  }
}

static firn_status add_field(const job *j, const firn_field_info *info, double *data) {
  firn_context *context = j->sim->world.context;
  bool integer = strcmp(info->name, "id") == 0 || strcmp(info->name, "material") == 0;
  size_t n = j->head.count * (size_t)info->components;
  double step = 0;
  if (j->head.packed && !integer) {
    step = strcmp(info->name, "position") == 0 ? firn_pack_step_position(j->head.h)
                                               : firn_pack_step(context, n, data);
    firn_pack_round(context, n, data, step);
  }
  narrow(context, data, n, integer);
  const firn_frame_array array = {
      .name = info->name,
      .unit = info->unit,
      .type = integer ? FIRN_ARCHIVE_U32 : FIRN_ARCHIVE_F32,
      .components = info->components,
      .step = step,
      .data = data,
  };
  return firn_frame_add(j->archive, &j->head, &array);
}

// As many of the solver's own fields at once as there is room for, from field first on; returns the
// next.
static int choose(const job *j, int first, double *own[FIRN_OWN_FIELDS]) {
  const firn_field_info *fields = j->sim->type->fields;
  size_t used = 0;
  int i = first;
  for (; fields && fields[i].name; i++) {
    if (!firn_output_has_field(j->def, &fields[i])) continue;
    if (used + (size_t)fields[i].components > j->room) break;
    own[i] = j->data + used * j->head.count;
    used += (size_t)fields[i].components;
  }
  return i;
}

static firn_status add_fields(const job *j, firn_measures *measures) {
  const firn_field_info *fields = j->sim->type->fields;
  firn_field_info info;
  for (int i = 0; i < FIRN_COMMON_FIELDS && firn_sim_field(j->sim, i, &info) == FIRN_OK; i++) {
    if (!firn_output_has_field(j->def, &info)) continue;
    FIRN_TRY(firn_sim_read(j->sim, info.name, j->data));
    FIRN_TRY(add_field(j, &info, j->data));
  }
  for (int first = 0, end; (fields && fields[first].name) || measures; first = end) {
    firn_solver_look look = {.sums = NULL};
    if (measures) {
      look.sums = &measures->sums;
      look.stats = measures->stats;
      look.wanted = firn_sim_all_stats(j->sim);
    }
    end = choose(j, first, look.own);
    FIRN_TRY(firn_sim_look(j->sim, &look));
    for (int i = first; i < end; i++) {
      if (look.own[i]) FIRN_TRY(add_field(j, &fields[i], look.own[i]));
    }
    measures = NULL;
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
                                          const char *path, int frame, firn_measures *measures) {
  firn_context *context = sim->world.context;
  const firn_frame_text text[] = {{"solver", sim->type->name}, {"precision", firn_precision()}};
  double spacing = firn_solver_spacing(sim->type->name, firn_sim_h(sim));
  job j = {.sim = sim,
           .def = def,
           .head = {.count = firn_sim_count(sim),
                    .time = firn_sim_time(sim),
                    .h = firn_sim_h(sim),
                    .spacing = spacing,
                    .kernel = 2 * spacing,
                    .frame = frame,
                    .packed = firn_output_is_packed(def),
                    .text_count = sizeof text / sizeof *text,
                    .text = text},
           .room = 1};
  firn_field_info info;
  for (int i = 0; firn_sim_field(sim, i, &info) == FIRN_OK; i++) {
    bool wider = (size_t)info.components > j.room;
    if (wider && firn_output_has_field(def, &info)) j.room = (size_t)info.components;
  }
  // One row more, so that an empty frame has a place to read nothing into.
  size_t size = (j.head.count + 1) * j.room * sizeof(double);
  j.data = firn_alloc(context, size, "a field of a frame");
  if (!j.data) return FIRN_ERROR_MEMORY;
  firn_status status = firn_frame_begin(context, path, &j.head, &j.archive);
  if (status == FIRN_OK) {
    status = add_bodies(&sim->world, j.archive);
    if (status == FIRN_OK) status = add_fields(&j, measures);
    if (status == FIRN_OK) {
      status = firn_archive_commit(j.archive);
    } else {
      firn_archive_close(j.archive);
    }
  }
  firn_free(context, j.data, size);
  return status;
}

firn_status firn_sim_write_frame_as(firn_sim *sim, const firn_output_def *given, const char *path) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given || !path) return firn_fail_null(sim->world.context, "firn_sim_write_frame_as");
  FIRN_TAKE(sim->world.context, output_def, given, own);
  const firn_output_def *def = &own;
  FIRN_TRY(firn_output_check(sim->world.context, def, sim));
  return firn_sim_write_numbered_frame(sim, def, path, -1, NULL);
}

firn_status firn_sim_write_frame(firn_sim *sim, const char *path) {
  if (!sim || !path) return FIRN_ERROR_ARGUMENT;
  const firn_output_def def = firn_default_output_def();
  return firn_sim_write_numbered_frame(sim, &def, path, -1, NULL);
}
