// SPDX-License-Identifier: Apache-2.0
// Drag on particles whose neighbours nobody knows: how dense the snow around them is tells how much of
// the wind they feel.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "world/morton.h"
#include "world/world.h"

enum {
  CELLS = 64,
  EDGE = 6
}; // of a block, and of what its particles look at: one cell more each way

// What drag has done in a block.
typedef struct effect {
  double energy; // J
  double speed2; // m^2/s^2
} effect;

typedef struct pass {
  firn_world *world;
  float (*cells)[CELLS]; // kg, [blocks]
  double time, dt;
  firn_air air;
} pass;

firn_status firn_world_reserve_drag(firn_world *world) {
  firn_wind *w = &world->wind;
  size_t blocks = world->particles.block_count;
  if (!w->on) return FIRN_OK;
  FIRN_TRY(
      firn_buffer_reserve(world->context, &w->cells, (blocks + 1) * sizeof(float[CELLS]), "wind"));
  return firn_buffer_reserve(world->context, &w->sums, (blocks + FIRN_PARTS) * sizeof(effect),
                             "wind");
}

// The cell of a particle in its block. One that has left it a little counts for the nearest of its cells.
static void cell_of(const firn_particles *p, size_t slot, int cell[3]) {
  for (int a = 0; a < 3; a++) {
    double x = (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    cell[a] = x > 0 ? (x < 4 ? (int)x : 3) : 0;
  }
}

static void weigh(const pass *s, size_t b) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  double mass[CELLS] = {0};
  for (size_t slot = block->first; slot < block->first + block->count; slot++) {
    int c[3];
    cell_of(p, slot, c);
    mass[16 * c[0] + 4 * c[1] + c[2]] += (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  }
  for (int i = 0; i < CELLS; i++) s->cells[b][i] = (float)mass[i];
}

// The number of the block at a place, or SIZE_MAX. Blocks are in Morton order.
static size_t find(const firn_particles *p, int32_t at[3]) {
  for (int a = 0; a < 3; a++) {
    if (p->periodic[a]) at[a] = (at[a] % p->period[a] + p->period[a]) % p->period[a];
    if (at[a] <= -(1 << 20) || at[a] >= 1 << 20) return SIZE_MAX;
  }
  uint64_t key = firn_morton(at);
  size_t lo = 0, hi = p->block_count;
  while (lo < hi) {
    size_t middle = lo + (hi - lo) / 2;
    if (firn_morton(p->block[middle].at) < key) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo < p->block_count && firn_morton(p->block[lo].at) == key ? lo : SIZE_MAX;
}

// Masses of the cells of a block and of those next to it.
static void look_around(const pass *s, size_t b, float out[EDGE][EDGE][EDGE]) {
  const firn_particles *p = &s->world->particles;
  memset(out, 0, EDGE * sizeof *out);
  for (int o = 0; o < 27; o++) {
    const int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    int32_t at[3];
    for (int a = 0; a < 3; a++) at[a] = p->block[b].at[a] + d[a];
    size_t n = o == 13 ? b : find(p, at);
    if (n == SIZE_MAX) continue;
    for (int i = 0; i < CELLS; i++) {
      const int c[3] = {i / 16 + 1 + 4 * d[0], i / 4 % 4 + 1 + 4 * d[1], i % 4 + 1 + 4 * d[2]};
      bool in = true;
      for (int a = 0; a < 3; a++) in = in && c[a] >= 0 && c[a] < EDGE;
      if (in) out[c[0]][c[1]][c[2]] = s->cells[n][i];
    }
  }
}

static double mass_around(float around[EDGE][EDGE][EDGE], const int cell[3]) {
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      for (int k = 0; k < 3; k++) sum += (double)around[cell[0] + i][cell[1] + j][cell[2] + k];
    }
  }
  return sum;
}

