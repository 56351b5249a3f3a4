// SPDX-License-Identifier: Apache-2.0
// Who flies, and how.
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
#include "solver/mpm/flight.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/clump.h"
#include "world/morton.h"

// Cells that the quickest, of colliders too, goes before those who fly are looked at again. Steps of a given length may need
// more, but the search sees no further than WAY_MAX.
static const double WAY = 1.9, WAY_MAX = 4;
// Cells that rounding may take.
static const double MARGIN = 0.01;
// Looks after which a longer one is tried again that has found somebody close.
enum { WAIT = 16 };
// Flyers from which on the memory of a search is given back.
enum { KEPT = 4096 };
// A period that is shorter would show a brick twice.
enum { PERIOD_MIN = 8 };
// Candidates that one may meet; whoever may meet more is in a crowd and does not fly.
enum { MEETINGS = MPM_PIECE_MAX > 1 ? 24 : 6 };

typedef struct candidate {
  uint32_t brick, root;
  uint32_t next;          // of its piece, or FIRN_BRICK_NONE
  uint32_t last;          // of the piece, where this is its root ...
  uint32_t particles;     // ... and how many it has
  firn_real lo[3], hi[3]; // where its particles may come, cells from the brick's corner
  bool fresh;             // some of its particles, or of the piece, have no volume yet
  bool grounded;
  bool straight; // one particle that nothing but gravity acts on, as far as is known ...
  bool again;    // ... but that has just turned out to be wrong
  uint8_t meetings;
  uint32_t with[MEETINGS]; // candidates; MEETS_FLYING: as they fly, else once they are grounded
} candidate;
#define MEETS_FLYING (1u << 31)

typedef struct search {
  mpm *m;
  const firn_choice *choice;
  const firn_particles *p;
  double speed;   // m/s, of the quickest candidate
  double horizon; // s, ...
  double way;     // cells, that the quickest goes within it at most
  bool ballistic; // nothing but gravity acts
  bool known;     // the reach of blocks is that of the solver
  firn_reach widest;
  candidate *candidate;
  size_t count;
  uint32_t *of; // [bricks] its candidate, or FIRN_BRICK_NONE
  struct super *table;
  size_t mask;
} search;

// ---- super bricks

// 4 x 4 x 4 bricks, those that there are one after the other.
typedef struct super {
  uint64_t key1; // of the bricks without their last bits, plus one; 0 is empty
  uint64_t has;  // a bit for each place
  uint32_t first;
} super;
enum { SUPER_BITS = 6 };

static super *find_super(const search *s, uint64_t key) {
  // Neighbours in space lie together in the table.
  uint64_t page = key >> 6, x = page ^ page >> 31;
  x *= 0x9E3779B97F4A7C15u;
  x ^= x >> 29;
  for (size_t i = (x << 6 | (key & 63)) & s->mask;; i = (i + 65) & s->mask) {
    if (s->table[i].key1 == key + 1 || !s->table[i].key1) return &s->table[i];
  }
}

static firn_status list_supers(search *s) {
  const firn_brick *brick = s->choice->brick;
  size_t count = 0, size = 64;
  for (size_t b = 0; b < s->choice->bricks; b++) {
    count += !b || brick[b].key >> SUPER_BITS != brick[b - 1].key >> SUPER_BITS;
  }
  while (size < 2 * count) size *= 2;
  FIRN_TRY(
      firn_buffer_reserve(s->p->context, &s->m->flight_table, size * sizeof *s->table, "flight"));
  s->table = s->m->flight_table.data;
  s->mask = size - 1;
  memset(s->table, 0, size * sizeof *s->table);
  super *now = NULL;
  for (size_t b = 0; b < s->choice->bricks; b++) {
    uint64_t key = brick[b].key >> SUPER_BITS;
    if (!now || now->key1 != key + 1) {
      now = find_super(s, key);
      *now = (super){.key1 = key + 1, .first = (uint32_t)b};
    }
    now->has |= (uint64_t)1 << (brick[b].key & 63);
  }
  return FIRN_OK;
}

