// SPDX-License-Identifier: Apache-2.0
// From particles to a block's arena, cell by cell: the nodes that a cell's particles reach are the lanes, 4
// by 4 of them in the plane of z and another axis, three such planes in a row along the third. Their sums
// stay in registers until the cell is done.
#ifndef FIRN_SOLVER_FLIP_SCATTER_LANE_H
#define FIRN_SOLVER_FLIP_SCATTER_LANE_H

#include "solver/flip/cells_lane.h"

#ifndef FIRN_DOUBLE

enum {
  NODES = 4,                  // of a cell along an axis: one below it to two above
  HALVES = NODES * NODES / L, // lanes for a plane of them
  PLANES = 3,                 // of those: the last node would be out of reach
  REACH = 5,                  // cells within two of a particle's, along an axis
};

// A particle, from the corner of its cell. Of nodes along an axis, faces and middles: squares of their
// distances, or splines of these.
typedef struct grain {
  float face[3][NODES], middle[3][NODES];
  float x[3], v[3], mass, volume, durability;
  float c[9]; // cells/s per cell: h dv/dx, under apic
} grain;

// Four at once, so that they are stored in one piece, as they will be read.
FIRN_HD_INLINE __m128 spline4(__m128 d) {
  __m128 a = _mm_andnot_ps(_mm_set1_ps(-0.0f), d);
  __m128 b = _mm_max_ps(_mm_sub_ps(_mm_set1_ps(1.5f), a), _mm_setzero_ps());
  __m128 inner = _mm_sub_ps(_mm_set1_ps(0.75f), _mm_mul_ps(a, a));
  __m128 outer = _mm_mul_ps(_mm_set1_ps(0.5f), _mm_mul_ps(b, b));
  return _mm_blendv_ps(outer, inner, _mm_cmplt_ps(a, _mm_set1_ps(0.5f)));
}
FIRN_HD_INLINE void measure_grain(grain *d, bool splines) {
  for (int a = 0; a < 3; a++) {
    __m128 face = _mm_sub_ps(_mm_setr_ps(-1, 0, 1, 2), _mm_set1_ps(d->x[a]));
    __m128 middle = _mm_add_ps(face, _mm_set1_ps(0.5f));
    _mm_storeu_ps(d->face[a], splines ? spline4(face) : _mm_mul_ps(face, face));
    _mm_storeu_ps(d->middle[a], splines ? spline4(middle) : _mm_mul_ps(middle, middle));
  }
}

FIRN_HD_INLINE void stage(const flip *s, size_t slot, const int corner[3], bool splines,
                          bool affine, grain *d) {
  const firn_particles *p = &s->world->particles;
  const float h = (float)s->world->h;
  for (int a = 0; a < 3; a++) {
    d->x[a] = firn_particles_real(p, FIRN_FIELD_X + a)[slot] - (float)corner[a];
    d->v[a] = firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
  }
  for (int k = 0; affine && k < 9; k++) d->c[k] = h * firn_particles_real(p, s->field_c + k)[slot];
  d->mass = firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  d->volume = firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  d->durability = firn_particles_real(p, s->field_d)[slot];
  measure_grain(d, splines);
}

// ------------------------------------------------------------------------------------------ lanes

// Four numbers as rows of a plane of nodes, each four times, or as columns, one after the other.
FIRN_HD_INLINE lane as_rows(const float of[NODES], int half) {
#ifdef FIRN_LANE_AVX512
  const __m512i by = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
  (void)half;
  return _mm512_permutexvar_ps(by, _mm512_broadcast_f32x4(_mm_loadu_ps(of)));
#else
  return _mm256_set_m128(_mm_set1_ps(of[2 * half + 1]), _mm_set1_ps(of[2 * half]));
#endif
}
FIRN_HD_INLINE lane as_columns(const float of[NODES]) {
#ifdef FIRN_LANE_AVX512
  return _mm512_broadcast_f32x4(_mm_loadu_ps(of));
#else
  return _mm256_broadcast_ps((const __m128 *)of);
#endif
}

// Adds a lane to rows of an arena.
FIRN_HD_INLINE void add_rows(float *to, size_t stride, lane sum) {
  float rows[L] __attribute__((aligned(64)));
  lane_store(rows, sum);
  for (size_t i = 0; i < L / NODES; i++) {
    float *row = to + stride * i;
    _mm_storeu_ps(row, _mm_add_ps(_mm_loadu_ps(row), _mm_load_ps(rows + NODES * i)));
  }
}