static void drag_one(const pass *s, const int32_t at[3], size_t slot, double mass_near, effect *e) {
  const firn_world *world = s->world;
  const firn_particles *p = &world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  double density = (double)world->material[firn_particles_material(p)[slot]].density;
  double full = 27 * world->h * world->h * world->h * density; // kg, if all were snow
  double exposure = fmin(1, (0.75 - mass_near / full) / 0.5);
  if (!(exposure > 0)) return;
  double crowd = fmin(1, fmax(0, (mass_near - mass) / full));
  double x[3], v[3], wind[3], before = 0, after = 0, u2 = 0;
  for (int a = 0; a < 3; a++) {
    double cell = 4.0 * at[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    x[a] = cell * world->h;
    v[a] = (double)firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    before += v[a] * v[a];
  }
  firn_wind_at(world, x, s->time, wind);
  for (int a = 0; a < 3; a++) u2 += (v[a] - wind[a]) * (v[a] - wind[a]);
  double left = firn_drag_factor(&s->air, cbrt(mass / density), density, crowd, exposure, sqrt(u2),
                                 s->dt);
  for (int a = 0; a < 3; a++) {
    firn_real *to = &firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    *to = (firn_real)(wind[a] + left * (v[a] - wind[a]));
    after += (double)*to * (double)*to;
  }
  e->energy += 0.5 * mass * (after - before);
  if (after > e->speed2) e->speed2 = after;
}

static effect drag_block(const pass *s, size_t b) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  effect e = {0, 0};
  float around[EDGE][EDGE][EDGE];
  look_around(s, b, around);
  for (size_t slot = block->first; slot < block->first + block->count; slot++) {
    int cell[3];
    cell_of(p, slot, cell);
    drag_one(s, block->at, slot, mass_around(around, cell), &e);
  }
  return e;
}

// Mass in the cells around one of those who fly. Others that are so near have its corner and lie next to
// it in memory.
static double mass_beside(const firn_particles *p, size_t i) {
  const int32_t *at = p->pending_at[i];
  const firn_real *mass = firn_particles_real(p, FIRN_FIELD_MASS) + p->slots;
  const firn_real *x[3];
  size_t first = i, end = i + 1;
  double sum = 0;
  for (int a = 0; a < 3; a++) x[a] = firn_particles_real(p, FIRN_FIELD_X + a) + p->slots;
  while (first > 0 && !memcmp(p->pending_at[first - 1], at, sizeof *p->pending_at)) first--;
  while (end < p->flying && !memcmp(p->pending_at[end], at, sizeof *p->pending_at)) end++;
  for (size_t k = first; k < end; k++) {
    bool near = true;
    for (int a = 0; a < 3; a++) {
      near = near && fabs(floor((double)x[a][k]) - floor((double)x[a][i])) <= 1;
    }
    if (near) sum += (double)mass[k];
  }
  return sum;
}

// A part of those who fly.
static effect drag_flyers(const pass *s, size_t part) {
  const firn_particles *p = &s->world->particles;
  size_t end = (part + 1) * p->flying / FIRN_PARTS;
  effect e = {0, 0};
  for (size_t i = part * p->flying / FIRN_PARTS; i < end; i++) {
    drag_one(s, p->pending_at[i], p->slots + i, mass_beside(p, i), &e);
  }
  return e;
}

double firn_world_drag(firn_world *world, double time, double dt, firn_skip_fn skip,
                       const void *user) {
  firn_wind *w = &world->wind;
  size_t blocks = world->particles.block_count;
  if (!w->on || !(dt > 0)) return 0;
  const pass s = {world, w->cells.data, time, dt, firn_wind_air(w)};
  effect *done = w->sums.data, all = {0, 0};
  FIRN_PARALLEL_FOR(world->context, schedule(dynamic, 16))
  for (size_t b = 0; b < blocks; b++) weigh(&s, b);
  FIRN_PARALLEL_FOR(world->context, schedule(dynamic, 16))
  for (size_t b = 0; b < blocks; b++) {
    done[b] = skip && skip(user, b) ? (effect){0, 0} : drag_block(&s, b);
  }
  FIRN_PARALLEL_FOR(world->context, schedule(static))
  for (size_t i = 0; i < FIRN_PARTS; i++) done[blocks + i] = drag_flyers(&s, i);
  for (size_t b = 0; b < blocks + FIRN_PARTS; b++) {
    all.energy += done[b].energy;
    all.speed2 = fmax(all.speed2, done[b].speed2);
  }
  world->ledger.given += all.energy;
  return all.speed2;
}
