// SPDX-License-Identifier: Apache-2.0
// Sources and bounds of a simulation.
#include <math.h>
#include <string.h>

#include "api/sim.h"
#include "base/isa.h"

firn_status firn_sim_add_emitter(firn_sim *sim, const firn_emitter_def *def, int *id) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!def) return firn_fail_null(sim->world.context, "firn_sim_add_emitter");
  unsigned mode = firn_fp_enter();
  firn_status status = firn_world_add_emitter(&sim->world, def, id);
  firn_fp_leave(mode);
  return status;
}

static firn_emitter *find(const firn_sim *sim, int id, firn_status *status) {
  const firn_sources *s = &sim->world.sources;
  if (id >= 0 && id < s->emitter_count) {
    *status = FIRN_OK;
    return &s->emitter[id];
  }
  *status = firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                      "emitter %d does not exist; there are %d", id, s->emitter_count);
  return NULL;
}

firn_status firn_sim_set_emitter_rate(firn_sim *sim, int id, double rate) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  firn_status status;
  firn_emitter *emitter = find(sim, id, &status);
  if (!emitter) return status;
  if (!(rate >= 0 && isfinite(rate))) {
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "%s: rate = %g must be 0 or more and finite", emitter->fill.name, rate);
  }
  emitter->rate = rate;
  return FIRN_OK;
}

firn_status firn_sim_set_emitter_velocity(firn_sim *sim, int id, const double velocity[3]) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!velocity) return firn_fail_null(sim->world.context, "firn_sim_set_emitter_velocity");
  firn_status status;
  firn_emitter *emitter = find(sim, id, &status);
  if (!emitter) return status;
  for (int a = 0; a < 3; a++) {
    if (isfinite(velocity[a])) continue;
    return firn_fail(sim->world.context, FIRN_ERROR_ARGUMENT,
                     "%s: velocity (%g %g %g) must be finite", emitter->fill.name, velocity[0],
                     velocity[1], velocity[2]);
  }
  memcpy(emitter->fill.velocity, velocity, sizeof emitter->fill.velocity);
  return FIRN_OK;
}

uint64_t firn_sim_emitted(const firn_sim *sim, int id) {
  firn_status status;
  const firn_emitter *emitter = sim ? find(sim, id, &status) : NULL;
  return emitter ? emitter->state.count : 0;
}

firn_status firn_sim_add_sink(firn_sim *sim, const firn_sink_def *def, int *id) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!def) return firn_fail_null(sim->world.context, "firn_sim_add_sink");
  return firn_world_add_sink(&sim->world, def, id);
}

firn_status firn_sim_set_kill_box(firn_sim *sim, const double min[3], const double max[3]) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!min || !max) return firn_fail_null(sim->world.context, "firn_sim_set_kill_box");
  return firn_world_set_kill_box(&sim->world, min, max);
}

firn_status firn_sim_set_window(firn_sim *sim, const firn_window_def *def) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!def) return firn_fail_null(sim->world.context, "firn_sim_set_window");
  return firn_world_set_window(&sim->world, def);
}

firn_status firn_sim_add_points(firn_sim *sim, const firn_points_def *def) {
  if (!sim) return FIRN_ERROR_ARGUMENT;
  if (!def) return firn_fail_null(sim->world.context, "firn_sim_add_points");
  unsigned mode = firn_fp_enter();
  firn_status status = firn_world_add_points(&sim->world, def);
  firn_fp_leave(mode);
  return status;
}

void firn_sim_expect_load(firn_sim *sim) {
  if (sim) sim->world.sources.expecting = true;
}
