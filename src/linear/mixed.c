// SPDX-License-Identifier: Apache-2.0
//   z = B^-1 r,  p = z
//   repeat  q = A p,  alpha = r'z / p'q,  x += alpha p,  r -= alpha q
//           z = B^-1 r,  beta = r'z / (r'z of before),  p = z + beta p
#include "linear/mixed.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

// Numbers in a part: sums are formed within parts, and over them in their order.
enum { PART = 4096 };

static size_t parts_of(size_t count) {
  return (count + PART - 1) / PART;
}
static size_t aligned(size_t bytes) {
  return (bytes + 63) / 64 * 64;
}

size_t firn_mixed_workspace(size_t count) {
  return aligned(count * sizeof(double)) + aligned(count * sizeof(firn_real)) +
         aligned((count + FIRN_MIXED_PAD) * sizeof(firn_real)) +
         2 * aligned((parts_of(count) + 1) * sizeof(double));
}

typedef struct cg {
  const firn_mixed_system *system;
  size_t parts;
  double *x, *r, *q; // [count]
  firn_real *p, *z;  // [count]
  double *sums[2];   // [parts]
} cg;

static double total(const double *sums, size_t parts) {
  double all = 0;
  for (size_t i = 0; i < parts; i++) all += sums[i];
  return all;
}

#define FOR_PARTS(context, parts, i)                                                               \
  FIRN_PARALLEL_FOR(context, schedule(static))                                                     \
  for (size_t i = 0; i < (parts); i++)
#define FOR_PART(count, i, n)                                                                      \
  for (size_t n = (i)*PART, end_##n = n + PART < (count) ? n + PART : (count); n < end_##n; n++)

double firn_mixed_norm2(firn_context *context, const double *a, size_t count, void *workspace) {
  double *sums = workspace;
  FOR_PARTS(context, parts_of(count), i) {
    double sum = 0;
    FOR_PART(count, i, n) sum += a[n] * a[n];
    sums[i] = sum;
  }
  return total(sums, parts_of(count));
}

// p'q
static double bend(const cg *k) {
  FOR_PARTS(k->system->context, k->parts, i) {
    double sum = 0;
    FOR_PART(k->system->count, i, n) sum += (double)k->p[n] * k->q[n];
    k->sums[0][i] = sum;
  }
  return total(k->sums[0], k->parts);
}

// r'z
static double lean(const cg *k) {
  FOR_PARTS(k->system->context, k->parts, i) {
    double sum = 0;
    FOR_PART(k->system->count, i, n) sum += k->r[n] * (double)k->z[n];
    k->sums[0][i] = sum;
  }
  return total(k->sums[0], k->parts);
}

// x += alpha p, r -= alpha q; returns r'r.
static double advance(const cg *k, double alpha) {
  FOR_PARTS(k->system->context, k->parts, i) {
    double sum = 0;
    FOR_PART(k->system->count, i, n) {
      k->x[n] += alpha * (double)k->p[n];
      k->r[n] -= alpha * k->q[n];
      sum += k->r[n] * k->r[n];
    }
    k->sums[1][i] = sum;
  }
  return total(k->sums[1], k->parts);
}

// p = z + beta p; at first there is no p.
static void turn(const cg *k, bool first, firn_real beta) {
  FOR_PARTS(k->system->context, k->parts, i) {
    FOR_PART(k->system->count, i, n) k->p[n] = first ? k->z[n] : k->z[n] + beta * k->p[n];
  }
}

void firn_mixed_solve(const firn_mixed_system *system, double tolerance, double reference,
                      int max_iterations, double *x, double *r, void *workspace,
                      firn_linear_result *out) {
  size_t count = system->count;
  char *at = workspace;
  cg k = {.system = system, .parts = parts_of(count), .x = x, .r = r};
  for (int s = 0; s < 2; s++, at += aligned((k.parts + 1) * sizeof(double))) k.sums[s] = (void *)at;
  k.q = (void *)at, at += aligned(count * sizeof(double));
  k.z = (void *)at, at += aligned(count * sizeof(firn_real));
  k.p = (void *)at;
  memset(k.p + count, 0, FIRN_MIXED_PAD * sizeof *k.p);

  double threshold = tolerance * reference, last = 1;
  double norm = sqrt(firn_mixed_norm2(system->context, r, count, k.sums[0]));
  *out = (firn_linear_result){.converged = norm <= threshold, .breakdown = !isfinite(norm)};
  while (!out->converged && !out->breakdown && out->iterations < max_iterations) {
    system->precondition(system->user, r, k.z);
    double now = lean(&k);
    turn(&k, !out->iterations, (firn_real)(now / last));
    last = now;
    system->apply(system->user, k.p, k.q);
    double curvature = bend(&k), alpha = now / curvature;
    if (curvature < 0) out->indefinite++;
    out->breakdown = !(curvature != 0 && isfinite(alpha));
    if (out->breakdown) break;
    norm = sqrt(advance(&k, alpha));
    out->breakdown = !isfinite(norm);
    out->iterations++;
    out->converged = norm <= threshold;
  }
  out->residual = norm == 0 ? 0 : norm / reference;
}
