// SPDX-License-Identifier: Apache-2.0
// What the two ways to look at those who fly share: the search for who does (flight_search.c), which a sort
// asks for, and the look ahead for how long they may go on (flight_ahead.c), which needs no sort.
#ifndef FIRN_SOLVER_MPM_FLIGHT_SEARCH_H
#define FIRN_SOLVER_MPM_FLIGHT_SEARCH_H

#include "solver/mpm/flight.h"

// Cells that the quickest, of colliders too, goes before the search is made again. Steps of a given length
// may need more, but it sees no further than WAY_MAX.
#define MPM_FLIGHT_WAY     1.9
#define MPM_FLIGHT_WAY_MAX 4.0
// Cells that rounding may take of each.
#define MPM_FLIGHT_MARGIN  0.01
// Steps after which they are looked at anyway, since rounding adds up. Positions of up to 8 cells are off by
// 240 eps/2 of that, and velocities, in steps of up to WAY_MAX cells, make it 240^2/2 eps/2 of these: together
// 0.007 cells in single precision, less than MARGIN.
enum { MPM_FLIGHT_STEPS = 240 };

// m/s, of the quickest of all, colliders too; speed: of those who fly.
double mpm_flight_speed(const mpm *m, double speed);
// s, in which that goes `way` cells, or in which a step of given length is over, which makes *way longer.
// way may not be NULL.
double mpm_flight_horizon(const mpm *m, double speed, double *way);
// Whether a collider may come to touch the nodes or particles of what is somewhere between lo and hi, cells,
// within a time; after firn_world_prepare.
bool mpm_flight_meets_collider(const mpm *m, const double lo[3], const double hi[3], double time);

// For how long all who fly can do so as they are; a horizon of 0: somebody has to land or to join another.
firn_status mpm_flight_look_ahead(mpm *m, mpm_flight_plan *out);

#endif
