// SPDX-License-Identifier: Apache-2.0
// What does not yield moves as rigid pieces: cells that hang together get one motion, with the momentum and
// the angular momentum that they have. A face has one component of the velocity, that along its axis e_a, so
// sums of mass and inertia as of points would be wrong by a tenth: the motion q = (V, omega) is that of
//
//   sum m_f J_f J_f^T q = sum m_f J_f u_f,   J_f = (e_a, r_f x e_a),
//
// without the directions in which a piece has no inertia, as a row of cells has around itself. u_f is what the
// face would have without pressure and colliders, which is for fluids: a piece bears the pressure of what
// yields beside it, and touches colliders as a body does (contacts.c). m_f is about what particles have of
// their mass there, so that a piece keeps their momenta, and not only the grid's.
//
// That is of pieces with snow that yields beside them, which exchange momentum with it by way of
// the grid. A piece that has none moves with its particles, and by their momenta (riders.c).
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/jacobi.h"
#include "solver/flip/pieces.h"

static const uint32_t NONE = UINT32_MAX, MIXED = UINT32_MAX - 1;
// Of an owner: the face is between the piece and what yields, which moves it and whose pressure the piece
// bears.
static const uint32_t PRESSED = (uint32_t)1 << 31;

static bool is_rigid(const flip *s, size_t cell) {
  return flip_bit(s->active, cell) && !flip_bit(s->plastic, cell);
}

// A face belongs to a piece that has a cell of it and whose other neighbour is its own, air, or inside a
// collider: particles between a cell's middle and a wall have their mass on the face in it.
static void find_owners(const flip *s, const pieces *k, size_t g) {
  uint32_t sole = NONE;
  for (int a = 0; a < 3; a++) {
    uint32_t *owner = k->owner[a] + FLIP_CELLS * g;
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
      bool here = is_rigid(s, i), there = is_rigid(s, below);
      owner[c] = NONE;
      if ((!here && !there) || (here && there && !flip_bit(s->moved[a], i))) continue;
      uint32_t of = k->label[here ? i : below];
      bool yields = (!here && flip_bit(s->active, i)) || (!there && flip_bit(s->active, below));
      owner[c] = yields ? of | PRESSED : of;
      sole = sole == NONE || sole == of ? of : MIXED;
    }
  }
  k->sole[g] = sole;
}

// Pieces that nothing that yields presses on: such faces are in blocks with a cell that does, or
// above one.
static void find_riders(const flip *s, const pieces *k) {
  for (size_t n = 0; n < k->count; n++) k->of[n].rides = true;
  for (size_t g = 0; g < s->grid.count; g++) {
    uint64_t near = s->plastic[g];
    for (int d = 0; d < 6; d += 2) near |= s->plastic[k->beside[g][d]];
    for (int a = 0; a < 3 && near && k->sole[g] != NONE; a++)
      for (size_t i = FLIP_CELLS * g; i < FLIP_CELLS * (g + 1); i++)
        if (k->owner[a][i] != NONE && k->owner[a][i] & PRESSED)
          k->of[k->owner[a][i] & ~PRESSED].rides = false;
  }
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
  size_t bytes = (k->count + 1 + blocks) * sizeof *k->of + k->count * sizeof *k->moments;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->pieces, bytes, "rigid pieces"));
  k->of = s->pieces.data;
  k->part = k->of + k->count + 1;
  k->moments = (flip_moments *)(k->part + blocks);
  memset(k->of, 0, k->count * sizeof *k->of);
  FLIP_FOR_BLOCKS(s, g) find_owners(s, k, g);
  find_riders(s, k);
  return FIRN_OK;
}

// Place of a face, in cells from the middle of its piece.
static void lever_of(const flip *s, const piece *p, size_t g, int c, int a, double r[3]) {
  flip_corner(s, g, c, r);
  for (int n = 0; n < 3; n++) r[n] += (n == a ? 0 : 0.5) - p->center[n];
}

double flip_face_mass(const flip *s, size_t g, int c, int a) {
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  return (flip_bit(s->active, i) ? flip_mass_in(s, i) / 2 : 0) +
         (flip_bit(s->active, below) ? flip_mass_in(s, below) / 2 : 0);
}
// Of its rigid cells only: half of the mass of each is on either face along an axis.
static double rigid_mass(const flip *s, size_t g, int c, int a) {
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  return (is_rigid(s, i) ? flip_mass_in(s, i) / 2 : 0) +
         (is_rigid(s, below) ? flip_mass_in(s, below) / 2 : 0);
}

