// SPDX-License-Identifier: Apache-2.0
// What does not yield moves as rigid pieces: cells that hang together get one motion, with the momentum and
// the angular momentum that they have. A face has one component of the velocity, that along its axis e_a, so
// sums of mass and inertia as of points would be wrong by a tenth: the motion q = (V, omega) is that of
//
//   sum m_f J_f J_f^T q = sum m_f J_f u_f,   J_f = (e_a, r_f x e_a),
//
// without the directions in which a piece has no inertia, as a row of cells has around itself. A piece that
// rests on a collider sticks to it as long as what stops it lies within the cone of friction.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/jacobi.h"
#include "solver/flip/flip.h"

typedef struct piece {
  double faces[3];              // sums of weights along each axis
  double center[3];             // cells
  double inertia[36], given[6]; // the system
  double before[3];             // m/s times weight, before the projection
  double motion[6];
  double normal[3], closed; // of what touches colliders: out of these; and all that is closed
  double friction;          // times that
  double lo[3], hi[3];      // cells, box of what touches
  bool sticky, carried;     // a collider holds all; one moves
} piece;

typedef struct pieces {
  size_t count;
  uint32_t (*beside)[6]; // [blocks]
  uint64_t *member;      // [blocks]
  uint64_t (*link)[3];   // [blocks]
  uint32_t *label;       // [blocks][64]
  uint32_t
      *owner[3];  // [blocks][64] the piece that the lower face along each axis belongs to, or NONE
  uint32_t *sole; // [blocks] the one that all of a block's faces belong to, or MIXED
  piece *part;    // [blocks] what they add to that
  uint32_t *forest; // [blocks][64]
  piece *of;        // [count]
} pieces;

static const uint32_t NONE = UINT32_MAX, MIXED = UINT32_MAX - 1;

static bool is_rigid(const flip *s, size_t cell) {
  return flip_bit(s->active, cell) && !flip_bit(s->plastic, cell);
}

// A face belongs to a piece that has a cell of it and whose other neighbour is its own or air.
static void find_owners(const flip *s, const pieces *k, size_t g) {
  uint32_t sole = NONE;
  for (int a = 0; a < 3; a++) {
    uint32_t *owner = k->owner[a] + FLIP_CELLS * g;
    for (int c = 0; c < FLIP_CELLS; c++) owner[c] = NONE;
    for (uint64_t left = s->moved[a][g]; left; left &= left - 1) {
      int c = __builtin_ctzll(left);
      size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
      bool here = is_rigid(s, i), there = is_rigid(s, below);
      if ((!here && flip_bit(s->active, i)) || (!there && flip_bit(s->active, below))) continue;
      if (!here && !there) continue;
      owner[c] = k->label[here ? i : below];
      sole = sole == NONE || sole == owner[c] ? owner[c] : MIXED;
    }
  }
  k->sole[g] = sole;
}

static firn_status find_pieces(flip *s, pieces *k) {
  static const int offset[6] = {-9, 9, -3, 3, -1, 1};
  size_t blocks = s->grid.count, cells = blocks * FLIP_CELLS;
  size_t head = blocks *
                    (sizeof *k->beside + sizeof *k->member + sizeof *k->link + sizeof *k->sole) +
                5 * cells * sizeof *k->label;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->snow, head + 64, "rigid pieces"));
  char *at = s->snow.data;
  k->member = (void *)at, at += blocks * sizeof *k->member;
  k->link = (void *)at, at += blocks * sizeof *k->link;
  k->beside = (void *)at, at += blocks * sizeof *k->beside;
  k->label = (void *)at, at += cells * sizeof *k->label;
  k->forest = (void *)at, at += cells * sizeof *k->forest;
  for (int a = 0; a < 3; a++, at += cells * sizeof *k->label) k->owner[a] = (void *)at;
  k->sole = (void *)at;
  FLIP_FOR_BLOCKS(s, g) {
    k->member[g] = s->active[g] & ~s->plastic[g];
    for (int d = 0; d < 6; d++) {
      uint32_t other = s->grid.around[g][13 + offset[d]];
      k->beside[g][d] = other == FIRN_GRID_NONE ? (uint32_t)blocks : other;
    }
    for (int a = 0; a < 3; a++) {
      k->link[g][a] = 0;
      for (int c = 0; c < FLIP_CELLS; c++) {
        size_t i = FLIP_CELLS * g + (size_t)c;
        if (is_rigid(s, i) && s->open[a][i] > 0 && is_rigid(s, flip_beside(s, g, c, a, -1)))
          k->link[g][a] |= (uint64_t)1 << c;
      }
    }
  }
  k->count = flip_pools(blocks, k->member, (const uint64_t(*)[3])k->link,
                        (const uint32_t(*)[6])k->beside, k->label, k->forest);
  size_t bytes = (k->count + 1 + blocks) * sizeof *k->of;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->parts, bytes, "rigid pieces"));
  k->of = s->parts.data;
  k->part = k->of + k->count + 1;
  memset(k->of, 0, k->count * sizeof *k->of);
  FLIP_FOR_BLOCKS(s, g) find_owners(s, k, g);
  return FIRN_OK;
}

