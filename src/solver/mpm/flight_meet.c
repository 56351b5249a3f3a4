// SPDX-License-Identifier: Apache-2.0
// Whom those who could fly may meet.
#include "solver/mpm/flight_meet.h"

#include <math.h>

#include "base/parallel.h"
#include "world/morton.h"

// ---- candidates

static const firn_real *field(const mpm_search *s, int f) {
  return firn_particles_real(s->p, f);
}

// Cells from the corner of its brick.
static firn_real position(const mpm_search *s, const firn_listed *one, int a) {
  return field(s, FIRN_FIELD_X + a)[one->slot] - (firn_real)(4 * one->shift[a]);
}

static bool may_fly(const mpm_search *s, const firn_brick *brick) {
  if (brick->listed == FIRN_BRICK_NONE || brick->count > MPM_PIECE_MAX) return false;
  const firn_listed *one = s->choice->listed + brick->listed;
  for (uint32_t i = 0; i < brick->count; i++) {
    size_t slot = one[i].slot;
    if (s->choice->stay && slot < s->p->slots) return false;
  }
  return true;
}

static double speed2_of(const mpm_search *s, const firn_brick *brick) {
  const firn_listed *one = s->choice->listed + brick->listed;
  double most = 0;
  for (uint32_t i = 0; i < brick->count; i++) {
    double v2 = 0;
    for (int a = 0; a < 3; a++) {
      double v = (double)field(s, FIRN_FIELD_VX + a)[one[i].slot];
      v2 += v * v;
    }
    if (!(v2 <= most)) most = v2;
  }
  return most;
}

firn_status mpm_flight_candidates(mpm_search *s) {
  const firn_choice *choice = s->choice;
  firn_context *context = s->p->context;
  FIRN_TRY(
      firn_buffer_reserve(context, &s->m->flight_of, choice->bricks * sizeof *s->of, "flight"));
  s->of = s->m->flight_of.data;
  double speed2 = 0;
  FIRN_PARALLEL_FOR(context, schedule(static) reduction(max : speed2))
  for (size_t b = 0; b < choice->bricks; b++) {
    s->of[b] = may_fly(s, &choice->brick[b]) ? 0 : FIRN_BRICK_NONE;
    if (s->of[b] == 0) speed2 = fmax(speed2, speed2_of(s, &choice->brick[b]));
  }
  for (size_t b = 0; b < choice->bricks; b++) {
    if (s->of[b] == 0) s->of[b] = (uint32_t)s->count++;
  }
  FIRN_TRY(firn_buffer_reserve(context, &s->m->flight_candidates, s->count * sizeof *s->candidate,
                               "flight"));
  s->candidate = s->m->flight_candidates.data;
  FIRN_TRY(firn_buffer_reserve(context, &s->m->flight_marks, s->count, "flight"));
  s->mark = s->m->flight_marks.data;
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t b = 0; b < choice->bricks; b++) {
    if (s->of[b] != FIRN_BRICK_NONE) s->candidate[s->of[b]].brick = (uint32_t)b;
  }
  s->speed = sqrt(speed2);
  return FIRN_OK;
}

// What the particles of a brick may reach on the grid, should they be there.
static firn_reach reach_of(const mpm_search *s, size_t b) {
  const firn_brick *brick = &s->choice->brick[b];
  const mpm_stencil *stencil = &s->m->stencil;
  if (brick->listed == FIRN_BRICK_NONE) return s->widest;
  const firn_listed *one = s->choice->listed + brick->listed;
  int lo[3], hi[3];
  for (int a = 0; a < 3; a++) {
    firn_real least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < brick->count; i++) {
      least = firn_min(least, position(s, &one[i], a));
      most = firn_max(most, position(s, &one[i], a));
    }
    // A cell to either side, the most that layout.c may allow for.
    lo[a] = mpm_flight_cell(s, least) + stencil->first - 1;
    hi[a] = mpm_flight_cell(s, most) + stencil->first + stencil->width;
  }
  firn_reach reach = mpm_reach_around(stencil, lo, hi, brick->count);
  if (brick->old == FIRN_BRICK_NONE || !s->choice->stay) return reach;
  // If nobody lands, blocks stay as they are.
  firn_reach now = s->known ? s->m->reach[brick->old] : s->widest;
  for (int a = 0; a < 3; a++) {
    if (now.lo[a] < reach.lo[a]) reach.lo[a] = now.lo[a];
    if (now.hi[a] > reach.hi[a]) reach.hi[a] = now.hi[a];
  }
  return reach;
}

