// SPDX-License-Identifier: Apache-2.0
// Flight: snow that touches nothing needs no grid.
//
// A piece is what hangs together: particles whose stencils share nodes, or may soon. One of few particles
// (MPM_PIECE_MAX) flies as long as its stencils can meet neither nodes that blocks may reach, nor another
// piece, nor a collider. It is in no block then (world/particles.h). A lone particle is moved in closed
// form, which is what the grid would do to it (docs/theory-mpm.md, Flight).
//
// Who flies is decided by sorts (flight_search.c), for a horizon: the time in which the quickest of them, or
// of the colliders, goes some cells. When it is over, or something has changed from outside, those who
// fly are looked at again: first for how long all of them can go on as they do (flight_ahead.c), and only if
// one has to land or to join another are particles sorted and moved in memory. All of this hangs on the
// particles alone.
#ifndef FIRN_SOLVER_MPM_FLIGHT_H
#define FIRN_SOLVER_MPM_FLIGHT_H

#include "solver/mpm/mpm.h"

// Particles of a piece that may fly.
enum { MPM_PIECE_MAX = MPM_BUNDLE_SLOTS };

// Slots of a piece of two or more, counted from the first that flies. Lone particles come before all
// pieces. The particles of a piece have one corner, so that their positions may be outside [0, 4).
typedef struct mpm_piece {
  uint32_t first, count;
} mpm_piece;

// Whether those who fly have to be looked at before the next step.
bool mpm_flight_is_due(const mpm *m);
// Looks whether, and for how long, all of them can go on. False: a sort has to say who can.
firn_status mpm_flight_renew(mpm *m, bool *goes_on);
// Around a sort: before it, for it to ask who flies (user is the solver), and once it is done.
void mpm_flight_forget(mpm *m);
firn_status mpm_flight_choose(void *user, const firn_choice *choice, firn_flock *out);
void mpm_flight_begin(mpm *m);
// Steps 4 to 10 for lone particles.
void mpm_flight_step(mpm *m, mpm_tally *tally);
// After a load. False: pieces do not fit the particles.
bool mpm_flight_fits(mpm *m);

#endif
