// SPDX-License-Identifier: Apache-2.0
// What a firn_sim is made of.
#ifndef FIRN_API_SIM_H
#define FIRN_API_SIM_H

#include "solver/solver.h"

struct firn_sim {
  firn_world world;
  const firn_solver_type *type;
  void *solver;
  bool failed; // a step failed: the state may be half updated
};

// One by its number, or NULL and a message.
firn_emitter *firn_sim_emitter(const firn_sim *sim, int id);

#endif
