// SPDX-License-Identifier: Apache-2.0
// Colliders: what the snow meets. docs/colliders.md is a guide.
#ifndef FIRN_COLLIDER_H
#define FIRN_COLLIDER_H

#include <firn/motion.h>
#include <firn/shape.h>
#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_sequence firn_sequence; // a surface that changes its shape with time; mesh.h

// A part of an articulated collider. Shapes and pivots of all parts are given as the collider was
// modelled, in one common system; motion is relative to the parent, as seen in that system.
typedef struct firn_part_def {
  size_t size;      // of this struct: firn_default_part_def() knows
  const char *name; // for messages; copied
  bool bare;        // no shape: a joint that moves its children only
  firn_shape_def shape;
  int parent;             // a part that comes before it in the list; -1: the collider
  firn_motion_def motion; // about its pivot, which is the joint
} firn_part_def;

// A body that moves under a load: along one axis, by its mass, this force, gravity and the snow's own
// push. It is added to what motion says. docs/colliders.md tells how heavy it has to be.
typedef struct firn_load_def {
  double mass;          // kg; 0: no load
  double axis[3];       // any length; a force above 0 is along it
  firn_track_def force; // N, [count]
  bool weightless;      // gravity leaves it alone
  double damping;       // 1/s, of its speed
  double travel[2];     // m along axis, from where it was defined: it stops there
  double room[4];       // 0: for what later versions may add
} firn_load_def;

typedef struct firn_collider_def {
  size_t size;      // of this struct: firn_default_collider_def() knows
  const char *name; // for messages and colliders.csv; copied
  firn_shape_def shape;
  double friction;           // Coulomb's mu; of mpm
  double friction_viscosity; // m^2/s, nu_b; of sph
  double adhesion;        // m/s^2, of sph: pull per share of samples' volume; see docs/colliders.md
  double temperature;     // K, of sph: of its surface; 0: heat does not pass through it
  bool sticky;            // hold what touches, whatever the direction
  double velocity[3];     // m/s, added to that of motion
  double spin[3];         // rad/s about the pivot, added to that of motion
  firn_motion_def motion; // of the whole
  firn_load_def load;     // of the whole; needs, and records, its forces
  const firn_part_def *parts; // [part_count]: a tree of parts in place of shape
  int part_count;
  const firn_sequence *sequence; // in place of shape; held, not copied
  bool forces;      // add up what the snow does to it; costs a little where a solve is made
  bool absent;      // not there until firn_sim_set_present says so
  char reserved[6]; // 0: up to its end
} firn_collider_def;

FIRN_API void firn_collider_def_init(firn_collider_def *def, size_t size);
static inline firn_collider_def firn_default_collider_def(void) {
  firn_collider_def def;
  firn_collider_def_init(&def, sizeof def);
  return def;
}
FIRN_API void firn_part_def_init(firn_part_def *def, size_t size);
static inline firn_part_def firn_default_part_def(void) {
  firn_part_def def;
  firn_part_def_init(&def, sizeof def);
  return def;
}
FIRN_API firn_load_def firn_default_load_def(void); // down, without an end
FIRN_API firn_status firn_sim_add_collider(firn_sim *sim, const firn_collider_def *def, int *id);
// Those that were removed are counted, too.
FIRN_API int firn_sim_collider_count(const firn_sim *sim);
// Takes a collider away for good; where it shall come back, firn_sim_set_present does less. Snow
// meets it no more, and all snow that sleeps wakes. Its shapes are released, unless a snapshot has
// them still. Its number and those of others stay as they are: what the snow did to it can still be
// read (time, sums and work stay, the step is 0), firn_sim_collider says `removed`, and whatever
// sets or drives it fails with FIRN_ERROR_STATE. It counts in checkpoints: a load into a simulation
// that has it still removes it there.
//
// May be called between steps, also by a function that firn_sim_advance or firn_run calls between
// them. FIRN_ERROR_ARGUMENT: there is no such collider; FIRN_ERROR_STATE: it was removed already,
// the window follows it, or it is within a step.
FIRN_API firn_status firn_sim_remove_collider(firn_sim *sim, int id);

