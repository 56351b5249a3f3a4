// SPDX-License-Identifier: Apache-2.0
// The particles of a frame as pictures need them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/picture.h"
#include "base/memory.h"
#include "base/order.h"
#include "cache/frame.h"
#include "render/bulk.h"

// ---------------------------------------------------------------------------------------- sources

firn_picture_source firn_picture_of_frame(firn_frame *frame) {
  return (firn_picture_source){.context = frame->context,
                               .frame = frame,
                               .count = frame->count,
                               .spacing = frame->spacing,
                               .kernel = frame->kernel};
}

firn_picture_source firn_picture_of_sim(firn_sim *sim) {
  double spacing = firn_solver_spacing(sim->type->name, firn_sim_h(sim));
  return (firn_picture_source){.context = sim->world.context,
                               .sim = sim,
                               .count = firn_sim_count(sim),
                               .spacing = spacing,
                               .kernel = 2 * spacing};
}

bool firn_picture_field_at(const firn_picture_source *s, int i, firn_field_info *out) {
  if (s->frame) return firn_frame_field_at(s->frame, i, out) == FIRN_OK;
  return firn_sim_field(s->sim, i, out) == FIRN_OK;
}

bool firn_picture_field(const firn_picture_source *s, const char *name, firn_field_info *out) {
  for (int i = 0; firn_picture_field_at(s, i, out); i++)
    if (strcmp(out->name, name) == 0) return true;
  return false;
}

firn_status firn_picture_read(const firn_picture_source *s, const firn_field_info *field,
                              float *out) {
  if (s->frame) return firn_frame_read_float(s->frame, field->name, out);
  size_t n = s->count * (size_t)field->components, size = (n + 1) * sizeof(double);
  double *all = firn_alloc(s->context, size, "a field of a picture");
  if (!all) return FIRN_ERROR_MEMORY;
  firn_status status = firn_sim_read(s->sim, field->name, all);
  for (size_t i = 0; status == FIRN_OK && i < n; i++) out[i] = (float)all[i];
  firn_free(s->context, all, size);
  return status;
}

// ---------------------------------------------------------------------------------------- particles

// NULL in *out: it is not there, or has another number of components.
static firn_status read_some(const firn_picture_source *s, const char *name, int components,
                             float **out) {
  firn_field_info field;
  *out = NULL;
  if (!firn_picture_field(s, name, &field) || field.components != components) return FIRN_OK;
  size_t size = s->count * (size_t)components * sizeof **out;
  *out = firn_alloc(s->context, size, "particles of a picture");
  if (s->count && !*out) return FIRN_ERROR_MEMORY;
  firn_status status = firn_picture_read(s, &field, *out);
  if (status == FIRN_OK) return FIRN_OK;
  firn_free(s->context, *out, size);
  *out = NULL;
  return status;
}

static firn_status read_mass(const firn_picture_source *s, firn_picture_points *p) {
  float *density = NULL, *volume = NULL;
  FIRN_TRY(read_some(s, "mass", 1, &p->mass));
  if (p->mass || !s->count) return FIRN_OK;
  firn_status status = read_some(s, "density", 1, &density);
  if (status == FIRN_OK && density) status = read_some(s, "volume", 1, &volume);
  for (size_t i = 0; volume && i < s->count; i++) density[i] *= volume[i];
  if (volume) {
    p->mass = density;
    density = NULL;
  }
  firn_free(s->context, density, s->count * sizeof *density);
  firn_free(s->context, volume, s->count * sizeof *volume);
  return status;
}

// Edge of the cube that a particle fills: the median of mass over density, so that spray, whose
// density is low, does not count for more than it is.
static firn_status measure_spacing(const firn_picture_source *s, firn_picture_points *p) {
  size_t step = p->count / FIRN_BULK_SAMPLES + 1, n = 0;
  float *density = NULL;
  if (p->mass) FIRN_TRY(read_some(s, "density", 1, &density));
  if (!density) return FIRN_OK;
  double *volume = firn_alloc(p->context, FIRN_BULK_SAMPLES * sizeof *volume,
                              "spacing of a picture");
  for (size_t i = 0; volume && i < p->count; i += step) {
    double v = (double)p->mass[i] / (double)density[i];
    if (v > 0 && isfinite(v)) volume[n++] = v;
  }
  if (n) {
    qsort(volume, n, sizeof *volume, firn_order_doubles);
    p->spacing = cbrt(volume[n / 2]);
  }
  firn_free(p->context, density, p->count * sizeof *density);
  if (!volume) return FIRN_ERROR_MEMORY;
  firn_free(p->context, volume, FIRN_BULK_SAMPLES * sizeof *volume);
  return FIRN_OK;
}

