// SPDX-License-Identifier: Apache-2.0
#include "world/averages.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/bspline.h"
#include "world/bins.h"
#include "world/morton.h"

enum { EDGE = 4, NODES = 64 }; // of a block

// A particle and the nodes around it.
typedef struct point {
  uint32_t slot;
  int32_t base[3]; // the first node
  double f[3];     // cells from there
} point;

typedef struct work {
  const firn_world *world;
  int width;
  size_t first; // slot
  bool affine;
  size_t count;        // of points so far
  point *points;       // [particles], in the order of slots
  firn_bins homes;     // of points, by the block of the first node
  firn_bins blocks;    // that they reach
  firn_average *nodes; // [blocks][64]
  firn_around_fn visit;
  void *user;
} work;

static void place(void *user, size_t slot, const double corner[3]) {
  work *w = user;
  const firn_particles *p = &w->world->particles;
  if (slot < w->first) return;
  point *to = &w->points[w->count];
  int32_t at[3];
  to->slot = (uint32_t)slot;
  for (int a = 0; a < 3; a++) {
    double x = corner[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    double node = w->width == 4 ? floor(x) - 1 : floor(x - 0.5);
    // What is not finite goes where nobody else is.
    double base = fmin(fmax(node, -EDGE * FIRN_MORTON_LIMIT), EDGE * FIRN_MORTON_LIMIT);
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
      for (int a = 0; a < 3; a++) axis[a] = (base[a] & 3) + w->width > EDGE ? 6 : 2;
      home->reach |= firn_bins_reach(axis);
    }
  }
}

typedef struct stencil {
  double w[3][4], d[3][4]; // weights, and their derivatives by the coordinate in cells
} stencil;

static stencil stencil_of(const work *w, const point *p) {
  stencil s = {0};
  for (int a = 0; a < 3; a++) {
    if (w->width == 4) {
      firn_bspline_cubic_double(p->f[a] - 1, s.w[a], s.d[a]);
    } else {
      firn_bspline_quadratic_double(p->f[a], s.w[a], s.d[a]);
    }
  }
  return s;
}

// Adds to the nodes of the point that are in the block whose first node is at corner.
static void scatter(const work *w, const point *p, const int32_t corner[3], firn_average *nodes) {
  const firn_world *world = w->world;
  const firn_particles *of = &world->particles;
  stencil s = stencil_of(w, p);
  int in[3][4] = {{0}}; // where the stencil's nodes are in the block, or less than 0
  for (int a = 0; a < 3; a++) {
    int32_t period = EDGE * w->homes.period[a];
    for (int i = 0; i < w->width; i++) {
      int32_t at = p->base[a] + i;
      at = (period && at >= period ? at - period : at) - corner[a];
      in[a][i] = at < EDGE ? at : -1;
    }
  }
  double mass = (double)firn_particles_real(of, FIRN_FIELD_MASS)[p->slot], v[3], c[9];
  bool affine = w->affine && world->affine.get && world->affine.get(world->affine.user, p->slot, c);
  for (int a = 0; a < 3; a++) v[a] = (double)firn_particles_real(of, FIRN_FIELD_VX + a)[p->slot];
  for (int n = 0; n < w->width * w->width * w->width; n++) {
    int i = n / (w->width * w->width), j = n / w->width % w->width, k = n % w->width;
    if (in[0][i] < 0 || in[1][j] < 0 || in[2][k] < 0) continue;
    firn_average *to = &nodes[16 * in[0][i] + 4 * in[1][j] + in[2][k]];
    const double r[3] = {p->f[0] - i, p->f[1] - j, p->f[2] - k};
    double share = mass * s.w[0][i] * s.w[1][j] * s.w[2][k];
    to->mass += share;
    for (int a = 0; a < 3; a++) {
      if (affine) {
        const double *row = c + 3 * a;
        double there = (row[0] * r[0] + row[1] * r[1] + row[2] * r[2]) * world->h;
        to->v[a] += share * (v[a] - there);
      } else {
        to->v[a] += share * v[a];
        to->r[a] += share * r[a];
      }
    }
  }
}

