// SPDX-License-Identifier: Apache-2.0
// The grid of a step, and its memory. All of it but that of the solves is asked for here.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"
#include "solver/flip/transfer.h"

// What a particle touches: cells from two below its own to two above.
static void bound_block(const flip *s, size_t b, firn_reach *out) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  *out = (firn_reach){.spray = false};
  for (int a = 0; a < 3; a++) {
    const firn_real *x = firn_particles_real(p, FIRN_FIELD_X + a) + block->first;
    firn_real lo = x[0], hi = x[0];
    for (uint32_t i = 1; i < block->count; i++) {
      lo = firn_min(lo, x[i]);
      hi = firn_max(hi, x[i]);
    }
    out->lo[a] = (int8_t)((int)firn_max(0, lo) + FLIP_TILE_FIRST);
    out->hi[a] = (int8_t)((int)firn_min(3, hi) - FLIP_TILE_FIRST);
  }
}

static size_t channels_of_reals(void) {
  size_t count = 0;
#define X(name, n) count += (n);
  FLIP_CHANNEL_LIST(X)
#undef X
  return count;
}

void flip_clear(const flip *s, void *data, size_t bytes) {
  enum { PIECE = 1 << 16 };
  FIRN_PARALLEL_FOR(s->world->context, schedule(static))
  for (size_t at = 0; at < bytes; at += PIECE)
    memset((char *)data + at, 0, bytes - at < PIECE ? bytes - at : PIECE);
}

static firn_status reserve_channels(flip *s) {
  size_t blocks = s->grid.count + 1, cells = blocks * FLIP_CELLS;
  size_t reals = channels_of_reals() * cells * sizeof(firn_real), bits = blocks * sizeof(uint64_t);
  size_t bytes = reals + cells * (sizeof(double) + sizeof *s->kind) + 15 * bits + blocks;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->channels, bytes, "grid"));
  flip_clear(s, s->channels.data, bytes);
  char *at = s->channels.data;
  s->p = (void *)at, at += cells * sizeof(double);
#define X(name, n)                                                                                 \
  for (int i = 0; i < (n); i++, at += cells * sizeof(firn_real)) s->name[i] = (void *)at;
  FLIP_CHANNEL_LIST(X)
#undef X
  for (int a = 0; a < 3; a++, at += bits) s->known[a] = (void *)at;
  for (int a = 0; a < 3; a++, at += bits) s->next[a] = (void *)at;
  for (int a = 0; a < 3; a++, at += bits) s->moved[a] = (void *)at;
  s->active = (void *)at, at += bits;
  s->full = (void *)at, at += bits;
  s->inside = (void *)at, at += bits;
  s->tight = (void *)at, at += bits;
  s->beside = (void *)at, at += bits;
  s->plastic = (void *)at, at += bits;
  s->kind = (void *)at, at += cells * sizeof *s->kind;
  s->cut = (void *)at;
  return FIRN_OK;
}

// What new particles have not been told: volume and durability; and whether some are snow.
static void know_particles(flip *s) {
  const firn_particles *p = &s->world->particles;
  firn_real *volume = firn_particles_real(p, FIRN_FIELD_VOLUME);
  firn_real *d = firn_particles_real(p, s->field_d);
  const firn_real *mass = firn_particles_real(p, FIRN_FIELD_MASS);
  bool porous = false, wet = false;
  FIRN_PARALLEL_FOR(s->world->context, schedule(static) reduction(|| : porous, wet))
  for (size_t b = 0; b < p->block_count; b++) {
    const firn_block *block = &p->block[b];
    for (size_t i = block->first; i < block->first + block->count; i++) {
      const firn_material_row *row = &s->world->material[firn_particles_material(p)[i]];
      if (!(volume[i] > 0)) volume[i] = mass[i] / firn_world_row(s->world, i).density;
      if (d[i] < 0) d[i] = row->durability;
      porous = porous || flip_is_porous(row);
      wet = wet || !flip_is_porous(row);
    }
  }
  s->porous = porous;
  s->wet_too = wet;
}

firn_status flip_layout(flip *s) {
  firn_context *context = s->world->context;
  firn_particles *p = &s->world->particles;
  FIRN_TRY(firn_particles_sort(p, 0, false, &s->scratch));
  FIRN_TRY(firn_buffer_reserve(context, &s->reach, p->block_count * sizeof(firn_reach), "grid"));
  firn_reach *reach = s->reach.data;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) bound_block(s, b, &reach[b]);
  FIRN_TRY(firn_grid_build(&s->grid, p, reach, false));
  FIRN_TRY(firn_grid_link(&s->grid, p));
  FIRN_TRY(reserve_channels(s));
  size_t arenas = p->block_count * FLIP_ARENA_CHANNELS * FLIP_TILE_CELLS * sizeof(firn_real);
  FIRN_TRY(firn_buffer_reserve(context, &s->arenas, arenas, "transfer to the grid"));
  FIRN_TRY(firn_buffer_reserve(context, &s->parts,
                               (p->block_count + s->grid.count + 1) * sizeof(flip_tally), "sums"));
  FIRN_TRY(firn_buffer_reserve(context, &s->kinds, p->block_count * sizeof(uint16_t), "grid"));
  FIRN_TRY(firn_world_reserve_drag(s->world));
  FIRN_TRY(firn_world_reserve_push(s->world));
  know_particles(s);
  return flip_push_begin(s);
}
