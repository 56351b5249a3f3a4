// SPDX-License-Identifier: Apache-2.0
#include "api/measure_frame.h"

#include <firn/folder.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/def.h"
#include "base/memory.h"
#include "cache/frame.h"
#include "world/pieces.h"

typedef struct particle {
  double at; // m, along an axis
  double mass;
} particle;

static int lower_first(const void *a, const void *b) {
  double p = ((const particle *)a)->at, q = ((const particle *)b)->at;
  return (p > q) - (p < q);
}

// The particle at which the mass counted from one end, by step, passes tail.
static double place_of(const particle *p, size_t count, size_t first, ptrdiff_t step, double tail) {
  double below = 0;
  size_t i = first;
  for (size_t k = 0; k < count; k++, i = (size_t)((ptrdiff_t)i + step)) {
    below += p[i].mass;
    if (below > tail) break;
    if (k + 1 == count) break;
  }
  return p[i].at;
}

// As much mass is left out below as above.
static firn_status find_extent(firn_context *context, size_t count, const double *position,
                               const double *mass, double inside, firn_shape_measures *out) {
  size_t bytes = count * sizeof(particle);
  particle *p = firn_alloc(context, bytes, "extent of the snow");
  if (!p) return FIRN_ERROR_MEMORY;
  double all = 0;
  for (size_t i = 0; i < count; i++) all += mass[i];
  double tail = 0.5 * (1 - inside) * all;
  for (size_t a = 0; a < 3; a++) {
    for (size_t i = 0; i < count; i++) p[i] = (particle){position[3 * i + a], mass[i]};
    qsort(p, count, sizeof *p, lower_first);
    out->low[a] = place_of(p, count, 0, 1, tail);
    out->high[a] = place_of(p, count, count - 1, -1, tail);
  }
  firn_free(context, p, bytes);
  return FIRN_OK;
}

static firn_status find_pieces(firn_context *context, size_t count, const double *position,
                               const double *mass, double h, const firn_measure_def *def,
                               firn_shape_measures *out) {
  size_t room = (size_t)(1 / def->piece) + 1, bytes = room * sizeof(double);
  double *list = firn_alloc(context, bytes, "list of pieces"), all = 0;
  if (!list) return FIRN_ERROR_MEMORY;
  firn_pieces_def pieces = firn_default_pieces_def();
  firn_pieces found;
  pieces.cell = def->cell;
  pieces.density = def->density;
  pieces.least = 1; // particles have no size in common between runs; mass has
  pieces.room = room;
  pieces.mass = list;
  firn_status status = firn_pieces_find(context, &pieces, count, position, mass, h, &found, NULL);
  for (size_t i = 0; i < count; i++) all += mass[i];
  if (status == FIRN_OK) {
    out->pieces = out->pieces_mass = 0;
    out->piece_largest = found.largest;
    for (size_t i = 0; i < room && list[i] > 0 && list[i] >= def->piece * all; i++) {
      out->pieces++;
      out->pieces_mass += list[i];
    }
  }
  firn_free(context, list, bytes);
  return status;
}

static firn_status measure(firn_frame *frame, const firn_measure_def *def,
                           firn_shape_measures *out) {
  firn_context *context = frame->context;
  size_t n = frame->count, bytes = 4 * n * sizeof(double);
  double *position = firn_alloc(context, bytes, "particles to be measured");
  if (!position) return FIRN_ERROR_MEMORY;
  double *mass = position + 3 * n;
  firn_status status = firn_frame_read_double(frame, "position", position);
  if (status == FIRN_OK) status = firn_frame_read_double(frame, "mass", mass);
  if (status == FIRN_OK) status = find_extent(context, n, position, mass, def->inside, out);
  if (status == FIRN_OK) status = find_pieces(context, n, position, mass, frame->h, def, out);
  firn_free(context, position, bytes);
  return status;
}

