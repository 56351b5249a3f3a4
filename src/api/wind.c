// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "api/sim.h"
#include "base/def.h"
#include "base/isa.h"

firn_status firn_sim_set_wind(firn_sim *sim, const firn_wind_def *given) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  firn_wind_def def = firn_default_wind_def();
  if (given) FIRN_TRY(firn_def_take(sim->world.context, "firn_wind_def", given, &def, sizeof def));
  FIRN_FP_SCOPE;
  FIRN_TRY(firn_world_set_wind(&sim->world, given ? &def : NULL));
  if (sim->type->changed) sim->type->changed(sim->solver);
  return FIRN_OK;
}

firn_status firn_sim_set_wind_velocity(firn_sim *sim, const double velocity[3]) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!velocity) return firn_fail_null(sim->world.context, "firn_sim_set_wind_velocity");
  return firn_world_set_wind_velocity(&sim->world, velocity);
}

void firn_sim_wind_at(const firn_sim *sim, const double position[3], double time, double out[3]) {
  FIRN_FP_SCOPE;
  firn_wind_at(&sim->world, position, time, out);
}
