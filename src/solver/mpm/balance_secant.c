// SPDX-License-Identifier: Apache-2.0
// Where snow yields or slips, the elastic K is far stiffer than what a displacement meets, and rounds would
// come nearer by a tenth each. What the last rounds moved, du, and how the impulses answered, df, tell the
// true stiffness along a few directions: Anderson's mixing (Walker and Ni 2011, Eq. 2.1), here before the
// solve. With gamma that leaves the least of |f - sum gamma df|, u - sum gamma du is where that is what is
// left, as far as the answer is linear, and K has only to deal with that.
#include <string.h>

#include "base/parallel.h"
#include "solver/mpm/balancing.h"

// The impulse's products with each df come after those of the df among themselves.
enum { ROW = SECANTS + 1 };

// Added to the diagonal, of its sum: directions that are nearly alike are not told apart.
static const double ALIKE = 1e-6;

void mpm_secant_forget(balance *k) {
  k->secants = 0;
}

void mpm_secant_note(balance *k) {
  const firn_real *u = node_field(k, U), *f = node_field(k, IMPULSE);
  firn_real *old_u = node_field(k, FORMER_U), *old_f = node_field(k, FORMER_IMPULSE);
  size_t slot = (size_t)(k->secants % SECANTS);
  firn_real *du = node_field(k, DU + slot), *df = node_field(k, DF + slot);
  FIRN_PARALLEL_FOR(k->m->world->context, schedule(static))
  for (size_t g = 0; g < k->m->grid.count; g++) {
    for (size_t i = g * FIRN_NODE_BLOCK_REALS; i < (g + 1) * FIRN_NODE_BLOCK_REALS; i++) {
      du[i] = u[i] - old_u[i];
      df[i] = f[i] - old_f[i];
    }
  }
  k->secants++;
}

// Products of node block g.
static void multiply_block(const balance *k, size_t g, int n, double (*out)[ROW]) {
  const size_t first = g * FIRN_NODE_BLOCK_REALS;
  const firn_real *with[ROW];
  for (size_t a = 0; a < (size_t)n; a++) with[a] = node_field(k, DF + a) + first;
  with[n] = node_field(k, IMPULSE) + first;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b <= n; b++) {
      out[a][b] = 0;
      for (size_t i = 0; i < FIRN_NODE_BLOCK_REALS; i++) {
        out[a][b] += (double)with[a][i] * (double)with[b][i];
      }
    }
  }
}

static void multiply(const balance *k, int n, double sum[SECANTS][ROW]) {
  double(*part)[SECANTS][ROW] = k->products.data;
  FIRN_PARALLEL_FOR(k->m->world->context, schedule(static))
  for (size_t g = 0; g < k->m->grid.count; g++) multiply_block(k, g, n, part[g]);
  memset(sum, 0, SECANTS * sizeof *sum);
  for (size_t g = 0; g < k->m->grid.count; g++) {
    for (int a = 0; a < n; a++) {
      for (int b = 0; b <= n; b++) sum[a][b] += part[g][a][b];
    }
  }
}

// Least squares by Cholesky's method; false where there is nothing to go by.
static bool fit(const double sum[SECANTS][ROW], int n, double gamma[SECANTS]) {
  double l[SECANTS][SECANTS] = {{0}}, trace = 0;
  for (int a = 0; a < n; a++) trace += sum[a][a];
  for (int a = 0; a < n; a++) {
    for (int b = 0; b <= a; b++) {
      double x = sum[a][b] + (a == b ? ALIKE * trace : 0);
      for (int c = 0; c < b; c++) x -= l[a][c] * l[b][c];
      if (a == b && !(x > 0)) return false;
      l[a][b] = a == b ? sqrt(x) : x / l[b][b];
    }
  }
  for (int a = 0; a < n; a++) {
    gamma[a] = sum[a][n];
    for (int c = 0; c < a; c++) gamma[a] -= l[a][c] * gamma[c];
    gamma[a] /= l[a][a];
  }
  for (int a = n - 1; a >= 0; a--) {
    for (int c = a + 1; c < n; c++) gamma[a] -= l[c][a] * gamma[c];
    gamma[a] /= l[a][a];
  }
  return true;
}

void mpm_secant_apply(balance *k) {
  size_t reals = k->m->grid.count * FIRN_NODE_BLOCK_REALS;
  double sum[SECANTS][ROW], gamma[SECANTS];
  int n = k->secants < SECANTS ? k->secants : SECANTS;
  firn_real *u = node_field(k, U), *f = node_field(k, IMPULSE);
  memcpy(node_field(k, FORMER_U), u, reals * sizeof *u);
  memcpy(node_field(k, FORMER_IMPULSE), f, reals * sizeof *f);
  if (!n) return;
  multiply(k, n, sum);
  if (!fit(sum, n, gamma)) return;
  FIRN_PARALLEL_FOR(k->m->world->context, schedule(static))
  for (size_t g = 0; g < k->m->grid.count; g++) {
    for (size_t a = 0; a < (size_t)n; a++) {
      const firn_real *du = node_field(k, DU + a), *df = node_field(k, DF + a);
      for (size_t i = g * FIRN_NODE_BLOCK_REALS; i < (g + 1) * FIRN_NODE_BLOCK_REALS; i++) {
        u[i] -= (firn_real)(gamma[a] * (double)du[i]);
        f[i] -= (firn_real)(gamma[a] * (double)df[i]);
      }
    }
  }
}