// Place of a face, in cells from the middle of its piece.
static void lever_of(const flip *s, const piece *p, size_t g, int c, int a, double r[3]) {
  flip_corner(s, g, c, r);
  for (int n = 0; n < 3; n++) r[n] += (n == a ? 0 : 0.5) - p->center[n];
}

// What a face adds to its piece: weight, place and momentum at first, then its part of the system. Of J it has
// the component a and, by r x e_a, two more.
static void count_face(const flip *s, size_t g, int c, int a, piece *to) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  double x[3], w = (double)s->open[a][i];
  flip_corner(s, g, c, x);
  to->faces[a] += w;
  to->before[a] += w * ((double)s->was[a][i] + s->dt * s->world->gravity[a]);
  for (int n = 0; n < 3; n++) to->center[n] += w * (x[n] + (n == a ? 0 : 0.5));
}
static void weigh_face(const flip *s, size_t g, int c, int a, piece *to) {
  const int b = (a + 1) % 3, d = (a + 2) % 3, at[3] = {a, 3 + (b < d ? b : d), 3 + (b < d ? d : b)};
  size_t i = FLIP_CELLS * g + (size_t)c;
  double r[3], w = (double)s->open[a][i], u = (double)s->u[a][i];
  lever_of(s, to, g, c, a, r);
  const double J[3] = {1, b < d ? r[d] : -r[b], b < d ? -r[b] : r[d]};
  for (int n = 0; n < 3; n++) {
    to->given[at[n]] += w * J[n] * u;
    for (int m = n; m < 3; m++) to->inertia[6 * at[n] + at[m]] += w * J[n] * J[m];
  }
}
typedef void (*face_fn)(const flip *s, size_t g, int c, int a, piece *to);

// All faces of a block, to `sole` if that is given.
static void add_faces(const flip *s, const pieces *k, size_t g, face_fn add, piece *sole) {
  for (int a = 0; a < 3; a++) {
    for (uint64_t left = s->moved[a][g]; left; left &= left - 1) {
      int c = __builtin_ctzll(left);
      uint32_t owner = k->owner[a][FLIP_CELLS * g + (size_t)c];
      if (owner != NONE) add(s, g, c, a, sole ? sole : &k->of[owner]);
    }
  }
}

// Adds up what one sort of sums needs. Most blocks are of one piece: these are done in parallel, and then
// added in their order.
static void add_all(const flip *s, const pieces *k, face_fn add) {
  FLIP_FOR_BLOCKS(s, g) {
    if (k->sole[g] >= MIXED) continue;
    memset(&k->part[g], 0, sizeof *k->part);
    if (add == weigh_face) memcpy(k->part[g].center, k->of[k->sole[g]].center, 3 * sizeof(double));
    add_faces(s, k, g, add, &k->part[g]);
  }
  for (size_t g = 0; g < s->grid.count; g++) {
    if (k->sole[g] == NONE) continue;
    if (k->sole[g] == MIXED) {
      add_faces(s, k, g, add, NULL);
      continue;
    }
    piece *p = &k->of[k->sole[g]];
    const piece *part = &k->part[g];
    for (int a = 0; a < 3 && add == count_face; a++) {
      p->faces[a] += part->faces[a];
      p->before[a] += part->before[a];
      p->center[a] += part->center[a];
    }
    for (int n = 0; n < 36; n++) p->inertia[n] += part->inertia[n];
    for (int n = 0; n < 6; n++) p->given[n] += part->given[n];
  }
}

static void add_up(const flip *s, const pieces *k) {
  add_all(s, k, count_face);
  for (size_t n = 0; n < k->count; n++) {
    piece *p = &k->of[n];
    double all = p->faces[0] + p->faces[1] + p->faces[2];
    for (int a = 0; a < 3 && all > 0; a++) p->center[a] /= all;
  }
  add_all(s, k, weigh_face);
}

