// SPDX-License-Identifier: Apache-2.0
#include "api/aside.h"

#include <string.h>

#include "base/memory.h"

firn_status firn_sim_identity_make(firn_context *context, firn_sim_identity **out) {
  *out = firn_alloc(context, sizeof **out, "simulation");
  if (!*out) return FIRN_ERROR_MEMORY;
  **out = (firn_sim_identity){.context = context, .references = 1};
  return FIRN_OK;
}

firn_sim_identity *firn_sim_identity_retain(firn_sim_identity *identity) {
  firn_hold(&identity->references);
  return identity;
}

void firn_sim_identity_release(firn_sim_identity *identity) {
  if (identity && firn_let_go(&identity->references))
    firn_free(identity->context, identity, sizeof *identity);
}

// The parts of a simulation that set_aside has made.
static void free_new(firn_sim *sim) {
  if (sim->solver) sim->type->destroy(sim->solver);
  firn_free(sim->world.context, sim->settings, sim->type->def_size);
}

static firn_status begin(firn_sim *sim, const firn_setup *setup, const void *settings) {
  firn_context *context = sim->world.context;
  size_t size = sim->type->def_size;
  sim->settings = firn_alloc(context, size, "settings");
  if (size && !sim->settings) return FIRN_ERROR_MEMORY;
  if (size) memcpy(sim->settings, settings, size);
  if (setup) FIRN_TRY(firn_setup_apply(setup, &sim->world));
  return sim->type->create(&sim->world, sim->settings, &sim->solver);
}

firn_status firn_sim_set_aside(firn_sim *sim, const firn_setup *setup, const void *settings,
                               firn_sim_aside *out) {
  const firn_world_counts counts = setup ? setup->counts : firn_world_count(&sim->world);
  *out = (firn_sim_aside){.solver = sim->solver, .settings = sim->settings};
  FIRN_TRY(firn_world_set_aside(&sim->world, &counts, &out->world));
  sim->solver = sim->settings = NULL;
  firn_status status = begin(sim, setup, settings ? settings : out->settings);
  firn_sim_connect(sim);
  if (status != FIRN_OK) firn_sim_put_back(sim, out);
  return status;
}

void firn_sim_put_back(firn_sim *sim, firn_sim_aside *aside) {
  free_new(sim);
  firn_world_put_back(&sim->world, &aside->world);
  sim->solver = aside->solver;
  sim->settings = aside->settings;
}

void firn_sim_drop_aside(firn_sim *sim, firn_sim_aside *aside) {
  // The solver that goes frees by the context of the world, which is the same.
  sim->type->destroy(aside->solver);
  firn_free(sim->world.context, aside->settings, sim->type->def_size);
  firn_world_drop_aside(&sim->world, &aside->world);
}
