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
  uint32_t *forest;      // [blocks][64]
  piece *of;             // [count]
} pieces;

static bool is_rigid(const flip *s, size_t cell) {
  return flip_bit(s->active, cell) && !flip_bit(s->plastic, cell);
}

static firn_status find_pieces(flip *s, pieces *k) {
  static const int offset[6] = {-9, 9, -3, 3, -1, 1};
  size_t blocks = s->grid.count, cells = blocks * FLIP_CELLS;
  size_t head = blocks * (sizeof *k->beside + sizeof *k->member + sizeof *k->link) +
                2 * cells * sizeof *k->label;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->snow, head + 64, "rigid pieces"));
  char *at = s->snow.data;
  k->member = (void *)at, at += blocks * sizeof *k->member;
  k->link = (void *)at, at += blocks * sizeof *k->link;
  k->beside = (void *)at, at += blocks * sizeof *k->beside;
  k->label = (void *)at, at += cells * sizeof *k->label;
  k->forest = (void *)at;
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
  size_t bytes = (k->count + 1) * sizeof *k->of;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->parts, bytes, "rigid pieces"));
  k->of = s->parts.data;
  memset(k->of, 0, bytes);
  return FIRN_OK;
}

// The piece that a face belongs to: one that has a cell of it and whose other neighbour is its own or air.
// NULL: none.
static piece *piece_of(const flip *s, const pieces *k, size_t g, int c, int a) {
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  if (!flip_bit(s->moved[a], i)) return NULL;
  bool here = is_rigid(s, i), there = is_rigid(s, below);
  if ((!here && flip_bit(s->active, i)) || (!there && flip_bit(s->active, below))) return NULL;
  return here || there ? &k->of[k->label[here ? i : below]] : NULL;
}

// Place of a face, in cells from the middle of its piece, and J.
static void lever_of(const flip *s, const piece *p, size_t g, int c, int a, double J[6]) {
  double r[3];
  flip_corner(s, g, c, r);
  for (int n = 0; n < 3; n++) r[n] += (n == a ? 0 : 0.5) - p->center[n];
  const double e[3] = {a == 0, a == 1, a == 2};
  for (int n = 0; n < 3; n++) {
    J[n] = e[n];
    J[3 + n] = r[(n + 1) % 3] * e[(n + 2) % 3] - r[(n + 2) % 3] * e[(n + 1) % 3];
  }
}

#define FOR_FACES(s, g, c, a)                                                                      \
  for (size_t g = 0; g < (s)->grid.count; g++)                                                     \
    for (int c = 0; c < FLIP_CELLS && ((s)->moved[0][g] | (s)->moved[1][g] | (s)->moved[2][g]);    \
         c++)                                                                                      \
      for (int a = 0; a < 3; a++)

static void add_up(const flip *s, const pieces *k) {
  FOR_FACES(s, g, c, a) {
    piece *p = piece_of(s, k, g, c, a);
    size_t i = FLIP_CELLS * g + (size_t)c;
    double x[3], w = (double)s->open[a][i];
    if (!p) continue;
    flip_corner(s, g, c, x);
    p->faces[a] += w;
    p->before[a] += w * ((double)s->was[a][i] + s->dt * s->world->gravity[a]);
    for (int n = 0; n < 3; n++) p->center[n] += w * (x[n] + (n == a ? 0 : 0.5));
  }
  for (size_t n = 0; n < k->count; n++) {
    piece *p = &k->of[n];
    double all = p->faces[0] + p->faces[1] + p->faces[2];
    for (int a = 0; a < 3 && all > 0; a++) p->center[a] /= all;
  }
  FOR_FACES(s, g, c, a) {
    piece *p = piece_of(s, k, g, c, a);
    size_t i = FLIP_CELLS * g + (size_t)c;
    double J[6], w = (double)s->open[a][i];
    if (!p) continue;
    lever_of(s, p, g, c, a, J);
    for (int n = 0; n < 6; n++) {
      p->given[n] += w * J[n] * (double)s->u[a][i];
      for (int m = n; m < 6; m++) p->inertia[6 * n + m] += w * J[n] * J[m];
    }
  }
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
  FLIP_FOR_BLOCKS(s, g) {
    for (int c = 0; c < FLIP_CELLS; c++) {
      for (int a = 0; a < 3; a++) {
        const piece *p = piece_of(s, &k, g, c, a);
        double J[6], u = 0;
        if (!p) continue;
        lever_of(s, p, g, c, a, J);
        for (int n = 0; n < 6; n++) u += J[n] * p->motion[n];
        s->u[a][FLIP_CELLS * g + (size_t)c] = (firn_real)u;
      }
    }
  }
  return FIRN_OK;
}
