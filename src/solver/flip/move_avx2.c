// SPDX-License-Identifier: Apache-2.0
// Back to the particles: those of one cell are the lanes, and what they read of the grid is the same for all,
// so nodes are broadcast. Only half-way along their path particles are anywhere, and nodes are gathered.
#define FIRN_LANE_AVX2
#include <math.h>

#include "solver/flip/cells_lane.h"

#ifndef FIRN_DOUBLE

// ------------------------------------------------------------------------------------------- tile

static void block_around(const flip *s, size_t b, uint32_t out[27]) {
  for (int o = 0; o < 27; o++) {
    uint32_t target = s->grid.target[b][o];
    out[o] = target == FIRN_GRID_NONE ? (uint32_t)s->grid.count : target;
  }
}

// A tile's rows are the last two, all four and the first two cells of three blocks in a row.
static void load_tile(const float *channel, const uint32_t block[27], float *out) {
  for (int i = 0; i < FLIP_TILE; i++) {
    for (int j = 0; j < FLIP_TILE; j++) {
      int x = i + FLIP_TILE_FIRST, y = j + FLIP_TILE_FIRST;
      const uint32_t *at = block + 9 * (1 + (x < 0 ? -1 : x > 3)) + 3 * (1 + (y < 0 ? -1 : y > 3));
      const float *row = channel + 16 * (x & 3) + 4 * (y & 3);
      __m128 low = _mm_loadu_ps(row + FLIP_CELLS * (size_t)at[0]);
      __m128 own = _mm_loadu_ps(row + FLIP_CELLS * (size_t)at[1]);
      __m128 high = _mm_loadu_ps(row + FLIP_CELLS * (size_t)at[2]);
      _mm_store_ps(out + 64 * i + 8 * j, _mm_shuffle_ps(low, own, 0x4e));
      _mm_store_ps(out + 64 * i + 8 * j + 4, _mm_shuffle_ps(own, high, 0x4e));
    }
  }
}

// ---------------------------------------------------------------------------------------- weights

// Of the nodes around a cell along an axis, for particles in it: faces or middles, from the first that one
// of them reaches on. These functions are to be called with constants for all that is no lane.
enum { MOST = 4 };
#define FIRST(face, splines) ((face) && !(splines) ? 0 : -1)
#define COUNT(face, splines) (!(face) ? 3 : (splines) ? 4 : 2)
typedef struct nodes {
  lane w[MOST], slope[MOST];
} nodes;

FIRN_HD_INLINE lane spline_of(lane d) {
  lane a = lane_abs(d), b = lane_max(lane_set1(1.5f) - a, lane_zero());
  return lane_select(lane_lt(a, lane_set1(0.5f)), lane_set1(0.75f) - a * a,
                     lane_set1(0.5f) * b * b);
}

// x from the cell's corner, in [0, 1]. Slopes, of splines only, as of advect.c.
FIRN_HD_INLINE void weigh_nodes(lane x, bool face, bool splines, nodes *out) {
  for (int n = 0; n < COUNT(face, splines); n++) {
    lane away = lane_set1((float)(FIRST(face, splines) + n) + (face ? 0 : 0.5f)) - x;
    out->w[n] = lane_max(lane_set1(1) - lane_abs(away), lane_zero());
    if (!splines) continue;
    out->w[n] = spline_of(away);
    out->slope[n] = lane_set1(4) * out->w[n] * away;
  }
}

// Of nodes that are faces along axis a, 3: along none. slope: which axis has slopes in place of weights; -1:
// none. node: that of the cell.
FIRN_HD_INLINE lane sum_around(const float *node, const nodes *x, const nodes *y, const nodes *z,
                               int a, bool splines, int slope) {
  lane sum = lane_zero();
  const lane *wx = slope == 0 ? x->slope : x->w, *wy = slope == 1 ? y->slope : y->w,
             *wz = slope == 2 ? z->slope : z->w;
  const float *first = node + 64 * FIRST(a == 0, splines) + 8 * FIRST(a == 1, splines) +
                       FIRST(a == 2, splines);
  for (int i = 0; i < COUNT(a == 0, splines); i++) {
    lane plane = lane_zero();
    for (int j = 0; j < COUNT(a == 1, splines); j++) {
      const float *from = first + 64 * i + 8 * j;
      lane row = wz[0] * lane_set1(from[0]);
      for (int k = 1; k < COUNT(a == 2, splines); k++)
        row = lane_fma(wz[k], lane_set1(from[k]), row);
      plane = lane_fma(wy[j], row, plane);
    }
    sum = lane_fma(wx[i], plane, sum);
  }
  return sum;
}

