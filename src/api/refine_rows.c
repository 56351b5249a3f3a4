// SPDX-License-Identifier: Apache-2.0
// Frames of fine particles: made, written, and read back where a run of them goes on.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/refine.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "cache/archive_seal.h"
#include "cache/file.h"
#include "cache/folder.h"
#include "cache/pack.h"
#include "refine/grain.h"

#define PER_MOST 10000

void firn_refine_rows_free(firn_refine_rows *r) {
  size_t n = r->count;
  firn_free(r->context, r->position, 3 * n * sizeof *r->position);
  firn_free(r->context, r->velocity, 3 * n * sizeof *r->velocity);
  firn_free(r->context, r->mass, n * sizeof *r->mass);
  firn_free(r->context, r->radius, n * sizeof *r->radius);
  firn_free(r->context, r->id, n * sizeof *r->id);
  *r = (firn_refine_rows){.context = r->context};
}

// ------------------------------------------------------------------------------------------- made

static firn_status make_room(const firn_refine_snow *snow, size_t per, firn_refine_rows *r) {
  size_t n = snow->count * per;
  if (snow->count && snow->id[snow->count - 1] >= UINT32_MAX / per)
    return firn_fail(r->context, FIRN_ERROR_ARGUMENT,
                     "refine: ids go up to %" PRIu64 ", and %zu fine particles of each have more "
                     "ids than there are; take fewer per_particle",
                     snow->id[snow->count - 1], per);
  static const char what[] = "fine particles";
  r->count = n;
  r->position = firn_alloc(r->context, 3 * n * sizeof *r->position, what);
  r->velocity = firn_alloc(r->context, 3 * n * sizeof *r->velocity, what);
  r->mass = snow->mass ? firn_alloc(r->context, n * sizeof *r->mass, what) : NULL;
  r->radius = firn_alloc(r->context, n * sizeof *r->radius, what);
  r->id = firn_alloc(r->context, n * sizeof *r->id, what);
  bool good = r->position && r->velocity && r->radius && r->id && (r->mass || !snow->mass);
  return good || !n ? FIRN_OK : FIRN_ERROR_MEMORY;
}

