// SPDX-License-Identifier: Apache-2.0
// The look-up in a sparse signed distance field, which C and CUDA compile alike.
//
// In a block near the surface the distance is the trilinear interpolant of its nodes, as long as it
// is within the band. Beyond, only block corners c_i are known, H = 8 voxels apart. With weights W_i
// of the trilinear interpolation at x and the surface's points q,
//
//   d^2(x) - |x|^2 = min_q (|q|^2 - 2 q x)     is concave, so it is no less than its interpolant:
//   d^2(x) >= sum_i W_i d_i^2 - sum_i W_i |x - c_i|^2 = sum_i W_i d_i^2 - H^2 sum_a f_a (1 - f_a),
//
// where f are the offsets in the block. That bound is what the field answers far away: never too
// large, off by H^2 / (4 d) at most over a plane, exact around a point, and continuous. Outside the
// lattice's box, whose nearest point is p, d^2(x) >= d^2(p) + |x - p|^2, because the box is convex
// and holds the surface.
#ifndef FIRN_GEOMETRY_LEVEL_SET_SAMPLE_H
#define FIRN_GEOMETRY_LEVEL_SET_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "math/real.h"

enum {
  FIRN_LEVEL_SET_CELLS = 8, // cells of a block along an axis
  FIRN_LEVEL_SET_NODES = 9, // nodes of a block: those at its far faces are its neighbours', too
  FIRN_LEVEL_SET_BLOCK = 729
};

typedef struct firn_level_set {
  struct firn_context *context; // whose memory this is
  int references;
  double origin[3]; // m: node 0
  double voxel;     // m
  double band;      // m: |distance| beyond which the bound is used; infinite for given grids
  int blocks[3];    // of the lattice, along x, y, z
  double hi[3]; // m: far end of the box that is answered from the lattice; origin is the near end
  double bounds[2][3];        // m: of the surface (of the box, for given grids)
  size_t block_count;         // stored blocks
  int32_t *table;             // [blocks z][y][x]: number of a stored block, or -1
  float *corner;              // m: signed distances at block corners, [blocks z + 1][y + 1][x + 1]
  firn_real *value;           // m: [block_count][9 z][9 y][9 x]
  firn_real *corner_velocity; // m/s: [..][3], or NULL: at rest
  firn_real *velocity;        // m/s: [block_count][9 z][9 y][9 x][3]
} firn_level_set;

// Where a point lies: its block, and the cell and offset in it.
typedef struct firn_level_set_place {
  double p[3];       // m: the nearest point of the box
  int block[3];      // of blocks
  int32_t number;    // of the stored block, or -1
  int cell[3];       // 0..7
  double f[3], g[3]; // offsets in the cell and in the block, 0..1
} firn_level_set_place;

FIRN_HD void firn_level_set_locate(const firn_level_set *set, const double x[3],
                                   firn_level_set_place *at) {
  size_t slot = 0;
  for (int a = 2; a >= 0; a--) {
    double lo = set->origin[a], hi = set->hi[a];
    double p = x[a] > lo ? (x[a] < hi ? x[a] : hi) : lo; // nan goes to lo
    double s = (p - lo) / set->voxel;
    int last = FIRN_LEVEL_SET_CELLS * set->blocks[a] - 1, cell = (int)s;
    if (cell > last) cell = last;
    at->p[a] = p;
    at->block[a] = cell / FIRN_LEVEL_SET_CELLS;
    at->cell[a] = cell % FIRN_LEVEL_SET_CELLS;
    at->f[a] = s - cell;
    at->g[a] = (at->cell[a] + at->f[a]) / FIRN_LEVEL_SET_CELLS;
    slot = slot * (size_t)set->blocks[a] + (size_t)at->block[a];
  }
  at->number = set->table[slot];
}

// Trilinear interpolation of v[z][y][x] at f; its gradient by f.
FIRN_HD double firn_level_set_interpolate(const double v[8], const double f[3],
                                          double gradient[3]) {
  double x0 = v[0] + f[0] * (v[1] - v[0]), x1 = v[2] + f[0] * (v[3] - v[2]);
  double x2 = v[4] + f[0] * (v[5] - v[4]), x3 = v[6] + f[0] * (v[7] - v[6]);
  double y0 = x0 + f[1] * (x1 - x0), y1 = x2 + f[1] * (x3 - x2);
  double dy0 = x1 - x0, dy1 = x3 - x2;
  double a = v[1] - v[0], b = v[3] - v[2], c = v[5] - v[4], d = v[7] - v[6];
  double ab = a + f[1] * (b - a), cd = c + f[1] * (d - c);
  gradient[0] = ab + f[2] * (cd - ab);
  gradient[1] = dy0 + f[2] * (dy1 - dy0);
  gradient[2] = y1 - y0;
  return y0 + f[2] * (y1 - y0);
}

