// SPDX-License-Identifier: Apache-2.0
// Colliders of a simulation as users see them, and forces.
#include <string.h>

#include "api/sim.h"

int firn_sim_collider_count(const firn_sim *sim) {
  return sim->world.collider_count;
}

firn_status firn_sim_collider(const firn_sim *sim, int id, firn_collider_state *out) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_collider");
  const firn_collider *collider = firn_world_collider(&sim->world, id);
  if (!collider) return FIRN_ERROR_ARGUMENT;
  const firn_pose *pose = &collider->pose;
  *out = (firn_collider_state){.name = collider->name,
                               .friction = collider->friction,
                               .friction_viscosity = collider->friction_viscosity,
                               .adhesion = collider->adhesion,
                               .sticky = collider->sticky,
                               .present = !collider->absent};
  memcpy(out->pivot, pose->pivot, sizeof out->pivot);
  memcpy(out->rotation, pose->q, sizeof out->rotation);
  memcpy(out->velocity, pose->velocity, sizeof out->velocity);
  memcpy(out->spin, pose->spin, sizeof out->spin);
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------- forces

firn_status firn_sim_collider_force(const firn_sim *sim, int id, firn_collider_force *out) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_collider_force");
  const firn_collider *collider = firn_world_collider(&sim->world, id);
  if (!collider) return FIRN_ERROR_ARGUMENT;
  if (!collider->forces) {
    return firn_fail(sim->world.context, FIRN_ERROR_STATE,
                     "collider '%s': nobody asked for its forces; set forces = true in its "
                     "firn_collider_def",
                     collider->name);
  }
  const firn_collider_sums *sums = &collider->sums;
  *out = (firn_collider_force){.time = sums->time};
  for (int a = 0; a < 3; a++) {
    out->impulse[a] = sums->impulse[a];
    if (!(sums->time > 0)) continue;
    out->force[a] = sums->impulse[a] / sums->time;
    out->torque[a] = sums->angular[a] / sums->time;
  }
  out->power = sums->time > 0 ? sums->work / sums->time : 0;
  out->work = sums->work_before + sums->work;
  return FIRN_OK;
}

void firn_sim_collider_force_reset(firn_sim *sim) {
  for (int c = 0; c < sim->world.collider_count; c++) {
    firn_collider_sums *sums = &sim->world.collider[c].sums;
    *sums = (firn_collider_sums){.work_before = sums->work_before + sums->work};
  }
}