// A block takes from the points of all homes that reach it, in the order of slots.
static void average(const work *w, size_t b) {
  const firn_bin *block = &w->blocks.bin[b];
  firn_average *nodes = w->nodes + b * NODES;
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
  for (int n = 0; n < NODES; n++) {
    double mass = nodes[n].mass;
    for (int a = 0; a < 3; a++) {
      nodes[n].v[a] = mass > 0 ? nodes[n].v[a] / mass : 0;
      nodes[n].r[a] = mass > 0 ? nodes[n].r[a] / mass : 0;
    }
  }
}

// nodes: those of the blocks at (x, y, z), 4 x + 2 y + z, that a home may reach.
static void look_around(const work *w, const point *p, const firn_average *const nodes[8]) {
  stencil s = stencil_of(w, p);
  firn_around around = {.count = w->width * w->width * w->width};
  for (int n = 0; n < around.count; n++) {
    int i = n / (w->width * w->width), j = n / w->width % w->width, k = n % w->width;
    int x = (p->base[0] & 3) + i, y = (p->base[1] & 3) + j, z = (p->base[2] & 3) + k;
    around.node[n] = nodes[4 * (x >> 2) + 2 * (y >> 2) + (z >> 2)] + 16 * (x & 3) + 4 * (y & 3) +
                     (z & 3);
    around.w[n] = s.w[0][i] * s.w[1][j] * s.w[2][k];
    around.slope[n][0] = s.d[0][i] * s.w[1][j] * s.w[2][k];
    around.slope[n][1] = s.w[0][i] * s.d[1][j] * s.w[2][k];
    around.slope[n][2] = s.w[0][i] * s.w[1][j] * s.d[2][k];
  }
  w->visit(w->user, p->slot, &around);
}

static void look_up(const work *w, const firn_bin *home, const firn_average *nodes[8]) {
  for (int k = 0; k < 8; k++) {
    uint64_t key = firn_bins_step(&w->homes, home->key, (int[3]){k >> 2, k >> 1 & 1, k & 1});
    const firn_bin *block = firn_bins_find(&w->blocks, key);
    nodes[k] = block ? w->nodes + (size_t)(block - w->blocks.bin) * NODES : NULL;
  }
}

static firn_status run(work *w, size_t room) {
  const firn_particles *p = &w->world->particles;
  firn_context *context = w->world->context;
  FIRN_TRY(firn_bins_open(&w->homes, context, room));
  w->points = firn_alloc(context, room * sizeof *w->points, "points of averages");
  if (!w->points) return FIRN_ERROR_MEMORY;
  for (int a = 0; a < 3; a++) w->homes.period[a] = p->periodic[a] ? p->period[a] : 0;
  firn_particles_visit(p, place, w);
  FIRN_TRY(firn_bins_sort(&w->homes));
  reach(w);
  FIRN_TRY(firn_bins_spread(&w->homes, &w->blocks));
  size_t size = w->blocks.count * NODES * sizeof *w->nodes;
  w->nodes = firn_alloc_zero(context, size, "nodes of averages");
  if (!w->nodes) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(context, schedule(dynamic, 16))
  for (size_t b = 0; b < w->blocks.count; b++) average(w, b);
  FIRN_PARALLEL_FOR(context, schedule(dynamic, 16))
  for (size_t h = 0; h < w->homes.count; h++) {
    const firn_bin *home = &w->homes.bin[h];
    const firn_average *nodes[8];
    look_up(w, home, nodes);
    for (size_t i = home->first; i < home->first + home->count; i++)
      look_around(w, &w->points[w->homes.order[i]], nodes);
  }
  return FIRN_OK;
}

firn_status firn_world_average(const firn_world *world, int width, size_t first, bool affine,
                               firn_around_fn visit, void *user) {
  work w = {.world = world,
            .width = width,
            .first = first,
            .affine = affine,
            .visit = visit,
            .user = user};
  const firn_particles *p = &world->particles;
  size_t room = first ? p->slots + p->pending - first : p->count;
  firn_status status = room ? run(&w, room) : FIRN_OK;
  firn_free(world->context, w.nodes, w.blocks.count * NODES * sizeof *w.nodes);
  firn_free(world->context, w.points, room * sizeof *w.points);
  firn_bins_free(&w.blocks);
  firn_bins_free(&w.homes);
  return status;
}
