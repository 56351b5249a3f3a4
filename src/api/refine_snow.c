// SPDX-License-Identifier: Apache-2.0
// The snow that carries fine particles: of a frame, and on its way to the next.
#include <math.h>
#include <string.h>

#include "api/refine.h"
#include "base/memory.h"
#include "base/parallel.h"

// ------------------------------------------------------------------------------------------ of a frame

void firn_refine_snow_free(firn_refine_snow *s) {
  firn_free(s->context, s->id, s->count * sizeof *s->id);
  firn_free(s->context, s->position, 3 * s->count * sizeof *s->position);
  firn_free(s->context, s->velocity, 3 * s->count * sizeof *s->velocity);
  firn_free(s->context, s->mass, s->count * sizeof *s->mass);
  *s = (firn_refine_snow){.context = s->context};
}

static firn_status read_ids(firn_frame *frame, const char *path, firn_refine_snow *s) {
  const firn_frame_field *id = firn_frame_find(frame, "id");
  s->numbered = id && id->components == 1;
  for (size_t i = 0; !s->numbered && i < s->count; i++) s->id[i] = i;
  if (!s->numbered) return FIRN_OK;
  FIRN_TRY(firn_frame_read(frame, "id", 1, FIRN_ARCHIVE_U64, s->id));
  for (size_t i = 1; i < s->count; i++)
    if (s->id[i] <= s->id[i - 1])
      return firn_fail(s->context, FIRN_ERROR_FORMAT, "%s: ids are not ascending at row %zu", path,
                       i);
  return FIRN_OK;
}

static firn_status read_all(firn_frame *frame, const char *path, firn_refine_snow *s) {
  firn_context *context = s->context;
  const firn_frame_field *velocity = firn_frame_find(frame, "velocity"),
                         *mass = firn_frame_find(frame, "mass");
  if (!velocity || velocity->components != 3)
    return firn_fail(context, FIRN_ERROR_FORMAT,
                     "%s has no field velocity, which fine particles move with; leave it in "
                     "output.fields of the scene, and run it again",
                     path);
  if (!(s->spacing > 0))
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s does not tell the spacing of its particles",
                     path);
  if (!isfinite(s->time))
    return firn_fail(context, FIRN_ERROR_FORMAT, "%s does not tell its time", path);
  size_t n = s->count;
  s->id = firn_alloc(context, n * sizeof *s->id, "ids of snow");
  s->position = firn_alloc(context, 3 * n * sizeof *s->position, "positions of snow");
  s->velocity = firn_alloc(context, 3 * n * sizeof *s->velocity, "velocities of snow");
  if (n && (!s->id || !s->position || !s->velocity)) return FIRN_ERROR_MEMORY;
  FIRN_TRY(read_ids(frame, path, s));
  FIRN_TRY(firn_frame_read(frame, "position", 3, FIRN_ARCHIVE_F64, s->position));
  FIRN_TRY(firn_frame_read(frame, "velocity", 3, FIRN_ARCHIVE_F64, s->velocity));
  for (size_t i = 0; i < 3 * n; i++)
    if (!isfinite(s->position[i]) || !isfinite(s->velocity[i]))
      return firn_fail(context, FIRN_ERROR_FORMAT,
                       "%s: row %zu is nowhere, or its speed is not finite", path, i / 3);
  if (!mass || mass->components != 1) return FIRN_OK;
  s->mass = firn_alloc(context, n * sizeof *s->mass, "masses of snow");
  if (n && !s->mass) return FIRN_ERROR_MEMORY;
  return firn_frame_read(frame, "mass", 1, FIRN_ARCHIVE_F32, s->mass);
}

firn_status firn_refine_snow_read(firn_frame *frame, const char *path, firn_refine_snow *out) {
  *out = (firn_refine_snow){.context = frame->context,
                            .count = frame->count,
                            .time = frame->time,
                            .spacing = frame->spacing};
  firn_status status = read_all(frame, path, out);
  if (status != FIRN_OK) firn_refine_snow_free(out);
  return status;
}

// -------------------------------------------------------------------------------------------- its way

