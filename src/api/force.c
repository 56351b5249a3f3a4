// SPDX-License-Identifier: Apache-2.0
// Forces on the snow of a simulation.
#include "api/sim.h"

firn_status firn_sim_add_force(firn_sim *sim, const firn_force_def *def, int *id) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!def) return firn_fail_null(sim->world.context, "firn_sim_add_force");
  return firn_world_add_force(&sim->world, def, id);
}

firn_status firn_sim_set_force(firn_sim *sim, int id, const firn_force_def *def) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!def) return firn_fail_null(sim->world.context, "firn_sim_set_force");
  return firn_world_set_force(&sim->world, id, def);
}

firn_status firn_sim_force_sums(const firn_sim *sim, int id, firn_force_sums *out) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_force_sums");
  const firn_force *force = firn_world_force(&sim->world, id);
  if (!force) return FIRN_ERROR_ARGUMENT;
  *out = force->sums;
  return FIRN_OK;
}
