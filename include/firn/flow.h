// SPDX-License-Identifier: Apache-2.0
// Flow: where snow comes from while the simulation runs, and where it goes.
//
// All of these act at the beginning of a step, in the order: delayed fills, window, emitters in the
// order in which they were added, impulses likewise, sinks, kill box. Ids of removed particles are not used again.
#ifndef FIRN_FLOW_H
#define FIRN_FLOW_H

#include <firn/fill.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_emit {
  FIRN_EMIT_INFLOW,    // a stream: the shape is kept full of snow that moves on with its velocity
  FIRN_EMIT_PARTICLES, // rate particles a second, at random in the shape
  FIRN_EMIT_VOLUME,    // rate m^3 a second, likewise
  FIRN_EMIT_MASS,      // rate kg a second, likewise
  FIRN_EMIT_SNOWFALL   // flakes: rate kg/m^2 a second, at random in the shape where they have room
} firn_emit;

// Snowfall comes down on the shape's volume over its height (y), which for boxes and upright cylinders is
// what one sees of them from above. A flake is a particle, of mass density h^3 / per_cell and size
// h / cbrt(per_cell). None appears nearer than its size to a particle, or half of it to a collider; what
// has no room is made up for within a second, or never.
//
// A source of snow. What it places follows from seed, emitter and number of the particle alone.
typedef struct firn_emitter_def {
  size_t size; // of this struct: firn_default_emitter_def() knows
  firn_fill_def
      fill; // shape, material, per_cell, velocity, spin, temperature, variation, name; seeding of inflow
  firn_emit kind;
  double rate;        // particles, m^3, kg or kg/m^2 a second; inflow has none
  double spread;      // m/s: a random velocity of up to this size is added; not for inflow
  double start, stop; // s
  uint64_t max_count; // particles in all; 0: no limit
} firn_emitter_def;

FIRN_API void firn_emitter_def_init(firn_emitter_def *def, size_t size, size_t fill_size);
static inline firn_emitter_def firn_default_emitter_def(void) {
  firn_emitter_def def;
  firn_emitter_def_init(&def, sizeof def, sizeof def.fill);
  return def;
}
FIRN_API firn_status firn_sim_add_emitter(firn_sim *sim, const firn_emitter_def *def, int *id);
// Particles it has placed so far.
FIRN_API uint64_t firn_sim_emitted(const firn_sim *sim, int id);

// A shape that takes away what enters it.
typedef struct firn_sink_def {
  size_t size;      // of this struct: firn_default_sink_def() knows
  const char *name; // for messages; copied
  firn_shape_def shape;
  double start, stop; // s
} firn_sink_def;

FIRN_API void firn_sink_def_init(firn_sink_def *def, size_t size);
static inline firn_sink_def firn_default_sink_def(void) {
  firn_sink_def def;
  firn_sink_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_sim_add_sink(firn_sim *sim, const firn_sink_def *def, int *id);

// Which particles to take away. At least one of shape and ids is given; where both are, both must
// hold.
typedef struct firn_removal_def {
  size_t size;                 // of this struct: firn_default_removal_def() knows
  const firn_shape_def *shape; // particles that lie in it now; NULL: wherever they are
  const uint64_t *ids; // [id_count]: as field "id" has them, in any order; NULL: whichever they are
  size_t id_count;
} firn_removal_def;

FIRN_API void firn_removal_def_init(firn_removal_def *def, size_t size);
static inline firn_removal_def firn_default_removal_def(void) {
  firn_removal_def def;
  firn_removal_def_init(&def, sizeof def);
  return def;
}
// Takes them away at once and for good, as a sink does: mass, momentum and energy of firn_sums are
// of those that stay, energy_lost does not change, and ids are not used again. All snow that sleeps
// wakes. *removed, which may be NULL, takes how many there were. Nothing of def is kept.
//
// May be called between steps, also by a function that firn_sim_advance or firn_run calls between
// them. FIRN_ERROR_STATE: within a step, or an id is of a particle that is gone already;
// FIRN_ERROR_ARGUMENT: neither shape nor ids, a shape that is none, or an id that no particle has
// had; FIRN_ERROR_MEMORY. After a failure all particles are there.
FIRN_API firn_status firn_sim_remove_particles(firn_sim *sim, const firn_removal_def *def,
                                               size_t *removed);

// A velocity that snow is given, once: added to what it has at the first step that begins at time or
// later.
typedef struct firn_impulse_def {
  size_t size;                 // of this struct: firn_default_impulse_def() knows
  const char *name;            // for messages; copied
  double time;                 // s
  double velocity[3];          // m/s
  double spin[3];              // rad/s about the pivot
  double pivot[3];             // m
  const firn_shape_def *shape; // the snow that lies in it then; NULL: all
} firn_impulse_def;

FIRN_API void firn_impulse_def_init(firn_impulse_def *def, size_t size);
static inline firn_impulse_def firn_default_impulse_def(void) {
  firn_impulse_def def;
  firn_impulse_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_sim_add_impulse(firn_sim *sim, const firn_impulse_def *def, int *id);

// The kill box: what leaves [min, max] (metres, may be infinite) is taken away.
FIRN_API firn_status firn_sim_set_kill_box(firn_sim *sim, const double min[3], const double max[3]);

// A window that moves over a larger scene. Snow exists only in the blocks of 4x4x4 cells that the
// window touches: fills are made block by block as it comes over them, the very particles that a
// whole fill would have placed there, and what it leaves behind is taken away. Where other snow lies
// already, pushed out before the window, a cell gets what it lacks of its density. Set it before filling.
typedef struct firn_window_def {
  size_t size;           // of this struct: firn_default_window_def() knows
  double min[3], max[3]; // m at time 0; infinite along axes that it does not bound
  double velocity[3];    // m/s; or
  int follow;            // a collider's id: moves as the collider's position does; -1: none
  char reserved[4];      // 0: up to its end
} firn_window_def;

FIRN_API void firn_window_def_init(firn_window_def *def, size_t size);
static inline firn_window_def firn_default_window_def(void) {
  firn_window_def def;
  firn_window_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_status firn_sim_set_window(firn_sim *sim, const firn_window_def *def);

// Says that a checkpoint will be loaded: from now on fills and points are noted, but nothing is
// placed. A simulation with emitters or a window must be built as the saved one was; then load.
FIRN_API void firn_sim_expect_load(firn_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
