// SPDX-License-Identifier: Apache-2.0
#include "world/heat.h"
#include "api/sim.h"
#include "base/def.h"
#include "base/isa.h"

firn_status firn_sim_set_heat(firn_sim *sim, int material, const firn_heat_def *given) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_set_heat");
  FIRN_TAKE(sim->world.context, heat_def, given, own);
  const firn_heat_def *def = &own;
  FIRN_FP_SCOPE;
  if (def->conductivity > 0 && !sim->type->conducts) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "material %d: conductivity: solver %s conducts no heat", material,
                     sim->type->name);
  }
  FIRN_TRY(firn_world_set_heat(&sim->world, material, def));
  if (sim->type->changed) sim->type->changed(sim->solver);
  return FIRN_OK;
}