static const char *what_lacks(const firn_frame *frame) {
  if (!frame->count) return "there is no snow";
  return firn_frame_find(frame, "mass") ? NULL : "the frames have no mass (output.fields)";
}

firn_status firn_measure_frame(firn_context *context, const char *path, const firn_measure_def *def,
                               firn_shape_measures *out, char *solver, size_t solver_size,
                               char *why, size_t why_size) {
  const double none = (double)NAN;
  const firn_shape_measures missing = {{none, none, none}, {none, none, none}, none, none, none};
  firn_frame *frame = NULL;
  *out = missing;
  if (access(path, F_OK) != 0) {
    snprintf(why, why_size, "the frame was not written");
    return FIRN_OK;
  }
  firn_status status = firn_frame_open(context, path, &frame);
  const char *lacks = frame ? what_lacks(frame) : NULL;
  if (frame) snprintf(solver, solver_size, "%s", frame->solver);
  if (lacks) snprintf(why, why_size, "%s", lacks);
  if (frame && !lacks) status = measure(frame, def, out);
  firn_frame_close(frame);
  if (status == FIRN_OK || status == FIRN_ERROR_MEMORY) return status;
  snprintf(why, why_size, "%s", firn_context_message(context));
  *out = missing;
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------- all alike

typedef struct particle_size {
  double h;    // m
  double mass; // kg, of the lightest particle; 0: the frame has none
} particle_size;

static firn_status read_particle_size(firn_frame *frame, particle_size *out) {
  *out = (particle_size){.h = frame->h};
  if (!frame->count || !firn_frame_find(frame, "mass")) return FIRN_OK;
  size_t bytes = frame->count * sizeof(double);
  double *mass = firn_alloc(frame->context, bytes, "particles to be measured");
  if (!mass) return FIRN_ERROR_MEMORY;
  firn_status status = firn_frame_read_double(frame, "mass", mass);
  for (size_t i = 0; status == FIRN_OK && i < frame->count; i++)
    out->mass = i ? fmin(out->mass, mass[i]) : mass[i];
  firn_free(frame->context, mass, bytes);
  return status;
}

static firn_status find_particle_size(firn_context *context, const char *path, particle_size *out) {
  firn_folder *folder;
  *out = (particle_size){0};
  FIRN_TRY(firn_folder_open(context, path, &folder));
  firn_status status = FIRN_OK;
  int count = firn_folder_count(folder, FIRN_FOLDER_FRAME);
  for (int i = 0; i < count && !(out->mass > 0) && status != FIRN_ERROR_MEMORY; i++) {
    firn_frame *frame = NULL;
    status = firn_frame_open(context, firn_folder_file(folder, FIRN_FOLDER_FRAME, i), &frame);
    if (status == FIRN_OK) status = read_particle_size(frame, out);
    if (status != FIRN_OK) *out = (particle_size){0};
    firn_frame_close(frame);
  }
  firn_folder_close(folder);
  return status == FIRN_ERROR_MEMORY ? status : FIRN_OK;
}

firn_status firn_measure_alike(firn_context *context, int count, const char *const *folder,
                               firn_measure_def *def) {
  if (!context || !folder || !def) return firn_fail_null(context, "firn_measure_alike");
  double cell = 0, mass = 0;
  for (int i = 0; i < count; i++) {
    particle_size g;
    firn_status status = folder[i] ? find_particle_size(context, folder[i], &g) : FIRN_ERROR_IO;
    if (status == FIRN_ERROR_MEMORY) return status;
    if (status != FIRN_OK || !(g.mass > 0)) continue;
    cell = fmax(cell, g.h);
    mass = fmax(mass, g.mass);
  }
  if (!(cell > 0)) return FIRN_OK;
  def->cell = cell;
  // Where snow is that thin, every other cell of the coarsest run would have a particle.
  def->density = 0.5 * mass / (cell * cell * cell);
  return FIRN_OK;
}
