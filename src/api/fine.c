// SPDX-License-Identifier: Apache-2.0
// Fine particles beside a simulation.
#include "refine/fine.h"
#include "api/sim.h"
#include "base/def.h"

FIRN_DEFAULTS(fine_step_def) {
  return (firn_fine_step_def){0};
}

firn_status firn_fine_step(firn_fine *fine, const firn_fine_step_def *given) {
  if (!fine) return FIRN_ERROR_ARGUMENT;
  if (!given) return firn_fail_null(fine->context, "firn_fine_step");
  FIRN_TAKE(fine->context, fine_step_def, given, own);
  const firn_fine_step_def *def = &own;
  const firn_world *world = def->sim ? &def->sim->world : NULL;
  return firn_fine_step_among(fine, def, world ? world->collider_count : 0,
                              world ? world->collider : NULL);
}
