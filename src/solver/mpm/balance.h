// SPDX-License-Identifier: Apache-2.0
// Lays settled snow down in balance.
#ifndef FIRN_SOLVER_MPM_BALANCE_H
#define FIRN_SOLVER_MPM_BALANCE_H

#include "solver/mpm/mpm.h"

// Gives the particles of world->settled, whose volumes are known, the strain with which they carry
// their weight and each other, and enters what that holds in the ledger; all other snow is left as it is. The
// grid must have no spray.
firn_status mpm_balance(mpm *m);

// Whether the particle was laid down settled since the last step.
bool mpm_is_settled(const mpm *m, size_t slot);
// Whether some particle of a block was.
bool mpm_holds_settled(const mpm *m, size_t b);

#endif
