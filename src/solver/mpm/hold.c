// SPDX-License-Identifier: Apache-2.0
#include "solver/mpm/hold.h"

#include <string.h>

void mpm_hold_note(const mpm *m, size_t g) {
  uint32_t index = ((const uint32_t *)m->constraint_of.data)[g];
  uint64_t held = 0;
  for (int n = 0; n < 64; n++) {
    held |= (uint64_t)((int)mpm_constraint(m, index, n)[3] != MPM_FREE) << n;
  }
  ((uint64_t *)m->held.data)[index] = held;
}

void mpm_hold_project(const mpm *m, size_t g, firn_real *block) {
  uint32_t index;
  for (uint64_t left = mpm_held_nodes(m, g, &index); left; left &= left - 1) {
    int n = __builtin_ctzll(left);
    const firn_real *constraint = mpm_constraint(m, index, n);
    firn_real *v = block + 4 * n;
    firn_real along = v[0] * constraint[0] + v[1] * constraint[1] + v[2] * constraint[2];
    switch ((int)constraint[3]) {
    case MPM_NO_NORMAL:
      for (int a = 0; a < 3; a++) v[a] -= along * constraint[a];
      break;
    case MPM_ONLY_TANGENT:
      for (int a = 0; a < 3; a++) v[a] = along * constraint[a];
      break;
    default: memset(v, 0, 3 * sizeof *v);
    }
  }
}
