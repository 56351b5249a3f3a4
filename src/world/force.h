// SPDX-License-Identifier: Apache-2.0
// Forces on snow: those that formulas give, and those of a user's function.
#ifndef FIRN_WORLD_FORCE_H
#define FIRN_WORLD_FORCE_H

#include <firn/force.h>

#include "world/wind.h"

struct firn_world;

typedef struct firn_force {
  firn_force_def def; // axis of unit length or 0; neither name nor pointers of the wind
  char name[64];      // "force 'gust'"
  firn_wind wind;     // of a drag
  firn_force_sums sums;
} firn_force;

typedef struct firn_forces {
  firn_force *force; // [count]
  int count;
  firn_buffer parts; // of a push
} firn_forces;

void firn_forces_free(firn_forces *forces, firn_context *context);
// A caller's def as one of ours.
firn_status firn_force_def_take(firn_context *context, const firn_force_def *given,
                                firn_force_def *own);
firn_status firn_world_add_force(struct firn_world *world, const firn_force_def *def, int *id);
firn_status firn_world_set_force(struct firn_world *world, int id, const firn_force_def *def);
// One by its number, or NULL and a message.
firn_force *firn_world_force(const struct firn_world *world, int id);

// Whether a force is other than 0 somewhere.
bool firn_force_acts(const firn_force *force);
// What a formula gives to the particles of a chunk.
void firn_force_fill(const firn_force *force, const firn_force_chunk *chunk);
// Whether some force that is not steady acts within radius of a place.
bool firn_world_keeps_awake(const struct firn_world *world, const double middle[3], double radius);

// force_push.c
// Reserve before anything moves: memory for the particles as they are sorted now.
firn_status firn_world_reserve_push(struct firn_world *world);
// Of those that were pushed.
typedef struct firn_pushed {
  double speed2; // m^2/s^2, the greatest
  double accel2; // m^2/s^4
} firn_pushed;
// Changes velocities by what forces do within dt, at this time, except in units whose first block is one
// for which skip says so (NULL: none); enters energy in the ledger, and both sums of each force. Fails where
// a force is not finite.
firn_status firn_world_push(struct firn_world *world, double time, double dt, firn_skip_fn skip,
                            const void *user, firn_pushed *out);

#endif
