// SPDX-License-Identifier: Apache-2.0
// What a program may set between two steps.
#include <math.h>
#include <string.h>

#include "api/sim.h"
#include "base/def.h"
#include "base/isa.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "world/heat.h"

firn_status firn_sim_set_gravity(firn_sim *sim, const double gravity[3]) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!gravity) return firn_fail_null(sim->world.context, "firn_sim_set_gravity");
  return firn_world_set_gravity(&sim->world, gravity);
}

static firn_status grip_of(const firn_sim *sim, int id, firn_grip *out) {
  FIRN_TRY(firn_sim_between_steps(sim, "the grip of a collider"));
  const firn_collider *collider = firn_world_collider(&sim->world, id);
  if (!collider) return FIRN_ERROR_ARGUMENT;
  *out = firn_collider_grip(collider);
  return FIRN_OK;
}

firn_status firn_sim_set_friction(firn_sim *sim, int id, double friction) {
  firn_grip grip;
  FIRN_TRY(grip_of(sim, id, &grip));
  grip.friction = friction;
  return firn_world_set_grip(&sim->world, id, &grip);
}

firn_status firn_sim_set_friction_viscosity(firn_sim *sim, int id, double viscosity) {
  firn_grip grip;
  FIRN_TRY(grip_of(sim, id, &grip));
  grip.friction_viscosity = viscosity;
  return firn_world_set_grip(&sim->world, id, &grip);
}

firn_status firn_sim_set_adhesion(firn_sim *sim, int id, double adhesion) {
  firn_grip grip;
  FIRN_TRY(grip_of(sim, id, &grip));
  grip.adhesion = adhesion;
  return firn_world_set_grip(&sim->world, id, &grip);
}

firn_status firn_sim_set_sticky(firn_sim *sim, int id, bool sticky) {
  firn_grip grip;
  FIRN_TRY(grip_of(sim, id, &grip));
  grip.sticky = sticky;
  return firn_world_set_grip(&sim->world, id, &grip);
}

firn_status firn_sim_set_temperature(firn_sim *sim, int id, double temperature) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  return firn_world_set_temperature(&sim->world, id, temperature);
}

firn_status firn_sim_set_present(firn_sim *sim, int id, bool present) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  return firn_world_set_present(&sim->world, id, present);
}

firn_status firn_sim_set_material(firn_sim *sim, int id, const firn_material_def *given) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_set_material");
  FIRN_TAKE(sim->world.context, material_def, given, own);
  const firn_material_def *def = &own;
  FIRN_FP_SCOPE;
  uint64_t changes = sim->world.changes;
  firn_status status = firn_world_set_material(&sim->world, id, def);
  // The speed of sound is another one.
  if (sim->world.changes != changes && sim->type->changed) sim->type->changed(sim->solver);
  return status;
}

// A def of another solver would be read as what it is not.
static firn_status check_solver(const firn_sim *sim, const char *solver, const void *def) {
  FIRN_TRY(firn_sim_between_steps(sim, "settings"));
  if (!solver || !def) return firn_fail_null(sim->world.context, "settings of a solver");
  if (strcmp(solver, sim->type->name) == 0) return FIRN_OK;
  return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                   "settings of solver %s are of no use to solver %s", solver, sim->type->name);
}

firn_status firn_sim_set_settings(firn_sim *sim, const char *solver, const void *def) {
  FIRN_TRY(check_solver(sim, solver, def));
  const firn_solver_type *type = sim->type;
  if (!type->configure) {
    return firn_fail(sim->world.context, FIRN_ERROR_STATE,
                     "%s: its settings are settled when the simulation is made", solver);
  }
  FIRN_FP_SCOPE;
  firn_context *context = sim->world.context;
  void *own = firn_alloc(context, type->def_size, "settings");
  if (!own) return FIRN_ERROR_MEMORY;
  memcpy(own, sim->settings, type->def_size);
  firn_status status = firn_solver_take(context, type, def, own);
  if (status == FIRN_OK) status = firn_solver_check(context, type, own);
  if (status == FIRN_OK) status = type->configure(sim->solver, own);
  if (status == FIRN_OK) memcpy(sim->settings, own, type->def_size);
  firn_free(context, own, type->def_size);
  return status;
}

firn_status firn_sim_settings(const firn_sim *sim, const char *solver, void *out, size_t size) {
  FIRN_TRY(check_solver(sim, solver, out));
  firn_def_give(sim->settings, sim->type->def_size, out, size);
  return FIRN_OK;
}

firn_status firn_sim_set_mpm(firn_sim *sim, const firn_mpm_def *def) {
  return firn_sim_set_settings(sim, "mpm", def);
}

firn_status firn_sim_set_emitter_rate(firn_sim *sim, int id, double rate) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  firn_emitter *emitter = firn_sim_emitter(sim, id);
  if (!emitter) return FIRN_ERROR_ARGUMENT;
  if (!(rate >= 0 && isfinite(rate))) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "%s: rate = %g must be 0 or more and finite", emitter->fill.name, rate);
  }
  emitter->rate = rate;
  return FIRN_OK;
}

firn_status firn_sim_set_emitter_velocity(firn_sim *sim, int id, const double velocity[3]) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!velocity) return firn_fail_null(sim->world.context, "firn_sim_set_emitter_velocity");
  firn_emitter *emitter = firn_sim_emitter(sim, id);
  if (!emitter) return FIRN_ERROR_ARGUMENT;
  if (!firn_finite3(velocity)) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "%s: velocity (%g %g %g) must be finite", emitter->fill.name, velocity[0],
                     velocity[1], velocity[2]);
  }
  memcpy(emitter->fill.velocity, velocity, sizeof emitter->fill.velocity);
  return FIRN_OK;
}
