// SPDX-License-Identifier: Apache-2.0
// Colliders of a simulation as users see them, and forces.
#include <string.h>

#include "api/sim.h"
#include "base/def.h"
#include "base/isa.h"

int firn_sim_collider_count(const firn_sim *sim) {
  return sim->world.collider_count;
}

firn_status firn_sim_collider_sized(const firn_sim *sim, int id, firn_collider_state *out,
                                    size_t size) {
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_collider"));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_collider");
  const firn_collider *collider = firn_world_collider(&sim->world, id);
  if (!collider) return FIRN_ERROR_ARGUMENT;
  const firn_pose *pose = &collider->pose;
  firn_collider_state own = (firn_collider_state){
      .name = collider->name,
      .friction = collider->friction,
      .friction_viscosity = collider->friction_viscosity,
      .adhesion = collider->adhesion,
      .sticky = collider->sticky,
      .present = !collider->absent,
      .removed = collider->removed};
  memcpy(own.pivot, pose->pivot, sizeof own.pivot);
  memcpy(own.rotation, pose->q, sizeof own.rotation);
  memcpy(own.velocity, pose->velocity, sizeof own.velocity);
  memcpy(own.spin, pose->spin, sizeof own.spin);
  firn_fill_out(&own, sizeof own, out, size);
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------ driving

firn_status firn_sim_body(const firn_sim *sim, int id, int part, firn_body *out) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_body");
  const firn_collider *collider = firn_world_collider(&sim->world, id);
  if (!collider) return FIRN_ERROR_ARGUMENT;
  FIRN_TRY(firn_collider_check_part(&sim->world, collider, part));
  const firn_pose *pose = part < 0 ? &collider->pose : &collider->part[part].pose;
  memcpy(out->pivot, pose->pivot, sizeof out->pivot);
  memcpy(out->rotation, pose->q, sizeof out->rotation);
  memcpy(out->velocity, pose->velocity, sizeof out->velocity);
  memcpy(out->spin, pose->spin, sizeof out->spin);
  return FIRN_OK;
}

firn_status firn_sim_drive(firn_sim *sim, int id, int part, const firn_body *body) {
  bool faster;
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!body) return firn_fail_null(sim->world.context, "firn_sim_drive");
  FIRN_FP_SCOPE;
  FIRN_TRY(firn_world_drive(&sim->world, id, part, body, &faster));
  if (faster && sim->type->driven) sim->type->driven(sim->solver, sim->world.collider[id].speed);
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------- forces

// The collider of a number, if its forces are recorded; otherwise NULL, and why.
static const firn_collider *recorded(const firn_sim *sim, int id, firn_status *status) {
  const firn_collider *collider = firn_world_collider(&sim->world, id);
  *status = collider ? FIRN_OK : FIRN_ERROR_ARGUMENT;
  if (!collider || collider->forces) return collider;
  *status = firn_fail(sim->world.context, FIRN_ERROR_STATE,
                      "collider '%s': nobody asked for its forces; set forces = true in its "
                      "firn_collider_def",
                      collider->name);
  return NULL;
}

static firn_collider_force force_of(const firn_collider_sums *sums) {
  firn_collider_force out = {.time = sums->time, .work = sums->work_before + sums->work};
  for (int a = 0; a < 3; a++) {
    out.impulse[a] = sums->impulse[a];
    out.angular[a] = sums->angular[a];
    if (!(sums->time > 0)) continue;
    out.force[a] = sums->impulse[a] / sums->time;
    out.torque[a] = sums->angular[a] / sums->time;
  }
  out.power = sums->time > 0 ? sums->work / sums->time : 0;
  return out;
}

firn_status firn_sim_collider_force_sized(const firn_sim *sim, int id, firn_collider_force *out,
                                          size_t size) {
  firn_status status;
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_collider_force"));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_collider_force");
  const firn_collider *collider = recorded(sim, id, &status);
  if (!collider) return status;
  const firn_collider_force own = force_of(&collider->sums);
  firn_fill_out(&own, sizeof own, out, size);
  return FIRN_OK;
}

firn_status firn_sim_collider_step_sized(const firn_sim *sim, int id, firn_collider_force *out,
                                         size_t size) {
  firn_status status;
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_collider_step"));
  if (!out) return firn_fail_null(sim->world.context, "firn_sim_collider_step");
  const firn_collider *collider = recorded(sim, id, &status);
  if (!collider) return status;
  const firn_collider_force own = force_of(&collider->last);
  firn_fill_out(&own, sizeof own, out, size);
  return FIRN_OK;
}

void firn_sim_collider_force_reset(firn_sim *sim) {
  for (int c = 0; c < sim->world.collider_count; c++) {
    firn_collider_sums *sums = &sim->world.collider[c].sums;
    *sums = (firn_collider_sums){.work_before = sums->work_before + sums->work};
  }
}