// At any place of the tile, x in cells from the block's corner: a component of the velocity.
FIRN_HD_INLINE lane gather_at(const float *node, const lane x[3], int a, bool splines) {
  const int count = splines ? 3 : 2;
  lane w[3][3], index = lane_zero(), sum = lane_zero();
  for (int k = 0; k < 3; k++) {
    lane at = x[k] - lane_set1((float)FLIP_TILE_FIRST + (k == a ? 0 : 0.5f));
    // In this order what is no number is 0, which may be read.
    at = lane_min(lane_max(at, lane_set1(splines ? 0.5f : 0)),
                  lane_set1((float)FLIP_TILE - (splines ? 1.501f : 1.001f)));
    lane first = lane_floor(at - lane_set1(splines ? 0.5f : 0));
    index = lane_fma(index, lane_set1(FLIP_TILE), first);
    for (int n = 0; n < count; n++) {
      lane away = first + lane_set1((float)n) - at;
      w[k][n] = lane_set1(1) - lane_abs(away);
      if (splines) w[k][n] = spline_of(away);
    }
  }
  ilane from = lane_to_ilane(index);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      lane row = lane_zero();
      for (int k = 0; k < count; k++)
        row = lane_fma(w[2][k], lane_gather(node + 64 * i + 8 * j + k, from), row);
      sum = lane_fma(w[0][i] * w[1][j], row, sum);
    }
  }
  return sum;
}

// -------------------------------------------------------------------------------------- particles

typedef struct tile {
  _Alignas(64) float u[3][FLIP_TILE_CELLS];
  float change[3][FLIP_TILE_CELLS];
  float late[3][FLIP_TILE_CELLS]; // of what comes on top of rigid motions
  float fill[FLIP_TILE_CELLS], p[FLIP_TILE_CELLS], hurt[FLIP_TILE_CELLS];
} tile;

// Some particles of one cell; those behind the last repeat it.
typedef struct crowd {
  size_t slot[L];
  int count;
} crowd;

// Put together from scalar loads: one that waits for stores to an array is slower.
FIRN_HD_INLINE lane take(const float *field, const crowd *who) {
  const size_t *at = who->slot;
  return _mm256_setr_ps(field[at[0]], field[at[1]], field[at[2]], field[at[3]], field[at[4]],
                        field[at[5]], field[at[6]], field[at[7]]);
}
FIRN_HD_INLINE void give(float *field, const crowd *who, lane value) {
  float from[L] __attribute__((aligned(64)));
  lane_store(from, value);
  for (int l = 0; l < who->count; l++) field[who->slot[l]] = from[l];
}

// What particles have got, but for gravity, and their greatest speed.
typedef struct account {
  double gained[3][L];
  lane speed2;
  lmask bad;
} account;

FIRN_HD_INLINE void book(account *to, int a, const crowd *who, lane mass, lane before, lane after,
                         double fall) {
  float m[L], v0[L], v1[L];
  lane_storeu(m, lane_select(lane_mask_first(who->count), mass, lane_zero()));
  lane_storeu(v0, before);
  lane_storeu(v1, after);
  for (int l = 0; l < L; l++)
    to->gained[a][l] += (double)m[l] * ((double)v1[l] - (double)v0[l] - fall);
}

// What is the same for all crowds of a block.
typedef struct journey {
  const flip *s;
  size_t b;
  double blend;
  uint64_t near; // colliders
  tile t;
} journey;

// The gradient of the grid's velocity along an axis: over two cells, as in advect.c.
FIRN_HD_INLINE void take_gradient(const journey *j, const crowd *who, const float *u, int a,
                                  const nodes face[3], const nodes middle[3], const float *rigid) {
  const nodes *x = a == 0 ? &face[0] : &middle[0], *y = a == 1 ? &face[1] : &middle[1],
              *z = a == 2 ? &face[2] : &middle[2];
  lane per_h = lane_set1((float)(1 / j->s->world->h));
  for (int k = 0; k < 3; k++)
    give(firn_particles_real(&j->s->world->particles, j->s->field_c + 3 * a + k), who,
         lane_fma(per_h, sum_around(u, x, y, z, a, true, k),
                  lane_set1(rigid ? rigid[3 * a + k] : 0)));
}

// The grid's velocity along an axis, by which the particles' own is changed.
FIRN_HD_INLINE lane take_velocity(const journey *j, const crowd *who, int node, int a,
                                  const nodes face[3], const nodes middle[3], lane mass,
                                  bool splines, lane *speed2, account *to) {
  const flip *s = j->s;
  const nodes *x = a == 0 ? &face[0] : &middle[0], *y = a == 1 ? &face[1] : &middle[1],
              *z = a == 2 ? &face[2] : &middle[2];
  float *field = firn_particles_real(&s->world->particles, FIRN_FIELD_VX + a);
  lane before = take(field, who);
  lane change = sum_around(j->t.change[a] + node, x, y, z, a, splines, -1);
  lane u = sum_around(j->t.u[a] + node, x, y, z, a, splines, -1);
  lane after = lane_fma(lane_set1((float)j->blend), before + change,
                        lane_set1((float)(1 - j->blend)) * u);
  give(field, who, after);
  *speed2 = lane_fma(after, after, *speed2);
  book(to, a, who, mass, before, after, s->dt * s->world->gravity[a]);
  return u;
}

