// SPDX-License-Identifier: Apache-2.0
// A body that moves under a load: along one axis, by its mass, a force, gravity and what the snow does to
// it. In a step of length dt that snow meets with an impulse I,
//
//   v' = (v + (I + dt F) / m + dt g) / (1 + dt c),   x' = x + dt v½,
//
// where v½ has half a step's change of speed, by the force that the snow had in the step before: exact in
// free fall, at rest wherever forces balance, and what the snow has lost of momentum is gained to
// rounding. A solver that finds v' together with the snow's velocities leads it: v½ is v' then.
#ifndef FIRN_WORLD_LOAD_H
#define FIRN_WORLD_LOAD_H

#include "world/track.h"

#include <firn/collider.h>

typedef struct firn_load_state { // part of a checkpoint
  double time;                   // s, that it is of
  double way;                    // m along the axis, from where the body was defined
  double speed;                  // m/s along it
  double push;                   // N, mean of the snow's in the last step
  double rest;                   // N, of that what the solver did not know when it led the body
  double fall;                   // m/s^2, gravity along the axis in it
} firn_load_state;

typedef struct firn_load {
  double mass;      // kg; 0: there is none
  double axis[3];   // unit length
  firn_track force; // N along it
  double damping;   // 1/s
  double travel[2]; // m: where the way ends
  bool weightless;
  double got;         // N s along the axis, from the snow, by the beginning of the step
  bool led;           // by the solver, in this step: ...
  double lead, known; // ... m/s, and the impulse that it knew of, N s
  firn_load_state state;
} firn_load;

// A def with mass 0 makes none. Messages begin with what ("collider 'plate'").
firn_status firn_load_make(firn_context *context, const firn_load_def *def, const char *what,
                           firn_load *out);
void firn_load_free(firn_context *context, firn_load *load);

// Where it is at a time, m along the axis, and the mean speed at which it gets there from its state.
double firn_load_way(const firn_load *load, double time, double *speed);
// Moves on to a time, with the impulse of the snow along the axis until then, N s.
void firn_load_step(firn_load *load, double time, double impulse);
// For a solver that leads: m/s at a time, with an impulse of the snow until then that it knows of and the
// rest as in the step before, as far as the way goes; what 1 N s changes; and the end of its work.
double firn_load_speed(const firn_load *load, double time, double impulse);
double firn_load_gain(const firn_load *load, double dt);
void firn_load_lead(firn_load *load, double time, double impulse);
// m/s: how fast it may get within a time by what acts on it now and by any of its force.
double firn_load_speed_bound(const firn_load *load, double ahead);

uint64_t firn_load_digest(const firn_load *load, uint64_t digest);

#endif
