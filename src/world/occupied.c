// SPDX-License-Identifier: Apache-2.0
#include "world/occupied.h"

#include <math.h>

#include "base/memory.h"
#include "world/world.h"

typedef struct collecting {
  firn_occupied *o;
  const firn_world *world;
  size_t end;
  const firn_block_box *box;
  const firn_cover *cover;
  size_t count;
  struct found {
    uint32_t cell; // within its block
    double mass;
  } * found; // NULL: they are only counted
} collecting;

static int index_of(const int32_t cell[3]) {
  return 16 * (cell[0] & 3) + 4 * (cell[1] & 3) + (cell[2] & 3);
}

static void collect(void *user, size_t slot, const double corner[3]) {
  collecting *c = user;
  const firn_particles *p = &c->world->particles;
  int32_t cell[3], block[3];
  if (slot >= c->end) return;
  for (int a = 0; a < 3; a++) {
    cell[a] = (int32_t)floor(corner[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot]);
    block[a] = cell[a] >> 2;
    if (p->periodic[a]) {
      block[a] = (block[a] % p->period[a] + p->period[a]) % p->period[a];
    } else if (block[a] < c->box->lo[a] || block[a] > c->box->hi[a]) {
      return;
    }
  }
  if (firn_cover_holds(c->cover, block)) return;
  if (c->found) {
    double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
    c->found[c->count] = (struct found){(uint32_t)index_of(cell), mass};
    firn_bins_put(&c->o->blocks, c->count, block);
  }
  c->count++;
}

static firn_status sum(const collecting *c) {
  firn_bins *blocks = &c->o->blocks;
  FIRN_TRY(firn_bins_sort(blocks));
  c->o->mass = firn_alloc_zero(c->world->context, blocks->count * 64 * sizeof(double), "window");
  if (!c->o->mass) return FIRN_ERROR_MEMORY;
  for (size_t b = 0; b < blocks->count; b++) {
    const firn_bin *bin = &blocks->bin[b];
    for (size_t i = bin->first; i < bin->first + bin->count; i++) {
      const struct found *f = &c->found[blocks->order[i]];
      c->o->mass[64 * b + f->cell] += f->mass;
    }
  }
  return FIRN_OK;
}

firn_status firn_occupied_make(firn_occupied *o, const firn_world *world, size_t end,
                               const firn_block_box *box, const firn_cover *cover) {
  const firn_particles *p = &world->particles;
  collecting c = {.o = o, .world = world, .end = end, .box = box, .cover = cover};
  *o = (firn_occupied){.blocks = {.context = world->context}};
  firn_particles_visit(p, collect, &c);
  size_t count = c.count, bytes = count * sizeof *c.found;
  if (!count) return FIRN_OK;
  FIRN_TRY(firn_bins_open(&o->blocks, world->context, count));
  for (int a = 0; a < 3; a++) o->blocks.period[a] = p->periodic[a] ? p->period[a] : 0;
  c.found = firn_alloc(world->context, bytes, "window");
  if (!c.found) return FIRN_ERROR_MEMORY;
  c.count = 0;
  firn_particles_visit(p, collect, &c);
  firn_status status = sum(&c);
  firn_free(world->context, c.found, bytes);
  return status;
}

void firn_occupied_free(firn_occupied *o) {
  firn_free(o->blocks.context, o->mass, o->blocks.count * 64 * sizeof *o->mass);
  firn_bins_free(&o->blocks);
  o->mass = NULL;
}

double firn_occupied_mass(const firn_occupied *o, const int32_t cell[3]) {
  if (!o->blocks.count) return 0;
  int32_t block[3];
  for (int a = 0; a < 3; a++) {
    int32_t n = o->blocks.period[a];
    block[a] = cell[a] >> 2;
    if (n) block[a] = (block[a] % n + n) % n;
  }
  const firn_bin *bin = firn_bins_find(&o->blocks, firn_cell_key(block));
  return bin ? o->mass[64 * (size_t)(bin - o->blocks.bin) + (size_t)index_of(cell)] : 0;
}
