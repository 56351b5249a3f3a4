// SPDX-License-Identifier: Apache-2.0
// Forces: what acts on snow besides gravity, colliders and air; by formula or by a function of yours.
//
//   static void lift(void *user, const firn_force_chunk *chunk) {
//     for (size_t i = 0; i < chunk->count; i++) chunk->acceleration[1][i] = 20;
//   }
//   firn_force_def force = firn_default_force_def();
//   force.act = lift;
//   firn_sim_add_force(sim, &force, NULL);
//
// At the end of each step, of dt, each in its turn changes velocities at the places and the time that the
// step has led to: v' = (v + dt acceleration) / (1 + dt rate). So all solvers know them, explicit or not;
// docs/forces.md has the formulas.
#ifndef FIRN_FORCE_H
#define FIRN_FORCE_H

#include <firn/real.h>
#include <firn/wind.h>

#ifdef __cplusplus
extern "C" {
#endif

// Some of the particles, in no order. Arrays are [count]; those of velocity, mass and id are the
// simulation's own.
typedef struct firn_force_chunk {
  double time; // s
  size_t count;
  const uint32_t *id;
  const firn_real *position[3]; // m, a component each
  const firn_real *velocity[3]; // m/s
  const firn_real *mass;        // kg; a force in N is divided by it
  // To write; 0 where left alone.
  firn_real *acceleration[3]; // m/s^2
  firn_real *rate; // 1/s: of friction, 0 or more. Implicit, so that no step is too long for it
} firn_force_chunk;

// May not call anything of the simulation, which is within a step. Which particles share a chunk does not
// depend on the number of threads; results should not hang on it either.
typedef void (*firn_force_fn)(void *user, const firn_force_chunk *chunk);

typedef enum firn_force_kind {
  FIRN_FORCE_FUNCTION,  // act
  FIRN_FORCE_UNIFORM,   // acceleration
  FIRN_FORCE_ATTRACTOR, // towards a point, or a line, by strength, radius, falloff, core and reach
  FIRN_FORCE_VORTEX,    // likewise round a line, right-handed about the axis
  FIRN_FORCE_DRAG       // at a rate towards the velocity of a wind, which need not be the air's
} firn_force_kind;

typedef struct firn_force_def {
  size_t size;      // of this struct: firn_default_force_def() knows
  const char *name; // for messages; NULL: by its number
  firn_force_kind kind;

  firn_force_fn act;
  void *user;
  bool parallel; // act may be called by several threads at once

  double acceleration[3]; // m/s^2

  // With s from the nearest place of the point or line, and d = sqrt(|s|^2 + core^2), an attractor gives
  // - strength (radius / d)^falloff s / d, a vortex strength (radius / d)^falloff axis x s / d.
  double strength;  // m/s^2, at the radius; of an attractor negative: away
  double center[3]; // m
  double axis[3];   // of the line; any length; 0 of an attractor: a point
  double radius;    // m
  double falloff;   // 0: as strong everywhere; 2: as gravity; -1: a spring
  double core;      // m: what is nearer is not drawn more strongly
  double reach;     // m: nothing acts beyond; 0: everywhere

  double rate;        // 1/s
  firn_wind_def wind; // its motion alone; a lattice is copied

  // Snow that sleeps (solver mpm) is passed over, and falls asleep though this acts on it. Otherwise what
  // may feel it stays awake.
  bool steady;
  char reserved[7]; // 0: up to its end
} firn_force_def;

FIRN_API void firn_force_def_init(firn_force_def *def, size_t size, size_t wind_size);
static inline firn_force_def firn_default_force_def(void) {
  firn_force_def def;
  firn_force_def_init(&def, sizeof def, sizeof def.wind);
  return def;
}
// From now on. The numbers may be set later, but neither kind nor act, and a drag keeps its lattice.
// A checkpoint holds the numbers; add the same forces again before it is loaded.
#define firn_sim_add_force FIRN_REAL_NAME(firn_sim_add_force) // or firn_sim_add_force_f64
FIRN_API firn_status firn_sim_add_force(firn_sim *sim, const firn_force_def *def, int *id);
FIRN_API firn_status firn_sim_set_force(firn_sim *sim, int id, const firn_force_def *def);

// What a force has given to the snow since it was added; momentum and energy of the snow are more by so
// much.
typedef struct firn_force_sums {
  double impulse[3]; // N s
  double work;       // J
} firn_force_sums;
FIRN_API firn_status firn_sim_force_sums_sized(const firn_sim *sim, int id, firn_force_sums *out,
                                               size_t size);
static inline firn_status firn_sim_force_sums(const firn_sim *sim, int id, firn_force_sums *out) {
  return firn_sim_force_sums_sized(sim, id, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
