// SPDX-License-Identifier: Apache-2.0
// colliders.csv: a header line, then for each frame a row for every collider whose forces are
// recorded, frame 1 first. Force and torque are means over the time since the frame before, and the
// impulse is their sum, all of the snow on the collider; then where it is and how it moves, and the
// work that it has done on the snow.
//
// A run, once a frame:
//   for each collider with forces: firn_sim_collider_force(sim, id, &force) and firn_sim_collider
//   firn_colliders_append(context, path, rows, count)
//   firn_sim_collider_force_reset(sim)     before the checkpoint is written: it holds the sums
// and on resume firn_colliders_open, and firn_rows_cut after the last frame that is kept.
#ifndef FIRN_CACHE_COLLIDERS_H
#define FIRN_CACHE_COLLIDERS_H

#include "cache/rows.h"

typedef struct firn_collider_row {
  int frame;
  double time;      // s, at the end of the frame
  const char *name; // quoted in the file where it holds a comma or a quote
  firn_collider_force force;
  firn_collider_state state;
} firn_collider_row;

// A new file with the header alone; an old one is replaced.
firn_status firn_colliders_create(firn_context *context, const char *path);
// Adds rows, those of one frame at once, and makes them durable. No rows: does nothing.
firn_status firn_colliders_append(firn_context *context, const char *path,
                                  const firn_collider_row *rows, size_t count);
// Reads it back; see firn_rows_open.
firn_status firn_colliders_open(firn_context *context, const char *path, firn_rows *out);

#endif
