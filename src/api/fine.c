// SPDX-License-Identifier: Apache-2.0
// Fine particles beside a simulation.
#include "refine/fine.h"
#include "api/sim.h"

firn_status firn_fine_step(firn_fine *fine, const firn_fine_step_def *def) {
  if (!fine) return FIRN_ERROR_ARGUMENT;
  if (!def) return firn_fail_null(fine->context, "firn_fine_step");
  const firn_world *world = def->sim ? &def->sim->world : NULL;
  return firn_fine_step_among(fine, def, world ? world->collider_count : 0,
                              world ? world->collider : NULL);
}
