// SPDX-License-Identifier: Apache-2.0
// The one table that every solver fills. Adding a solver is one folder and one line in list.h;
// docs/add-a-solver.md goes through it.
#ifndef FIRN_SOLVER_SOLVER_H
#define FIRN_SOLVER_SOLVER_H

#include "base/schema.h"
#include "world/world.h"

// Says that two settings exclude each other: their keys, and why in the words of a scene file.
typedef void (*firn_conflict_fn)(void *user, const char *key, const char *with, const char *why);

// firn_step.bound of a step that is as short as its caller wants it.
#define FIRN_BOUND_LIMIT "the end of the frame"
// The shorter of a step and another limit, which is then what bounds it.
static inline double firn_step_bound(double dt, double other, const char *what,
                                     const char **bound) {
  if (!(other < dt)) return dt;
  *bound = what;
  return other;
}

// What is asked of a solver's particles, in one pass, since they may have to be brought up to date
// for it.
enum { FIRN_OWN_FIELDS = 32, FIRN_OWN_STATS = 64 };
typedef struct firn_solver_look {
  double *own[FIRN_OWN_FIELDS]; // takes the field, [count][components] by id; NULL: not asked for
  // The caller has filled in what any solver has; the solver sets energy_elastic, energy_lost to what of
  // it is not in the world's ledger yet, and adds to angular what spin its particles have of their own.
  // Or NULL.
  firn_sums *sums;
  uint64_t wanted; // bit i: stats[i] takes that statistic
  double *stats;
} firn_solver_look;

// What may be NULL says so; what is void * and const is the solver's def struct.
typedef struct firn_solver_type {
  const char *name;

  // Settings. The rows are the section of scene files and the def struct at once; whoever hands out
  // a def has checked it against rows and conflicts, and gives defaults where the user gave nothing.
  const firn_schema_record *settings;
  size_t def_size; // of the struct, which begins with a size_t that says the same; 0: there is none
  size_t in_sim_def; // where firn_sim_def has a member for it; 0: nowhere
  void (*conflicts)(const void *def, firn_conflict_fn tell, void *user); // or NULL
  // Takes over what may change between steps; NULL: nothing may, and no row is keyed.
  firn_status (*configure)(void *solver, const void *def);

  // h over the spacing of particles: 2 means eight particles a cell.
  double spacings;
  bool conducts;    // heat flows from particle to particle
  bool even;        // snow is to be laid out evenly, on a lattice, where nobody says otherwise
  const char *laws; // "snow|elastic": those of materials that it knows; NULL: all
  bool hollow;      // colliders are their surfaces alone, so no snow is laid inside them

  // Makes the solver's state for a world that may still be empty, and adds the solver's fields to
  // the particles. The solver keeps the world, which outlives it, and copies def. A load makes a
  // new one, and destroys the old one when it is through, or the new one if it fails: neither may
  // look at the world when it is destroyed, but for its context.
  firn_status (*create)(firn_world *world, const void *def, void **out);
  void (*destroy)(void *solver);
  // One step of at most limit seconds (no limit if <= 0); moves world->time.
  firn_status (*step)(void *solver, double limit, firn_step *out);

  // Fields for users besides the common ones, and statistics; each ends with a NULL name, or is NULL.
  const firn_field_info *fields;                                   // FIRN_OWN_FIELDS at most
  const firn_stat_info *stats;                                     // FIRN_OWN_STATS at most
  firn_status (*look)(void *solver, const firn_solver_look *look); // NULL: there is nothing to see
  firn_status (*write)(void *solver, int field, const double *in); // of writable fields
  // "a|b": statistics that stats.csv has columns for, and fields that probes.csv has averages of,
  // of up to 9 numbers, besides those that these always have (docs/cache.md), which are filled by
  // name. NULL: none.
  const char *columns, *probed;

  void (*changed)(void *solver); // velocities or materials were set from outside; or NULL
  // A driven collider has got faster, up to this speed in m/s, than firn_collider_speed_ahead said: for
  // those who have looked further than a step. NULL: the solver does not.
  void (*driven)(void *solver, double speed);
  // Lays the particle of a slot down at rest under a load in Pa; up is a unit vector. NULL: the
  // solver's snow holds no strain.
  void (*settle)(void *solver, size_t slot, const double up[3], double load);
  // J of elastic energy that the particle of a slot holds. NULL: none ever does.
  double (*energy)(void *solver, size_t slot);
  // The velocity gradient that the particle of a slot carries, as world.h has it; both or none. A set
  // of what is not carried does nothing.
  void (*set_affine)(void *solver, size_t slot, const double gradient[9]);
  bool (*get_affine)(void *solver, size_t slot, double gradient[9]);
  // Gives the new particle of a slot an elastic strain b_E - I, or a Cauchy stress in Pa, as world.h has
  // it; both or none. NULL: the solver's snow holds no strain.
  double (*start_strain)(void *solver, size_t slot, const double strain[6]);
  double (*start_stress)(void *solver, size_t slot, const double stress[6]);
  // Volumes at rest, m^3, [count] by id, also of particles that no step has seen yet; NULL: those of
  // the store.
  firn_status (*volumes)(void *solver, double *out);
  // What a checkpoint must hold besides the particles, as named blobs: handed over one by one to
  // be saved or, with load, to be overwritten by what was saved. Particles are loaded already.
  // NULL: nothing.
  firn_status (*state)(void *solver, bool load, const firn_state_visitor *visitor);
} firn_solver_type;

const firn_solver_type *firn_solver_at(int i);              // NULL past the last
const firn_solver_type *firn_solver_find(const char *name); // or NULL

// The h that goes with a spacing of particles, and the reverse. A name that no solver has, as that of
// a frame from elsewhere, counts as the first of the list.
double firn_solver_h(const char *name, double spacing);
double firn_solver_spacing(const char *name, double h);

// For `conflicts` of a solver with these keys: the longest, shortest and fixed step must agree.
void firn_solver_step_conflicts(double dt, double dt_min, double dt_max, firn_conflict_fn tell,
                                void *user);

// The def struct of a solver, which begins with its size: its defaults; and what a user gave, over them.
void firn_solver_defaults(const firn_solver_type *type, void *def);
firn_status firn_solver_take(firn_context *context, const firn_solver_type *type, const void *given,
                             void *own);
// FIRN_ERROR_ARGUMENT for a def that rows or conflicts of the solver do not allow.
firn_status firn_solver_check(firn_context *context, const firn_solver_type *type, const void *def);

// Fields that every solver's particles have, in the order of FIRN_COMMON_*.
enum {
  FIRN_COMMON_POSITION,
  FIRN_COMMON_VELOCITY,
  FIRN_COMMON_MASS,
  FIRN_COMMON_VOLUME,
  FIRN_COMMON_ID,
  FIRN_COMMON_MATERIAL,
  FIRN_COMMON_STRAIN_RATE,
  FIRN_COMMON_TEMPERATURE,
  FIRN_COMMON_FIELDS
};
extern const firn_field_info firn_common_fields[FIRN_COMMON_FIELDS];
// The first solver that has a field of this name besides those; NULL: none.
const firn_solver_type *firn_solver_of_field(const char *field);

#endif