// Where its particles may come, as they fly and on the grid.
static void bound(const mpm_search *s, mpm_candidate *c) {
  const firn_brick *brick = &s->choice->brick[c->brick];
  const firn_listed *one = s->choice->listed + brick->listed;
  double t = s->horizon, h = s->m->world->h;
  c->reach = reach_of(s, c->brick);
  c->fresh = false;
  for (uint32_t i = 0; i < brick->count; i++)
    c->fresh = c->fresh || field(s, FIRN_FIELD_VOLUME)[one[i].slot] == 0;
  for (int a = 0; a < 3; a++) {
    double g = s->m->world->gravity[a], fall = g * t * t / h;
    c->lo[a] = INFINITY;
    c->hi[a] = -INFINITY;
    for (uint32_t i = 0; i < brick->count; i++) {
      firn_real x = position(s, &one[i], a);
      double v = (double)field(s, FIRN_FIELD_VX + a)[one[i].slot] * t / h;
      double down = c->straight ? fmin(0, v) + fmin(0, fall) : -s->way;
      double up = c->straight ? fmax(0, v) + fmax(0, fall) : s->way;
      c->lo[a] = firn_min(c->lo[a], x + (firn_real)(down - MPM_FLIGHT_MARGIN));
      c->hi[a] = firn_max(c->hi[a], x + (firn_real)(up + MPM_FLIGHT_MARGIN));
    }
  }
}

// ---- meetings

// The nodes that the stencils of a candidate may cover.
typedef struct nodes {
  int lo[3], hi[3];
} nodes;

static nodes nodes_of(const mpm_search *s, const mpm_candidate *c) {
  const mpm_stencil *stencil = &s->m->stencil;
  nodes n;
  for (int a = 0; a < 3; a++) {
    n.lo[a] = mpm_flight_cell(s, c->lo[a]) + stencil->first;
    n.hi[a] = mpm_flight_cell(s, c->hi[a]) + stencil->first + stencil->width - 1;
  }
  return n;
}

// Whether these may meet what a brick d blocks away may reach.
static bool meets_reach(const nodes *n, const firn_reach *reach, const int32_t d[3]) {
  for (int a = 0; a < 3; a++) {
    if (n->lo[a] > reach->hi[a] + 4 * d[a] || n->hi[a] < reach->lo[a] + 4 * d[a]) return false;
  }
  return true;
}

// Whether two candidates may meet as they fly: whether no axis keeps them a stencil's width apart.
static bool meets_flying(const mpm_search *s, const mpm_candidate *c, const mpm_candidate *o,
                         const int32_t d[3]) {
  double width = s->m->stencil.width, t = s->horizon / s->m->world->h;
  for (int a = 0; a < 3; a++) {
    double away = 4.0 * d[a];
    if ((double)o->lo[a] + away - (double)c->hi[a] >= width) return false;
    if ((double)c->lo[a] - ((double)o->hi[a] + away) >= width) return false;
  }
  if (!c->straight || !o->straight) return true;
  const firn_brick *mine = &s->choice->brick[c->brick], *its = &s->choice->brick[o->brick];
  const firn_listed *one = s->choice->listed + mine->listed,
                    *other = s->choice->listed + its->listed;
  for (int a = 0; a < 3; a++) {
    const firn_real *v = field(s, FIRN_FIELD_VX + a);
    double dx = 4.0 * d[a] + (double)position(s, other, a) - (double)position(s, one, a);
    double dv = (double)v[other->slot] - (double)v[one->slot];
    if (fabs(dx) - fabs(dv) * t >= width + 2 * MPM_FLIGHT_MARGIN) return false;
  }
  return true;
}

// Notes a meeting; false where there is no room.
static bool note(mpm_candidate *c, uint32_t with) {
  if (c->meetings == MPM_MEETINGS) return false;
  c->with[c->meetings++] = with;
  return true;
}

