// SPDX-License-Identifier: Apache-2.0
// Particles as they lie in memory: a block each, then those in no block, one by one.
#include "api/sim.h"
#include "base/def.h"

size_t firn_sim_view_count(const firn_sim *sim) {
  const firn_particles *p = sim ? &sim->world.particles : NULL;
  return p ? p->block_count + p->pending : 0;
}

firn_status firn_sim_view_sized(const firn_sim *sim, size_t i, firn_view *out, size_t size) {
  FIRN_TRY(firn_sim_between_steps(sim, "firn_sim_view"));
  const firn_world *world = &sim->world;
  const firn_particles *p = &world->particles;
  if (!out) return firn_fail_null(world->context, "firn_sim_view");
  if (i >= firn_sim_view_count(sim)) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "view %zu does not exist; there are %zu",
                     i, firn_sim_view_count(sim));
  }
  bool sorted = i < p->block_count;
  const int32_t *at = sorted ? p->block[i].at : p->pending_at[i - p->block_count];
  size_t first = sorted ? p->block[i].first : p->slots + (i - p->block_count);
  firn_view own = {.count = sorted ? p->block[i].count : 1,
                   .id = firn_particles_id(p) + first,
                   .material = firn_particles_material(p) + first,
                   .h = world->h,
                   .mass = firn_particles_real(p, FIRN_FIELD_MASS) + first,
                   .volume = firn_particles_real(p, FIRN_FIELD_VOLUME) + first};
  for (int a = 0; a < 3; a++) {
    own.origin[a] = 4.0 * at[a] * world->h;
    own.cell[a] = firn_particles_real(p, FIRN_FIELD_X + a) + first;
    own.velocity[a] = firn_particles_real(p, FIRN_FIELD_VX + a) + first;
  }
  if (world->temperature >= 0) own.temperature = firn_particles_real(p, world->temperature) + first;
  firn_fill_out(&own, sizeof own, out, size);
  return FIRN_OK;
}