// The places in a super brick whose coordinate along an axis is lo to hi.
static uint64_t places(int axis, int lo, int hi) {
#define PLACES(a, b, c, d)                                                                         \
  {~0ull, (b) | (c) | (d), (c) | (d), d}, {                                                        \
    a, (a) | (b), (a) | (b) | (c), ~0ull                                                           \
  }
  static const uint64_t from_to[3][2][4] = {
      {PLACES(0x000000000f0f0f0full, 0x00000000f0f0f0f0ull, 0x0f0f0f0f00000000ull,
              0xf0f0f0f000000000ull)},
      {PLACES(0x0000333300003333ull, 0x0000cccc0000ccccull, 0x3333000033330000ull,
              0xcccc0000cccc0000ull)},
      {PLACES(0x0055005500550055ull, 0x00aa00aa00aa00aaull, 0x5500550055005500ull,
              0xaa00aa00aa00aa00ull)},
  };
#undef PLACES
  return from_to[axis][0][lo] & from_to[axis][1][hi];
}

// The super bricks along one axis that hold some blocks: the part of their key, the places of those
// blocks, and where their first block is for whoever looks across a period.
typedef struct span {
  int count;
  uint64_t key[4], places[4];
  int32_t at[4];
} span;

static void add_blocks(span *to, int a, int32_t first, int32_t last, int32_t shift) {
  for (int32_t at = first & ~3; at <= last; at += 4) {
    int n = to->count++;
    to->at[n] = at + shift;
    to->key[n] = firn_morton_spread((uint32_t)((at >> 2) + (1 << 18))) << (2 - a);
    to->places[n] = places(a, first > at ? first - at : 0, last < at + 3 ? last - at : 3);
  }
}

static void span_blocks(const firn_particles *p, int a, int32_t first, int32_t last, span *out) {
  int32_t period = p->period[a];
  out->count = 0;
  if (p->periodic[a] && first < 0) {
    add_blocks(out, a, first + period, period - 1, -period);
    first = 0;
  }
  if (p->periodic[a] && last >= period) {
    add_blocks(out, a, 0, last - period, period);
    last = period - 1;
  }
  add_blocks(out, a, first, last, 0);
}

// ---- candidates

static const firn_real *field(const search *s, int f) {
  return firn_particles_real(s->p, f);
}

// Cells from the corner of its brick.
static firn_real position(const search *s, const firn_listed *one, int a) {
  return field(s, FIRN_FIELD_X + a)[one->slot] - (firn_real)(4 * one->shift[a]);
}

static bool may_fly(const search *s, const firn_brick *brick) {
  if (brick->listed == FIRN_BRICK_NONE || brick->count > MPM_PIECE_MAX) return false;
  const firn_listed *one = s->choice->listed + brick->listed;
  for (uint32_t i = 0; i < brick->count; i++) {
    size_t slot = one[i].slot;
    if (s->choice->stay && slot < s->p->slots) return false;
  }
  return true;
}

static double speed2_of(const search *s, const firn_brick *brick) {
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

// Numbers the candidates, and finds the quickest.
static firn_status list_candidates(search *s) {
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
  for (size_t b = 0; b < choice->bricks; b++) {
    if (s->of[b] != FIRN_BRICK_NONE) s->candidate[s->of[b]].brick = (uint32_t)b;
  }
  s->speed = sqrt(speed2);
  return FIRN_OK;
}

// The time in which the quickest goes way cells, or in which a step of given length is over.
static void set_horizon(search *s, double way) {
  const firn_world *world = s->m->world;
  double speed = s->speed, fall = 0, step = 1.01 * s->m->def.dt;
  for (int i = 0; i < world->collider_count; i++) {
    double its = world->collider[i].absent ? 0 : world->collider[i].speed;
    if (isfinite(its)) speed = fmax(speed, its);
  }
  for (int a = 0; a < 3; a++) fall += world->gravity[a] * world->gravity[a];
  fall = sqrt(fall);
  s->way = fmax(way, (speed + fall * step) * step / world->h);
  // speed t + fall t^2: a little more than a discrete fall within that time.
  double far = s->way * world->h;
  s->horizon = 2 * far / (speed + sqrt(speed * speed + 4 * fall * far));
}

// Positions are a few blocks from the corner at most, and floor() is a call.
static int cell_of(const search *s, firn_real x) {
  enum { FAR = 1024 };
  return (int)((double)x - s->m->stencil.shift + FAR) - FAR;
}

// What the particles of a brick may reach on the grid, should they be there.
static firn_reach reach_of(const search *s, size_t b) {
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
    lo[a] = cell_of(s, least) + stencil->first;
    hi[a] = cell_of(s, most) + stencil->first + stencil->width - 1;
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

// Where its particles may come.
static void bound(const search *s, candidate *c) {
  const firn_brick *brick = &s->choice->brick[c->brick];
  const firn_listed *one = s->choice->listed + brick->listed;
  double t = s->horizon, h = s->m->world->h;
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
      c->lo[a] = firn_min(c->lo[a], x + (firn_real)(down - MARGIN));
      c->hi[a] = firn_max(c->hi[a], x + (firn_real)(up + MARGIN));
    }
  }
}

