// SPDX-License-Identifier: Apache-2.0
// What a firn_sim is made of.
#ifndef FIRN_API_SIM_H
#define FIRN_API_SIM_H

#include "solver/solver.h"

// What tells simulations apart, also after one is gone: snapshots hold that of theirs, which knows
// them all.
typedef struct firn_sim_identity {
  firn_context *context;
  int references;
  struct firn_snapshot *snapshots; // the first of a list, or NULL
} firn_sim_identity;
firn_status firn_sim_identity_make(firn_context *context, firn_sim_identity **out);
firn_sim_identity *firn_sim_identity_retain(firn_sim_identity *identity);
void firn_sim_identity_release(firn_sim_identity *identity); // NULL is allowed

struct firn_sim {
  firn_world world;
  const firn_solver_type *type;
  void *solver;
  void *settings; // those in force, type->def_size bytes
  firn_sim_identity *identity;
  firn_profile profile;
  bool failed; // a step failed: the state may be half updated
  // It is calling a function of the user's: within a step, when nothing may be asked of it, or between two
  // steps of firn_sim_advance or firn_run, when nearly everything may.
  bool in_step, in_advance;
};

// Tells the world of the solver, which is another now.
void firn_sim_connect(firn_sim *sim);

// How a public call begins: FIRN_ERROR_ARGUMENT where sim is NULL, FIRN_ERROR_STATE within a step.
firn_status firn_sim_between_steps(const firn_sim *sim, const char *call);
// The same for those that firn_sim_advance and firn_run cannot bear between their steps.
firn_status firn_sim_not_advancing(const firn_sim *sim, const char *call);

// Fields of the solver's own, statistics, and sums, which need not be filled in, in one pass.
firn_status firn_sim_look(firn_sim *sim, const firn_solver_look *look);
uint64_t firn_sim_all_stats(const firn_sim *sim); // a bit for each

// What a row of stats.csv is made of.
typedef struct firn_measures {
  firn_sums sums;
  double stats[FIRN_OWN_STATS];
} firn_measures;

// FIRN_ERROR_STATE where the tables of a run have no place for what a solver wants in them.
firn_status firn_tables_check(firn_context *context, const firn_solver_type *type);

// One by its number, or NULL and a message.
firn_emitter *firn_sim_emitter(const firn_sim *sim, int id);

// A field by name; false, without a message, where there is none.
bool firn_sim_has_field(const firn_sim *sim, const char *name, firn_field_info *out);

#endif