// Where a collider is, and how it moves.
typedef struct firn_collider_state {
  const char *name;
  double pivot[3];    // m, where it is now
  double rotation[4]; // x, y, z, w: of the whole since it was defined
  double velocity[3]; // m/s, of the pivot
  double spin[3];     // rad/s
  double friction, friction_viscosity, adhesion;
  bool sticky;
  bool present;       // the snow meets it
  char reserved[6];   // 0: up to its end
  bool removed;       // for good; the above is what it was
  char reserved_2[7]; // 0: up to its end
} firn_collider_state;
FIRN_API firn_status firn_sim_collider_sized(const firn_sim *sim, int id, firn_collider_state *out,
                                             size_t size);
static inline firn_status firn_sim_collider(const firn_sim *sim, int id, firn_collider_state *out) {
  return firn_sim_collider_sized(sim, id, out, sizeof *out);
}

// ------------------------------------------------------------------------------------- driving

// Where a rigid body is, and how it moves, as a game or a robot has it.
typedef struct firn_body {
  double pivot[3];    // m, where the pivot is
  double rotation[4]; // x, y, z, w: since it was defined
  double velocity[3]; // m/s, of the pivot
  double spin[3];     // rad/s
} firn_body;

// A collider (part -1) or one of its parts, in the world: that of a part is not relative to its parent.
FIRN_API firn_status firn_sim_body(const firn_sim *sim, int id, int part, firn_body *out);

// Takes a collider, or one of its parts, into the caller's hands. The place is that of now; the
// velocities hold until the next call, and the body goes on with them through the steps in between. What
// its def said of motion no longer counts; parts below a driven one go with it, each by its own motion.
// rotation may have any length but 0.
//
// Velocities are what pushes snow: a body that is only put from place to place stands still in between,
// and what it has been put into is moved out of it as out of any collider. A correction of the place by
// up to a quarter of h counts as motion since the last call; a larger one, and the first call, as a
// change of the world (change.h) that wakes all snow that sleeps. Not for a collider under a load.
FIRN_API firn_status firn_sim_drive(firn_sim *sim, int id, int part, const firn_body *body);

// -------------------------------------------------------------------------------------- forces

// What the snow has done to a collider since the last reset, for colliders with forces = true.
typedef struct firn_collider_force {
  double time;       // s, that the sums are taken over
  double force[3];   // N, mean over that time
  double torque[3];  // N m, mean, about the pivot where it was at each step
  double impulse[3]; // N s: force times time
  double power;      // W, mean, of the collider on the snow: force times the surface's velocity
  double work;       // J, that it has done on the snow since it was added; a reset leaves it alone
  double angular[3]; // N m s: torque times time
} firn_collider_force;
FIRN_API firn_status firn_sim_collider_force_sized(const firn_sim *sim, int id,
                                                   firn_collider_force *out, size_t size);
static inline firn_status firn_sim_collider_force(const firn_sim *sim, int id,
                                                  firn_collider_force *out) {
  return firn_sim_collider_force_sized(sim, id, out, sizeof *out);
}
FIRN_API void firn_sim_collider_force_reset(firn_sim *sim); // of all colliders
// The same of the last step alone, whatever was reset: time is its dt; all 0 before the first. What the
// impulse is of the step, it has gained by its end: v += impulse / mass is a rigid body's next velocity.
FIRN_API firn_status firn_sim_collider_step_sized(const firn_sim *sim, int id,
                                                  firn_collider_force *out, size_t size);
static inline firn_status firn_sim_collider_step(const firn_sim *sim, int id,
                                                 firn_collider_force *out) {
  return firn_sim_collider_step_sized(sim, id, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
