// SPDX-License-Identifier: Apache-2.0
#include "solver/solver.h"

#include <string.h>

#include "solver/list.h"

const firn_solver_type *firn_solver_find(const char *name) {
#define ADDRESS(name_) &firn_##name_##_solver,
  static const firn_solver_type *const all[] = {FIRN_SOLVER_LIST(ADDRESS) NULL};
#undef ADDRESS
  for (size_t i = 0; all[i]; i++) {
    if (strcmp(all[i]->name, name) == 0) return all[i];
  }
  return NULL;
}