// ---- meetings

// The nodes that the stencils of a candidate may cover.
typedef struct nodes {
  int lo[3], hi[3];
} nodes;

static nodes nodes_of(const search *s, const candidate *c) {
  const mpm_stencil *stencil = &s->m->stencil;
  nodes n;
  for (int a = 0; a < 3; a++) {
    n.lo[a] = cell_of(s, c->lo[a]) + stencil->first;
    n.hi[a] = cell_of(s, c->hi[a]) + stencil->first + stencil->width - 1;
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
static bool meets_flying(const search *s, const candidate *c, const candidate *o,
                         const int32_t d[3]) {
  const firn_brick *mine = &s->choice->brick[c->brick], *its = &s->choice->brick[o->brick];
  double width = s->m->stencil.width, t = s->horizon / s->m->world->h;
  bool relative = c->straight && o->straight;
  const firn_listed *one = s->choice->listed + mine->listed,
                    *other = s->choice->listed + its->listed;
  for (int a = 0; a < 3; a++) {
    double away = 4.0 * d[a];
    if ((double)o->lo[a] + away - (double)c->hi[a] >= width) return false;
    if ((double)c->lo[a] - ((double)o->hi[a] + away) >= width) return false;
    if (!relative) continue;
    const firn_real *v = field(s, FIRN_FIELD_VX + a);
    double dx = away + (double)position(s, other, a) - (double)position(s, one, a);
    double dv = (double)v[other->slot] - (double)v[one->slot];
    if (fabs(dx) - fabs(dv) * t >= width + 2 * MARGIN) return false;
  }
  return true;
}

// Notes a meeting; false where there is no room.
static bool note(candidate *c, uint32_t with) {
  if (c->meetings == MEETINGS) return false;
  c->with[c->meetings++] = with;
  return true;
}

// One brick near a candidate. False: the latter is grounded.
static bool look_at(const search *s, candidate *c, const nodes *n, size_t b, const int32_t d[3]) {
  uint32_t other = s->of[b];
  bool flies = other != FIRN_BRICK_NONE;
  if (flies && meets_flying(s, c, &s->candidate[other], d)) return note(c, other | MEETS_FLYING);
  if (!meets_reach(n, &s->widest, d)) return true;
  firn_reach reach = reach_of(s, b);
  return !meets_reach(n, &reach, d) || (flies && note(c, other));
}

static bool look_around(const search *s, candidate *c) {
  const firn_brick *brick = s->choice->brick;
  nodes n = nodes_of(s, c);
  int32_t at[3];
  span around[3];
  const int more = 1 + (int)s->way;
  firn_morton_decode(brick[c->brick].key, at);
  for (int a = 0; a < 3; a++) {
    int32_t first = at[a] + ((n.lo[a] - s->widest.hi[a] - more + 3) >> 2);
    int32_t last = at[a] + ((n.hi[a] - s->widest.lo[a] + more) >> 2);
    span_blocks(s->p, a, first, last, &around[a]);
  }
  for (int i = 0; i < around[0].count; i++) {
    for (int j = 0; j < around[1].count; j++) {
      for (int k = 0; k < around[2].count; k++) {
        const super *in = find_super(s, around[0].key[i] | around[1].key[j] | around[2].key[k]);
        uint64_t left = in->has & around[0].places[i] & around[1].places[j] & around[2].places[k];
        for (; left; left &= left - 1) {
          int place = __builtin_ctzll(left);
          uint64_t before = ((uint64_t)1 << place) - 1;
          size_t b = in->first + (size_t)__builtin_popcountll(in->has & before);
          const int32_t d[3] = {around[0].at[i] - at[0] + (place >> 2 & 1) + (place >> 4 & 2),
                                around[1].at[j] - at[1] + (place >> 1 & 1) + (place >> 3 & 2),
                                around[2].at[k] - at[2] + (place & 1) + (place >> 2 & 2)};
          if (b != c->brick && !look_at(s, c, &n, b, d)) return false;
        }
      }
    }
  }
  return true;
}

// Whether a collider may touch its nodes or particles.
static bool meets_collider(const search *s, const candidate *c) {
  const firn_world *world = s->m->world;
  double x[3], half[3], size2 = 0, h = world->h;
  int32_t at[3];
  firn_morton_decode(s->choice->brick[c->brick].key, at);
  for (int a = 0; a < 3; a++) {
    double lo = (double)c->lo[a], hi = (double)c->hi[a];
    x[a] = (4.0 * at[a] + 0.5 * (lo + hi)) * h;
    half[a] = (0.5 * (hi - lo) + 0.5 * s->m->stencil.width) * h;
    size2 += half[a] * half[a];
  }
  for (int i = 0; i < world->collider_count; i++) {
    const firn_collider *collider = &world->collider[i];
    if (collider->absent) continue;
    double ahead = h;
    if (collider->speed != 0) ahead += s->horizon * firn_collider_speed_bound(collider, s->horizon);
    for (int k = 0; k < collider->part_count; k++) {
      const firn_part *part = &collider->part[k];
      double far2 = 0, bound = part->radius + sqrt(size2) + ahead;
      for (int a = 0; a < 3; a++) far2 += (x[a] - part->middle[a]) * (x[a] - part->middle[a]);
      if (part->radius < 0 || far2 > bound * bound) continue;
      mpm_tangent t = mpm_tangent_at(part, world->time, x, NULL);
      if (mpm_tangent_meets_box(&t, half, ahead)) return true;
    }
  }
  return false;
}

// Whether a patch has room for all nodes that a clump may come to touch.
static bool fits(const search *s, const candidate *c) {
  int edge[3];
  for (int a = 0; a < 3; a++) {
    edge[a] = cell_of(s, c->hi[a]) - cell_of(s, c->lo[a]) + s->m->stencil.width;
  }
  return mpm_patch_suits(edge);
}

// Finds meetings, of those for whom that has to be done (again).
static void meet(const search *s) {
  FIRN_PARALLEL_FOR(s->p->context, schedule(static))
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->candidate[i].again) bound(s, &s->candidate[i]);
  }
  FIRN_PARALLEL_FOR(s->p->context, schedule(dynamic, 64))
  for (uint32_t i = 0; i < s->count; i++) {
    candidate *c = &s->candidate[i];
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
static bool bend(const search *s) {
  bool some = false;
  for (uint32_t i = 0; i < s->count; i++) s->candidate[i].again = false;
  for (uint32_t i = 0; i < s->count; i++) {
    candidate *c = &s->candidate[i];
    for (int k = 0; k < c->meetings; k++) {
      candidate *o = &s->candidate[c->with[k] & ~MEETS_FLYING];
      if (!(c->with[k] & MEETS_FLYING)) continue;
      c->again = c->again || c->straight;
      o->again = o->again || o->straight;
      c->straight = o->straight = false;
      some = some || c->again || o->again;
    }
  }
  return some;
}

// ---- pieces

static uint32_t root_of(const search *s, uint32_t i) {
  candidate *c = s->candidate;
  while (c[i].root != i) i = c[i].root = c[c[i].root].root;
  return i;
}

// Widens where the first of a piece may come by where another of it may.
static void widen(const search *s, candidate *root, const candidate *c) {
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

// Whether a piece is small enough to fly.
static bool suits(const search *s, const candidate *root) {
  // Hardening by density looks up the nodes of the grid.
  uint32_t most = s->m->def.hardening_density ? 1 : MPM_PIECE_MAX;
  return root->particles <= most && (root->particles == 1 || fits(s, root));
}

// The root of a piece is the first of its candidates.
static void join(const search *s) {
  for (uint32_t i = 0; i < s->count; i++) {
    const candidate *c = &s->candidate[i];
    for (int k = 0; k < c->meetings; k++) {
      if (!(c->with[k] & MEETS_FLYING)) continue;
      uint32_t a = root_of(s, i), b = root_of(s, c->with[k] & ~MEETS_FLYING);
      s->candidate[a > b ? a : b].root = a > b ? b : a;
    }
  }
  for (uint32_t i = 0; i < s->count; i++) {
    candidate *c = &s->candidate[i], *root = &s->candidate[root_of(s, i)];
    if (c != root) s->candidate[root->last].next = i;
    root->last = i;
    root->particles += s->choice->brick[c->brick].count;
    root->fresh = root->fresh || c->fresh;
    root->grounded = root->grounded || c->grounded;
    if (c != root) widen(s, root, c);
  }
  for (uint32_t i = 0; i < s->count; i++) {
    candidate *c = &s->candidate[i];
    if (c->root != i || c->grounded) continue;
    // Particles that are not alone take their volume from the grid.
    bool lacks = c->fresh && c->particles > 1;
    c->grounded = lacks || !suits(s, c);
    s->m->flight_lacks = s->m->flight_lacks || lacks;
  }
}

// Grounds whoever depends on what is grounded.
static void settle(const search *s) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i = 0; i < s->count; i++) {
      const candidate *c = &s->candidate[i];
      candidate *root = &s->candidate[root_of(s, i)];
      for (int k = 0; k < c->meetings && !root->grounded; k++) {
        root->grounded = s->candidate[root_of(s, c->with[k] & ~MEETS_FLYING)].grounded;
        more = more || root->grounded;
      }
    }
  }
}

