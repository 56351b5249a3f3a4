// SPDX-License-Identifier: Apache-2.0
// Pieces of a simulation and of a frame.
#include "world/pieces.h"
#include "base/def.h"

#include "api/sim.h"
#include "base/memory.h"
#include "cache/frame.h"

FIRN_DEFAULTS(pieces_def) {
  // Fewer particles than a full cell has are spray.
  return (firn_pieces_def){.least = 8};
}

// Positions and masses, [count][3] and [count], in one block of 4 count doubles.
static double *make_room(firn_context *context, size_t count) {
  return firn_alloc(context, (4 * count + 1) * sizeof(double), "particles of pieces");
}

static void drop_room(firn_context *context, double *room, size_t count) {
  firn_free(context, room, (4 * count + 1) * sizeof(double));
}

firn_status firn_sim_pieces_sized(firn_sim *sim, const firn_pieces_def *given, firn_pieces *out,
                                  size_t size) {
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_pieces"));
  firn_context *context = sim->world.context;
  if (!out) return firn_fail_null(context, "firn_sim_pieces");
  firn_pieces_def def = firn_default_pieces_def();
  firn_pieces own = {0};
  if (given) FIRN_TRY(firn_def_take(context, "firn_pieces_def", given, &def, sizeof def));
  size_t count = firn_sim_count(sim);
  double *position = make_room(context, count);
  if (!position) return FIRN_ERROR_MEMORY;
  double *mass = position + 3 * count;
  firn_status status = firn_sim_read(sim, "position", position);
  if (status == FIRN_OK) status = firn_sim_read(sim, "mass", mass);
  if (status == FIRN_OK) {
    status = firn_pieces_find(context, &def, count, position, mass, firn_sim_h(sim), &own, NULL);
  }
  drop_room(context, position, count);
  if (status == FIRN_OK) firn_fill_out(&own, sizeof own, out, size);
  return status;
}

firn_status firn_frame_pieces_sized(firn_frame *frame, const firn_pieces_def *given,
                                    firn_pieces *out, size_t size) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  firn_context *context = frame->context;
  if (!out) return firn_fail_null(context, "firn_frame_pieces");
  firn_pieces_def def = firn_default_pieces_def();
  firn_pieces own = {0};
  if (given) FIRN_TRY(firn_def_take(context, "firn_pieces_def", given, &def, sizeof def));
  if (!(frame->h > 0) && !(def.cell > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "pieces: the frame does not tell its grid spacing; give a cell");
  }
  double *position = make_room(context, frame->count);
  if (!position) return FIRN_ERROR_MEMORY;
  double *mass = position + 3 * frame->count;
  firn_status status = firn_frame_read_double(frame, "position", position);
  if (status == FIRN_OK) status = firn_frame_read_double(frame, "mass", mass);
  if (status == FIRN_OK) {
    status = firn_pieces_find(context, &def, frame->count, position, mass, frame->h, &own, NULL);
  }
  drop_room(context, position, frame->count);
  if (status == FIRN_OK) firn_fill_out(&own, sizeof own, out, size);
  return status;
}
