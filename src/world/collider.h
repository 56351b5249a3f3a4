// SPDX-License-Identifier: Apache-2.0
// What snow collides with: one or more parts, each a shape that moves with its parent, and a
// surface that they share. The state of a collider, where its parts are and how they move, stands in
// the poses of the collider and its parts.
#ifndef FIRN_WORLD_COLLIDER_H
#define FIRN_WORLD_COLLIDER_H

#include "geometry/level_set_sequence.h"
#include "geometry/shape.h"
#include "world/drive.h"
#include "world/load.h"
#include "world/motion.h"

enum { FIRN_NAME_SIZE = 64 };

// What sticky means to a solver that knows friction as a viscosity.
#define FIRN_STICKY_VISCOSITY 1000.0 // m^2/s
#define FIRN_STICKY_ADHESION  5000.0 // m/s^2

typedef struct firn_part {
  firn_shape *shape;       // as defined; held. NULL where there is a sequence, or only a joint
  firn_sequence *sequence; // held
  int parent;              // -1: the collider
  firn_motion motion;      // relative to the parent
  bool driven;             // it goes by drive instead
  firn_drive drive;
  bool convex;      // the distance is a convex function
  uint64_t bit;     // one of 64, which it may share with others: see firn_collider_near
  double center[3]; // m, of a sphere that holds the part as defined ...
  double radius;    // ... m; infinite where nothing bounds it, negative for a bare joint
  firn_pose pose;   // at the time the collider was prepared for
  double middle[3]; // m, center at that time
} firn_part;

// Fingerprint of a part's shape; 0: a bare joint.
static inline uint64_t firn_part_digest(const firn_part *part) {
  return part->shape ? part->shape->digest : part->sequence ? part->sequence->digest : 0;
}

// What the snow has done to a collider; part of a checkpoint.
typedef struct firn_collider_sums {
  double time;        // s
  double impulse[3];  // N s
  double angular[3];  // N m s, about the pivot where it was at each step
  double work;        // J, of the collider on the snow
  double work_before; // J, of before the time that the others are of
} firn_collider_sums;

// How a driven collider may come upon the snow; part of a checkpoint.
typedef struct firn_driving {
  double nudge; // m/s that its places were corrected with since the last step
  double bound; // m/s that those who look further ahead than a step may count with
} firn_driving;

// How a surface holds snow.
typedef struct firn_grip {
  double friction;           // Coulomb's mu
  double friction_viscosity; // m^2/s, of solvers whose friction is one
  double adhesion;           // m/s^2, likewise
  bool sticky;
} firn_grip;

typedef struct firn_collider {
  firn_context *context;
  char name[FIRN_NAME_SIZE];
  double friction; // these four are its grip
  double friction_viscosity;
  double adhesion;
  bool sticky;
  double temperature; // K, of its surface; 0: none
  bool forces;        // its sums are kept
  bool absent;        // nothing meets it
  bool removed;       // for good: it is absent, and its parts have no shapes
  firn_motion motion; // of the whole
  firn_load load;     // likewise, added to it
  bool jointed;       // it was defined by parts
  bool driven;        // the whole goes by drive instead of motion
  firn_drive drive;
  bool led; // it is driven, or some part of it is
  firn_driving driving;
  firn_pose pose;     // of the whole, at the time it was prepared for
  double prepared;    // s, that time; nan before the first
  double speed;       // m/s: no point of it moves faster, ever or, under a load, now
  double keyed_speed; // m/s: the same but for the load
  bool varies;        // some part changes its shape in ways that nobody knows
  int part_count;     // one or more
  firn_part *part;    // [part_count], parents first
  uint64_t digest;    // of its definition
  firn_collider_sums sums;
  firn_collider_sums before; // the step that is made now
  firn_collider_sums last;   // of the last step alone
} firn_collider;

static inline bool firn_collider_is_loaded(const firn_collider *collider) {
  return collider->load.mass > 0 && !collider->removed;
}

// first_bit: number of parts that the world has already.
firn_status firn_collider_make(firn_context *context, const firn_collider_def *def, int index,
                               int first_bit, firn_collider *out);
void firn_collider_free(firn_collider *collider);
// Takes it out: its parts are bare joints from now on. What it was made of otherwise, and its sums,
// stay.
void firn_collider_remove(firn_collider *collider);
// After a removal, once its parts have their shapes again.
void firn_collider_revive(firn_collider *collider);
firn_status firn_grip_check(firn_context *context, const char *what, const firn_grip *grip);
static inline firn_grip firn_collider_grip(const firn_collider *collider) {
  return (firn_grip){collider->friction, collider->friction_viscosity, collider->adhesion,
                     collider->sticky};
}

// Places all parts for a time, by their motions. All else asks the poses that this leaves, never a
// motion, so that whoever else knows where a part is may place it: a frame that was written does.
// Call it from one thread, before others sample.
void firn_collider_prepare(firn_collider *collider, double time);
void firn_part_place(firn_part *part, const firn_pose *pose);

// Signed distance at a point, with the outward unit normal and the velocity of the surface there:
// those of the nearest part. normal and velocity may be NULL. Any number of threads may ask at once.
double firn_collider_sample(const firn_collider *collider, const double position[3],
                            double normal[3], double velocity[3]);

// The same of those parts only whose bit is in near. Infinite where there is none.
double firn_collider_sample_near(const firn_collider *collider, uint64_t near,
                                 const double position[3], double normal[3], double velocity[3]);
// True only where these parts are further than margin, m; known without a search where a shape has a quick
// bound of its distance, and false where it has none.
bool firn_collider_clears(const firn_collider *collider, uint64_t near, const double position[3],
                          double margin);

// Whether a point is deeper inside than that, m, of at least 0. Parts that are elsewhere cost next to nothing.
bool firn_collider_holds(const firn_collider *collider, const double position[3], double depth);

// One part, at a time (of what changes its shape) and with the pose that it has then.
double firn_part_sample(const firn_part *part, const firn_pose *pose, double time,
                        const double position[3], double normal[3], double velocity[3]);

// Whether a part without bounds has one flat surface: a half space, however it came about. Told by its
// distance, whose slope is the same everywhere around center; at the time it was prepared for. plane
// is then the unit normal n and d, m: solid where dot(n, x) < d.
bool firn_part_plane(const firn_part *part, double time, const double center[3], double plane[4]);

// Whether any of it moves within a span of time.
bool firn_collider_moves(const firn_collider *collider, double t0, double t1);
// m/s: no point of it moves faster within a time from now, of a driven one within a step. Infinite where
// it jumps, where something unbounded turns, and where a user's distance depends on time.
double firn_collider_speed_bound(const firn_collider *collider, double ahead);
// The same over several steps, as long as no driven one gets faster: then solvers are told (solver.h).
double firn_collider_speed_ahead(const firn_collider *collider, double ahead);
// drive.c: what no point of it exceeds, by motions and drives as they are; never 0 for a driven one.
double firn_collider_find_speed(const firn_collider *collider);

#endif