// Which colliders carry a piece: those in its cells that have pressure.
static void find_contacts(const flip *s, const pieces *k) {
  for (size_t g = 0; g < s->grid.count; g++) {
    for (int c = 0; c < FLIP_CELLS && s->cut[g]; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c;
      double closed = 0, x[3];
      int nearest;
      if (!is_rigid(s, i) || !(s->p[i] > 0)) continue;
      piece *p = &k->of[k->label[i]];
      for (int a = 0; a < 3; a++) {
        size_t above = flip_beside(s, g, c, a, 1);
        double lower = (double)s->open[a][i], upper = (double)s->open[a][above];
        p->normal[a] += upper - lower;
        closed += 2 - lower - upper;
        p->carried = p->carried || s->wall[a][i] != 0 || s->wall[a][above] != 0;
      }
      if (!(closed > 0)) continue;
      flip_corner(s, g, c, x);
      for (int a = 0; a < 3; a++) x[a] = (x[a] + 0.5) * s->world->h;
      flip_solid_distance(s->world, s->beside[g], x, &nearest, NULL, NULL);
      for (int a = 0; a < 3; a++) {
        double at = x[a] / s->world->h;
        p->lo[a] = p->closed > 0 ? fmin(p->lo[a], at) : at;
        p->hi[a] = p->closed > 0 ? fmax(p->hi[a], at) : at;
      }
      p->closed += closed;
      p->friction += closed * s->world->collider[nearest].friction;
      p->sticky = p->sticky || s->world->collider[nearest].sticky;
    }
  }
}

// The inverse without flat directions.
static void find_motion(piece *p) {
  double V[36], most = 0;
  firn_jacobi(6, p->inertia, V);
  for (int e = 0; e < 6; e++) most = fmax(most, p->inertia[7 * e]);
  for (int e = 0; e < 6; e++) {
    double along = 0;
    if (!(p->inertia[7 * e] > 1e-9 * most)) continue;
    for (int n = 0; n < 6; n++) along += V[6 * n + e] * p->given[n];
    for (int n = 0; n < 6; n++) p->motion[n] += V[6 * n + e] * along / p->inertia[7 * e];
  }
}

// Whether the middle of a piece is above what it stands on, seen along the normal n.
static bool is_upright(const piece *p, const double n[3]) {
  double off[3], along = 0;
  for (int a = 0; a < 3; a++) {
    off[a] = p->center[a] - (p->lo[a] + p->hi[a]) / 2;
    along += off[a] * n[a];
  }
  for (int a = 0; a < 3; a++)
    if (fabs(off[a] - along * n[a]) > (p->hi[a] - p->lo[a]) / 2 + 0.5) return false;
  return true;
}

// A piece that stands on colliders which stand still, most of them on one side, slides on them or sticks,
// and does not turn: what stops it is the normal part of its velocity before the projection, since the
// projection has stopped that already.
static void hold_by_friction(piece *p) {
  double size = 0, v[3], into = 0, slip2 = 0, n[3];
  for (int a = 0; a < 3; a++) size += p->normal[a] * p->normal[a];
  size = sqrt(size);
  if (p->carried || !(size > 0.5 * p->closed)) return;
  for (int a = 0; a < 3; a++) {
    n[a] = p->normal[a] / size;
    v[a] = p->faces[a] > 0 ? p->before[a] / p->faces[a] : 0;
    into -= v[a] * n[a];
  }
  if (!(into > 0) || !is_upright(p, n)) return;
  for (int a = 0; a < 3; a++) {
    v[a] += into * n[a];
    slip2 += v[a] * v[a];
  }
  double friction = p->friction / p->closed, slip = sqrt(slip2);
  double left = p->sticky || slip <= friction * into ? 0 : 1 - friction * into / slip;
  memset(p->motion, 0, sizeof p->motion);
  for (int a = 0; a < 3; a++) p->motion[a] = left * v[a];
}

static void move_face(const flip *s, size_t g, int c, int a, piece *p) {
  const int b = (a + 1) % 3, d = (a + 2) % 3;
  double r[3];
  lever_of(s, p, g, c, a, r);
  double u = p->motion[a] + r[d] * p->motion[3 + b] - r[b] * p->motion[3 + d];
  s->u[a][FLIP_CELLS * g + (size_t)c] = (firn_real)u;
}

firn_status flip_clusters(flip *s) {
  pieces k = {0};
  FIRN_TRY(find_pieces(s, &k));
  s->last.clusters = k.count;
  if (!k.count) return FIRN_OK;
  add_up(s, &k);
  find_contacts(s, &k);
  for (size_t n = 0; n < k.count; n++) {
    find_motion(&k.of[n]);
    hold_by_friction(&k.of[n]);
  }
  FLIP_FOR_BLOCKS(s, g) add_faces(s, &k, g, move_face, NULL);
  return FIRN_OK;
}
