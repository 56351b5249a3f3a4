// SPDX-License-Identifier: Apache-2.0
// A system like that of an implicit step, small enough to be assembled: A = M + K, point masses on
// a lattice, springs to the 26 neighbours, some nodes held (by a moving wall) and some free to slide
// on a plane. Negative springs make A indefinite, as compression does.
#ifndef FIRN_TEST_LINEAR_LATTICE_H
#define FIRN_TEST_LINEAR_LATTICE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "linear/krylov.h"

typedef enum lattice_hold { LATTICE_FREE, LATTICE_SLIP, LATTICE_HELD } lattice_hold;

enum { LATTICE_SPRINGS = 27 }; // a node's, itself included, which stays 0

typedef struct lattice_node {
  double mass;                    // kg
  double spring[LATTICE_SPRINGS]; // kg: stiffness times dt^2
  int neighbour[LATTICE_SPRINGS]; // itself where there is none
  lattice_hold hold;
  double normal[3]; // where LATTICE_SLIP
  double velocity[3];
  double in[3], out[3]; // of the product
} lattice_node;

typedef struct lattice {
  firn_linear_system system;
  size_t nodes;
  lattice_node *node; // [nodes]
  firn_real *x;       // [system.count], the node's velocity, which obeys the constraints
  firn_real *r;       // [system.count], P(b - A x) with b = M x
  double reference2;  // b'M^-1 b
  int products;       // with A so far
} lattice;

static inline double lattice_random(uint64_t id, uint32_t stream, double low, double high) {
  return low + (high - low) * firn_uniform(firn_philox4x32(7, id, stream, 0).v[0]);
}

// out = A in, without P.
static inline void lattice_product(lattice *l) {
  for (size_t i = 0; i < l->nodes; i++) {
    lattice_node *n = &l->node[i];
    for (int c = 0; c < 3; c++) n->out[c] = n->mass * n->in[c];
    for (int s = 0; s < LATTICE_SPRINGS; s++) {
      if (n->spring[s] == 0) continue;
      const double *other = l->node[n->neighbour[s]].in;
      double d[3] = {s % 3 - 1, s / 3 % 3 - 1, s / 9 - 1};
      double stretch = 0, length2 = 0;
      for (int c = 0; c < 3; c++) {
        stretch += d[c] * (n->in[c] - other[c]);
        length2 += d[c] * d[c];
      }
      for (int c = 0; c < 3; c++) n->out[c] += n->spring[s] * stretch / length2 * d[c];
    }
  }
}

// An orthonormal basis of the range of P at a node; returns how many axes it has.
static inline int lattice_basis(const lattice_node *n, double axes[3][3]) {
  if (n->hold == LATTICE_HELD) return 0;
  if (n->hold == LATTICE_FREE) {
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < 3; c++) axes[a][c] = a == c;
    return 3;
  }
  // Columns of the Householder reflection that takes the first axis to the normal.
  double u[3] = {n->normal[0] + (n->normal[0] < 0 ? -1 : 1), n->normal[1], n->normal[2]};
  double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  for (int a = 1; a < 3; a++)
    for (int c = 0; c < 3; c++) axes[a - 1][c] = (a == c) - 2 * u[a] * u[c] / u2;
  return 2;
}

static inline void lattice_project(const lattice_node *n, double v[3]) {
  double along = v[0] * n->normal[0] + v[1] * n->normal[1] + v[2] * n->normal[2];
  for (int c = 0; c < 3; c++) {
    if (n->hold == LATTICE_HELD) v[c] = 0;
    if (n->hold == LATTICE_SLIP) v[c] -= along * n->normal[c];
  }
}

static inline firn_status lattice_apply(void *user, const firn_real *x, firn_real *y) {
  lattice *l = user;
  l->products++;
  for (size_t i = 0; i < l->nodes; i++)
    for (int c = 0; c < 3; c++) l->node[i].in[c] = (double)x[4 * i + (size_t)c];
  lattice_product(l);
  memset(y, 0, l->system.count * sizeof *y);
  for (size_t i = 0; i < l->nodes; i++) {
    lattice_project(&l->node[i], l->node[i].out);
    for (int c = 0; c < 3; c++) y[4 * i + (size_t)c] = (firn_real)l->node[i].out[c];
  }
  return FIRN_OK;
}

// P M^-1: projects although r is in the range of P, since rounding takes it out again.
static inline void lattice_precondition(void *user, const firn_real *r, firn_real *z, size_t first,
                                        size_t count) {
  const lattice *l = user;
  for (size_t i = 0; i < count; i += 4) {
    size_t n = (first + i) / 4;
    double v[3] = {0};
    for (size_t c = 0; c < 3 && n < l->nodes; c++) v[c] = (double)r[i + c] / l->node[n].mass;
    if (n < l->nodes) lattice_project(&l->node[n], v);
    for (size_t c = 0; c < 3; c++) z[i + c] = (firn_real)v[c];
    z[i + 3] = 0;
  }
}

