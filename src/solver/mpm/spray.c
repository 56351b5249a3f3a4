// SPDX-License-Identifier: Apache-2.0
// Which blocks are spray, and what their parcels give them.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"

// Step 2 looks up the mass of every node once, and hardening by density always.
bool mpm_may_have_spray(const mpm *m) {
  return mpm_knows_grains(m) && m->def.integrator != FIRN_INTEGRATOR_IMPLICIT &&
         m->memory.volumes_set && !m->def.hardening_density;
}

// The largest sound2 of the particles in a block, as scatter will find it.
static double sound2_of(const mpm *m, size_t b) {
  const firn_block *block = &m->world->particles.block[b];
  double most = 0;
  for (uint32_t i = block->first; i < block->first + block->count; i++) {
    most = fmax(most, mpm_sound2(m, i));
  }
  return most;
}

// Not what the longest step would have to solve for. Nor what might sleep, which it can on nodes that are shared.
void mpm_find_spray(mpm *m) {
  const firn_particles *p = &m->world->particles;
  double stiff = mpm_stiff_sound2(m, fmax(m->def.dt_max, m->def.dt));
  if (!mpm_may_have_spray(m)) return;
  FIRN_PARALLEL_FOR(m->world->context, schedule(dynamic, 64))
  for (size_t b = 0; b < p->block_count; b++) {
    bool may = p->block[b].count <= MPM_THIN_MAX;
    if (may && m->memory.implicit) may = sound2_of(m, b) < stiff;
    m->reach[b].spray = may && !mpm_rest_awaits_nodes(m, b);
  }
}

firn_status mpm_ground_spray(mpm *m, double dt) {
  const firn_particles *p = &m->world->particles;
  double stiff = mpm_stiff_sound2(m, dt);
  bool any = false;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(|| : any))
  for (size_t b = 0; b < p->block_count; b++) {
    if (!m->reach[b].spray || sound2_of(m, b) < stiff) continue;
    m->reach[b].spray = false;
    any = true;
  }
  return any ? mpm_rebuild_grid(m, true) : FIRN_OK;
}

firn_status mpm_reserve_parcels(mpm *m) {
  firn_context *context = m->world->context;
  size_t bytes = (size_t)context->threads * sizeof(mpm_parcel_nodes), before = m->parcels.size;
  if (!m->grid.parcel_count) return FIRN_OK;
  FIRN_TRY(firn_buffer_reserve(context, &m->parcels, bytes, "nodes of spray"));
  if (m->parcels.size == before) return FIRN_OK;
  mpm_parcel_nodes *nodes = m->parcels.data;
  FIRN_PARALLEL(context) memset(&nodes[omp_get_thread_num()], 0, sizeof *nodes);
  return FIRN_OK;
}

// Shares that cost about the same, each the same parcels as in the last step.
static bool deal_parcels(const mpm *m) {
  const firn_grid *grid = &m->grid;
  const firn_context *context = m->world->context;
  size_t n = (size_t)context->threads, i = 0;
  uint64_t all = grid->parcel_count ? grid->parcel[grid->parcel_count - 1].through : 0;
  for (size_t t = 0; t < n; t++) {
    context->share[t].next = i;
    while (i < grid->parcel_count && grid->parcel[i].through * n <= all * (t + 1)) i++;
    context->share[t].end = i;
  }
  context->share[n - 1].end = grid->parcel_count;
  return true;
}

void mpm_reap(mpm *m) {
  const firn_grid *grid = &m->grid;
  mpm_parcel_nodes *nodes = m->parcels.data;
  FIRN_DEALT_FOR(m->world->context, walk, deal_parcels(m)) {
    m->kernels->reap(&m->view, &grid->parcel[walk.at], &nodes[omp_get_thread_num()]);
  }
}
