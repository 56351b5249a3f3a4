// SPDX-License-Identifier: Apache-2.0
// Conjugate residuals for clumps of a few particles (clump.h), many side by side, a clump in each
// lane.
//
// With B from velocities of nodes to the gradients of particles, nine numbers each, and C the law's
// differential, particle by particle, the system is (M + f B'C B) v = M v*. Every residual, and so
// every product, is B'y for some y: nine numbers a particle instead of three a node, of which two
// particles touch up to 128. What an iteration asks of nodes is
//
//   B M^-1 B' = G (x) I_3,   G_(pc)(qd) = sum_i g_ip,c g_iq,d / m_i
//
// a matrix of 3 n rows made once a step. The method is that of linear/cr.c, vector by vector (z =
// M^-1 B'r has the gradients G r), and its sums are those of nodes: r'M^-1 r = r:G r.
//
// B' has a null space where particles lie close together, and what r has there is noise in r:G r,
// of the first order instead of the second as on nodes. So an answer is taken only where this
// cannot matter; patch_solve has the others, and those that break down.
#ifndef FIRN_SOLVER_MPM_KERNELS_FEW_H
#define FIRN_SOLVER_MPM_KERNELS_FEW_H

#include "solver/mpm/kernels_clump.h"
#include "solver/mpm/kernels_lane.h"

enum { FEW = MPM_FEW, FEW_SLOTS = MPM_FEW * L, FEW_PAIRS = MPM_FEW * (MPM_FEW + 1) / 2 };

// Up to L clumps of n particles. Particle k of the clump in lane l is in slot k L + l.
typedef struct few {
  uint32_t n, count;
  uint32_t clump[L]; // of the bundle; lanes beyond count repeat the first
  _Alignas(64) firn_real x[3][FEW_SLOTS], s[6][FEW_SLOTS], stiff[2][FEW_SLOTS];
  _Alignas(64) firn_real vary[FIRN_VARY_COUNT][FEW_SLOTS], grad[9][FEW_SLOTS];
  uint16_t material[FEW_SLOTS];
  lane gram[FEW_PAIRS][9]; // G of particles k <= l at few_pair(k, l), row-major, 1/(m^2 kg)
  lane sum[FEW][9];        // what the solution adds to v*, as y of M^-1 B'y
  mpm_view view;           // for the law
} few;

static inline uint32_t few_pair(uint32_t k, uint32_t l) {
  return l * (l + 1) / 2 + k;
}

// ------------------------------------------------------------------------------------- particles

static void few_fetch_one(firn_real *to, const firn_real *from, const few *f,
                          const mpm_view *view) {
  for (uint32_t l = 0; l < L; l++) {
    const firn_real *at = from + view->block[f->clump[l]].first;
    for (uint32_t k = 0; k < f->n; k++) to[k * L + l] = at[k];
  }
}

// grad: of v*, by slots of the bundle.
static void few_fetch(few *f, const mpm_view *view, firn_real grad[9][MPM_BUNDLE_SLOTS]) {
  for (uint32_t l = f->count; l < L; l++) f->clump[l] = f->clump[0];
  for (int a = 0; a < 3; a++) few_fetch_one(f->x[a], view->x[a], f, view);
  for (int i = 0; i < 6; i++) few_fetch_one(f->s[i], view->s[i], f, view);
  for (int i = 0; i < 2; i++) few_fetch_one(f->stiff[i], view->stiff[i], f, view);
  for (int i = 0; i < 9; i++) few_fetch_one(f->grad[i], grad[i], f, view);
  for (int i = 0; i < FIRN_VARY_COUNT && view->vary[i]; i++) {
    few_fetch_one(f->vary[i], view->vary[i], f, view);
  }
  for (uint32_t l = 0; l < L; l++) {
    const uint16_t *at = view->material + view->block[f->clump[l]].first;
    for (uint32_t k = 0; k < f->n; k++) f->material[k * L + l] = at[k];
  }
  f->view = *view;
  for (int i = 0; i < 6; i++) f->view.s[i] = f->s[i];
  for (int i = 0; i < 2; i++) f->view.stiff[i] = f->stiff[i];
  for (int i = 0; i < FIRN_VARY_COUNT && view->vary[i]; i++) f->view.vary[i] = f->vary[i];
  f->view.material = f->material;
}