// The sharp kernel at three squared distances by one division.
FIRN_HD_INLINE void sharp3(const lane r2[PLANES], lane out[PLANES]) {
  lane r[PLANES];
  for (int l = 0; l < PLANES; l++) r[l] = lane_max(r2[l], lane_set1(FLIP_CLOSEST2));
  lane two = r[0] * r[1], all = lane_set1(FLIP_RADIUS2) / (two * r[2]), last = all * r[2];
  out[0] = last * r[1];
  out[1] = last * r[0];
  out[2] = all * two;
  for (int l = 0; l < PLANES; l++) out[l] = lane_max(out[l] - lane_set1(1), lane_zero());
}

// Of one particle: squared distances of nodes in three planes, or weights.
FIRN_HD_INLINE void weigh(const float rows[NODES], const float columns[NODES],
                          const float planes[NODES], int half, bool splines, lane r2[PLANES],
                          lane w[PLANES]) {
  lane row = as_rows(rows, half), column = as_columns(columns);
  if (splines) {
    for (int l = 0; l < PLANES; l++) w[l] = row * column * lane_set1(planes[l]);
    return;
  }
  for (int l = 0; l < PLANES; l++) r2[l] = row + column + lane_set1(planes[l]);
  sharp3(r2, w);
}

// -------------------------------------------------------------------------------------- one cell

// One component of the velocity: planes of x and z nodes for that along x, of y and z nodes for others.
FIRN_HD_INLINE void add_component(const grain *d, size_t count, int a, bool splines, bool affine,
                                  float *momentum, float *weight) {
  const int across = a == 0 ? 0 : 1, along = 1 - across;
  const size_t row = across == 0 ? 64 : 8, plane = across == 0 ? 8 : 64;
  static const float node[NODES] = {-1, 0, 1, 2}, mid[NODES] = {-0.5f, 0.5f, 1.5f, 2.5f};
  for (int h = 0; h < HALVES; h++) {
    lane sum[PLANES], by[PLANES];
    for (int l = 0; l < PLANES; l++) sum[l] = by[l] = lane_zero();
    for (const grain *end = d + count, *g = d; g < end; g++) {
      lane r2[PLANES], w[PLANES], v = lane_set1(g->v[a]), mass = lane_set1(g->mass);
      weigh(a == across ? g->face[across] : g->middle[across], a == 2 ? g->face[2] : g->middle[2],
            g->middle[along], h, splines, r2, w);
      if (affine) {
        lane dr = as_rows(a == across ? node : mid, h) - lane_set1(g->x[across]);
        lane dz = as_columns(a == 2 ? node : mid) - lane_set1(g->x[2]);
        v = lane_fma(lane_set1(g->c[3 * a + across]), dr, v);
        v = lane_fma(lane_set1(g->c[3 * a + 2]), dz, v);
      }
      for (int l = 0; l < PLANES; l++) {
        lane m = w[l] * mass, u = v;
        if (affine) u += lane_set1(g->c[3 * a + along] * (mid[l] - g->x[along]));
        by[l] += m;
        sum[l] = lane_fma(m, u, sum[l]);
      }
    }
    size_t at = row * (size_t)(h * L / NODES);
    for (size_t l = 0; l < PLANES; l++) {
      add_rows(momentum + at + plane * l, row, sum[l]);
      add_rows(weight + at + plane * l, row, by[l]);
    }
  }
}

// Density, and durability by the kernel of velocities, in the middles of cells.
FIRN_HD_INLINE void add_middles(const grain *d, size_t count, bool splines, bool porous,
                                float *fill, float *durability, float *weight) {
  for (int h = 0; h < HALVES; h++) {
    lane full[PLANES], sum[PLANES], by[PLANES];
    for (int l = 0; l < PLANES; l++) full[l] = sum[l] = by[l] = lane_zero();
    for (const grain *end = d + count, *g = d; g < end; g++) {
      lane r2[PLANES], w[PLANES], mass = lane_set1(g->mass), volume = lane_set1(g->volume);
      weigh(g->middle[1], g->middle[2], g->middle[0], h, splines, r2, w);
      for (int l = 0; l < PLANES; l++) {
        lane smooth = w[l], m = w[l] * mass;
        if (!splines)
          smooth = lane_max(lane_fnma(r2[l], lane_set1(1 / FLIP_RADIUS2), lane_set1(1)),
                            lane_zero());
        full[l] = lane_fma(smooth, volume, full[l]);
        by[l] += m;
        sum[l] = lane_fma(m, lane_set1(g->durability), sum[l]);
      }
    }
    size_t at = 8 * (size_t)(h * L / NODES);
    for (size_t l = 0; l < PLANES; l++, at += 64) {
      add_rows(fill + at, 8, full[l]);
      if (!porous) continue;
      add_rows(durability + at, 8, sum[l]);
      add_rows(weight + at, 8, by[l]);
    }
  }
}

