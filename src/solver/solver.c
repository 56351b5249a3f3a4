// SPDX-License-Identifier: Apache-2.0
#include "solver/solver.h"

#include <string.h>

const firn_solver_type *firn_solver_find(const char *name) {
  static const firn_solver_type *const all[] = {
      &firn_mpm_solver,
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(all[i]->name, name) == 0) return all[i];
  }
  return NULL;
}
