// SPDX-License-Identifier: Apache-2.0
// Who lies asleep under settled snow that is added to it, and has to carry it from then on.
#ifndef FIRN_SOLVER_MPM_UNDER_H
#define FIRN_SOLVER_MPM_UNDER_H

#include "solver/mpm/mpm.h"

// Fills [blocks] bytes: not 0 for blocks asleep that lie below settled snow (balance.h), straight or as
// far beside as loads spread, two blocks for each that they go down; any: there are some. Snow beside it
// is not among them.
// The grid must have no spray.
firn_status mpm_find_under(mpm *m, firn_buffer *under, bool *any);

#endif