// Sets x and r to the start of a solve.
static inline void lattice_reset(lattice *l) {
  memset(l->x, 0, l->system.count * sizeof *l->x);
  memset(l->r, 0, l->system.count * sizeof *l->r);
  for (size_t i = 0; i < l->nodes; i++) {
    for (int c = 0; c < 3; c++) {
      l->x[4 * i + (size_t)c] = (firn_real)l->node[i].velocity[c];
      l->node[i].in[c] = (double)l->x[4 * i + (size_t)c];
    }
  }
  lattice_product(l);
  l->reference2 = 0;
  for (size_t i = 0; i < l->nodes; i++) {
    lattice_node *n = &l->node[i];
    double v[3];
    for (int c = 0; c < 3; c++) {
      v[c] = n->mass * n->in[c] - n->out[c];
      l->reference2 += n->mass * n->in[c] * n->in[c];
    }
    lattice_project(n, v);
    for (int c = 0; c < 3; c++) l->r[4 * i + (size_t)c] = (firn_real)v[c];
  }
  l->products = 0;
}

// Springs are uniform in [low, high]; masses are within 0.5 to 2 kg.
static inline void lattice_create(lattice *l, firn_context *context, int nx, int ny, int nz,
                                  double low, double high, bool constrained) {
  size_t nodes = (size_t)nx * (size_t)ny * (size_t)nz, count = (nodes + 63) / 64 * 256;
  *l = (lattice){
      .system = {context, count, 256, 256, l, lattice_apply, lattice_precondition, NULL, NULL},
      .nodes = nodes,
      .node = firn_alloc_zero(context, nodes * sizeof *l->node, "lattice"),
      .x = firn_alloc(context, count * sizeof *l->x, "lattice"),
      .r = firn_alloc(context, count * sizeof *l->r, "lattice")};
  for (int i = 0; i < (int)nodes; i++) {
    lattice_node *n = &l->node[i];
    uint64_t id = (uint64_t)i;
    int at[3] = {i % nx, i / nx % ny, i / nx / ny}, size[3] = {nx, ny, nz};
    n->mass = lattice_random(id, 0, 0.5, 2);
    for (uint32_t c = 0; c < 3; c++) n->velocity[c] = lattice_random(id, 1 + c, -1, 1);
    for (int s = 0; s < LATTICE_SPRINGS; s++) {
      int to[3] = {at[0] + s % 3 - 1, at[1] + s / 3 % 3 - 1, at[2] + s / 9 - 1};
      bool inside = s != LATTICE_SPRINGS / 2;
      for (int c = 0; c < 3; c++) inside = inside && to[c] >= 0 && to[c] < size[c];
      n->neighbour[s] = inside ? (to[2] * ny + to[1]) * nx + to[0] : i;
      // Both ends of a spring must agree on it: its number is that of the earlier end.
      int from = n->neighbour[s] < i ? n->neighbour[s] : i, way = abs(s - LATTICE_SPRINGS / 2);
      if (inside) n->spring[s] = lattice_random((uint64_t)(from * 16 + way), 4, low, high);
    }
    if (!constrained || lattice_random(id, 5, 0, 1) < 0.6) continue;
    n->hold = lattice_random(id, 6, 0, 1) < 0.5 ? LATTICE_SLIP : LATTICE_HELD;
    double length2 = 0;
    for (uint32_t c = 0; c < 3; c++) {
      n->normal[c] = lattice_random(id, 7 + c, -1, 1);
      length2 += n->normal[c] * n->normal[c];
    }
    for (int c = 0; c < 3; c++) n->normal[c] /= sqrt(length2);
  }
  lattice_reset(l);
}

static inline void lattice_destroy(lattice *l) {
  firn_context *context = l->system.context;
  firn_free(context, l->node, l->nodes * sizeof *l->node);
  firn_free(context, l->x, l->system.count * sizeof *l->x);
  firn_free(context, l->r, l->system.count * sizeof *l->r);
}

// One solve from the start, in a workspace of its own that holds nan.
static inline firn_linear_result lattice_solve(lattice *l, firn_krylov kind, double tolerance,
                                               int max_iterations, firn_status *status) {
  size_t size = firn_krylov_workspace(kind, l->system.count);
  firn_real *workspace = firn_alloc(l->system.context, size * sizeof *workspace, "lattice");
  for (size_t i = 0; i < size; i++) workspace[i] = (firn_real)NAN;
  firn_linear_result result;
  lattice_reset(l);
  *status = firn_krylov_solve(kind, &l->system, tolerance, l->reference2, max_iterations, l->x,
                              l->r, workspace, &result);
  firn_free(l->system.context, workspace, size * sizeof *workspace);
  return result;
}

#endif
