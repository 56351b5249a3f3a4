// SPDX-License-Identifier: Apache-2.0
// What comes into a simulation while it runs, and what leaves it.
#include "api/sim.h"
#include "base/def.h"
#include "base/isa.h"

firn_status firn_sim_add_emitter(firn_sim *sim, const firn_emitter_def *given, int *id) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_emitter");
  firn_emitter_def def;
  FIRN_TRY(firn_emitter_def_take(sim->world.context, given, &def));
  FIRN_FP_SCOPE;
  return firn_world_add_emitter(&sim->world, &def, id);
}

firn_emitter *firn_sim_emitter(const firn_sim *sim, int id) {
  const firn_flow *f = &sim->world.flow;
  if (id >= 0 && id < f->emitter_count) return &f->emitter[id];
  firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT, "emitter %d does not exist; there are %d", id,
            f->emitter_count);
  return NULL;
}

uint64_t firn_sim_emitted(const firn_sim *sim, int id) {
  const firn_emitter *emitter = sim ? firn_sim_emitter(sim, id) : NULL;
  return emitter ? emitter->state.count : 0;
}

firn_status firn_sim_add_sink(firn_sim *sim, const firn_sink_def *given, int *id) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_sink");
  FIRN_TAKE(sim->world.context, sink_def, given, own);
  const firn_sink_def *def = &own;
  return firn_world_add_sink(&sim->world, def, id);
}

firn_status firn_sim_add_impulse(firn_sim *sim, const firn_impulse_def *given, int *id) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_impulse");
  FIRN_TAKE(sim->world.context, impulse_def, given, own);
  const firn_impulse_def *def = &own;
  FIRN_FP_SCOPE;
  return firn_world_add_impulse(&sim->world, def, id);
}

firn_status firn_sim_set_kill_box(firn_sim *sim, const double min[3], const double max[3]) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!min || !max) return firn_fail_null(sim->world.context, "firn_sim_set_kill_box");
  return firn_world_set_kill_box(&sim->world, min, max);
}

firn_status firn_sim_set_window(firn_sim *sim, const firn_window_def *given) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_set_window");
  FIRN_TAKE(sim->world.context, window_def, given, own);
  const firn_window_def *def = &own;
  return firn_world_set_window(&sim->world, def);
}

firn_status firn_sim_add_points(firn_sim *sim, const firn_points_def *given) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given) return firn_fail_null(sim->world.context, "firn_sim_add_points");
  FIRN_TAKE(sim->world.context, points_def, given, own);
  const firn_points_def *def = &own;
  FIRN_FP_SCOPE;
  return firn_world_add_points(&sim->world, def);
}

void firn_sim_expect_load(firn_sim *sim) {
  if (sim) sim->world.flow.expecting = true;
}