// Least squared distances from the middles of cells within two of this one. Rows of a tile are taken whole,
// and six of them, which are one piece of memory.
static inline void note_distances(const grain *d, size_t count, int cell, float *near) {
  enum { ROWS = 6, LANES = ROWS * FLIP_TILE / L };
  const int i0 = cell >> 4, j = cell >> 2 & 3, j0 = j < 2 ? j : 2, k = cell & 3;
  float y[ROWS * FLIP_TILE], z[ROWS * FLIP_TILE], *to = near + 64 * i0 + 8 * j0;
  lane least[REACH][LANES];
  for (int n = 0; n < ROWS * FLIP_TILE; n++) {
    y[n] = (float)(j0 - j + n / FLIP_TILE + FLIP_TILE_FIRST) + 0.5f;
    z[n] = (float)(n % FLIP_TILE - k + FLIP_TILE_FIRST) + 0.5f;
  }
  for (int i = 0; i < REACH; i++)
    for (int n = 0; n < LANES; n++) least[i][n] = lane_loadu(to + 64 * i + L * n);
  for (const grain *end = d + count, *g = d; g < end; g++) {
    lane plane2[LANES];
    for (int n = 0; n < LANES; n++) {
      lane dy = lane_loadu(y + L * n) - lane_set1(g->x[1]);
      lane dz = lane_loadu(z + L * n) - lane_set1(g->x[2]);
      plane2[n] = lane_fma(dy, dy, dz * dz);
    }
    for (int i = 0; i < REACH; i++) {
      float dx = (float)(i + FLIP_TILE_FIRST) + 0.5f - g->x[0];
      for (int n = 0; n < LANES; n++)
        least[i][n] = lane_min(least[i][n], plane2[n] + lane_set1(dx * dx));
    }
  }
  for (int i = 0; i < REACH; i++)
    for (int n = 0; n < LANES; n++) lane_storeu(to + 64 * i + L * n, least[i][n]);
}

// ------------------------------------------------------------------------------------- one block

FIRN_HD_INLINE uint64_t scatter_block(const flip *s, size_t b, float *arena, bool splines,
                                      bool affine) {
  const firn_block *block = &s->world->particles.block[b];
  uint64_t full = 0;
  cell_order order;
  grain d[CHUNK];
  for (size_t done = 0; done < block->count; done += CHUNK) {
    size_t first = block->first + done, left = block->count - done;
    order_cells(&s->world->particles, first, left < CHUNK ? left : CHUNK, &order);
    for (int c = 0; c < FLIP_CELLS; c++) {
      const int corner[3] = {c >> 4, c >> 2 & 3, c & 3};
      float *at = arena + 64 * (corner[0] + 1) + 8 * (corner[1] + 1) + corner[2] + 1;
      const uint16_t *slot = order.slot + order.start[c];
      size_t count = order.start[c + 1] - order.start[c];
      if (!count) continue;
      full |= (uint64_t)1 << c;
      for (size_t i = 0; i < count; i++) stage(s, first + slot[i], corner, splines, affine, &d[i]);
      for (int a = 0; a < 3; a++)
        add_component(d, count, a, splines, affine,
                      at + (FLIP_ARENA_MOMENTUM + a) * FLIP_TILE_CELLS,
                      at + (FLIP_ARENA_WEIGHT + a) * FLIP_TILE_CELLS);
      add_middles(d, count, splines, s->porous, at + FLIP_ARENA_FILL * FLIP_TILE_CELLS,
                  at + FLIP_ARENA_DURABILITY * FLIP_TILE_CELLS,
                  at + FLIP_ARENA_MIDDLE * FLIP_TILE_CELLS);
      note_distances(d, count, c, arena + FLIP_ARENA_NEAR * FLIP_TILE_CELLS);
    }
  }
  return full;
}

static uint64_t scatter(const flip *s, size_t b, float *arena) {
  bool affine = s->field_c >= 0;
  if (s->def.kernel == FIRN_FLIP_KERNEL_BSPLINE)
    return affine ? scatter_block(s, b, arena, true, true)
                  : scatter_block(s, b, arena, true, false);
  return affine ? scatter_block(s, b, arena, false, true)
                : scatter_block(s, b, arena, false, false);
}

#endif
#endif
