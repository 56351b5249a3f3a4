// SPDX-License-Identifier: Apache-2.0
// Who flies.
//
// The search goes by bricks, the blocks that a sort would make (world/particles.h). Bricks of at most
// MPM_PIECE_MAX particles are candidates. For each, and for the length of the horizon:
//
//   1  it is grounded if it may meet what another brick, no candidate, may reach, or a collider
//   2  candidates that may meet each other become one piece, which is grounded if it is too large
//   3  whoever may meet what a grounded candidate may reach is grounded with all of its piece, until
//      nobody else is
//
// Two that fly under gravity alone keep their difference of velocities, so whether they meet hangs on
// that and not on how quick they are. What is grounded may do anything, but a block does not leave its
// reach without a sort.
#include "solver/mpm/flight_search.h"

#include <math.h>

#include "base/parallel.h"
#include "solver/mpm/clump.h"
#include "solver/mpm/flight_meet.h"
#include "world/morton.h"

// A period that is shorter would show a brick twice.
enum { PERIOD_MIN = 8 };

// ---- pieces

static uint32_t root_of(const mpm_search *s, uint32_t i) {
  mpm_candidate *c = s->candidate;
  while (c[i].root != i) i = c[i].root = c[c[i].root].root;
  return i;
}

// Widens where the first of a piece may come by where another of it may.
static void widen(const mpm_search *s, mpm_candidate *root, const mpm_candidate *c) {
  int32_t at[3], to[3];
  firn_morton_decode(s->choice->brick[root->brick].key, at);
  firn_morton_decode(s->choice->brick[c->brick].key, to);
  for (int a = 0; a < 3; a++) {
    int32_t d = to[a] - at[a], period = s->p->period[a];
    if (s->p->periodic[a]) d -= period * (int32_t)floor((double)d / period + 0.5);
    root->lo[a] = firn_min(root->lo[a], c->lo[a] + (firn_real)(4 * d));
    root->hi[a] = firn_max(root->hi[a], c->hi[a] + (firn_real)(4 * d));
  }
}

// Whether a patch has room for all nodes that a clump may come to touch.
static bool fits(const mpm_search *s, const mpm_candidate *c) {
  int edge[3];
  for (int a = 0; a < 3; a++) {
    edge[a] = mpm_flight_cell(s, c->hi[a]) - mpm_flight_cell(s, c->lo[a]) + s->m->stencil.width;
  }
  return mpm_patch_suits(edge);
}

// Whether a piece is small enough to fly.
static bool suits(const mpm_search *s, const mpm_candidate *root) {
  // Hardening by density looks up the nodes of the grid.
  uint32_t most = s->m->def.hardening_density ? 1 : MPM_PIECE_MAX;
  return root->particles <= most && (root->particles == 1 || fits(s, root));
}

// Adds a candidate to the piece of its root.
static void add_to_piece(const mpm_search *s, uint32_t i) {
  mpm_candidate *c = &s->candidate[i], *root = &s->candidate[c->root];
  if (c != root) s->candidate[root->last].next = i;
  root->last = i;
  root->particles += s->choice->brick[c->brick].count;
  root->fresh = root->fresh || c->fresh;
  root->grounded = root->grounded || c->grounded;
  if (c != root) widen(s, root, c);
}

// The root of a piece is the first of its candidates. Most are a piece by themselves.
static void join(const mpm_search *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    const mpm_candidate *c = &s->candidate[i];
    for (int k = 0; s->mark[i] && k < c->meetings; k++) {
      if (!(c->with[k] & MPM_MEETS_FLYING)) continue;
      uint32_t a = root_of(s, i), b = root_of(s, c->with[k] & ~MPM_MEETS_FLYING);
      s->candidate[a > b ? a : b].root = a > b ? b : a;
    }
  }
  for (uint32_t i = 0; i < s->count; i++) {
    if (!s->mark[i]) continue;
    s->candidate[i].root = root_of(s, i);
    add_to_piece(s, i);
  }
  bool some_lack = s->m->flight_lacks;
  FIRN_PARALLEL_FOR(s->p->context, schedule(static) reduction(|| : some_lack))
  for (uint32_t i = 0; i < s->count; i++) {
    mpm_candidate *c = &s->candidate[i];
    if (!s->mark[i]) add_to_piece(s, i);
    if (c->root != i || c->grounded) continue;
    // Particles that are not alone take their volume from the grid.
    bool lacks = c->fresh && c->particles > 1;
    c->grounded = lacks || !suits(s, c);
    some_lack = some_lack || lacks;
  }
  s->m->flight_lacks = some_lack;
}

static bool is_grounded(const mpm_search *s, uint32_t i) {
  return __atomic_load_n(&s->candidate[s->candidate[i].root].grounded, __ATOMIC_RELAXED);
}

// Grounds whoever depends on what is grounded: the same in the end, in whatever order it is found.
static void settle(const mpm_search *s) {
  for (bool more = true; more;) {
    more = false;
    FIRN_PARALLEL_FOR(s->p->context, schedule(static) reduction(|| : more))
    for (uint32_t i = 0; i < s->count; i++) {
      const mpm_candidate *c = &s->candidate[i];
      bool falls = false;
      for (int k = 0; k < c->meetings && !falls && !is_grounded(s, i); k++) {
        falls = is_grounded(s, c->with[k] & ~MPM_MEETS_FLYING);
      }
      if (falls) __atomic_store_n(&s->candidate[c->root].grounded, true, __ATOMIC_RELAXED);
      more = more || falls;
    }
  }
}

// ---- the flock

typedef struct flyers {
  uint32_t *member, *home;
  size_t count;
} flyers;

