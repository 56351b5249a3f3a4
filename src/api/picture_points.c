// SPDX-License-Identifier: Apache-2.0
// The particles of a frame as pictures need them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/picture.h"
#include "base/memory.h"
#include "base/order.h"
#include "cache/frame.h"
#include "render/bulk.h"

static bool has(const firn_frame *frame, const char *name, int components) {
  const firn_frame_field *field = firn_frame_find(frame, name);
  return field && field->components == components;
}

static firn_status read_mass(firn_frame *frame, firn_picture_points *p) {
  size_t count = p->count, size = count * sizeof *p->mass;
  bool mass = has(frame, "mass", 1);
  if (!mass && !(has(frame, "density", 1) && has(frame, "volume", 1)))
    return firn_fail(
        p->context, FIRN_ERROR_ARGUMENT,
        "the frame has no field 'mass' (nor density and volume); snow is rendered from "
        "its mass. Leave mass in output.fields, or render with --preview");
  p->mass = firn_alloc(p->context, size, "masses of a picture");
  if (count && !p->mass) return FIRN_ERROR_MEMORY;
  if (mass) return firn_frame_read_float(frame, "mass", p->mass);
  float *volume = firn_alloc(p->context, size, "volumes of a picture");
  if (count && !volume) return FIRN_ERROR_MEMORY;
  firn_status status = firn_frame_read_float(frame, "density", p->mass);
  if (status == FIRN_OK) status = firn_frame_read_float(frame, "volume", volume);
  for (size_t i = 0; status == FIRN_OK && i < count; i++) p->mass[i] *= volume[i];
  firn_free(p->context, volume, size);
  return status;
}

// Edge of the cube that a particle fills: the median of mass over density, so that spray, whose
// density is low, does not count for more than it is.
static firn_status find_spacing(firn_frame *frame, firn_picture_points *p) {
  p->spacing = frame->spacing;
  if (p->mass && has(frame, "density", 1) && p->count) {
    size_t size = p->count * sizeof(float), step = p->count / FIRN_BULK_SAMPLES + 1, n = 0;
    float *density = firn_alloc(p->context, size, "densities of a picture");
    double *volume = firn_alloc(p->context, FIRN_BULK_SAMPLES * sizeof *volume,
                                "spacing of a picture");
    firn_status status = density && volume ? firn_frame_read_float(frame, "density", density)
                                           : FIRN_ERROR_MEMORY;
    for (size_t i = 0; status == FIRN_OK && i < p->count; i += step) {
      double v = (double)p->mass[i] / (double)density[i];
      if (v > 0 && isfinite(v)) volume[n++] = v;
    }
    if (n) {
      qsort(volume, n, sizeof *volume, firn_order_doubles);
      p->spacing = cbrt(volume[n / 2]);
    }
    firn_free(p->context, volume, FIRN_BULK_SAMPLES * sizeof *volume);
    firn_free(p->context, density, size);
    FIRN_TRY(status);
  }
  if (!(p->spacing > 0)) { // nobody says: as if the box were full
    double volume = 1;
    for (int k = 0; k < 3; k++) volume *= fmax(p->high[k] - p->low[k], 1e-6);
    p->spacing = cbrt(volume / fmax((double)p->count, 1));
  }
  p->kernel = frame->kernel > 0 ? frame->kernel : 2 * p->spacing;
  return FIRN_OK;
}

static firn_status read_all(firn_frame *frame, unsigned wants, firn_picture_points *p) {
  size_t n = p->count;
  if (!has(frame, "position", 3))
    return firn_fail(p->context, FIRN_ERROR_ARGUMENT, "the frame has no field 'position'");
  p->position = firn_alloc(p->context, 3 * n * sizeof *p->position, "positions of a picture");
  if (n && !p->position) return FIRN_ERROR_MEMORY;
  FIRN_TRY(firn_frame_read_double(frame, "position", p->position));
  FIRN_TRY(firn_bulk_box(p->context, p->count, p->position, p->low, p->high, &p->any));
  if (wants & FIRN_PICTURE_MASS) FIRN_TRY(read_mass(frame, p));
  if (wants & FIRN_PICTURE_VELOCITY && has(frame, "velocity", 3)) {
    p->velocity = firn_alloc(p->context, 3 * n * sizeof *p->velocity, "velocities of a picture");
    if (n && !p->velocity) return FIRN_ERROR_MEMORY;
    FIRN_TRY(firn_frame_read_float(frame, "velocity", p->velocity));
  }
  if (wants & FIRN_PICTURE_ID && has(frame, "id", 1)) {
    p->id = firn_alloc(p->context, n * sizeof *p->id, "ids of a picture");
    if (n && !p->id) return FIRN_ERROR_MEMORY;
    FIRN_TRY(firn_frame_read(frame, "id", 1, FIRN_ARCHIVE_U64, p->id));
  }
  return find_spacing(frame, p);
}

firn_status firn_picture_points_read(firn_frame *frame, unsigned wants, firn_picture_points *out) {
  *out = (firn_picture_points){.context = frame->context, .count = frame->count};
  firn_status status = read_all(frame, wants, out);
  if (status != FIRN_OK) firn_picture_points_free(out);
  return status;
}

void firn_picture_points_free(firn_picture_points *p) {
  firn_free(p->context, p->position, 3 * p->count * sizeof *p->position);
  firn_free(p->context, p->velocity, 3 * p->count * sizeof *p->velocity);
  firn_free(p->context, p->mass, p->count * sizeof *p->mass);
  firn_free(p->context, p->id, p->count * sizeof *p->id);
  *p = (firn_picture_points){.context = p->context};
}

firn_status firn_frame_bulk(firn_frame *frame, double low[3], double high[3], bool *any) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!low || !high || !any) return firn_fail_null(frame->context, "firn_frame_bulk");
  firn_picture_points points;
  FIRN_TRY(firn_picture_points_read(frame, 0, &points));
  memcpy(low, points.low, sizeof points.low);
  memcpy(high, points.high, sizeof points.high);
  *any = points.any;
  firn_picture_points_free(&points);
  return FIRN_OK;
}