void firn_refine_way_free(firn_refine_way *w) {
  size_t size = 3 * w->count * sizeof(double);
  for (int k = 0; k < 2; k++) {
    firn_free(w->context, w->x[k], size);
    firn_free(w->context, w->v[k], size);
  }
  firn_free(w->context, w->position, size);
  firn_free(w->context, w->velocity, size);
  *w = (firn_refine_way){.context = w->context};
}

static void copy3(double *to, const double *from) {
  memcpy(to, from, 3 * sizeof *to);
}

// One that is in one of the frames only, k: a straight way.
static void put_alone(firn_refine_way *w, size_t i, const firn_refine_snow *s, size_t row, int k) {
  double dt = w->time[1] - w->time[0];
  for (int f = 0; f < 2; f++) {
    copy3(w->v[f] + 3 * i, s->velocity + 3 * row);
    for (size_t a = 0; a < 3; a++)
      w->x[f][3 * i + a] = s->position[3 * row + a] + (f - k) * dt * s->velocity[3 * row + a];
  }
}

// The next of both lists, by id; rows and returns which of the frames have it, as bits.
static int next_of(const firn_refine_snow *from, const firn_refine_snow *to, size_t row[2]) {
  bool a = row[0] < from->count, b = row[1] < to->count;
  if (!a || !b) return a ? 1 : b ? 2 : 0;
  uint64_t ia = from->id[row[0]], ib = to->id[row[1]];
  return ia < ib ? 1 : ib < ia ? 2 : 3;
}

firn_status firn_refine_way_make(const firn_refine_snow *from, const firn_refine_snow *to,
                                 firn_refine_way *out) {
  firn_context *context = from->context;
  *out = (firn_refine_way){.context = context, .time = {from->time, to->time}};
  size_t row[2] = {0, 0}, n = 0;
  for (int which; (which = next_of(from, to, row)); n++) {
    row[0] += which & 1;
    row[1] += which >> 1;
  }
  out->count = n;
  double **const all[] = {&out->x[0], &out->x[1],     &out->v[0],
                          &out->v[1], &out->position, &out->velocity};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    *all[k] = firn_alloc(context, 3 * n * sizeof(double), "the way of snow");
    if (n && !*all[k]) {
      firn_refine_way_free(out);
      return FIRN_ERROR_MEMORY;
    }
  }
  row[0] = row[1] = 0;
  for (size_t i = 0; i < n; i++) {
    int which = next_of(from, to, row);
    if (which == 3) {
      copy3(out->x[0] + 3 * i, from->position + 3 * row[0]);
      copy3(out->v[0] + 3 * i, from->velocity + 3 * row[0]);
      copy3(out->x[1] + 3 * i, to->position + 3 * row[1]);
      copy3(out->v[1] + 3 * i, to->velocity + 3 * row[1]);
    } else {
      bool later = which == 2;
      put_alone(out, i, later ? to : from, row[later], later);
    }
    row[0] += which & 1;
    row[1] += which >> 1;
  }
  return FIRN_OK;
}

void firn_refine_way_place(firn_refine_way *w, double time) {
  double dt = w->time[1] - w->time[0], s = (time - w->time[0]) / dt, r = 1 - s, most = 0;
  // Hermite's polynomials, and their slopes.
  const double x0 = r * r * (1 + 2 * s), x1 = s * s * (3 - 2 * s), v0 = dt * r * r * s,
               v1 = -dt * s * s * r;
  const double dx = 6 * s * r / dt, dv0 = r * (r - 2 * s), dv1 = s * (s - 2 * r);
  FIRN_PARALLEL_FOR(w->context, schedule(static) reduction(max : most))
  for (size_t i = 0; i < w->count; i++) {
    double square = 0;
    for (size_t k = 3 * i; k < 3 * i + 3; k++) {
      w->position[k] = x0 * w->x[0][k] + x1 * w->x[1][k] + v0 * w->v[0][k] + v1 * w->v[1][k];
      w->velocity[k] = dx * (w->x[1][k] - w->x[0][k]) + dv0 * w->v[0][k] + dv1 * w->v[1][k];
      square += w->velocity[k] * w->velocity[k];
    }
    if (square > most) most = square;
  }
  w->speed = sqrt(most);
}