// A row of a map of places in the block.
FIRN_HD_INLINE lane map_row(const float map[12], int a, const lane x[3]) {
  lane sum = lane_set1(map[9 + a]);
  for (int k = 0; k < 3; k++) sum = lane_fma(lane_set1(map[3 * a + k]), x[k], sum);
  return sum;
}

// Particles of a rigid piece: their velocity along an axis, and the way that they go, in cells.
FIRN_HD_INLINE lane ride(const journey *j, const flip_ride *r, const crowd *who, int node, int a,
                         const nodes face[3], const nodes middle[3], const lane x[3], lane mass,
                         bool splines, lane *speed2, account *to) {
  const flip *s = j->s;
  const nodes *nx = a == 0 ? &face[0] : &middle[0], *ny = a == 1 ? &face[1] : &middle[1],
              *nz = a == 2 ? &face[2] : &middle[2];
  lane late = sum_around(j->t.late[a] + node, nx, ny, nz, a, splines, -1);
  lane after = late + map_row(r->speed, a, x);
  float *field = firn_particles_real(&s->world->particles, FIRN_FIELD_VX + a);
  lane before = take(field, who);
  give(field, who, after);
  *speed2 = lane_fma(after, after, *speed2);
  book(to, a, who, mass, before, after, s->dt * s->world->gravity[a]);
  return lane_fma(lane_set1((float)(s->dt / s->world->h)), late, map_row(r->way, a, x));
}

// Density, pressure and durability.
FIRN_HD_INLINE void take_state(const journey *j, const crowd *who, int node, const nodes m[3],
                               bool splines) {
  const flip *s = j->s;
  const firn_particles *p = &s->world->particles;
  lane fill = sum_around(j->t.fill + node, m, m + 1, m + 2, 3, splines, -1);
  lane pressure = sum_around(j->t.p + node, m, m + 1, m + 2, 3, splines, -1);
  give(firn_particles_real(p, s->field_fill), who, fill);
  give(firn_particles_real(p, s->field_p), who, pressure);
  if (!s->porous) return;
  float *d = firn_particles_real(p, s->field_d);
  lane hurt = sum_around(j->t.hurt + node, m, m + 1, m + 2, 3, splines, -1);
  give(d, who, lane_max(take(d, who) + lane_min(hurt, lane_zero()), lane_zero()));
}

// Places at the end of the step, out of colliders.
FIRN_HD_INLINE void finish_crowd(const journey *j, const crowd *who, const lane x[3], lane speed2,
                                 account *to) {
  const firn_particles *p = &j->s->world->particles;
  lane poison = speed2 - speed2; // 0, unless something is not finite
  for (int k = 0; k < 3; k++) poison += x[k] - x[k];
  to->bad = lmask_or(to->bad, lane_ne(poison, lane_zero()));
  to->speed2 = lane_max(to->speed2, speed2);
  if (!j->near) {
    for (int k = 0; k < 3; k++) give(firn_particles_real(p, FIRN_FIELD_X + k), who, x[k]);
    return;
  }
  float out[3][L];
  for (int k = 0; k < 3; k++) lane_storeu(out[k], x[k]);
  for (int l = 0; l < who->count; l++) {
    float at[3] = {out[0][l], out[1][l], out[2][l]}, from[3];
    for (int k = 0; k < 3; k++) from[k] = firn_particles_real(p, FIRN_FIELD_X + k)[who->slot[l]];
    flip_push_out(j->s, j->b, j->near, from, at);
    for (int k = 0; k < 3; k++) firn_particles_real(p, FIRN_FIELD_X + k)[who->slot[l]] = at[k];
  }
}

