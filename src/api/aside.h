// SPDX-License-Identifier: Apache-2.0
// A simulation whose state is set aside while another is loaded into it.
#ifndef FIRN_API_ASIDE_H
#define FIRN_API_ASIDE_H

#include "api/sim.h"
#include "world/setup.h"

typedef struct firn_sim_aside {
  firn_world world;
  void *solver, *settings;
} firn_sim_aside;

// The simulation then has no particles, a new solver with these settings (NULL: those that it has),
// and, where setup is not NULL, what its world was built of when that was taken. Fails having
// changed nothing.
firn_status firn_sim_set_aside(firn_sim *sim, const firn_setup *setup, const void *settings,
                               firn_sim_aside *out);
// Ends it: with the state that was set aside, or without it.
void firn_sim_put_back(firn_sim *sim, firn_sim_aside *aside);
void firn_sim_drop_aside(firn_sim *sim, firn_sim_aside *aside);

#endif