FIRN_HD size_t firn_level_set_corner_at(const firn_level_set *set, const int block[3], int k) {
  size_t nx = (size_t)set->blocks[0] + 1, ny = (size_t)set->blocks[1] + 1;
  size_t x = (size_t)block[0] + (k & 1), y = (size_t)block[1] + (k >> 1 & 1);
  return (((size_t)block[2] + (k >> 2)) * ny + y) * nx + x;
}

FIRN_HD size_t firn_level_set_node_at(const firn_level_set_place *at, int k) {
  int x = at->cell[0] + (k & 1), y = at->cell[1] + (k >> 1 & 1), z = at->cell[2] + (k >> 2);
  return (size_t)at->number * FIRN_LEVEL_SET_BLOCK +
         (size_t)((z * FIRN_LEVEL_SET_NODES + y) * FIRN_LEVEL_SET_NODES + x);
}

// The bound from the block's corners (above), never less than the band.
FIRN_HD double firn_level_set_sample_far(const firn_level_set *set, const firn_level_set_place *at,
                                         double gradient[3]) {
  double v[8], v2[8], unused[3], H = FIRN_LEVEL_SET_CELLS * set->voxel, spread = 0;
  for (int k = 0; k < 8; k++) {
    v[k] = (double)set->corner[firn_level_set_corner_at(set, at->block, k)];
    v2[k] = v[k] * v[k];
  }
  for (int a = 0; a < 3; a++) spread += at->g[a] * (1 - at->g[a]);
  double d = firn_level_set_interpolate(v, at->g, gradient),
         d2 = firn_level_set_interpolate(v2, at->g, unused) - H * H * spread;
  for (int a = 0; a < 3; a++) gradient[a] /= H;
  return copysign(d2 > set->band * set->band ? sqrt(d2) : set->band, d);
}

// Signed distance [m]; gradient (may be NULL) is that of the interpolant in the band and points away
// from the surface beyond. It is finite, not a unit vector, and may be zero.
FIRN_HD double firn_level_set_sample(const firn_level_set *set, const double position[3],
                                     double gradient[3]) {
  firn_level_set_place at;
  double v[8], g[3], distance = 0;
  firn_level_set_locate(set, position, &at);
  bool near = at.number >= 0;
  if (near) {
    for (int k = 0; k < 8; k++) v[k] = (double)set->value[firn_level_set_node_at(&at, k)];
    distance = firn_level_set_interpolate(v, at.f, g);
    for (int a = 0; a < 3; a++) g[a] /= set->voxel;
    near = fabs(distance) < set->band;
  }
  if (!near) {
    double sign = at.number >= 0 ? distance
                                 : (double)set->corner[firn_level_set_corner_at(set, at.block, 0)];
    distance = copysign(fabs(firn_level_set_sample_far(set, &at, g)), sign);
  }

  // Outside the box.
  double away[3], e2 = 0;
  for (int a = 0; a < 3; a++) {
    away[a] = position[a] - at.p[a];
    e2 += away[a] * away[a];
  }
  if (e2 > 0) {
    double e = sqrt(e2), whole = distance > 0 ? sqrt(distance * distance + e2) : distance + e;
    double keep = distance > 0 ? distance / whole : 1, push = distance > 0 ? 1 / whole : 1 / e;
    for (int a = 0; a < 3; a++) {
      bool out = away[a] > 0 || away[a] < 0;
      g[a] = out ? push * away[a] : keep * g[a];
    }
    distance = whole;
  }
  for (int a = 0; gradient && a < 3; a++) gradient[a] = g[a];
  return distance;
}

// m/s; that of the nearest point of the box outside of it.
FIRN_HD void firn_level_set_velocity(const firn_level_set *set, const double position[3],
                                     double velocity[3]) {
  firn_level_set_place at;
  double v[8], unused[3];
  if (!set->velocity) {
    for (int a = 0; a < 3; a++) velocity[a] = 0;
    return;
  }
  firn_level_set_locate(set, position, &at);
  for (size_t a = 0; a < 3; a++) {
    for (int k = 0; k < 8; k++) {
      v[k] =
          (double)(at.number >= 0
                       ? set->velocity[3 * firn_level_set_node_at(&at, k) + a]
                       : set->corner_velocity[3 * firn_level_set_corner_at(set, at.block, k) + a]);
    }
    velocity[a] = firn_level_set_interpolate(v, at.number >= 0 ? at.f : at.g, unused);
  }
}

#endif
