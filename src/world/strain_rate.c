// SPDX-License-Identifier: Apache-2.0
#include "world/strain_rate.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/bspline.h"
#include "world/bins.h"
#include "world/morton.h"

enum { EDGE = 4, NODES = 64 }; // of a block

typedef struct node {
  double mass; // kg
  double v[3]; // kg m/s while sums are taken, then m/s
} node;

// A particle and the 27 nodes around it.
typedef struct point {
  uint32_t slot;
  int32_t base[3]; // the first node
  double f[3];     // cells from there, 1/2 to 3/2
} point;

typedef struct work {
  const firn_world *world;
  size_t count;     // of points so far
  point *points;    // [particles], in the order of slots
  firn_bins homes;  // of points, by the block of the first node
  firn_bins blocks; // that they reach
  node *nodes;      // [blocks][64]
  double *out;
} work;

static void place(void *user, size_t slot, const double corner[3]) {
  work *w = user;
  const firn_particles *p = &w->world->particles;
  point *to = &w->points[w->count];
  int32_t at[3];
  to->slot = (uint32_t)slot;
  for (int a = 0; a < 3; a++) {
    double x = corner[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    // What is not finite goes where nobody else is.
    double base = fmin(fmax(floor(x - 0.5), -EDGE * FIRN_MORTON_LIMIT), EDGE * FIRN_MORTON_LIMIT);
    int32_t period = p->periodic[a] ? EDGE * p->period[a] : 0;
    to->f[a] = x - base;
    to->base[a] = (int32_t)base;
    if (period) to->base[a] = (to->base[a] % period + period) % period;
    at[a] = to->base[a] >> 2;
  }
  firn_bins_put(&w->homes, w->count++, at);
}

// The blocks that the points of each home reach: its own and those above.
static void reach(const work *w) {
  FIRN_PARALLEL_FOR(w->world->context, schedule(static))
  for (size_t h = 0; h < w->homes.count; h++) {
    firn_bin *home = &w->homes.bin[h];
    for (size_t i = home->first; i < home->first + home->count; i++) {
      const int32_t *base = w->points[w->homes.order[i]].base;
      unsigned axis[3];
      for (int a = 0; a < 3; a++) axis[a] = (base[a] & 3) > 1 ? 6 : 2;
      home->reach |= firn_bins_reach(axis);
    }
  }
}

typedef struct stencil {
  double w[3][3], d[3][3]; // weights, and their derivatives by the coordinate in cells
} stencil;

static stencil stencil_of(const point *p) {
  stencil s = {0};
  for (int a = 0; a < 3; a++) firn_bspline_quadratic_double(p->f[a], s.w[a], s.d[a]);
  return s;
}

// Adds to the nodes of the point that are in the block whose first node is at corner.
static void scatter(const work *w, const point *p, const int32_t corner[3], node *nodes) {
  const firn_particles *of = &w->world->particles;
  stencil s = stencil_of(p);
  int in[3][3]; // where the stencil's nodes are in the block, or less than 0
  for (int a = 0; a < 3; a++) {
    int32_t period = EDGE * w->homes.period[a];
    for (int i = 0; i < 3; i++) {
      int32_t at = p->base[a] + i;
      at = (period && at >= period ? at - period : at) - corner[a];
      in[a][i] = at < EDGE ? at : -1;
    }
  }
  double mass = (double)firn_particles_real(of, FIRN_FIELD_MASS)[p->slot], v[3];
  for (int a = 0; a < 3; a++) v[a] = (double)firn_particles_real(of, FIRN_FIELD_VX + a)[p->slot];
  for (int n = 0; n < 27; n++) {
    int i = n / 9, j = n / 3 % 3, k = n % 3;
    if (in[0][i] < 0 || in[1][j] < 0 || in[2][k] < 0) continue;
    node *to = &nodes[16 * in[0][i] + 4 * in[1][j] + in[2][k]];
    double share = mass * s.w[0][i] * s.w[1][j] * s.w[2][k];
    to->mass += share;
    for (int a = 0; a < 3; a++) to->v[a] += share * v[a];
  }
}

// A block takes from the points of all homes that reach it, in the order of slots.
static void average(const work *w, size_t b) {
  const firn_bin *block = &w->blocks.bin[b];
  node *nodes = w->nodes + b * NODES;
  const uint32_t *next[8], *end[8];
  int32_t corner[3];
  firn_cell_at(block->key, corner);
  for (int a = 0; a < 3; a++) corner[a] *= EDGE;
  for (uint32_t r = 0; r < block->count; r++) {
    const firn_bin *home = &w->homes.bin[w->blocks.order[block->first + r]];
    next[r] = w->homes.order + home->first;
    end[r] = next[r] + home->count;
  }
  for (;;) {
    uint32_t first = block->count;
    for (uint32_t r = 0; r < block->count; r++)
      if (next[r] < end[r] && (first == block->count || *next[r] < *next[first])) first = r;
    if (first == block->count) break;
    scatter(w, &w->points[*next[first]++], corner, nodes);
  }
  // Far from all its particles a node's mass may have become 0.
  for (int n = 0; n < NODES; n++)
    for (int a = 0; a < 3; a++)
      nodes[n].v[a] = nodes[n].mass > 0 ? nodes[n].v[a] / nodes[n].mass : 0;
}

// around: the nodes of the blocks at (x, y, z), 4 x + 2 y + z, that a home may reach.
static void differentiate(const work *w, const point *p, const node *const around[8]) {
  const firn_particles *of = &w->world->particles;
  stencil s = stencil_of(p);
  double g[3][3] = {{0}}; // dv_a / dx_b
  for (int n = 0; n < 27; n++) {
    int i = n / 9, j = n / 3 % 3, k = n % 3;
    int x = (p->base[0] & 3) + i, y = (p->base[1] & 3) + j, z = (p->base[2] & 3) + k;
    const node *from = around[4 * (x >> 2) + 2 * (y >> 2) + (z >> 2)];
    const double *v = from[16 * (x & 3) + 4 * (y & 3) + (z & 3)].v;
    const double slope[3] = {s.d[0][i] * s.w[1][j] * s.w[2][k], s.w[0][i] * s.d[1][j] * s.w[2][k],
                             s.w[0][i] * s.w[1][j] * s.d[2][k]};
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) g[a][b] += v[a] * slope[b];
    }
  }
  double *out = w->out + 6 * firn_particles_row(of, p->slot), scale = 1 / w->world->h;
  for (int a = 0; a < 3; a++) out[a] = g[a][a] * scale;
  out[3] = 0.5 * (g[0][1] + g[1][0]) * scale;
  out[4] = 0.5 * (g[0][2] + g[2][0]) * scale;
  out[5] = 0.5 * (g[1][2] + g[2][1]) * scale;
}

