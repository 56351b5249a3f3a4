// SPDX-License-Identifier: Apache-2.0
// A body that touches no collider keeps its momentum and its angular momentum. The way to the grid
// and back does not: what particles give to a face is averaged by other weights than what they take
// from it, the pressure ends at a surface that is not the edge of the particles, and a velocity
// that is an average turns less than its particles do. A ball of six cells' radius with yielding
// snow on one side lost a tenth of its angular momentum in 40 steps. So after a step each free body
// gets the rigid motion that it lacks.
//
// A body is what the grid joins: cells with a common face that particles have given a velocity to.
// Its particles are numbered before they move.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/kernels.h"
#include "solver/flip/moments.h"

typedef struct cells {
  uint64_t *member;      // [blocks]
  uint64_t (*link)[3];   // [blocks]
  uint32_t (*beside)[6]; // [blocks]
  uint32_t *label;       // [blocks][64]
  uint32_t *forest;      // [blocks][64]
} cells;

typedef struct body {
  bool held;       // it is close to colliders
  bool wraps;      // it reaches through a periodic boundary: it has no one middle to turn about
  uint32_t number; // of those that are not held
} body;

static firn_status reserve(flip *s, cells *k) {
  size_t blocks = s->grid.count;
  size_t of_block = sizeof *k->member + sizeof *k->link + sizeof *k->beside +
                    FLIP_CELLS * (sizeof *k->label + sizeof *k->forest);
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->snow, blocks * of_block, "free bodies"));
  char *at = s->snow.data;
  k->member = (void *)at, at += blocks * sizeof *k->member;
  k->link = (void *)at, at += blocks * sizeof *k->link;
  k->beside = (void *)at, at += blocks * sizeof *k->beside;
  k->label = (void *)at, at += blocks * FLIP_CELLS * sizeof *k->label;
  k->forest = (void *)at;
  return FIRN_OK;
}

// Faces that particles have given a velocity to join the cells on both sides.
static void join_block(const flip *s, const cells *k, size_t g) {
  static const int offset[6] = {-9, 9, -3, 3, -1, 1};
  k->member[g] = 0;
  for (int d = 0; d < 6; d++) {
    uint32_t other = s->grid.around[g][13 + offset[d]];
    k->beside[g][d] = other == FIRN_GRID_NONE ? (uint32_t)s->grid.count : other;
  }
  for (int a = 0; a < 3; a++) {
    k->link[g][a] = 0;
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c, above = flip_beside(s, g, c, a, 1);
      if (flip_bit(s->known[a], i) || flip_bit(s->known[a], above))
        k->member[g] |= (uint64_t)1 << c;
      if (flip_bit(s->known[a], i) && flip_beside(s, g, c, a, -1) < FLIP_CELLS * s->grid.count)
        k->link[g][a] |= (uint64_t)1 << c;
    }
  }
}

// Marks what is held, and what is joined across a period.
static void mark(const flip *s, const cells *k, body *all) {
  static const uint64_t first[3] = {0x000000000000ffffu, 0x000f000f000f000fu, 0x1111111111111111u};
  for (size_t g = 0; g < s->grid.count; g++) {
    uint64_t held = k->member[g] & s->tight[g], across = 0;
    for (int a = 0; a < 3 && k->member[g]; a++) {
      uint32_t below = k->beside[g][2 * a];
      if (below < s->grid.count && s->grid.at[below][a] != s->grid.at[g][a] - 1)
        across |= k->link[g][a] & first[a];
    }
    for (uint64_t left = held | across; left; left &= left - 1) {
      int c = __builtin_ctzll(left);
      body *of = &all[k->label[FLIP_CELLS * g + (size_t)c]];
      of->held = of->held || held >> c & 1;
      of->wraps = of->wraps || across >> c & 1;
    }
  }
}

static void number_particles(const flip *s, const cells *k, const body *all) {
  const firn_particles *p = &s->world->particles;
  uint32_t *number = s->free.number;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) {
    size_t g = s->grid.target[b][firn_grid_offset(0, 0, 0)];
    for (size_t slot = p->block[b].first; slot < p->block[b].first + p->block[b].count; slot++) {
      int c = flip_cell_of(p, slot);
      bool joined = k->member[g] >> c & 1; // only such cells have a label
      const body *of = joined ? &all[k->label[FLIP_CELLS * g + (size_t)c]] : NULL;
      number[slot] = of && !of->held ? of->number : FLIP_NO_SET;
    }
  }
}

static uint32_t number_of(const void *user, size_t b, size_t slot) {
  (void)b;
  return ((const uint32_t *)user)[slot];
}

