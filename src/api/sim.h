// SPDX-License-Identifier: Apache-2.0
// What a firn_sim is made of.
#ifndef FIRN_API_SIM_H
#define FIRN_API_SIM_H

#include "solver/solver.h"

enum { FIRN_OWN_FIELDS = 32 }; // of a solver, at most

struct firn_sim {
  firn_world world;
  const firn_solver_type *type;
  void *solver;
  bool failed; // a step failed: the state may be half updated
};

// Fields of the solver's own, and sums, in one pass over the particles: own[i] takes field i of
// type->fields, [count][components] by id, or is NULL. sums may be NULL.
firn_status firn_sim_look(firn_sim *sim, double *const own[FIRN_OWN_FIELDS], firn_sums *sums);

// One by its number, or NULL and a message.
firn_emitter *firn_sim_emitter(const firn_sim *sim, int id);

#endif