static void look_up(const work *w, const firn_bin *home, const node *around[8]) {
  for (int k = 0; k < 8; k++) {
    uint64_t key = firn_bins_step(&w->homes, home->key, (int[3]){k >> 2, k >> 1 & 1, k & 1});
    const firn_bin *block = firn_bins_find(&w->blocks, key);
    around[k] = block ? w->nodes + (size_t)(block - w->blocks.bin) * NODES : NULL;
  }
}

static firn_status run(work *w) {
  const firn_particles *p = &w->world->particles;
  firn_context *context = w->world->context;
  FIRN_TRY(firn_bins_open(&w->homes, context, p->count));
  w->points = firn_alloc(context, p->count * sizeof *w->points, "points of the strain rate");
  if (!w->points) return FIRN_ERROR_MEMORY;
  for (int a = 0; a < 3; a++) w->homes.period[a] = p->periodic[a] ? p->period[a] : 0;
  firn_particles_visit(p, place, w);
  FIRN_TRY(firn_bins_sort(&w->homes));
  reach(w);
  FIRN_TRY(firn_bins_spread(&w->homes, &w->blocks));
  size_t size = w->blocks.count * NODES * sizeof *w->nodes;
  w->nodes = firn_alloc_zero(context, size, "nodes for the strain rate");
  if (!w->nodes) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(context, schedule(dynamic, 16))
  for (size_t b = 0; b < w->blocks.count; b++) average(w, b);
  FIRN_PARALLEL_FOR(context, schedule(dynamic, 16))
  for (size_t h = 0; h < w->homes.count; h++) {
    const firn_bin *home = &w->homes.bin[h];
    const node *around[8];
    look_up(w, home, around);
    for (size_t i = home->first; i < home->first + home->count; i++)
      differentiate(w, &w->points[w->homes.order[i]], around);
  }
  return FIRN_OK;
}

firn_status firn_world_strain_rate(const firn_world *world, double *out) {
  work w = {.world = world, .out = out};
  firn_status status = world->particles.count ? run(&w) : FIRN_OK;
  firn_free(world->context, w.nodes, w.blocks.count * NODES * sizeof *w.nodes);
  firn_free(world->context, w.points, world->particles.count * sizeof *w.points);
  firn_bins_free(&w.blocks);
  firn_bins_free(&w.homes);
  return status;
}
