// SPDX-License-Identifier: Apache-2.0
#include "world/strain_rate.h"

#include <math.h>
#include <string.h>

typedef struct node {
  int32_t at[3];  // its place, cells
  uint32_t taken; // 0: free
  double mass;    // kg
  double v[3];    // kg m/s while sums are taken, then m/s
} node;

// Nodes by place, in open addressing; few enough are taken that a search is short.
typedef struct work {
  const firn_world *world;
  node *table; // [size]
  size_t size; // a power of two
  size_t used;
  firn_status status;
  double *out;
} work;

// Where a node is that may be counted more than once.
static void wrap(const firn_particles *p, int32_t at[3]) {
  for (int a = 0; a < 3; a++) {
    if (!p->periodic[a]) continue;
    int period = 4 * p->period[a];
    at[a] = (at[a] % period + period) % period;
  }
}

// The node at a place, or the free one where it belongs.
static node *find(node *table, size_t size, const int32_t at[3]) {
  uint64_t hash = 0;
  for (int a = 0; a < 3; a++) hash = (hash ^ (uint32_t)at[a]) * UINT64_C(0x9e3779b97f4a7c15);
  size_t i = (size_t)(hash >> 32) & (size - 1);
  while (table[i].taken && memcmp(table[i].at, at, sizeof table[i].at) != 0) {
    i = (i + 1) & (size - 1);
  }
  return &table[i];
}

static firn_status grow(work *w) {
  firn_context *context = w->world->context;
  size_t size = w->size ? 2 * w->size : 4096;
  node *table = firn_alloc_zero(context, size * sizeof *table, "nodes for the strain rate");
  if (!table) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < w->size; i++) {
    if (w->table[i].taken) *find(table, size, w->table[i].at) = w->table[i];
  }
  firn_free(context, w->table, w->size * sizeof *table);
  w->table = table;
  w->size = size;
  return FIRN_OK;
}

// The 27 nodes around a particle: the first, weights and their derivatives by the coordinate in
// cells.
typedef struct stencil {
  int base[3];
  double w[3][3], d[3][3];
} stencil;

static stencil stencil_of(const work *w, size_t slot, const double corner[3]) {
  const firn_particles *p = &w->world->particles;
  stencil s;
  for (int a = 0; a < 3; a++) {
    double x = corner[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot];
    double base = floor(x - 0.5), f = x - base; // 1/2 to 3/2
    s.base[a] = (int)base;
    s.w[a][0] = 0.5 * (1.5 - f) * (1.5 - f);
    s.w[a][1] = 0.75 - (f - 1) * (f - 1);
    s.w[a][2] = 0.5 * (f - 0.5) * (f - 0.5);
    s.d[a][0] = f - 1.5;
    s.d[a][1] = 2 - 2 * f;
    s.d[a][2] = f - 0.5;
  }
  return s;
}

static void scatter(void *user, size_t slot, const double corner[3]) {
  work *w = user;
  const firn_particles *p = &w->world->particles;
  if (w->status == FIRN_OK && 2 * (w->used + 27) > w->size) w->status = grow(w);
  if (w->status != FIRN_OK) return;
  stencil s = stencil_of(w, slot, corner);
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  for (int n = 0; n < 27; n++) {
    int i = n / 9, j = n / 3 % 3, k = n % 3;
    int32_t at[3] = {s.base[0] + i, s.base[1] + j, s.base[2] + k};
    wrap(p, at);
    node *to = find(w->table, w->size, at);
    w->used += !to->taken;
    to->taken = 1;
    memcpy(to->at, at, sizeof at);
    double share = mass * s.w[0][i] * s.w[1][j] * s.w[2][k];
    to->mass += share;
    for (int a = 0; a < 3; a++) {
      to->v[a] += share * (double)firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    }
  }
}

static void gather(void *user, size_t slot, const double corner[3]) {
  const work *w = user;
  const firn_particles *p = &w->world->particles;
  stencil s = stencil_of(w, slot, corner);
  double g[3][3] = {{0}}; // dv_a / dx_b
  for (int n = 0; n < 27; n++) {
    int i = n / 9, j = n / 3 % 3, k = n % 3;
    int32_t at[3] = {s.base[0] + i, s.base[1] + j, s.base[2] + k};
    wrap(p, at);
    const node *from = find(w->table, w->size, at);
    const double slope[3] = {s.d[0][i] * s.w[1][j] * s.w[2][k], s.w[0][i] * s.d[1][j] * s.w[2][k],
                             s.w[0][i] * s.w[1][j] * s.d[2][k]};
    for (int a = 0; a < 3; a++) {
      for (int b = 0; b < 3; b++) g[a][b] += from->v[a] * slope[b];
    }
  }
  double *out = w->out + 6 * firn_particles_row(p, slot), scale = 1 / w->world->h;
  for (int a = 0; a < 3; a++) out[a] = g[a][a] * scale;
  out[3] = 0.5 * (g[0][1] + g[1][0]) * scale;
  out[4] = 0.5 * (g[0][2] + g[2][0]) * scale;
  out[5] = 0.5 * (g[1][2] + g[2][1]) * scale;
}

firn_status firn_world_strain_rate(const firn_world *world, double *out) {
  work w = {.world = world, .status = FIRN_OK, .out = out};
  firn_particles_visit(&world->particles, scatter, &w);
  if (w.status == FIRN_OK) {
    for (size_t i = 0; i < w.size; i++) {
      node *n = &w.table[i];
      // Far from all its particles a node's mass may have become 0.
      for (int a = 0; a < 3; a++) n->v[a] = n->mass > 0 ? n->v[a] / n->mass : 0;
    }
    firn_particles_visit(&world->particles, gather, &w);
  }
  firn_free(world->context, w.table, w.size * sizeof *w.table);
  return w.status;
}