// What a face adds to its piece: mass and place at first, then its part of the system. Of J it has the
// component a and, by r x e_a, two more.
static void count_face(const flip *s, size_t g, int c, int a, piece *to) {
  double x[3], m = rigid_mass(s, g, c, a);
  flip_corner(s, g, c, x);
  to->mass += m;
  for (int n = 0; n < 3; n++) to->center[n] += m * (x[n] + (n == a ? 0 : 0.5));
}
static void weigh_face(const flip *s, size_t g, int c, int a, piece *to) {
  const int b = (a + 1) % 3, d = (a + 2) % 3, at[3] = {a, 3 + (b < d ? b : d), 3 + (b < d ? d : b)};
  size_t i = FLIP_CELLS * g + (size_t)c;
  double r[3], m = rigid_mass(s, g, c, a), u;
  if (flip_bit(s->moved[a], i))
    u = (double)s->u[a][i] + flip_drop(s, g, c, a) - (double)s->rubbed[a][i];
  else
    u = (double)s->was[a][i] + s->dt * s->world->gravity[a];
  lever_of(s, to, g, c, a, r);
  const double J[3] = {1, b < d ? r[d] : -r[b], b < d ? -r[b] : r[d]};
  for (int n = 0; n < 3; n++) {
    to->given[at[n]] += m * J[n] * u;
    for (int l = n; l < 3; l++) to->system[6 * at[n] + at[l]] += m * J[n] * J[l];
  }
}
// The pressure of what yields on the other side.
static void press_face(const flip *s, size_t g, int c, int a, piece *to) {
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  const int b = (a + 1) % 3, d = (a + 2) % 3;
  bool here = is_rigid(s, i);
  double r[3], impulse = (double)s->open[a][i] * (s->p[i] + s->p[below]) / 2 *
                         flip_cell_mass(s, here ? i : below) * (here ? 1 : -1);
  lever_of(s, to, g, c, a, r);
  to->given[a] += impulse;
  to->given[3 + b] += r[d] * impulse;
  to->given[3 + d] -= r[b] * impulse;
}
static void move_face(const flip *s, size_t g, int c, int a, piece *p) {
  const int b = (a + 1) % 3, d = (a + 2) % 3;
  double r[3];
  lever_of(s, p, g, c, a, r);
  double u = p->motion[a] + r[d] * p->motion[3 + b] - r[b] * p->motion[3 + d];
  s->u[a][FLIP_CELLS * g + (size_t)c] = (firn_real)u;
  s->rubbed[a][FLIP_CELLS * g + (size_t)c] = 0; // contacts.c has rubbed it
}

typedef void (*face_fn)(const flip *s, size_t g, int c, int a, piece *to);

// All faces of a block, to `sole` if that is given.
static void add_faces(const flip *s, const pieces *k, size_t g, face_fn add, piece *sole) {
  for (int a = 0; a < 3; a++) {
    for (int c = 0; c < FLIP_CELLS && k->sole[g] != NONE; c++) {
      uint32_t owner = k->owner[a][FLIP_CELLS * g + (size_t)c];
      if (owner == NONE) continue;
      const piece *of = &k->of[owner & ~PRESSED];
      piece *to = sole ? sole : &k->of[owner & ~PRESSED];
      if (add == move_face ? of->rides && !(of->mass > 0) : of->rides) continue;
      if (owner & PRESSED && add == weigh_face) press_face(s, g, c, a, to);
      if (owner & PRESSED && add == move_face) continue;
      add(s, g, c, a, to);
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
    if (add == count_face) p->mass += part->mass;
    for (int a = 0; a < 3 && add == count_face; a++) p->center[a] += part->center[a];
    for (int n = 0; n < 36; n++) p->system[n] += part->system[n];
    for (int n = 0; n < 6; n++) p->given[n] += part->given[n];
  }
}

static void add_up(const flip *s, const pieces *k) {
  add_all(s, k, count_face);
  for (size_t n = 0; n < k->count; n++) {
    piece *p = &k->of[n];
    for (int a = 0; a < 3 && p->mass > 0; a++) p->center[a] /= p->mass;
  }
  add_all(s, k, weigh_face);
}

// The motion, and the inverse without flat directions, which takes the place of the system.
static void find_motion(piece *p) {
  double V[36], most = 0, inverse[36] = {0};
  firn_jacobi(6, p->system, V);
  for (int e = 0; e < 6; e++) most = fmax(most, p->system[7 * e]);
  for (int e = 0; e < 6; e++) {
    if (!(p->system[7 * e] > 1e-9 * most)) continue;
    for (int n = 0; n < 36; n++)
      inverse[n] += V[6 * (n / 6) + e] * V[6 * (n % 6) + e] / p->system[7 * e];
  }
  memcpy(p->system, inverse, sizeof inverse);
  for (int n = 0; n < 36; n++) p->motion[n / 6] += inverse[n] * p->given[n % 6];
}

firn_status flip_clusters(flip *s) {
  pieces k = {0};
  FIRN_TRY(find_pieces(s, &k));
  s->last.clusters = k.count;
  if (!k.count) return FIRN_OK;
  add_up(s, &k);
  for (size_t n = 0; n < k.count; n++) find_motion(&k.of[n]);
  FIRN_TRY(flip_weigh_riders(s, &k));
  FIRN_TRY(flip_touch_pieces(s, &k));
  for (size_t n = 0; n < k.count; n++) flip_turn_rider(s, &k.of[n]);
  FLIP_FOR_BLOCKS(s, g) add_faces(s, &k, g, move_face, NULL);
  s->riding.label = k.label;
  s->riding.of = k.of;
  return FIRN_OK;
}
