// SPDX-License-Identifier: Apache-2.0
#include "world/strain_rate.h"

#include <math.h>

#include "math/jacobi.h"
#include "world/averages.h"

// Of A below; at a flat surface it is 0.44, in bulk 1.
static const double LEAST = 0.25;

// L = G A^-1 where no direction is stretched by less than LEAST, which the inverse's norm tells.
static bool divide_plainly(const double G[9], const double A[9], double L[9]) {
  double c[9], norm2 = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      int p = (j + 1) % 3, q = (j + 2) % 3, r = (i + 1) % 3, s = (i + 2) % 3;
      c[3 * i + j] = A[3 * p + r] * A[3 * q + s] - A[3 * p + s] * A[3 * q + r];
    }
  }
  double det = A[0] * c[0] + A[1] * c[3] + A[2] * c[6];
  for (int i = 0; i < 9; i++) norm2 += c[i] * c[i];
  if (!(norm2 * LEAST * LEAST <= det * det && det * det > 0)) return false;
  for (int i = 0; i < 9; i++) {
    const double *g = G + 3 * (i / 3), *k = c + i % 3;
    L[i] = (g[0] * k[0] + g[1] * k[3] + g[2] * k[6]) / det;
  }
  return true;
}

// L = G V f(S) V^T A^T with A = U S V^T, f = 1/s^2 down to LEAST and 1/LEAST^2 below, which lets what is
// hardly known fade out.
static void divide(const double G[9], const double A[9], double L[9]) {
  double B[9], V[9], H[9];
  if (divide_plainly(G, A, L)) return;
  for (int i = 0; i < 9; i++) {
    const double *p = A + i / 3, *q = A + i % 3;
    B[i] = p[0] * q[0] + p[3] * q[3] + p[6] * q[6];
  }
  firn_jacobi(3, B, V);
  for (int i = 0; i < 9; i++) {
    const double *v = V + 3 * (i / 3), *u = V + 3 * (i % 3);
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += v[k] * u[k] / fmax(B[4 * k], LEAST * LEAST);
    H[i] = sum;
  }
  for (int i = 0; i < 9; i++) { // G H, and then times A^T
    const double *g = G + 3 * (i / 3), *h = H + i % 3;
    B[i] = g[0] * h[0] + g[1] * h[3] + g[2] * h[6];
  }
  for (int i = 0; i < 9; i++) {
    const double *b = B + 3 * (i / 3), *a = A + 3 * (i % 3);
    L[i] = b[0] * a[0] + b[1] * a[1] + b[2] * a[2];
  }
}

// dv_a/dx_b, 1/s. The nodes' velocities are those of the snow at x_i + r_i; their slope G and that of
// these places, A, are the slopes of a velocity L x if L A = G.
static void gradient_of(const firn_around *around, double h, double L[9]) {
  double G[9] = {0}, A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int n = 0; n < around->count; n++) {
    const firn_average *node = around->node[n];
    for (int i = 0; i < 9; i++) {
      G[i] += node->v[i / 3] * around->slope[n][i % 3];
      A[i] += node->r[i / 3] * around->slope[n][i % 3];
    }
  }
  divide(G, A, L);
  for (int i = 0; i < 9; i++) L[i] /= h;
}

typedef struct target {
  const firn_world *world;
  double *out;
} target;

static void take_rate(void *user, size_t slot, const firn_around *around) {
  const target *t = user;
  double L[9], *out = t->out + 6 * firn_particles_row(&t->world->particles, slot);
  gradient_of(around, t->world->h, L);
  for (int a = 0; a < 3; a++) out[a] = L[4 * a];
  out[3] = 0.5 * (L[1] + L[3]);
  out[4] = 0.5 * (L[2] + L[6]);
  out[5] = 0.5 * (L[5] + L[7]);
}

firn_status firn_world_strain_rate(const firn_world *world, double *out) {
  target t = {world, out};
  return firn_world_average(world, 3, 0, true, take_rate, &t);
}

typedef struct finding {
  const firn_world *world;
  size_t first;
  double *found; // [pending from first on][9]
} finding;

static void find(void *user, size_t slot, const firn_around *around) {
  const finding *f = user;
  gradient_of(around, f->world->h, f->found + 9 * (slot - f->first));
}

firn_status firn_world_find_affine(firn_world *world, size_t first) {
  const firn_particles *p = &world->particles;
  size_t n = p->slots + p->pending - first, bytes = 9 * n * sizeof(double);
  double unused[9];
  if (!n || !world->affine.get || !world->affine.get(world->affine.user, first, unused))
    return FIRN_OK;
  finding f = {world, first, firn_alloc(world->context, bytes, "affine velocities")};
  if (!f.found) return FIRN_ERROR_MEMORY;
  firn_status status = firn_world_average(world, 3, first, false, find, &f);
  for (size_t i = 0; i < n && status == FIRN_OK; i++)
    world->affine.set(world->affine.user, first + i, f.found + 9 * i);
  firn_free(world->context, f.found, bytes);
  return status;
}
