// SPDX-License-Identifier: Apache-2.0
#include "geometry/level_set.h"

#include <math.h>
#include <string.h>

#include "geometry/level_set_private.h"

firn_level_set *firn_level_set_retain(const firn_level_set *set) {
  firn_level_set *held = (firn_level_set *)set;
  if (held) atomic_fetch_add(&held->references, 1);
  return held;
}

size_t firn_level_set_table_size(const firn_level_set *set) {
  return (size_t)set->blocks[0] * (size_t)set->blocks[1] * (size_t)set->blocks[2];
}

size_t firn_level_set_corner_count(const firn_level_set *set) {
  return ((size_t)set->blocks[0] + 1) * ((size_t)set->blocks[1] + 1) * ((size_t)set->blocks[2] + 1);
}

void firn_level_set_release(const firn_level_set *set) {
  firn_level_set *held = (firn_level_set *)set;
  if (!held || atomic_fetch_sub(&held->references, 1) > 1) return;
  firn_context *context = held->context;
  size_t corners = firn_level_set_corner_count(held);
  size_t nodes = held->block_count * FIRN_LEVEL_SET_BLOCK;
  firn_free(context, held->table, firn_level_set_table_size(held) * sizeof *held->table);
  firn_free(context, held->corner, corners * sizeof *held->corner);
  firn_free(context, held->value, nodes * sizeof *held->value);
  firn_free(context, held->corner_velocity, corners * 3 * sizeof *held->corner_velocity);
  firn_free(context, held->velocity, nodes * 3 * sizeof *held->velocity);
  firn_free(context, held, sizeof *held);
}

size_t firn_level_set_bytes(const firn_level_set *set) {
  size_t corners = firn_level_set_corner_count(set);
  size_t nodes = set->block_count * FIRN_LEVEL_SET_BLOCK, lanes = set->velocity ? 3 : 0;
  return sizeof *set + firn_level_set_table_size(set) * sizeof *set->table +
         corners * (sizeof *set->corner + lanes * sizeof *set->corner_velocity) +
         nodes * (sizeof *set->value + lanes * sizeof *set->velocity);
}

// ------------------------------------------------------------------------------------------ look-up

// Where a point lies: its block, and the cell and offset in it.
typedef struct place {
  double p[3];       // m: the nearest point of the box
  int block[3];      // of blocks
  int32_t number;    // of the stored block, or -1
  int cell[3];       // 0..7
  double f[3], g[3]; // offsets in the cell and in the block, 0..1
} place;