// The solution of clumps that are solved, to slots of the bundle.
static void few_put_back(const few *f, const mpm_view *view, const mpm_patch_system *system,
                         firn_real sum[9][MPM_BUNDLE_SLOTS]) {
  for (uint32_t k = 0; k < f->n; k++) {
    for (int i = 0; i < 9; i++) {
      firn_real of[L];
      lane_storeu(of, f->sum[k][i]);
      for (uint32_t l = 0; l < f->count; l++) {
        if (system[f->clump[l]].solved) sum[i][view->block[f->clump[l]].first + k] = of[l];
      }
    }
  }
}

// ----------------------------------------------------------------------------------------- solve

// out = G y
static inline __attribute__((always_inline)) void few_product(const few *f, uint32_t n,
                                                              lane y[FEW][9], lane out[FEW][9]) {
  for (uint32_t k = 0; k < n; k++) {
    lane sum[9];
    for (int i = 0; i < 9; i++) sum[i] = lane_zero();
    for (uint32_t l = 0; l < n; l++) {
      const lane *g = f->gram[k <= l ? few_pair(k, l) : few_pair(l, k)];
      for (int c = 0; c < 3; c++) {
        for (int d = 0; d < 3; d++) {
          lane of = g[k <= l ? 3 * c + d : 3 * d + c];
          for (int a = 0; a < 3; a++)
            sum[3 * a + c] = lane_fma(of, y[l][3 * a + d], sum[3 * a + c]);
        }
      }
    }
    for (int i = 0; i < 9; i++) out[k][i] = sum[i];
  }
}

static inline __attribute__((always_inline)) lane few_dot(uint32_t n, lane a[FEW][9],
                                                          lane b[FEW][9]) {
  lane sum[3] = {lane_zero(), lane_zero(), lane_zero()};
  for (uint32_t k = 0; k < n; k++) {
    for (int i = 0; i < 9; i++) sum[i % 3] = lane_fma(a[k][i], b[k][i], sum[i % 3]);
  }
  return sum[0] + (sum[1] + sum[2]);
}

static inline lmask is_finite(lane x) {
  return lane_lt(lane_abs(x), lane_set1(INFINITY));
}

// What rounding may make of r:G r, to be held against the threshold.
static inline lane few_noise(const few *f, uint32_t n, lane r[FEW][9]) {
  lane trace = lane_zero();
  for (uint32_t k = 0; k < n; k++) {
    const lane *g = f->gram[few_pair(k, k)];
    trace = trace + (g[0] + g[4] + g[8]);
  }
  return lane_set1(4 * FIRN_REAL_EPS) * trace * few_dot(n, r, r);
}

// Ends the solves of the lanes in `now`, which have this residual.
static void few_end(const few *f, lmask now, lane residual, lane noise, const firn_real *threshold,
                    int iterations, mpm_patch_system *system) {
  firn_real of[L], least[L];
  lane_storeu(of, residual);
  lane_storeu(least, noise);
  unsigned bits = lmask_bits(now);
  for (uint32_t l = 0; l < f->count; l++) {
    mpm_patch_system *s = &system[f->clump[l]];
    if (!(bits >> l & 1u)) continue;
    s->solved = least[l] <= threshold[l];
    s->residual = (double)of[l];
    s->iterations = iterations;
  }
}

