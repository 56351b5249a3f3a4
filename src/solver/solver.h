// SPDX-License-Identifier: Apache-2.0
// The one table that every solver fills. Adding a solver is one folder and one line in list.h;
// docs/add-a-solver.md goes through it.
#ifndef FIRN_SOLVER_SOLVER_H
#define FIRN_SOLVER_SOLVER_H

#include "base/schema.h"
#include "world/world.h"

typedef struct firn_solver_type {
  const char *name;
  // Makes the solver's state for a world that may still be empty, and adds the solver's fields to
  // the particles. The solver keeps the world, which outlives it.
  firn_status (*create)(firn_world *world, const firn_sim_def *def, void **out);
  void (*destroy)(void *solver);
  // One step of at most limit seconds (no limit if <= 0); moves world->time.
  firn_status (*step)(void *solver, double limit, firn_step *out);
  // Fields for users besides the common ones; what is read and written is [count][components] by
  // id.
  const firn_field_info *fields; // ends with a NULL name
  // All that is asked of the particles in one pass, since they may have to be brought up to date for
  // it: own[i] takes field i, or is NULL. sums may be NULL; the caller has filled in what any solver
  // has, and the solver sets energy_elastic, jp_*, density_max, yielded, and adds the affine part of
  // angular.
  firn_status (*look)(void *solver, double *const own[], firn_sums *sums);
  firn_status (*write)(void *solver, int field, const double *in);
  void (*changed)(void *solver); // velocities were written from outside
  // Takes over the settings of def that may change between steps, and hands out those in force.
  firn_status (*configure)(void *solver, const firn_sim_def *def);
  void (*settings)(const void *solver, firn_sim_def *out);
  void (*profile)(const void *solver, firn_profile *out);
  // What a checkpoint must hold besides the particles, as named blobs: handed over one by one to
  // be saved or, with load, to be overwritten by what was saved. Particles are loaded already.
  firn_status (*state)(void *solver, bool load, const firn_state_visitor *visitor);
} firn_solver_type;

// By name, or NULL.
const firn_solver_type *firn_solver_find(const char *name);

#endif
