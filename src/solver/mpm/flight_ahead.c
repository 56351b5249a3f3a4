// SPDX-License-Identifier: Apache-2.0
// For how long those who fly can go on as they do.
//
// The search for who flies (flight_search.c) lists and sorts all of them and looks a few cells ahead. Most
// of the time nobody is about to meet anything, and this can be seen without a sort and for longer: two
// that gravity alone acts on keep their difference of velocities however far they fall. So lone particles
// are a swarm that moves, clumps and blocks are swarms that do not, but for a way that clumps may go
// anywhere; and the longest time is sought in which no two of these, and none and a collider, meet.
#include <math.h>

#include "base/parallel.h"
#include "grid/swarm.h"
#include "solver/mpm/clump.h"
#include "solver/mpm/flight_search.h"
#include "world/morton.h"

// Times that are tried: that of the search, twice, four times ... as long.
enum { SPANS = 12 };
// s: of what lies still where nothing falls, so that products with times are numbers.
static const double FOREVER = 1e6;
typedef struct ahead {
  mpm *m;
  bool straight;      // nothing but gravity acts on lone particles
  int spans;          // that may be tried
  double time[SPANS]; // s
  double way[SPANS];  // cells: how far the quickest goes in it at most
} ahead;

// ---- bodies

static void lone_body(const void *user, size_t i, firn_swept *out) {
  const ahead *s = user;
  const mpm_view *view = &s->m->view;
  const firn_particles *p = &s->m->world->particles;
  for (int a = 0; a < 3; a++) {
    out->lo[a] = out->hi[a] = 4.0 * p->pending_at[i][a] + (double)view->x[a][p->slots + i];
    double v = s->straight ? (double)view->v[a][p->slots + i] / s->m->world->h : 0;
    out->slow[a] = out->fast[a] = v;
  }
}

static void piece_body(const void *user, size_t i, firn_swept *out) {
  const ahead *s = user;
  const mpm_view *view = &s->m->view;
  const firn_particles *p = &s->m->world->particles;
  const mpm_piece *piece = (const mpm_piece *)s->m->pieces.data + i;
  for (int a = 0; a < 3; a++) {
    const firn_real *x = view->x[a] + p->slots + piece->first;
    double corner = 4.0 * p->pending_at[piece->first][a];
    out->lo[a] = out->hi[a] = corner + (double)x[0];
    out->slow[a] = out->fast[a] = 0;
    for (uint32_t k = 1; k < piece->count; k++) {
      // What is no number meets everything.
      if (!(corner + (double)x[k] >= out->lo[a])) out->lo[a] = corner + (double)x[k];
      if (!(corner + (double)x[k] <= out->hi[a])) out->hi[a] = corner + (double)x[k];
    }
  }
}

// Where particles would have to be for their stencils to cover all that a block may reach.
static void block_body(const void *user, size_t b, firn_swept *out) {
  const ahead *s = user;
  const mpm_stencil *stencil = &s->m->stencil;
  const firn_reach *reach = &s->m->reach[b];
  const int32_t *at = s->m->world->particles.block[b].at;
  for (int a = 0; a < 3; a++) {
    double first = 4.0 * at[a] + stencil->shift - stencil->first;
    out->lo[a] = first + reach->lo[a];
    out->hi[a] = first + reach->hi[a] + 1 - stencil->width;
    out->slow[a] = out->fast[a] = 0;
  }
}

// ---- spans

// How far a body may come from where its velocity takes it, cells.
typedef enum nature { STANDS, FALLS, ROAMS } nature;

static void drift(const ahead *s, nature is, int span, double lo[3], double hi[3]) {
  for (int a = 0; a < 3; a++) {
    double t = s->time[span], fall = s->m->world->gravity[a] * t * t / s->m->world->h;
    lo[a] = is == FALLS ? fmin(0, fall) : is == ROAMS ? -s->way[span] : 0;
    hi[a] = is == FALLS ? fmax(0, fall) : is == ROAMS ? s->way[span] : 0;
  }
}

static int part(const ahead *s, const firn_swarm *x, nature of_x, const firn_swarm *y, nature of_y,
                int span) {
  const firn_particles *p = &s->m->world->particles;
  firn_span spans[SPANS];
  firn_meeting m = {.apart = s->m->stencil.width + 2 * MPM_FLIGHT_MARGIN, .span = spans};
  for (int a = 0; a < 3; a++) m.period[a] = p->periodic[a] ? 4.0 * p->period[a] : 0;
  for (int i = 0; i < s->spans; i++) {
    double lo[2][3], hi[2][3];
    drift(s, of_x, i, lo[0], hi[0]);
    drift(s, of_y, i, lo[1], hi[1]);
    spans[i].time = s->time[i];
    bool together = of_x == FALLS && of_y == FALLS;
    for (int a = 0; a < 3; a++) {
      spans[i].lo[a] = together ? 0 : lo[1][a] - hi[0][a];
      spans[i].hi[a] = together ? 0 : hi[1][a] - lo[0][a];
    }
  }
  return firn_swarms_part(x, y, &m, span);
}

// ---- colliders

typedef struct beside {
  const ahead *ahead;
  nature is;
} beside;

static bool meets_collider(const void *user, const firn_swept *box, int span) {
  const beside *s = user;
  double lo[3], hi[3], t = s->ahead->time[span];
  drift(s->ahead, s->is, span, lo, hi);
  for (int a = 0; a < 3; a++) {
    lo[a] += box->lo[a] + fmin(0, box->slow[a] * t) - MPM_FLIGHT_MARGIN;
    hi[a] += box->hi[a] + fmax(0, box->fast[a] * t) + MPM_FLIGHT_MARGIN;
  }
  return mpm_flight_meets_collider(s->ahead->m, lo, hi, t);
}

