// SPDX-License-Identifier: Apache-2.0
// The solvers there are. Apart from the table's type, so that one more makes little to compile.
#ifndef FIRN_SOLVER_LIST_H
#define FIRN_SOLVER_LIST_H

#include "solver/solver.h"

// X(name): the name in scene files, of the solver and of its section. The table is
// firn_<name>_solver, the rows of the section are firn_<name>_settings.
#define FIRN_SOLVER_LIST(X) X(mpm) X(sph) X(flip)

#define FIRN_SOLVER_DECLARE(name)                                                                  \
  extern const firn_solver_type firn_##name##_solver;                                              \
  extern const firn_schema_record firn_##name##_settings;
FIRN_SOLVER_LIST(FIRN_SOLVER_DECLARE)
#undef FIRN_SOLVER_DECLARE

#endif