static inline __attribute__((always_inline)) void few_iterate(few *f, uint32_t n,
                                                              mpm_patch_system *system) {
  lane r[FEW][9], p[FEW][9], q[FEW][9], w[FEW][9], g[FEW][9];
  const lane factor = lane_set1(f->view.stiffness_factor), zero = lane_zero();
  firn_real threshold[L];
  int most = 0;
  for (uint32_t l = 0; l < L; l++) {
    const mpm_patch_system *s = &system[f->clump[l]];
    threshold[l] = (firn_real)s->threshold;
    most = s->max_iterations;
  }
  const lane enough = lane_loadu(threshold);

  // r = -f C B v*
  for (uint32_t k = 0; k < n; k++) {
    lane grad[9], a[9];
    for (int i = 0; i < 9; i++) grad[i] = lane_load(f->grad[i] + k * L);
    differential(&f->view, k * L, grad, a);
    for (int i = 0; i < 9; i++) {
      r[k][i] = -factor * a[i];
      p[k][i] = q[k][i] = f->sum[k][i] = zero;
    }
  }
  few_product(f, n, r, g);
  lane residual = few_dot(n, r, g), last = zero;
  lmask active = lmask_and(lane_mask_first((int)f->count), is_finite(residual));
  for (int iterations = 0;; iterations++) {
    lmask done = lmask_and(active, lane_le(residual, enough));
    if (lmask_any(done)) {
      few_end(f, done, residual, few_noise(f, n, r), threshold, iterations, system);
      active = lmask_and(active, lmask_not(done));
    }
    if (!lmask_any(active) || iterations >= most) return;

    // w = A z, in the directions that gradients give
    for (uint32_t k = 0; k < n; k++) {
      lane a[9];
      differential(&f->view, k * L, g[k], a);
      for (int i = 0; i < 9; i++) w[k][i] = lane_fma(factor, a[i], r[k][i]);
    }
    lane zeta = few_dot(n, g, w);
    lmask negative = lmask_and(active, lane_lt(zeta, zero));
    if (lmask_any(negative)) {
      unsigned bits = lmask_bits(negative);
      for (uint32_t l = 0; l < f->count; l++)
        system[f->clump[l]].indefinite += (int)(bits >> l & 1u);
    }
    active = lmask_and(active, lmask_and(is_finite(zeta), lane_ne(zeta, zero)));
    lane beta = zero;
    if (iterations) beta = zeta / last;
    active = lmask_and(active, is_finite(beta));
    beta = lane_select(active, beta, zero); // those that rest must not grow
    last = zeta;

    for (uint32_t k = 0; k < n; k++) {
      for (int i = 0; i < 9; i++) {
        p[k][i] = lane_fma(beta, p[k][i], r[k][i]);
        q[k][i] = lane_fma(beta, q[k][i], w[k][i]);
      }
    }
    few_product(f, n, q, g);
    lane qy = few_dot(n, q, g), alpha = zeta / qy;
    active = lmask_and(active, lmask_and(lane_gt(qy, zero), is_finite(alpha)));
    alpha = lane_select(active, alpha, zero);
    for (uint32_t k = 0; k < n; k++) {
      for (int i = 0; i < 9; i++) {
        f->sum[k][i] = lane_fma(alpha, p[k][i], f->sum[k][i]);
        r[k][i] = lane_fnma(alpha, q[k][i], r[k][i]);
      }
    }
    few_product(f, n, r, g);
    residual = few_dot(n, r, g);
    active = lmask_and(active, lmask_and(is_finite(residual), lane_ge(residual, zero)));
  }
}

static void few_converge(few *f, mpm_patch_system *system) {
  switch (f->n) { // so that loops have a constant number
  case 2: few_iterate(f, 2, system); break;
  case 3: few_iterate(f, 3, system); break;
  default: few_iterate(f, FEW, system); break;
  }
}

// The next clumps of n particles that are to be solved for, from `from` on. Returns where to go on.
static uint32_t few_take(few *f, const mpm_view *view, const mpm_patch_system *system, uint32_t n,
                         uint32_t from) {
  uint32_t blocks = view->unit[0].block_count;
  f->n = n;
  f->count = 0;
  for (; from < blocks && f->count < L; from++) {
    if (view->block[from].count == n && system[from].max_iterations) f->clump[f->count++] = from;
  }
  return from;
}

// x += M^-1 w, on the patches that are solved.
static void few_settle(const mpm_view *view, const mpm_patch_vectors *vectors,
                       const mpm_patch_system *system) {
  for (uint32_t b = 0; b < view->unit[0].block_count; b++) {
    size_t first = view->box[b].arena, end = first + mpm_patch_reals(&view->box[b]);
    if (!system[b].solved) continue;
    for (size_t i = first; i < end; i += L) {
      lane x = lane_load(view->node_v + i);
      x = lane_fma(lane_load(vectors->inverse + i), lane_load(vectors->w + i), x);
      lane_store(view->node_v + i, x);
    }
  }
}

#endif
