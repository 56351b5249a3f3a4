// SPDX-License-Identifier: Apache-2.0
// Deforming bodies: level sets at key times, carried along between them (Stomakhin et al. 2013,
// section 8). Between keys at t and t + T, with g in [0, 1],
//
//   v_co(x) = (1 - g) v(x, t) + g v(x, t + T),
//   phi(x)  = (1 - g) phi(x - g T v_co, t) + g phi(x + (1 - g) T v_co, t + T),
//
// which is exact for bodies that translate.
#ifndef FIRN_GEOMETRY_LEVEL_SET_SEQUENCE_H
#define FIRN_GEOMETRY_LEVEL_SET_SEQUENCE_H

#include "geometry/level_set.h"

struct firn_sequence {
  firn_context *context;
  int references;
  int count;
  bool loop;
  double *times;         // s, [count]
  firn_level_set **keys; // [count]
  double speed;          // m/s: no point of the body is known to move faster
  double lo[3], hi[3];   // m: hold the body at all times
  uint64_t digest;       // of all that was given
};

// The same as firn_sequence_create, from level sets made before, which are held. what begins the
// messages.
firn_status firn_sequence_from_level_sets(firn_context *context, int count, const double *times,
                                          firn_level_set *const *keys, bool loop, const char *what,
                                          firn_sequence **out);

// Signed distance [m] at a time [s], with the outward unit normal and the velocity v_co of the body
// [m/s]; both may be NULL. Any number of threads may ask at once.
double firn_sequence_sample(const firn_sequence *sequence, const double position[3], double time,
                            double normal[3], double velocity[3]);

// The time [s] of the key that the body at a time comes from, and how long it has been on its way.
double firn_sequence_key(const firn_sequence *sequence, double time, double *since);

// True if the body may move or deform between the two times.
bool firn_sequence_moves(const firn_sequence *sequence, double from, double to);

#endif