static void add(const mpm_search *s, const mpm_candidate *c, uint32_t home, flyers *out) {
  const firn_brick *brick = &s->choice->brick[c->brick];
  for (uint32_t i = brick->listed; i < brick->listed + brick->count; i++) {
    s->choice->listed[i].flies = true;
    out->member[out->count] = i;
    out->home[out->count++] = home;
  }
}

// Lone particles first, then pieces one after the other, both in the order of their bricks.
static firn_status gather(const mpm_search *s, firn_flock *out) {
  mpm *m = s->m;
  enum { LONE = 1, PIECE = 2 };
  size_t count = 0, pieces = 0;
  FIRN_PARALLEL_FOR(s->p->context, schedule(static) reduction(+ : count, pieces))
  for (uint32_t i = 0; i < s->count; i++) {
    const mpm_candidate *c = &s->candidate[i];
    bool flies = c->root == i && !c->grounded;
    s->mark[i] = !flies ? 0 : c->particles > 1 ? PIECE : LONE;
    count += flies ? c->particles : 0;
    pieces += s->mark[i] == PIECE;
  }
  FIRN_TRY(firn_buffer_reserve(m->world->context, &m->flight_members, 2 * count * sizeof(uint32_t),
                               "flight"));
  FIRN_TRY(firn_buffer_reserve(m->world->context, &m->next_pieces, pieces * sizeof(mpm_piece),
                               "flight"));
  flyers f = {.member = m->flight_members.data};
  f.home = count ? f.member + count : NULL; // NULL + 0 is undefined
  mpm_piece *piece = m->next_pieces.data;
  for (uint32_t i = 0; i < s->count; i++) {
    const mpm_candidate *c = &s->candidate[i];
    if (s->mark[i] == LONE) add(s, c, c->brick, &f);
  }
  m->next_piece_count = 0;
  for (uint32_t i = 0; i < s->count && pieces; i++) {
    const mpm_candidate *root = &s->candidate[i];
    if (s->mark[i] != PIECE) continue;
    piece[m->next_piece_count++] = (mpm_piece){(uint32_t)f.count, root->particles};
    for (uint32_t k = i; k != FIRN_BRICK_NONE; k = s->candidate[k].next)
      add(s, &s->candidate[k], root->brick, &f);
  }
  *out = (firn_flock){.count = f.count, .member = f.member, .home = f.home};
  return FIRN_OK;
}

// ---- the answer

// The piece of a particle that flies already, or NULL if it is alone.
static const mpm_piece *piece_of(const mpm *m, uint32_t flyer) {
  const mpm_piece *piece = m->pieces.data;
  size_t low = 0, high = m->piece_count; // the first that begins beyond it
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (piece[middle].first <= flyer)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && flyer - piece[low - 1].first < piece[low - 1].count ? &piece[low - 1] : NULL;
}

// Whether exactly those fly who did, in the same pieces.
static bool is_as_before(const mpm_search *s, const firn_flock *flock) {
  const mpm *m = s->m;
  const firn_particles *p = s->p;
  if (!s->choice->stay || p->thinned || m->unlaid || p->pending != p->flying) return false;
  if (flock->count != p->flying || m->next_piece_count != m->piece_count) return false;
  const mpm_piece *next = m->next_pieces.data;
  for (size_t i = 0; i < m->next_piece_count; i++) {
    const mpm_piece *was = NULL;
    for (uint32_t k = next[i].first; k < next[i].first + next[i].count; k++) {
      size_t slot = s->choice->listed[flock->member[k]].slot;
      const mpm_piece *its = piece_of(m, (uint32_t)(slot - p->slots));
      if (!its || its->count != next[i].count || (was && was != its)) return false;
      was = its;
    }
  }
  return true;
}

// m^2/s^2, of the stiffest that land: the step about to be chosen must suit them.
static double sound2_of_landing(const mpm_search *s) {
  const mpm *m = s->m;
  const firn_choice *choice = s->choice;
  double most = 0;
  FIRN_PARALLEL_FOR(s->p->context, schedule(static) reduction(max : most))
  for (size_t i = 0; i < choice->listed_count; i++) {
    size_t slot = choice->listed[i].slot;
    if (choice->listed[i].flies || slot < s->p->slots || slot >= s->p->slots + s->p->flying)
      continue;
    most = fmax(most, mpm_sound2(m, slot));
  }
  return most;
}

firn_status mpm_flight_choose(void *user, const firn_choice *choice, firn_flock *out) {
  mpm *m = user;
  const firn_particles *p = choice->particles;
  mpm_search s = {.m = m,
                  .choice = choice,
                  .p = p,
                  .ballistic = firn_world_is_ballistic(m->world),
                  .known = !m->unlaid && !p->thinned,
                  .widest = mpm_reach_around(&m->stencil, NULL, NULL, UINT32_MAX)};
  bool room = !m->world->settled.count; // what is laid down in balance is so on the grid
  for (int a = 0; a < 3; a++) room = room && (!p->periodic[a] || p->period[a] >= PERIOD_MIN);
  if (room) FIRN_TRY(mpm_flight_candidates(&s));
  s.way = MPM_FLIGHT_WAY;
  s.horizon = mpm_flight_horizon(m, mpm_flight_speed(m, s.speed), &s.way);
  if (!(s.way <= MPM_FLIGHT_WAY_MAX)) s.count = 0;
  firn_world_prepare(m->world, m->world->time);
  if (s.count) FIRN_TRY(firn_bricks_list(choice, &m->flight_table, &s.bricks));
  mpm_flight_meet(&s);
  join(&s);
  settle(&s);
  m->flight_plan = (mpm_flight_plan){s.horizon, s.way};
  FIRN_TRY(gather(&s, out));
  m->flight_sound2 = sound2_of_landing(&s);
  m->flight_kept = out->as_before = !p->regroup && is_as_before(&s, out);
  return FIRN_OK;
}
