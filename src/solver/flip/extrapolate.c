// SPDX-License-Identifier: Apache-2.0
// Velocities where there is no fluid, from where there is, so that particles at the surface find one on
// every side; and pressures inside colliders, so that particles beside these do.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

// Cells of a block that have one of these beside them, in the block or in those around it.
static uint64_t grown(const flip *s, size_t g, const uint64_t *bits) {
  const uint64_t x0 = 0x000000000000ffffu, y0 = 0x000f000f000f000fu, z0 = 0x1111111111111111u;
  const uint64_t m = bits[g], y3 = y0 << 12, z3 = z0 << 3;
  const uint32_t *around = s->grid.around[g];
#define SIDE(offset) (around[13 + (offset)] == FIRN_GRID_NONE ? 0 : bits[around[13 + (offset)]])
  uint64_t out = m << 16 | m >> 16 | SIDE(-9) >> 48 | (SIDE(9) & x0) << 48;
  out |= (m & ~y3) << 4 | (m & ~y0) >> 4 | (SIDE(-3) & y3) >> 12 | (SIDE(3) & y0) << 12;
  out |= (m & ~z3) << 1 | (m & ~z0) >> 1 | (SIDE(-1) & z3) >> 3 | (SIDE(1) & z0) << 3;
#undef SIDE
  return out;
}

// Gives each unknown face beside known ones their mean.
static uint64_t extend_block(const flip *s, firn_real *u, int a, size_t g) {
  const uint64_t *known = s->known[a], found = ~known[g] & grown(s, g, known);
  for (uint64_t left = found; left; left &= left - 1) {
    int c = __builtin_ctzll(left), count = 0;
    firn_real sum = 0;
    for (int axis = 0; axis < 3; axis++) {
      for (int step = -1; step < 2; step += 2) {
        size_t other = flip_beside(s, g, c, axis, step);
        if (!flip_bit(known, other)) continue;
        sum += u[other];
        count++;
      }
    }
    u[FLIP_CELLS * g + (size_t)c] = sum / (firn_real)count;
  }
  return known[g] | found;
}

void flip_extrapolate(flip *s, firn_real *const u[3], int layers) {
  for (int layer = 0; layer < layers; layer++) {
    FLIP_FOR_BLOCKS(s, g) {
      for (int a = 0; a < 3; a++) s->next[a][g] = extend_block(s, u[a], a, g);
    }
    for (int a = 0; a < 3; a++) {
      uint64_t *other = s->known[a];
      s->known[a] = s->next[a];
      s->next[a] = other;
    }
  }
}

double flip_across(const flip *s, const firn_real *u, size_t g, int c, int a, int other) {
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  int cell = (int)(below % FLIP_CELLS);
  double sum = (double)u[i] + (double)u[flip_beside(s, g, c, other, 1)] + (double)u[below];
  if (below / FLIP_CELLS < s->grid.count)
    sum += (double)u[flip_beside(s, below / FLIP_CELLS, cell, other, 1)];
  return sum / 4;
}

static void hold_face(flip *s, size_t g, int c, int a, firn_real *out) {
  double x[3], v[3], n[3], velocity[3], into = 0, b = 1;
  size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
  if (s->porous) b = (double)s->b[0][flip_bit(s->active, below) ? below : i];
  flip_corner(s, g, c, x);
  for (int k = 0; k < 3; k++) {
    x[k] = (x[k] + (k == a ? 0 : 0.5)) * s->world->h;
    v[k] = k == a ? (double)s->u[a][i] : flip_across(s, s->u[k], g, c, a, k);
  }
  flip_solid_distance(s->world, s->beside[g], x, NULL, n, velocity);
  for (int k = 0; k < 3; k++) into += (v[k] - b * velocity[k]) * n[k];
  *out = (firn_real)(v[a] - into * n[a]);
}

// Faces are changed after all have been looked at; until then wall holds what they will be, which nobody
// needs any longer.
void flip_hold_solids(flip *s) {
  FLIP_FOR_BLOCKS(s, g) {
    for (int a = 0; a < 3 && s->cut[g]; a++) {
      for (int c = 0; c < FLIP_CELLS; c++) {
        size_t i = FLIP_CELLS * g + (size_t)c;
        s->wall[a][i] = s->u[a][i];
        if (s->open[a][i] > 0 || !flip_bit(s->known[a], i)) continue;
        hold_face(s, g, c, a, &s->wall[a][i]);
      }
    }
  }
  FLIP_FOR_BLOCKS(s, g) {
    for (int a = 0; a < 3 && s->cut[g]; a++)
      memcpy(s->u[a] + FLIP_CELLS * g, s->wall[a] + FLIP_CELLS * g, FLIP_CELLS * sizeof *s->u[a]);
  }
}

// By how much the pressure of a cell is above that of the one on its other side, a step down or up
// an axis, Pa: where air is there, by what it takes from the velocity between them.
static double rise(const flip *s, const uint64_t *known, size_t cell, int axis, int step) {
  size_t g = cell / FLIP_CELLS;
  int c = (int)(cell % FLIP_CELLS);
  size_t other = flip_beside(s, g, c, axis, step), face = step > 0 ? other : cell;
  if (flip_bit(known, other)) return (double)s->pressure[0][cell] - (double)s->pressure[0][other];
  if (!flip_bit(s->active, cell) || !flip_bit(s->moved[axis], face)) return 0;
  double drop = flip_drop(s, face / FLIP_CELLS, (int)(face % FLIP_CELLS), axis);
  return (step > 0 ? -drop : drop) * flip_pascals(s, cell);
}

// Cells inside colliders that have known ones beside them get the mean of what these lead to along
// a straight line.
static uint64_t extend_pressure(flip *s, const uint64_t *known, size_t g) {
  const uint64_t found = s->inside[g] & ~known[g] & grown(s, g, known);
  for (uint64_t left = found; left; left &= left - 1) {
    int c = __builtin_ctzll(left), count = 0;
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
      for (int step = -1; step < 2; step += 2) {
        size_t from = flip_beside(s, g, c, axis, step);
        if (!flip_bit(known, from)) continue;
        sum += (double)s->pressure[0][from] + rise(s, known, from, axis, step);
        count++;
      }
    }
    s->pressure[0][FLIP_CELLS * g + (size_t)c] = (firn_real)(sum / count);
  }
  return known[g] | found;
}

const uint64_t *flip_extend_pressure(flip *s) {
  enum { LAYERS = 3 }; // to the cell in a corner
  uint64_t *known = s->next[0], *next = s->next[1];
  memcpy(known, s->active, (s->grid.count + 1) * sizeof *known);
  next[s->grid.count] = 0;
  for (int layer = 0; layer < LAYERS; layer++) {
    FLIP_FOR_BLOCKS(s, g) next[g] = extend_pressure(s, known, g);
    uint64_t *other = known;
    known = next;
    next = other;
  }
  return known;
}
