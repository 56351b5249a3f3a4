// SPDX-License-Identifier: Apache-2.0
// What forces do to velocities. Particles are walked in chunks that hang on them alone: pieces of units,
// then of those who fly. Velocities and masses are handed over where they lie; positions, which are kept in
// cells from the corner of a block, are turned into metres piece by piece, in the cache.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "world/world.h"

enum { PIECE = 512 }; // particles

// What was done to a unit, or to a piece of those who fly.
typedef struct part {
  firn_force_sums sums;
  firn_pushed most;
  uint32_t bad; // the first particle that the force was not finite for, or UINT32_MAX
} part;

typedef struct pass {
  const firn_world *world;
  const firn_force *force;
  double time, dt;
  firn_skip_fn skip;
  const void *user;
} pass;

typedef struct desk {
  firn_real x[3][PIECE], a[3][PIECE], rate[PIECE];
} desk;

static size_t flyer_pieces(const firn_particles *p) {
  return (p->flying + PIECE - 1) / PIECE;
}

firn_status firn_world_reserve_push(firn_world *world) {
  const firn_particles *p = &world->particles;
  if (!world->forces.count) return FIRN_OK;
  return firn_buffer_reserve(world->context, &world->forces.parts,
                             (p->unit_count + flyer_pieces(p)) * sizeof(part), "forces");
}

static void place(const pass *s, desk *d, size_t i, size_t slot, const int32_t at[3]) {
  for (int a = 0; a < 3; a++) {
    double cell = (double)firn_particles_real(&s->world->particles, FIRN_FIELD_X + a)[slot];
    d->x[a][i] = (firn_real)((4.0 * at[a] + cell) * s->world->h);
  }
}

static void ask(const pass *s, desk *d, size_t first, size_t count) {
  const firn_particles *p = &s->world->particles;
  firn_force_chunk chunk = {.time = s->time,
                            .count = count,
                            .id = firn_particles_id(p) + first,
                            .mass = firn_particles_real(p, FIRN_FIELD_MASS) + first,
                            .rate = d->rate};
  for (int a = 0; a < 3; a++) {
    chunk.position[a] = d->x[a];
    chunk.velocity[a] = firn_particles_real(p, FIRN_FIELD_VX + a) + first;
    chunk.acceleration[a] = d->a[a];
    memset(d->a[a], 0, count * sizeof d->a[a][0]);
  }
  memset(d->rate, 0, count * sizeof d->rate[0]);
  firn_force_fill(s->force, &chunk);
}

// v' = (v + dt a) / (1 + dt k). What is entered is what velocities have gained after rounding.
static void push_one(const pass *s, const desk *d, size_t i, size_t slot, part *out) {
  const firn_particles *p = &s->world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot], k = (double)d->rate[i];
  double before = 0, after = 0, change2 = 0;
  bool good = k >= 0;
  for (int a = 0; a < 3; a++) {
    firn_real *to = &firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    double v = (double)*to, change = s->dt * ((double)d->a[a][i] - k * v) / (1 + s->dt * k);
    *to = (firn_real)(v + change);
    double now = (double)*to;
    out->sums.impulse[a] += mass * (now - v);
    before += v * v;
    after += now * now;
    change2 += change * change;
  }
  good = good && isfinite(after) && isfinite(change2);
  if (!good && firn_particles_id(p)[slot] < out->bad) out->bad = firn_particles_id(p)[slot];
  out->sums.work += 0.5 * mass * (after - before);
  out->most.speed2 = fmax(out->most.speed2, after);
  out->most.accel2 = fmax(out->most.accel2, change2 / (s->dt * s->dt));
}

static void push_piece(const pass *s, desk *d, size_t first, size_t count, part *out) {
  ask(s, d, first, count);
  for (size_t i = 0; i < count; i++) push_one(s, d, i, first + i, out);
}

static void push_unit(const pass *s, size_t u, part *out) {
  const firn_particles *p = &s->world->particles;
  const firn_unit *unit = &p->unit[u];
  const firn_block *block = &p->block[unit->first_block];
  desk d = {0};
  *out = (part){.bad = UINT32_MAX};
  if (s->skip && s->skip(s->user, unit->first_block)) return;
  for (size_t done = 0; done < unit->count;) {
    size_t count = unit->count - done < PIECE ? unit->count - done : PIECE;
    size_t first = unit->first + done;
    for (size_t i = 0; i < count; i++) {
      while (first + i >= block->first + block->count) block++;
      place(s, &d, i, first + i, block->at);
    }
    push_piece(s, &d, first, count, out);
    done += count;
  }
}

static void push_flyers(const pass *s, size_t piece, part *out) {
  const firn_particles *p = &s->world->particles;
  size_t first = piece * PIECE, count = p->flying - first < PIECE ? p->flying - first : PIECE;
  desk d = {0};
  *out = (part){.bad = UINT32_MAX};
  for (size_t i = 0; i < count; i++)
    place(s, &d, i, p->slots + first + i, p->pending_at[first + i]);
  push_piece(s, &d, p->slots + first, count, out);
}

static void push_part(const pass *s, size_t i, part *out) {
  size_t units = s->world->particles.unit_count;
  if (i < units) {
    push_unit(s, i, out);
  } else {
    push_flyers(s, i - units, out);
  }
}

static part add_up(const part *of, size_t count) {
  part all = {.bad = UINT32_MAX};
  for (size_t i = 0; i < count; i++) {
    for (int a = 0; a < 3; a++) all.sums.impulse[a] += of[i].sums.impulse[a];
    all.sums.work += of[i].sums.work;
    all.most.speed2 = fmax(all.most.speed2, of[i].most.speed2);
    all.most.accel2 = fmax(all.most.accel2, of[i].most.accel2);
    if (of[i].bad < all.bad) all.bad = of[i].bad;
  }
  return all;
}

static firn_status push(firn_world *world, firn_force *f, const pass *s, firn_pushed *out) {
  size_t count = world->particles.unit_count + flyer_pieces(&world->particles);
  part *of = world->forces.parts.data;
  if (f->def.kind != FIRN_FORCE_FUNCTION || f->def.parallel) {
    FIRN_PARALLEL_FOR(world->context, schedule(dynamic, 4))
    for (size_t i = 0; i < count; i++) push_part(s, i, &of[i]);
  } else {
    for (size_t i = 0; i < count; i++) push_part(s, i, &of[i]);
  }
  part all = add_up(of, count);
  if (all.bad != UINT32_MAX) {
    return firn_fail(world->context, FIRN_ERROR_NONFINITE,
                     "%s: at time %g s it gives particle %u a velocity that is not finite, or a "
                     "rate below 0",
                     f->name, s->time, all.bad);
  }
  for (int a = 0; a < 3; a++) f->sums.impulse[a] += all.sums.impulse[a];
  f->sums.work += all.sums.work;
  world->ledger.given += all.sums.work;
  out->speed2 = fmax(out->speed2, all.most.speed2);
  out->accel2 = fmax(out->accel2, all.most.accel2);
  return FIRN_OK;
}

firn_status firn_world_push(firn_world *world, double time, double dt, firn_skip_fn skip,
                            const void *user, firn_pushed *out) {
  *out = (firn_pushed){0, 0};
  if (!(dt > 0)) return FIRN_OK;
  for (int i = 0; i < world->forces.count; i++) {
    firn_force *f = &world->forces.force[i];
    const pass s = {world, f, time, dt, skip, user};
    if (firn_force_acts(f)) FIRN_TRY(push(world, f, &s, out));
  }
  return FIRN_OK;
}