static firn_status read_position(const firn_picture_source *s, firn_picture_points *p) {
  firn_field_info field;
  size_t size = 3 * p->count * sizeof *p->position;
  if (!firn_picture_field(s, "position", &field) || field.components != 3)
    return firn_fail(p->context, FIRN_ERROR_ARGUMENT, "the frame has no field 'position'");
  p->position = firn_alloc(p->context, size, "positions of a picture");
  if (p->count && !p->position) return FIRN_ERROR_MEMORY;
  if (s->frame)
    FIRN_TRY(firn_frame_read_double(s->frame, "position", p->position));
  else if (p->count)
    FIRN_TRY(firn_sim_read(s->sim, "position", p->position));
  return firn_bulk_box(p->context, p->count, p->position, p->low, p->high, &p->any);
}

static firn_status read_id(const firn_picture_source *s, firn_picture_points *p) {
  const firn_frame_field *id = s->frame ? firn_frame_find(s->frame, "id") : NULL;
  if (!id || id->components != 1) return FIRN_OK;
  p->id = firn_alloc(p->context, p->count * sizeof *p->id, "ids of a picture");
  if (p->count && !p->id) return FIRN_ERROR_MEMORY;
  return firn_frame_read(s->frame, "id", 1, FIRN_ARCHIVE_U64, p->id);
}

// From radii: a sphere as large as the cube of the spacing has the size 1.
static firn_status read_size(const firn_picture_source *s, firn_picture_points *p) {
  FIRN_TRY(read_some(s, "radius", 1, &p->size));
  float one = (float)(0.620350490899400 * p->spacing); // cbrt(3 / (4 pi))
  for (size_t i = 0; p->size && i < p->count; i++) p->size[i] /= one;
  return FIRN_OK;
}

static firn_status read_all(const firn_picture_source *s, unsigned wants, firn_picture_points *p) {
  FIRN_TRY(read_position(s, p));
  if (wants & (FIRN_PICTURE_MASS | FIRN_PICTURE_SPACING)) {
    FIRN_TRY(read_mass(s, p));
    FIRN_TRY(measure_spacing(s, p));
  }
  if (wants & FIRN_PICTURE_MASS && p->count && !p->mass)
    return firn_fail(
        p->context, FIRN_ERROR_ARGUMENT,
        "the frame has no field 'mass' (nor density and volume); snow is rendered from "
        "its mass. Leave mass in output.fields, or render with --preview");
  if (wants & FIRN_PICTURE_VELOCITY) FIRN_TRY(read_some(s, "velocity", 3, &p->velocity));
  if (wants & FIRN_PICTURE_ID) FIRN_TRY(read_id(s, p));
  if (!(p->spacing > 0)) { // nobody says: as if the box were full
    double volume = 1;
    for (int k = 0; k < 3; k++) volume *= fmax(p->high[k] - p->low[k], 1e-6);
    p->spacing = cbrt(volume / fmax((double)p->count, 1));
  }
  p->kernel = s->kernel > 0 ? s->kernel : 2 * p->spacing;
  return wants & FIRN_PICTURE_SIZE ? read_size(s, p) : FIRN_OK;
}

firn_status firn_picture_points_read(const firn_picture_source *source, unsigned wants,
                                     firn_picture_points *out) {
  *out = (firn_picture_points){
      .context = source->context, .count = source->count, .spacing = source->spacing};
  firn_status status = read_all(source, wants, out);
  if (status != FIRN_OK) firn_picture_points_free(out);
  return status;
}

void firn_picture_points_free(firn_picture_points *p) {
  firn_free(p->context, p->position, 3 * p->count * sizeof *p->position);
  firn_free(p->context, p->velocity, 3 * p->count * sizeof *p->velocity);
  firn_free(p->context, p->mass, p->count * sizeof *p->mass);
  firn_free(p->context, p->id, p->count * sizeof *p->id);
  firn_free(p->context, p->size, p->count * sizeof *p->size);
  *p = (firn_picture_points){.context = p->context};
}

void firn_picture_note_view(const firn_picture_source *source, const firn_picture_points *points,
                            const firn_camera_def *open, const firn_camera_def *shut,
                            double aspect) {
  for (int k = 0; points->any && k < 1 + (shut != NULL); k++)
    if (firn_camera_sees(k ? shut : open, aspect, points->count, points->position, points->spacing))
      return;
  char name[32] = "the frame";
  if (source->frame && source->frame->frame >= 0)
    snprintf(name, sizeof name, "frame %d", source->frame->frame);
  firn_note(points->context, FIRN_LOG_WARNING,
            points->any ? "no snow is in view in %s; try --view front or another --frames"
                        : "no snow is in view in %s, which holds none; try another --frames",
            name);
}

firn_status firn_frame_bulk(firn_frame *frame, double low[3], double high[3], bool *any) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!low || !high || !any) return firn_fail_null(frame->context, "firn_frame_bulk");
  firn_picture_points points;
  firn_picture_source source = firn_picture_of_frame(frame);
  FIRN_TRY(firn_picture_points_read(&source, 0, &points));
  memcpy(low, points.low, sizeof points.low);
  memcpy(high, points.high, sizeof points.high);
  *any = points.any;
  firn_picture_points_free(&points);
  return FIRN_OK;
}