static int clear_of_colliders(const ahead *s, const firn_swarm *swarm, nature is, int span) {
  const beside user = {s, is};
  if (!s->m->world->collider_count) return span;
  return firn_swarm_clear(swarm, meets_collider, &user, span);
}

// A clump's nodes must fit its patch.
static bool outgrows(const void *user, const firn_swept *box, int span) {
  const ahead *s = user;
  int edge[3];
  for (int a = 0; a < 3; a++) {
    double size = box->hi[a] - box->lo[a] + 2 * (s->way[span] + MPM_FLIGHT_MARGIN);
    if (!(size < 64)) return true;
    edge[a] = (int)size + 1 + s->m->stencil.width;
  }
  return !mpm_patch_suits(edge);
}

static int fit(const ahead *s, const firn_swarm *pieces, int span) {
  for (size_t i = 0; i < pieces->count; i++) {
    firn_swept box;
    piece_body(s, i, &box);
    while (span >= 0 && outgrows(s, &box, span)) span--;
  }
  return span;
}

// ---- the look

static double quickest(const mpm *m) {
  const firn_particles *p = &m->world->particles;
  const firn_real *v[3];
  double speed2 = 0;
  for (int a = 0; a < 3; a++) v[a] = m->view.v[a] + p->slots;
  FIRN_PARALLEL_FOR(p->context, schedule(static) reduction(max : speed2))
  for (size_t i = 0; i < p->flying; i++) {
    double x = (double)v[0][i], y = (double)v[1][i], z = (double)v[2][i],
           v2 = x * x + y * y + z * z;
    if (!(v2 <= speed2)) speed2 = v2;
  }
  return sqrt(speed2);
}

// Whether more than gravity and their own motion may take what flies, or a collider, somewhere: wind, the
// pull of a clump's particles, what the snow does to a collider under a load.
static bool is_steered(const mpm *m) {
  bool loaded = false;
  for (int i = 0; i < m->world->collider_count; i++)
    loaded = loaded || (m->world->collider[i].load.mass > 0 && !m->world->collider[i].absent);
  return !firn_world_is_ballistic(m->world) || m->piece_count || loaded;
}

static void set_spans(ahead *s) {
  const mpm *m = s->m;
  double speed = mpm_flight_speed(m, quickest(m)), fall = 0, step = MPM_FLIGHT_WAY;
  double first = fmin(FOREVER, mpm_flight_horizon(m, speed, &step));
  for (int a = 0; a < 3; a++) fall += m->world->gravity[a] * m->world->gravity[a];
  for (int i = 0; i < SPANS; i++) {
    double t = ldexp(first, i), way = (speed + sqrt(fall) * t) * t / m->world->h;
    // The search does not say what a step of more than WAY_MAX cells leaps over, and further ahead a bound
    // on what may go anywhere is worth nothing.
    bool near = way <= MPM_FLIGHT_WAY_MAX || (i && !is_steered(m));
    if (!near) return;
    s->time[i] = t;
    s->way[i] = way;
    s->spans = i + 1;
  }
}

// Whether some have left the domain that a sort can address, which it has to tell.
static bool is_lost(const firn_swarm *swarm) {
  bool inside = true;
  for (int a = 0; a < 3 && swarm->count; a++) {
    const firn_swept *all = &swarm->node[swarm->levels - 1][0];
    inside = inside && all->lo[a] > -4.0 * FIRN_MORTON_LIMIT &&
             all->hi[a] < 4.0 * FIRN_MORTON_LIMIT;
  }
  return !inside;
}

// Asks what is cheap first: each answer makes the next question shorter.
static firn_status find_span(const ahead *s, firn_swarm swarm[3], int *span) {
  enum { LONE, PIECES, BLOCKS };
  mpm *m = s->m;
  firn_context *context = m->world->context;
  nature lone = s->straight ? FALLS : ROAMS;
  const firn_swarm *l = &swarm[LONE], *c = &swarm[PIECES], *b = &swarm[BLOCKS];
  FIRN_TRY(firn_swarm_build(context, m->lone, lone_body, s, &m->flight_table, &swarm[LONE]));
  FIRN_TRY(firn_swarm_build(context, m->piece_count, piece_body, s, &m->flight_of, &swarm[PIECES]));
  FIRN_TRY(firn_swarm_build(context, m->world->particles.block_count, block_body, s,
                            &m->flight_candidates, &swarm[BLOCKS]));
  *span = is_lost(l) || is_lost(c) ? -1 : fit(s, c, s->spans - 1);
  *span = clear_of_colliders(s, c, ROAMS, *span);
  *span = clear_of_colliders(s, l, lone, *span);
  *span = part(s, c, ROAMS, b, STANDS, *span);
  *span = part(s, l, lone, b, STANDS, *span);
  *span = part(s, c, ROAMS, c, ROAMS, *span);
  *span = part(s, l, lone, c, ROAMS, *span);
  *span = part(s, l, lone, l, lone, *span);
  return FIRN_OK;
}

firn_status mpm_flight_look_ahead(mpm *m, mpm_flight_plan *out) {
  ahead s = {.m = m, .straight = firn_world_is_ballistic(m->world)};
  firn_swarm swarm[3];
  int span = -1;
  *out = (mpm_flight_plan){0};
  if (m->world->settled.count)
    return FIRN_OK; // it is laid down on the grid, with all that is around it
  firn_world_prepare(m->world, m->world->time);
  set_spans(&s);
  if (s.spans) FIRN_TRY(find_span(&s, swarm, &span));
  if (span >= 0) *out = (mpm_flight_plan){s.time[span], s.way[span]};
  return FIRN_OK;
}
