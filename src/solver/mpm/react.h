// SPDX-License-Identifier: Apache-2.0
// Reactions: what a solve does to what contact holds, see react.c.
#ifndef FIRN_SOLVER_MPM_REACT_H
#define FIRN_SOLVER_MPM_REACT_H

#include "solver/mpm/mpm.h"

// After the solve: adds what held nodes pass on to their colliders.
void mpm_contact_react(mpm *m);

#endif