firn_status flip_find_bodies(flip *s) {
  firn_context *context = s->world->context;
  cells k;
  s->free.count = 0;
  if (!s->def.keep_momentum) return FIRN_OK;
  FIRN_TRY(reserve(s, &k));
  FLIP_FOR_BLOCKS(s, g) join_block(s, &k, g);
  size_t count = flip_pools(s->grid.count, k.member, (const uint64_t(*)[3])k.link,
                            (const uint32_t(*)[6])k.beside, k.label, k.forest);
  size_t slots = s->world->particles.slots;
  size_t bytes = count * (sizeof(body) + 2 * sizeof(flip_moments) + sizeof(bool)) +
                 slots * sizeof *s->free.number;
  FIRN_TRY(firn_buffer_reserve(context, &s->bodies, bytes, "free bodies"));
  s->free.before = s->bodies.data;
  s->free.after = s->free.before + count;
  body *all = (body *)(s->free.after + count);
  s->free.number = (uint32_t *)(all + count);
  s->free.wraps = (bool *)(s->free.number + slots);
  memset(all, 0, count * sizeof *all);
  mark(s, &k, all);
  for (size_t n = 0; n < count; n++) {
    if (all[n].held) continue;
    s->free.wraps[s->free.count] = all[n].wraps;
    all[n].number = (uint32_t)s->free.count++;
  }
  if (!s->free.count) return FIRN_OK;
  number_particles(s, &k, all);
  return flip_sum_moments(s, number_of, s->free.number, s->free.count, s->free.before);
}

// What a body lacks.
typedef struct lack {
  double way[3];      // cells
  double velocity[3]; // m/s, at the middle
  double spin[3];     // m/s in a cell
} lack;

static lack find_lack(const flip *s, size_t n) {
  const flip_moments *before = &s->free.before[n], *after = &s->free.after[n];
  double inverse[9], angular[3];
  lack out = {0};
  if (!(before->mass > 0)) return out;
  flip_invert_inertia(after, inverse);
  for (int a = 0; a < 3; a++) {
    double v = before->momentum[a] / before->mass + s->dt * s->world->gravity[a];
    out.velocity[a] = v - after->momentum[a] / before->mass;
    out.way[a] = v * s->dt / s->world->h - (after->center[a] - before->center[a]);
    angular[a] = before->angular[a] - after->angular[a];
  }
  if (!s->free.wraps[n]) flip_apply(inverse, angular, out.spin);
  return out;
}

// near: colliders that the block may reach; a particle that comes into one is moved out again.
static void move_particle(const flip *s, size_t b, size_t slot, uint64_t near, const lack *by,
                          flip_tally *tally) {
  const firn_particles *p = &s->world->particles;
  const flip_moments *whole = &s->free.after[s->free.number[slot]];
  double r[3], turn[3], speed2 = 0, mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  firn_real from[3], x[3];
  for (int a = 0; a < 3; a++) {
    from[a] = firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    r[a] = 4.0 * p->block[b].at[a] + (double)from[a] - whole->center[a];
    x[a] = (firn_real)((double)from[a] + by->way[a]);
  }
  if (near) flip_push_out(s, b, near, from, x);
  for (int a = 0; a < 3; a++) firn_particles_real(p, FIRN_FIELD_X + a)[slot] = x[a];
  flip_cross(by->spin, r, turn);
  for (int a = 0; a < 3; a++) {
    firn_real *v = &firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    double old = (double)*v;
    *v = (firn_real)(old + by->velocity[a] + turn[a]);
    tally->gained[a] += mass * ((double)*v - old);
    speed2 += (double)*v * (double)*v;
    if (s->field_c < 0) continue;
    int k = (a + 1) % 3, l = (a + 2) % 3;
    firn_real *up = &firn_particles_real(p, s->field_c + 3 * l + k)[slot],
              *down = &firn_particles_real(p, s->field_c + 3 * k + l)[slot];
    *up = (firn_real)((double)*up + by->spin[a] / s->world->h);
    *down = (firn_real)((double)*down - by->spin[a] / s->world->h);
  }
  tally->speed2 = fmax(tally->speed2, speed2);
}

firn_status flip_keep_momenta(flip *s, double gained[3]) {
  const firn_particles *p = &s->world->particles;
  if (!s->free.count) return FIRN_OK;
  FIRN_TRY(flip_sum_moments(s, number_of, s->free.number, s->free.count, s->free.after));
  flip_tally *tally = s->parts.data;
  FLIP_FOR_PARTICLE_BLOCKS(s, b) {
    tally[b] = (flip_tally){0};
    uint32_t last = FLIP_NO_SET;
    uint64_t near = 0;
    lack by;
    for (size_t slot = p->block[b].first; slot < p->block[b].first + p->block[b].count; slot++) {
      uint32_t of = s->free.number[slot];
      if (of == FLIP_NO_SET) continue;
      if (last == FLIP_NO_SET) near = flip_colliders_near(s, b);
      if (of != last) by = find_lack(s, of);
      last = of;
      move_particle(s, b, slot, near, &by, &tally[b]);
    }
  }
  for (size_t b = 0; b < p->block_count; b++) {
    s->memory.speed2_max = fmax(s->memory.speed2_max, tally[b].speed2);
    for (int a = 0; a < 3; a++) gained[a] += tally[b].gained[a];
  }
  return FIRN_OK;
}