static void locate(const firn_level_set *set, const double x[3], place *at) {
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
static double interpolate(const double v[8], const double f[3], double gradient[3]) {
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

static size_t corner_at(const firn_level_set *set, const int block[3], int k) {
  size_t nx = (size_t)set->blocks[0] + 1, ny = (size_t)set->blocks[1] + 1;
  size_t x = (size_t)block[0] + (k & 1), y = (size_t)block[1] + (k >> 1 & 1);
  return (((size_t)block[2] + (k >> 2)) * ny + y) * nx + x;
}

static size_t node_at(const place *at, int k) {
  int x = at->cell[0] + (k & 1), y = at->cell[1] + (k >> 1 & 1), z = at->cell[2] + (k >> 2);
  return (size_t)at->number * FIRN_LEVEL_SET_BLOCK +
         (size_t)((z * FIRN_LEVEL_SET_NODES + y) * FIRN_LEVEL_SET_NODES + x);
}

// The bound from the block's corners (level_set.h), never less than the band.
static double sample_far(const firn_level_set *set, const place *at, double gradient[3]) {
  double v[8], v2[8], unused[3], H = FIRN_LEVEL_SET_CELLS * set->voxel, spread = 0;
  for (int k = 0; k < 8; k++) {
    v[k] = (double)set->corner[corner_at(set, at->block, k)];
    v2[k] = v[k] * v[k];
  }
  for (int a = 0; a < 3; a++) spread += at->g[a] * (1 - at->g[a]);
  double d = interpolate(v, at->g, gradient), d2 = interpolate(v2, at->g, unused) - H * H * spread;
  for (int a = 0; a < 3; a++) gradient[a] /= H;
  return copysign(d2 > set->band * set->band ? sqrt(d2) : set->band, d);
}

double firn_level_set_sample(const firn_level_set *set, const double position[3],
                             double gradient[3]) {
  place at;
  double v[8], g[3], distance = 0;
  locate(set, position, &at);
  bool near = at.number >= 0;
  if (near) {
    for (int k = 0; k < 8; k++) v[k] = (double)set->value[node_at(&at, k)];
    distance = interpolate(v, at.f, g);
    for (int a = 0; a < 3; a++) g[a] /= set->voxel;
    near = fabs(distance) < set->band;
  }
  if (!near) {
    double sign = at.number >= 0 ? distance : (double)set->corner[corner_at(set, at.block, 0)];
    distance = copysign(fabs(sample_far(set, &at, g)), sign);
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
  if (gradient) memcpy(gradient, g, sizeof g);
  return distance;
}

void firn_level_set_velocity(const firn_level_set *set, const double position[3],
                             double velocity[3]) {
  place at;
  double v[8], unused[3];
  if (!set->velocity) {
    memset(velocity, 0, 3 * sizeof *velocity);
    return;
  }
  locate(set, position, &at);
  for (size_t a = 0; a < 3; a++) {
    for (int k = 0; k < 8; k++) {
      v[k] = (double)(at.number >= 0 ? set->velocity[3 * node_at(&at, k) + a]
                                     : set->corner_velocity[3 * corner_at(set, at.block, k) + a]);
    }
    velocity[a] = interpolate(v, at.number >= 0 ? at.f : at.g, unused);
  }
}

// ------------------------------------------------------------------------------------------- making

firn_level_set *firn_level_set_new(firn_context *context) {
  firn_level_set *set = firn_alloc_zero(context, sizeof *set, "distance field");
  if (!set) return NULL;
  set->context = context;
  atomic_init(&set->references, 1);
  return set;
}

firn_status firn_level_set_lattice(firn_level_set *set, bool moving, const char *what) {
  double cells = 1;
  for (int a = 0; a < 3; a++) cells *= set->blocks[a] + 1.0;
  if (cells > FIRN_LEVEL_SET_LATTICE_MAX) {
    return firn_fail(set->context, FIRN_ERROR_ARGUMENT,
                     "%s: a distance field of %d x %d x %d voxels is too large; voxel %g m should "
                     "be %g m or more",
                     what, set->blocks[0] * FIRN_LEVEL_SET_CELLS,
                     set->blocks[1] * FIRN_LEVEL_SET_CELLS, set->blocks[2] * FIRN_LEVEL_SET_CELLS,
                     set->voxel, set->voxel * cbrt(cells / FIRN_LEVEL_SET_LATTICE_MAX));
  }
  size_t corners = firn_level_set_corner_count(set), slots = firn_level_set_table_size(set);
  set->table = firn_alloc(set->context, slots * sizeof *set->table, "distance field");
  set->corner = firn_alloc(set->context, corners * sizeof *set->corner, "distance field");
  if (!set->table || !set->corner) return FIRN_ERROR_MEMORY;
  if (!moving) return FIRN_OK;
  size_t bytes = corners * 3 * sizeof *set->corner_velocity;
  set->corner_velocity = firn_alloc(set->context, bytes, "distance field");
  return set->corner_velocity ? FIRN_OK : FIRN_ERROR_MEMORY;
}

firn_status firn_level_set_blocks(firn_level_set *set, size_t count, bool moving) {
  size_t nodes = count * FIRN_LEVEL_SET_BLOCK;
  set->value = firn_alloc(set->context, nodes * sizeof *set->value, "distance field");
  if (!set->value) return FIRN_ERROR_MEMORY;
  set->block_count = count;
  if (!moving) return FIRN_OK;
  set->velocity = firn_alloc(set->context, nodes * 3 * sizeof *set->velocity, "distance field");
  return set->velocity ? FIRN_OK : FIRN_ERROR_MEMORY;
}
