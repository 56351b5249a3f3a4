// SPDX-License-Identifier: Apache-2.0
// Water keeps its volume: a velocity without divergence lets particles drift together all the same,
// by some thousandth of a cell in each step, and a pool that sloshes would lose a third of its
// level in 10 s. So a second solve moves particles, not velocities, from cells that are too full to
// where there is room (Kugelstadt et al. 2019): with e the excess of a cell's volume, they are
// displaced by a field of divergence e.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"
#include "solver/flip/transfer.h"

// A cell that is closed on one side lacks what particles beyond it would add: an eighth of their
// volume, at a quarter and three quarters of a cell.
static const double BEYOND = 0.125;
// The least room of a cell; in less, what it holds is rounding.
static const double LITTLE_ROOM = 0.05;
// An excess below this is left alone, and no more than that is taken at once.
static const double LEAST = 1e-3, MOST = 0.5;
// Of an excess, what is taken in a step. What particles that lie askew on the grid seem to have too
// much changes from cell to cell; taken at once, it would shake the surface and damp waves.
static const double SHARE = 0.3;

// Volumes of particles, shared out between the middles of eight cells, where they are now.
static void scatter_block(const flip *s, size_t b, double *arena) {
  const firn_particles *p = &s->world->particles;
  const firn_block *block = &p->block[b];
  memset(arena, 0, FLIP_TILE_CELLS * sizeof *arena);
  for (size_t slot = block->first; slot < block->first + block->count; slot++) {
    int first[3];
    double share[3][2], volume = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
    for (int a = 0; a < 3; a++) {
      firn_real x = firn_particles_real(p, FIRN_FIELD_X + a)[slot] - FIRN_R(0.5 + FLIP_TILE_FIRST);
      firn_real at = firn_min(firn_max(x, 0), FIRN_R(FLIP_TILE - 1.001));
      first[a] = (int)at;
      share[a][1] = (double)(at - (firn_real)first[a]);
      share[a][0] = 1 - share[a][1];
    }
    for (int n = 0; n < 8; n++) {
      int i = n >> 2, j = n >> 1 & 1, k = n & 1;
      arena[64 * (first[0] + i) + 8 * (first[1] + j) + first[2] + k] += volume * share[0][i] *
                                                                        share[1][j] * share[2][k];
    }
  }
}

// Whether there is air beyond a face of a cell.
static bool is_at_surface(const flip *s, size_t g, int c) {
  for (int a = 0; a < 3; a++) {
    for (int step = -1; step < 2; step += 2) {
      size_t other = flip_beside(s, g, c, a, step),
             face = step > 0 ? other : FLIP_CELLS * g + (size_t)c;
      if (!flip_bit(s->active, other) && s->open[a][face] > 0) return true;
    }
  }
  return false;
}

// Of the share of a full cell, what would come from beyond a plane that is so far from its middle,
// in cells: the integral of a hat function.
static double share_beyond(double away) {
  double rest = fmax(0, 1 - fabs(away)), tail = rest * rest / 2;
  return away > 0 ? tail : 1 - tail;
}

// The share of a face that is closed. What only the skin of colliders closes is room all the same,
// or water would stand higher beside walls than elsewhere, by a millionth of a cell, and never rest.
static double closed_share(const flip *s, int axis, size_t face) {
  double closed = 1 - (double)s->open[axis][face];
  return closed > 4 * FLIP_SKIN ? closed : 0; // one along each edge
}

// By the sides of the cell that are closed, which is exact in corners of colliders along the grid;
// and by distances, which is nearer the truth of those that lie between cells, and of several.
double flip_room(const flip *s, size_t g, int c) {
  const firn_world *world = s->world;
  size_t i = FLIP_CELLS * g + (size_t)c;
  double x[3], by_sides = 1, by_distance = 1;
  if (!s->cut[g]) return 1;
  flip_corner(s, g, c, x);
  for (int a = 0; a < 3; a++) {
    double closed = closed_share(s, a, i) + closed_share(s, a, flip_beside(s, g, c, a, 1));
    by_sides *= 1 - BEYOND * closed;
    x[a] = (x[a] + 0.5) * world->h;
  }
  for (int n = 0; n < world->collider_count; n++) {
    if (world->collider[n].absent || !(s->beside[g] >> n % 64 & 1)) continue;
    by_distance *= 1 - share_beyond(firn_collider_sample(&world->collider[n], x, NULL, NULL) /
                                    world->h);
  }
  return fmax(LITTLE_ROOM, fmin(by_sides, by_distance));
}