FIRN_HD_INLINE void move_crowd(const journey *j, int cell, const crowd *who, bool splines,
                               bool affine, account *to) {
  const flip *s = j->s;
  const firn_particles *p = &s->world->particles;
  const int corner[3] = {cell >> 4, cell >> 2 & 3, cell & 3};
  const int node = 64 * (corner[0] - FLIP_TILE_FIRST) + 8 * (corner[1] - FLIP_TILE_FIRST) +
                   corner[2] - FLIP_TILE_FIRST;
  const lane cells = lane_set1((float)(s->dt / s->world->h));
  nodes face[3], middle[3];
  lane x[3], v[3], speed2 = lane_zero(), mass = take(firn_particles_real(p, FIRN_FIELD_MASS), who);
  for (int k = 0; k < 3; k++) {
    x[k] = take(firn_particles_real(p, FIRN_FIELD_X + k), who);
    lane in = x[k] - lane_set1((float)corner[k]);
    weigh_nodes(in, true, splines, &face[k]);
    weigh_nodes(in, false, splines, &middle[k]);
  }
  take_state(j, who, node, middle, splines);
  flip_ride r;
  bool rides = flip_ride_of(s, j->b, cell, &r);
  if (affine) {
    nodes gradient_face[3], gradient_middle[3];
    const float(*u)[FLIP_TILE_CELLS] = rides ? j->t.late : j->t.u;
    for (int k = 0; k < 3; k++) {
      lane in = x[k] - lane_set1((float)corner[k]);
      weigh_nodes(in, true, true, &gradient_face[k]);
      weigh_nodes(in, false, true, &gradient_middle[k]);
    }
    for (int a = 0; a < 3; a++)
      take_gradient(j, who, u[a] + node, a, gradient_face, gradient_middle,
                    rides ? r.gradient : NULL);
  }
  if (rides) {
    lane way[3];
    way[0] = ride(j, &r, who, node, 0, face, middle, x, mass, splines, &speed2, to);
    way[1] = ride(j, &r, who, node, 1, face, middle, x, mass, splines, &speed2, to);
    way[2] = ride(j, &r, who, node, 2, face, middle, x, mass, splines, &speed2, to);
    for (int k = 0; k < 3; k++) x[k] += way[k];
    finish_crowd(j, who, x, speed2, to);
    return;
  }
  v[0] = take_velocity(j, who, node, 0, face, middle, mass, splines, &speed2, to);
  v[1] = take_velocity(j, who, node, 1, face, middle, mass, splines, &speed2, to);
  v[2] = take_velocity(j, who, node, 2, face, middle, mass, splines, &speed2, to);
  if (!s->def.advect_grid) {
    lane half[3];
    for (int k = 0; k < 3; k++) half[k] = lane_fma(lane_set1(0.5f) * cells, v[k], x[k]);
    for (int a = 0; a < 3; a++) v[a] = gather_at(j->t.u[a], half, a, splines);
  }
  for (int k = 0; k < 3; k++) x[k] = lane_fma(cells, v[k], x[k]);
  finish_crowd(j, who, x, speed2, to);
}

FIRN_HD_INLINE flip_tally move_block(const flip *s, size_t b, double blend, bool splines,
                                     bool affine) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  uint32_t around[27];
  journey j __attribute__((aligned(64)));
  cell_order order;
  account sums = {.speed2 = lane_zero(), .bad = lane_lt(lane_zero(), lane_zero())};
  flip_tally tally = {0};
  j.s = s;
  j.b = b;
  j.blend = blend;
  j.near = flip_colliders_near(s, b);
  block_around(s, b, around);
  for (int a = 0; a < 3; a++) {
    // cppcheck-suppress uninitvar ; it is stored to
    load_tile(s->u[a], around, j.t.u[a]);
    load_tile(s->was[a], around, j.t.change[a]);
    if (s->riding.of) load_tile(s->rubbed[a], around, j.t.late[a]);
  }
  load_tile(s->fill[0], around, j.t.fill);
  load_tile(s->pressure[0], around, j.t.p);
  if (s->porous) load_tile(s->hurt[0], around, j.t.hurt);
  for (size_t done = 0; done < block->count; done += CHUNK) {
    size_t first = block->first + done, left = block->count - done;
    order_cells(p, first, left < CHUNK ? left : CHUNK, &order);
    for (int c = 0; c < FLIP_CELLS; c++) {
      for (uint32_t at = order.start[c]; at < order.start[c + 1]; at += L) {
        crowd who = {.count = (int)(order.start[c + 1] - at)};
        if (who.count > L) who.count = L;
        for (int l = 0; l < L; l++)
          who.slot[l] = first + order.slot[at + (uint32_t)(l < who.count ? l : who.count - 1)];
        move_crowd(&j, c, &who, splines, affine, &sums);
      }
    }
  }
  for (int a = 0; a < 3; a++)
    for (int l = 0; l < L; l++) tally.gained[a] += sums.gained[a][l];
  tally.speed2 = lmask_any(sums.bad) ? (double)NAN : (double)lane_hmax(sums.speed2);
  return tally;
}

flip_tally flip_move_avx2(const flip *s, size_t b, double blend) {
  bool affine = s->field_c >= 0;
  if (s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE)
    return affine ? move_block(s, b, blend, true, true) : move_block(s, b, blend, true, false);
  return affine ? move_block(s, b, blend, false, true) : move_block(s, b, blend, false, false);
}

#endif