// Where an id is among ascending ones; count: nowhere.
static size_t find_id(const firn_refine_snow *s, uint64_t id) {
  size_t low = 0, high = s ? s->count : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (s->id[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return s && low < s->count && s->id[low] == id ? low : SIZE_MAX;
}

static void begin(const firn_refine_def *def, const firn_refine_snow *snow, size_t p,
                  firn_refine_rows *r) {
  size_t per = (size_t)def->per_particle;
  for (size_t k = 0; k < per; k++) {
    double place[3];
    firn_grain_place(def->seed, snow->id[p], (int)k, place);
    for (size_t a = 0; a < 3; a++) {
      size_t to = 3 * (p * per + k) + a;
      r->position[to] = (float)(snow->position[3 * p + a] + snow->spacing * place[a]);
      r->velocity[to] = (float)snow->velocity[3 * p + a];
    }
  }
}

static void give_sizes(const firn_refine_def *def, const firn_refine_snow *snow, size_t p,
                       firn_refine_rows *r) {
  size_t per = (size_t)def->per_particle;
  double share[PER_MOST], volume = pow(snow->spacing, 3) / (double)per;
  firn_grain_shares(def->seed, snow->id[p], (int)per, def->size_variation, share);
  for (size_t k = 0; k < per; k++) {
    size_t to = p * per + k;
    r->id[to] = (uint32_t)(snow->id[p] * per + k);
    r->radius[to] = (float)cbrt(0.238732414637843 * volume * share[k]); // 3 / (4 pi)
    if (r->mass) r->mass[to] = (float)((double)snow->mass[p] * share[k] / (double)per);
  }
}

firn_status firn_refine_rows_make(const firn_refine_def *def, const firn_refine_snow *snow,
                                  const firn_refine_rows *old, const firn_refine_snow *old_snow,
                                  firn_refine_rows *out) {
  size_t per = (size_t)def->per_particle, row = 3 * per * sizeof(float);
  *out = (firn_refine_rows){.context = snow->context};
  firn_status status = make_room(snow, per, out);
  if (status != FIRN_OK) {
    firn_refine_rows_free(out);
    return status;
  }
  FIRN_PARALLEL_FOR(snow->context, schedule(static))
  for (size_t p = 0; p < snow->count; p++) {
    size_t from = old ? find_id(old_snow, snow->id[p]) : SIZE_MAX;
    if (from == SIZE_MAX) {
      begin(def, snow, p, out);
    } else {
      memcpy(out->position + 3 * p * per, old->position + 3 * from * per, row);
      memcpy(out->velocity + 3 * p * per, old->velocity + 3 * from * per, row);
    }
    give_sizes(def, snow, p, out);
  }
  return FIRN_OK;
}

// ----------------------------------------------------------------------------------------- written

// What makes them what they are; a resume compares it.
static void settings_text(const firn_refine_def *d, char *text, size_t size) {
  snprintf(text, size,
           "mode %s, per_particle %d, density %.9g, size_variation %.9g, dt_max %.9g, seed "
           "%" PRIu64 ", precision %d",
           d->mode == FIRN_REFINE_PRINTED ? "printed" : "ballistic", d->per_particle, d->density,
           d->size_variation, d->dt_max, d->seed, d->precision);
}

enum { SUM_SIZE = 17 };

// What they are of; likewise.
static firn_status sum_text(firn_context *context, const char *from, char text[SUM_SIZE]) {
  uint64_t sum;
  FIRN_TRY(firn_seal_sum(context, from, &sum));
  snprintf(text, SUM_SIZE, "%016" PRIx64, sum);
  return FIRN_OK;
}

// Rounds floats as frames of precision 16 do.
static firn_status round_floats(firn_context *context, size_t n, float *data, double *step) {
  double *wide = firn_alloc(context, n * sizeof *wide, "a field of a frame");
  if (n && !wide) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) wide[i] = (double)data[i];
  if (!(*step > 0)) *step = firn_pack_step(context, n, wide);
  firn_pack_round(context, n, wide, *step);
  for (size_t i = 0; i < n; i++) data[i] = (float)wide[i];
  firn_free(context, wide, n * sizeof *wide);
  return FIRN_OK;
}

static firn_status round_copy(firn_context *context, size_t n, float **data, double *step) {
  float *copy = firn_alloc(context, n * sizeof *copy, "a field of a frame");
  if (n && !copy) return FIRN_ERROR_MEMORY;
  if (n) memcpy(copy, *data, n * sizeof *copy);
  *data = copy;
  return round_floats(context, n, copy, step);
}

static firn_status write_rows(const firn_frame_head *head, const firn_refine_rows *r,
                              const double step[4], const firn_frame *source, const char *path) {
  firn_archive *archive;
  FIRN_TRY(firn_frame_begin(r->context, path, head, &archive));
  firn_status status = firn_frame_add_bodies(r->context, archive, source->body_count, source->body);
  if (status != FIRN_OK) {
    firn_archive_close(archive);
    return status;
  }
  const firn_frame_array arrays[] = {{"id", "1", FIRN_ARCHIVE_U32, 1, 0, r->id},
                                     {"position", "m", FIRN_ARCHIVE_F32, 3, step[0], r->position},
                                     {"velocity", "m/s", FIRN_ARCHIVE_F32, 3, step[1], r->velocity},
                                     {"radius", "m", FIRN_ARCHIVE_F32, 1, step[3], r->radius},
                                     {"mass", "kg", FIRN_ARCHIVE_F32, 1, step[2], r->mass}};
  for (size_t i = 0; i < (r->mass ? 5u : 4u); i++) firn_frame_add(archive, head, &arrays[i]);
  return firn_archive_commit(archive);
}

// Sizes stay as they are: rounded again each frame, they would not be what a resume makes.
static firn_status write_rounded(const firn_frame_head *head, const firn_refine_rows *r,
                                 const firn_frame *source, const char *path) {
  firn_refine_rows file = *r;
  double step[4] = {firn_pack_step_position(head->h)};
  size_t n = r->count;
  FIRN_TRY(round_floats(r->context, 3 * n, r->position, &step[0]));
  FIRN_TRY(round_floats(r->context, 3 * n, r->velocity, &step[1]));
  firn_status status = r->mass ? round_copy(r->context, n, &file.mass, &step[2]) : FIRN_OK;
  if (status == FIRN_OK) status = round_copy(r->context, n, &file.radius, &step[3]);
  if (status == FIRN_OK) status = write_rows(head, &file, step, source, path);
  if (file.mass != r->mass) firn_free(r->context, file.mass, n * sizeof *file.mass);
  if (file.radius != r->radius) firn_free(r->context, file.radius, n * sizeof *file.radius);
  return status;
}

firn_status firn_refine_rows_write(const firn_refine_def *def, firn_refine_rows *r,
                                   const firn_frame *source, const char *from, const char *path) {
  char settings[256], sum[SUM_SIZE];
  settings_text(def, settings, sizeof settings);
  FIRN_TRY(sum_text(r->context, from, sum));
  const firn_frame_text text[] = {{"solver", source->solver},
                                  {"precision", firn_precision()},
                                  {"refine", settings},
                                  {"source", sum}};
  double spacing = source->spacing / cbrt(def->per_particle);
  const firn_frame_head head = {.count = r->count,
                                .time = source->time,
                                .h = 2 * spacing,
                                .spacing = spacing,
                                .kernel = 2 * spacing,
                                .frame = source->frame,
                                .packed = def->precision == 16,
                                .text_count = sizeof text / sizeof *text,
                                .text = text};
  return head.packed ? write_rounded(&head, r, source, path)
                     : write_rows(&head, r, (const double[4]){0}, source, path);
}

// ---------------------------------------------------------------------------------------- read back

// An attribute of the writer; what is not there is empty.
static firn_status read_text(firn_frame *frame, const char *name, char *text, size_t size) {
  text[0] = 0;
  return firn_archive_has_attribute(frame->archive, "firn", name)
             ? firn_archive_get_text(frame->archive, "firn", name, text, size)
             : FIRN_OK;
}

firn_status firn_refine_source_check(firn_frame *frame, const char *from, const char *path) {
  char was[SUM_SIZE], sum[SUM_SIZE] = "";
  if (!firn_archive_has_attribute(frame->archive, "firn", "refine"))
    return firn_fail(frame->context, FIRN_ERROR_STATE, "%s is not of fine particles", path);
  FIRN_TRY(read_text(frame, "source", was, sizeof was));
  firn_status status = sum_text(frame->context, from, sum);
  if (status == FIRN_ERROR_MEMORY) return status;
  if (status == FIRN_OK && strcmp(was, sum) == 0) return FIRN_OK;
  return firn_fail(frame->context, FIRN_ERROR_STATE, "%s is not of the run as it is now (%s)", path,
                   from);
}

static firn_status fail_other_run(firn_context *context, const char *path) {
  return firn_fail(context, FIRN_ERROR_STATE, "%s is not of the run as it is now: give --overwrite",
                   path);
}

firn_status firn_refine_settings_check(const firn_refine_def *def, firn_frame *frame,
                                       const char *from, const char *path) {
  char settings[256], was[256], sum[SUM_SIZE];
  settings_text(def, settings, sizeof settings);
  FIRN_TRY(read_text(frame, "refine", was, sizeof was));
  if (strcmp(was, settings) != 0)
    return firn_fail(frame->context, FIRN_ERROR_STATE,
                     "%s was made with other settings (%s; now %s): give the same, or --overwrite",
                     path, *was ? was : "nobody knows which", settings);
  FIRN_TRY(sum_text(frame->context, from, sum));
  FIRN_TRY(read_text(frame, "source", was, sizeof was));
  return strcmp(was, sum) == 0 ? FIRN_OK : fail_other_run(frame->context, path);
}

firn_status firn_refine_rows_read(firn_refine_rows *r, firn_frame *frame, const char *path) {
  uint32_t *id = firn_alloc(r->context, r->count * sizeof *id, "ids of fine particles");
  if (r->count && !id) return FIRN_ERROR_MEMORY;
  firn_status status = frame->count != r->count
                           ? FIRN_ERROR_STATE
                           : firn_frame_read(frame, "id", 1, FIRN_ARCHIVE_U32, id);
  bool same = status == FIRN_OK && (!r->count || !memcmp(id, r->id, r->count * sizeof *id));
  firn_free(r->context, id, r->count * sizeof *id);
  if (!same && (status == FIRN_OK || status == FIRN_ERROR_STATE))
    return fail_other_run(r->context, path);
  FIRN_TRY(status);
  FIRN_TRY(firn_frame_read(frame, "position", 3, FIRN_ARCHIVE_F32, r->position));
  return firn_frame_read(frame, "velocity", 3, FIRN_ARCHIVE_F32, r->velocity);
}
