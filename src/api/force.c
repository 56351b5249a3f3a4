// SPDX-License-Identifier: Apache-2.0
// Forces on the snow of a simulation.
#include "api/sim.h"
#include "base/def.h"

firn_status firn_sim_add_force(firn_sim *sim, const firn_force_def *given, int *id) {
  firn_force_def def;
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_add_force"));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_force");
  FIRN_TRY(firn_force_def_take(sim->world.context, given, &def));
  return firn_world_add_force(&sim->world, &def, id);
}

firn_status firn_sim_set_force(firn_sim *sim, int id, const firn_force_def *given) {
  firn_force_def def;
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_set_force");
  FIRN_TRY(firn_force_def_take(sim->world.context, given, &def));
  return firn_world_set_force(&sim->world, id, &def);
}

firn_status firn_sim_force_sums_sized(const firn_sim *sim, int id, firn_force_sums *out,
                                      size_t size) {
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_force_sums"));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_force_sums");
  const firn_force *force = firn_world_force(&sim->world, id);
  if (!force) return FIRN_ERROR_ARGUMENT;
  firn_fill_out(&force->sums, sizeof force->sums, out, size);
  return FIRN_OK;
}
