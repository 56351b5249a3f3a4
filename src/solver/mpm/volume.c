// SPDX-License-Identifier: Apache-2.0
// Step 2: the volume that each particle stands for, from the density of the grid at the start
// (as printed), or from its material's density (D-4). Particles that come later take the latter:
// the grid would see the snow that lies there already.
#include "base/parallel.h"
#include "solver/mpm/mpm.h"
#include "world/averages.h"

bool mpm_lacks_volumes(const mpm *m) {
  const firn_particles *p = &m->world->particles;
  const firn_real *volume = firn_particles_real(p, FIRN_FIELD_VOLUME);
  if (p->pending > p->flying) return true;
  // A survey follows whatever may have brought some.
  if (!m->memory.must_survey) return false;
  for (size_t b = 0; b < p->block_count; b++) {
    for (uint32_t i = 0; i < p->block[b].count; i++) {
      if (volume[p->block[b].first + i] == 0) return true;
    }
  }
  for (size_t i = p->slots; i < p->slots + p->flying; i++) {
    if (volume[i] == 0) return true;
  }
  return false;
}

// Returns the elastic energy, J, that the particle turns out to have brought along.
static double set_one(const mpm *m, size_t slot, firn_real density, bool nominal) {
  firn_real *volume = firn_particles_real(&m->world->particles, FIRN_FIELD_VOLUME);
  if (nominal) density = firn_world_row(m->world, slot).density;
  volume[slot] = m->view.mass[slot] / density;
  // Strained snow has its density at rest without the strain.
  if (m->def.hardening_density && !nominal) volume[slot] /= mpm_elastic_volume(m, slot);
  return mpm_energy((void *)m, slot);
}

// The same of all of a block.
static double set_block(const mpm *m, size_t b, bool nominal) {
  const firn_block *block = &m->world->particles.block[b];
  double energy = 0;
  for (size_t slot = block->first; slot < (size_t)block->first + block->count; slot++) {
    if (m->view.volume[slot] != 0) continue;
    energy += set_one(m, slot, nominal ? 0 : mpm_grid_density(m, b, slot), nominal);
  }
  return energy;
}

firn_status mpm_set_volumes(mpm *m) {
  const firn_particles *p = &m->world->particles;
  bool nominal = m->def.volume_nominal || m->memory.volumes_set;
  bool all_known = !mpm_lacks_volumes(m);
  if (!nominal && !all_known) {
    // Without volumes there is no stress, without gravity and time no change: mass alone.
    m->view.dt = 0;
    m->view.mass_floor = 0;
    m->view.implicit = false;
    m->view.node_near = NULL;
    FIRN_TRY(mpm_place_arenas(m, mpm_channels(m, false)));
    mpm_tally unused;
    mpm_for_units(m, m->kernels->scatter, &unused);
    mpm_sow(m, false);
    mpm_for_nodes(m, m->kernels->nodes);
  }
  // From here on nothing fails, or a second try would take the first particles for late ones.
  m->memory.volumes_set = true;
  if (all_known) return FIRN_OK;
  double energy[FIRN_PARTS];
  FIRN_PARALLEL_FOR(m->world->context, schedule(static))
  for (size_t i = 0; i < FIRN_PARTS; i++) {
    energy[i] = 0;
    for (size_t b = i * p->block_count / FIRN_PARTS; b < (i + 1) * p->block_count / FIRN_PARTS; b++)
      energy[i] += set_block(m, b, nominal);
    for (size_t k = i * m->lone / FIRN_PARTS; k < (i + 1) * m->lone / FIRN_PARTS; k++) {
      size_t slot = p->slots + k;
      if (m->view.volume[slot] == 0)
        energy[i] += set_one(m, slot, mpm_lone_density(m, slot), nominal);
    }
  }
  for (int i = 0; i < FIRN_PARTS; i++) m->world->ledger.given += energy[i];
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------- looking

typedef struct reading {
  const mpm *m;
  double *out; // [count] by id
} reading;

static double known_volume(const mpm *m, size_t slot) {
  return (double)firn_particles_real(&m->world->particles, FIRN_FIELD_VOLUME)[slot];
}

static double mass_of(const mpm *m, size_t slot) {
  return (double)firn_particles_real(&m->world->particles, FIRN_FIELD_MASS)[slot];
}

static void read_one(void *user, size_t slot, const double corner[3]) {
  const reading *r = user;
  double volume = known_volume(r->m, slot);
  (void)corner;
  if (!(volume > 0))
    volume = mass_of(r->m, slot) / (double)firn_world_row(r->m->world, slot).density;
  r->out[firn_particles_row(&r->m->world->particles, slot)] = volume;
}

static void weigh_one(void *user, size_t slot, const firn_around *around) {
  const reading *r = user;
  const firn_world *world = r->m->world;
  double mass = 0, h = world->h;
  if (known_volume(r->m, slot) > 0) return;
  for (int n = 0; n < around->count; n++) mass += around->w[n] * around->node[n]->mass;
  double *out = &r->out[firn_particles_row(&world->particles, slot)];
  *out = mass_of(r->m, slot) / (mass / (h * h * h));
}

firn_status mpm_volumes(void *solver, double *out) {
  const mpm *m = solver;
  const firn_particles *p = &m->world->particles;
  reading r = {m, out};
  firn_particles_visit_parallel(p, read_one, &r);
  if (m->def.volume_nominal || m->memory.volumes_set) return FIRN_OK;
  return firn_world_average(m->world, m->stencil.width, 0, false, weigh_one, &r);
}