// What is too much in a cell, in cells; what is too little at the surface is none of our business.
static double excess(const flip *s, size_t g, int c, double volume) {
  size_t i = FLIP_CELLS * g + (size_t)c;
  if (!flip_bit(s->active, i) || flip_is_porous(&s->world->material[s->kind[i]])) return 0;
  double e = SHARE * (volume / flip_room(s, g, c) - 1);
  if (fabs(e) < LEAST || (e < 0 && is_at_surface(s, g, c))) return 0;
  return fmin(MOST, fmax(-MOST, e));
}

// Volumes of a block's cells: its share of the arenas that reach it.
static void gather_block(const flip *s, size_t g, double out[FLIP_CELLS]) {
  const double *arenas = s->arenas.data;
  memset(out, 0, FLIP_CELLS * sizeof *out);
  for (uint32_t n = s->grid.giver_start[g]; n < s->grid.giver_start[g + 1]; n++) {
    firn_giver giver = s->grid.giver[n];
    const double *arena = arenas + (size_t)firn_giver_block(giver) * FLIP_TILE_CELLS;
    int o = firn_giver_offset(giver), d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
    for (int c = 0; c < FLIP_CELLS; c++) {
      int i = (c >> 4) - 4 * d[0] - FLIP_TILE_FIRST, j = (c >> 2 & 3) - 4 * d[1] - FLIP_TILE_FIRST,
          k = (c & 3) - 4 * d[2] - FLIP_TILE_FIRST;
      bool inside = i >= 0 && j >= 0 && k >= 0 && i < FLIP_TILE && j < FLIP_TILE && k < FLIP_TILE;
      if (inside) out[c] += arena[64 * i + 8 * j + k];
    }
  }
}

void flip_share_volumes(flip *s, double *out) {
  const double cell = s->world->h * s->world->h * s->world->h;
  double *arenas = s->arenas.data; // of two channels of those of velocities
  FLIP_FOR_PARTICLE_BLOCKS(s, b) scatter_block(s, b, arenas + b * FLIP_TILE_CELLS);
  FLIP_FOR_BLOCKS(s, g) {
    double volume[FLIP_CELLS];
    gather_block(s, g, volume);
    for (size_t c = 0; c < FLIP_CELLS; c++) out[FLIP_CELLS * g + c] = volume[c] / cell;
  }
}

// Nothing is displaced through what is closed.
static void close_faces(flip *s, size_t g) {
  for (int a = 0; a < 3; a++) {
    for (int c = 0; c < FLIP_CELLS; c++) {
      size_t i = FLIP_CELLS * g + (size_t)c, below = flip_beside(s, g, c, a, -1);
      bool beside = flip_bit(s->active, i) || flip_bit(s->active, below);
      if (s->open[a][i] > 0 || !beside) continue;
      s->u[a][i] = 0;
      s->known[a][g] |= (uint64_t)1 << c;
    }
  }
}

firn_status flip_keep_volume(flip *s) {
  enum { LAYERS = 3 };
  double *source = s->p; // the step is done with pressures
  bool any = false;
  flip_share_volumes(s, source);
  FIRN_PARALLEL_FOR(s->world->context, schedule(dynamic, 8) reduction(|| : any))
  for (size_t g = 0; g < s->grid.count; g++) {
    double *out = source + FLIP_CELLS * g;
    for (int c = 0; c < FLIP_CELLS; c++) {
      out[c] = excess(s, g, c, out[c]);
      any = any || out[c] != 0;
    }
  }
  if (!any) return FIRN_OK;
  for (int a = 0; a < 3; a++)
    memset(s->u[a], 0, (s->grid.count + 1) * FLIP_CELLS * sizeof *s->u[a]);
  FIRN_TRY(flip_spread(s, source));
  FLIP_FOR_BLOCKS(s, g) close_faces(s, g);
  flip_extrapolate(s, s->u, LAYERS);
  flip_displace(s);
  return FIRN_OK;
}