// ---- the flock

typedef struct flyers {
  uint32_t *member, *home;
  size_t count;
} flyers;

static void add(const search *s, const candidate *c, uint32_t home, flyers *out) {
  const firn_brick *brick = &s->choice->brick[c->brick];
  for (uint32_t i = brick->listed; i < brick->listed + brick->count; i++) {
    s->choice->listed[i].flies = true;
    out->member[out->count] = i;
    out->home[out->count++] = home;
  }
}

// Lone particles first, then pieces one after the other, both in the order of their bricks.
static firn_status gather(const search *s, firn_flock *out) {
  mpm *m = s->m;
  size_t count = 0, pieces = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const candidate *c = &s->candidate[i];
    if (c->root != i || c->grounded) continue;
    count += c->particles;
    pieces += c->particles > 1;
  }
  FIRN_TRY(firn_buffer_reserve(m->world->context, &m->flight_members, 2 * count * sizeof(uint32_t),
                               "flight"));
  FIRN_TRY(firn_buffer_reserve(m->world->context, &m->next_pieces, pieces * sizeof(mpm_piece),
                               "flight"));
  flyers f = {.member = m->flight_members.data};
  f.home = f.member + count;
  mpm_piece *piece = m->next_pieces.data;
  for (uint32_t i = 0; i < s->count; i++) {
    const candidate *c = &s->candidate[i];
    if (c->root == i && !c->grounded && c->particles == 1) add(s, c, c->brick, &f);
  }
  m->next_piece_count = 0;
  for (uint32_t i = 0; i < s->count && pieces; i++) {
    const candidate *root = &s->candidate[i];
    if (root->root != i || root->grounded || root->particles == 1) continue;
    piece[m->next_piece_count++] = (mpm_piece){(uint32_t)f.count, root->particles};
    for (uint32_t k = i; k != FIRN_BRICK_NONE; k = s->candidate[k].next)
      add(s, &s->candidate[k], root->brick, &f);
  }
  *out = (firn_flock){.count = f.count, .member = f.member, .home = f.home};
  return FIRN_OK;
}