// One brick near a candidate. False: the latter is grounded.
static bool look_at(const mpm_search *s, mpm_candidate *c, const nodes *n, size_t b,
                    const int32_t d[3]) {
  uint32_t other = s->of[b];
  bool flies = other != FIRN_BRICK_NONE;
  if (flies && meets_flying(s, c, &s->candidate[other], d))
    return note(c, other | MPM_MEETS_FLYING);
  if (!meets_reach(n, &s->widest, d)) return true;
  firn_reach reach = flies ? s->candidate[other].reach : reach_of(s, b);
  return !meets_reach(n, &reach, d) || (flies && note(c, other));
}

// What a candidate is to the bricks around it.
typedef struct visit {
  const mpm_search *s;
  mpm_candidate *c;
  nodes n;
} visit;

static bool see(void *user, size_t b, const int32_t d[3]) {
  visit *v = user;
  return b == v->c->brick || look_at(v->s, v->c, &v->n, b, d);
}

static bool look_around(const mpm_search *s, mpm_candidate *c) {
  visit v = {s, c, nodes_of(s, c)};
  int32_t at[3], first[3], last[3];
  const int more = 1 + (int)s->way;
  firn_morton_decode(s->choice->brick[c->brick].key, at);
  for (int a = 0; a < 3; a++) {
    first[a] = at[a] + ((v.n.lo[a] - s->widest.hi[a] - more + 3) >> 2);
    last[a] = at[a] + ((v.n.hi[a] - s->widest.lo[a] + more) >> 2);
  }
  return firn_bricks_around(&s->bricks, at, first, last, see, &v);
}

static bool meets_collider(const mpm_search *s, const mpm_candidate *c) {
  double lo[3], hi[3];
  int32_t at[3];
  firn_morton_decode(s->choice->brick[c->brick].key, at);
  for (int a = 0; a < 3; a++) {
    lo[a] = 4.0 * at[a] + (double)c->lo[a];
    hi[a] = 4.0 * at[a] + (double)c->hi[a];
  }
  return mpm_flight_meets_collider(s->m, lo, hi, s->horizon);
}

// Finds meetings, of those for whom that has to be done (again).
static void meet(const mpm_search *s) {
  FIRN_PARALLEL_FOR(s->p->context, schedule(static))
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->candidate[i].again) bound(s, &s->candidate[i]);
  }
  FIRN_PARALLEL_FOR(s->p->context, schedule(dynamic, 64))
  for (uint32_t i = 0; i < s->count; i++) {
    mpm_candidate *c = &s->candidate[i];
    if (!c->again) continue;
    c->root = c->last = i;
    c->next = FIRN_BRICK_NONE;
    c->particles = 0;
    c->meetings = 0;
    c->grounded = !look_around(s, c) || meets_collider(s, c);
  }
}

// Those who may meet pull at each other, so none of them goes straight on. Returns whether there are some
// of whom that was not known.
static bool bend(const mpm_search *s) {
  bool some = false;
  FIRN_PARALLEL_FOR(s->p->context, schedule(static))
  for (uint32_t i = 0; i < s->count; i++) {
    mpm_candidate *c = &s->candidate[i];
    for (int k = 0; k < c->meetings; k++) {
      if (!(c->with[k] & MPM_MEETS_FLYING)) continue;
      mpm_candidate *o = &s->candidate[c->with[k] & ~MPM_MEETS_FLYING];
      __atomic_store_n(&c->bent, true, __ATOMIC_RELAXED);
      __atomic_store_n(&o->bent, true, __ATOMIC_RELAXED);
    }
  }
  FIRN_PARALLEL_FOR(s->p->context, schedule(static) reduction(|| : some))
  for (uint32_t i = 0; i < s->count; i++) {
    mpm_candidate *c = &s->candidate[i];
    c->again = c->straight && c->bent;
    c->straight = c->straight && !c->bent;
    some = some || c->again;
    s->mark[i] = c->bent;
  }
  return some;
}

void mpm_flight_meet(mpm_search *s) {
  FIRN_PARALLEL_FOR(s->p->context, schedule(static))
  for (uint32_t i = 0; i < s->count; i++) {
    mpm_candidate *c = &s->candidate[i];
    c->straight = s->ballistic && s->choice->brick[c->brick].count == 1;
    c->again = true;
    c->bent = false;
  }
  do meet(s);
  while (bend(s));
}