// ---- before and after a sort

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
static bool is_as_before(const search *s, const firn_flock *flock) {
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
static double sound2_of_landing(const search *s) {
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

// Who flies for as long as the quickest goes `way` cells. Returns how many particles do.
static size_t look(search *s, double way) {
  size_t flying = 0;
  set_horizon(s, way);
  if (!(s->way <= WAY_MAX)) s->count = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    candidate *c = &s->candidate[i];
    c->straight = s->ballistic && s->choice->brick[c->brick].count == 1;
    c->again = true;
  }
  do meet(s);
  while (bend(s));
  join(s);
  settle(s);
  for (uint32_t i = 0; i < s->count; i++) {
    const candidate *c = &s->candidate[i];
    if (c->root == i && !c->grounded) flying += c->particles;
  }
  return flying;
}

firn_status mpm_flight_choose(void *user, const firn_choice *choice, firn_flock *out) {
  mpm *m = user;
  const firn_particles *p = choice->particles;
  search s = {.m = m,
              .choice = choice,
              .p = p,
              .ballistic = firn_world_is_ballistic(m->world),
              .known = !m->unlaid && !p->thinned,
              .widest = mpm_reach_around(&m->stencil, NULL, NULL, UINT32_MAX)};
  bool room = !m->world->settled.count; // what is laid down in balance is so on the grid
  for (int a = 0; a < 3; a++) room = room && (!p->periodic[a] || p->period[a] >= PERIOD_MIN);
  if (room) FIRN_TRY(list_candidates(&s));
  if (s.count) FIRN_TRY(list_supers(&s));
  // If all of them can fly on for longer, they need not be looked at so soon again.
  bool far = choice->stay && !m->memory.flight_wait && look(&s, WAY_MAX) == p->flying;
  m->flight_wait = m->memory.flight_wait;
  if (m->flight_wait) m->flight_wait--;
  if (!far) {
    if (choice->stay && !m->memory.flight_wait) m->flight_wait = WAIT;
    look(&s, WAY);
  }
  m->flight_horizon = s.horizon;
  m->flight_limit = s.way;
  FIRN_TRY(gather(&s, out));
  m->flight_sound2 = sound2_of_landing(&s);
  m->flight_kept = out->as_before = !p->regroup && is_as_before(&s, out);
  return FIRN_OK;
}

void mpm_flight_forget(mpm *m) {
  m->next_piece_count = 0;
  m->flight_horizon = m->flight_limit = m->flight_sound2 = 0;
  m->flight_kept = false;
  m->flight_wait = 0;
}

// Puts the corner of those who fly near them again, so that positions stay precise.
static void rebase(const mpm *m, size_t first, size_t count) {
  const firn_particles *p = &m->world->particles;
  for (int a = 0; a < 3; a++) {
    firn_real *x = firn_particles_real(p, FIRN_FIELD_X + a) + p->slots;
    double cell = (double)x[first] - m->stencil.shift;
    int32_t blocks = (int32_t)floor(cell / 4), at = p->pending_at[first][a] + blocks;
    if (!blocks) continue;
    if (p->periodic[a]) at = (at % p->period[a] + p->period[a]) % p->period[a];
    for (size_t i = first; i < first + count; i++) {
      x[i] -= (firn_real)(4 * blocks);
      p->pending_at[i][a] = at;
    }
  }
}

// A grain that comes loose relaxes at once: the strain that it had is released, and what it held is lost.
// Plastic flow of its last step comes first. Returns the elastic energy, J.
static double release(const mpm *m, size_t slot) {
  const mpm_view *view = &m->view;
  firn_material_row row = firn_world_row(m->world, slot);
  firn_law_params params = firn_law_params_set1(&row);
  firn_real trial[6], e[6], tau[6], hard, spent, ln_jp = view->ln_jp[slot];
  bool strained = false;
  for (int i = 0; i < 6; i++) {
    trial[i] = e[i] = view->b[i][slot];
    strained = strained || e[i] != 0;
  }
  if (!strained) return 0;
  firn_law_return(row.law, &params, e, &ln_jp, tau, &hard, &spent);
  if (view->ln_cut) view->ln_cut[slot] += firn_law_cut(&params, trial, view->ln_jp[slot], e, ln_jp);
  view->ln_jp[slot] = ln_jp;
  for (int i = 0; i < 6; i++) view->b[i][slot] = 0;
  return (double)view->volume[slot] * (double)(spent + firn_law_energy(row.law, &params, e, hard));
}

void mpm_flight_begin(mpm *m) {
  firn_world *world = m->world;
  firn_particles *p = &world->particles;
  firn_buffer pieces = m->pieces;
  double energy[FIRN_PARTS];
  if (!m->flight_kept) {
    m->pieces = m->next_pieces;
    m->next_pieces = pieces;
    m->piece_count = m->next_piece_count;
    m->memory.sound2_max = fmax(m->memory.sound2_max, m->flight_sound2);
  }
  mpm_flight_fits(m);
  const mpm_piece *piece = m->pieces.data;
  FIRN_PARALLEL_FOR(world->context, schedule(static))
  for (size_t i = 0; i < FIRN_PARTS; i++) {
    size_t end = (i + 1) * m->lone / FIRN_PARTS;
    energy[i] = 0;
    for (size_t k = i * m->lone / FIRN_PARTS; k < end; k++) {
      if (m->flight_kept)
        rebase(m, k, 1);
      else
        energy[i] += release(m, p->slots + k);
    }
  }
  for (size_t i = 0; i < m->piece_count && m->flight_kept; i++)
    rebase(m, piece[i].first, piece[i].count);
  for (int i = 0; i < FIRN_PARTS; i++) m->memory.plastic += energy[i];
  m->memory.flight_until = world->time + m->flight_horizon;
  m->memory.flight_left = m->flight_limit;
  m->memory.flight_wait = m->flight_wait;
  if (p->flying > KEPT) {
    firn_buffer *scratch[] = {&m->next_pieces, &m->flight_candidates, &m->flight_of,
                              &m->flight_table, &m->flight_members};
    for (int i = 0; i < 5; i++) firn_buffer_free(world->context, scratch[i]);
  }
  m->memory.flight_changes = world->changes;
}

bool mpm_flight_is_due(const mpm *m) {
  const mpm_memory *memory = &m->memory;
  const firn_world *world = m->world;
  if (!world->particles.flying) return false;
  if (memory->must_survey || memory->flight_changes != world->changes) return true;
  double dt = mpm_choose(m, 0).dt, fall = 0;
  if (world->time + dt > memory->flight_until) return true;
  if (firn_world_is_ballistic(world) && !m->piece_count) return false;
  for (int a = 0; a < 3; a++) fall += world->gravity[a] * world->gravity[a];
  double speed = sqrt(memory->speed2_max) + sqrt(fall) * dt;
  return speed * dt / world->h > memory->flight_left;
}

bool mpm_flight_fits(mpm *m) {
  const mpm_piece *piece = m->pieces.data;
  size_t flying = m->world->particles.flying, end = flying;
  for (size_t i = m->piece_count; i > 0; i--) {
    if (piece[i - 1].count < 2 || piece[i - 1].count > end ||
        piece[i - 1].first != end - piece[i - 1].count)
      return false;
    end = piece[i - 1].first;
  }
  m->lone = end;
  return true;
}

// ---- the step

enum { LANES = 16 };

// As the grid would: new velocity first, position with that. A lone particle's nodes all move with
// v + C (x_i - x_p), whatever the blend, and give v and C back.
static void fly(const mpm_view *view, size_t first, size_t count, mpm_tally *tally) {
  firn_real dv[3], per_cell = view->dt / view->h, most[LANES] = {0}, bad[LANES] = {0};
  firn_real *x[3], *v[3];
  for (int a = 0; a < 3; a++) {
    dv[a] = view->dt * view->gravity[a];
    x[a] = view->x[a] + first;
    v[a] = view->v[a] + first;
  }
  for (size_t i = 0; i < count; i += LANES) {
    firn_real v2[LANES] = {0};
    size_t n = count - i < LANES ? count - i : LANES;
    for (int a = 0; a < 3; a++) {
      firn_real *to = x[a] + i, *with = v[a] + i;
      for (size_t k = 0; k < n; k++) {
        with[k] += dv[a];
        to[k] += per_cell * with[k];
        v2[k] += with[k] * with[k];
      }
    }
    for (int k = 0; k < LANES; k++) {
      most[k] = v2[k] > most[k] ? v2[k] : most[k];
      bad[k] += v2[k] - v2[k]; // 0, or not a number
    }
  }
  for (int k = 0; k < LANES; k++) {
    tally->speed2_max = fmax(tally->speed2_max, (double)most[k]);
    tally->nonfinite = tally->nonfinite || bad[k] != 0;
  }
}

void mpm_flight_step(mpm *m, mpm_tally *tally) {
  const firn_particles *p = &m->world->particles;
  enum { CHUNK = 4096 };
  size_t chunks = (m->lone + CHUNK - 1) / CHUNK;
  double speed2 = tally->speed2_max;
  bool nonfinite = tally->nonfinite;
  FIRN_PARALLEL_FOR(m->world->context, schedule(static) reduction(max
                                                                  : speed2) reduction(||
                                                                                      : nonfinite))
  for (size_t i = 0; i < chunks; i++) {
    size_t left = m->lone - i * CHUNK;
    mpm_tally own = {0};
    fly(&m->view, p->slots + i * CHUNK, left < CHUNK ? left : CHUNK, &own);
    speed2 = fmax(speed2, own.speed2_max);
    nonfinite = nonfinite || own.nonfinite;
  }
  tally->speed2_max = speed2;
  tally->nonfinite = nonfinite;
}
