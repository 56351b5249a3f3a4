// SPDX-License-Identifier: Apache-2.0
// The bodies of firn_law_kernels, compiled once for each instruction set. The including file has
// chosen the lane (FIRN_LANE_AVX2, ...) and defines KERNELS_TABLE and KERNELS_NAME.
#include "material/law.h"
#include "support/lane_io.h"
#include "support/law_kernels.h"

static ilane load_id(const int32_t *id, size_t i, size_t n) {
  int32_t v[FIRN_LANES];
  for (size_t k = 0; k < FIRN_LANES; k++) v[k] = id[i + k < n ? i + k : n - 1];
  return ilane_loadu(v);
}

FIRN_HD_INLINE void law_return_group(bool whole, size_t i, int law, const firn_material_row *rows,
                                     const int32_t *id, bool by_jacobi, size_t n, firn_real *e,
                                     firn_real *ln_jp, firn_real *tau, firn_real *hard,
                                     firn_law_params p) {
  lane b[6], t[6], h, spent, jp = lane_load_part(whole, ln_jp, i, n);
  lane_load_soa(whole, e, 6, i, n, b);
  if (id) p = firn_law_params_gather(rows, load_id(id, i, n));
  if (by_jacobi) {
    firn_law_return_jacobi(law, &p, b, &jp, t, &h, &spent);
  } else {
    firn_law_return_closed(law, &p, b, &jp, t, &h, &spent);
  }
  lane_store_soa(whole, e, 6, i, n, b);
  lane_store_soa(whole, tau, 6, i, n, t);
  lane_store_part(whole, ln_jp, i, n, jp);
  lane_store_part(whole, hard, i, n, h);
}

static void law_return(int law, const firn_material_row *rows, const int32_t *id, bool by_jacobi,
                       size_t n, firn_real *e, firn_real *ln_jp, firn_real *tau, firn_real *hard) {
  firn_law_params p = firn_law_params_set1(rows);
  LANE_GROUPS(n, law_return_group(whole, i, law, rows, id, by_jacobi, n, e, ln_jp, tau, hard, p));
}

FIRN_HD_INLINE void spend_group(bool whole, size_t i, int law, firn_law_params p, bool by_jacobi,
                                size_t n, const firn_real *e, const firn_real *ln_jp,
                                firn_real *spent) {
  lane b[6], t[6], h, out, jp = lane_load_part(whole, ln_jp, i, n);
  lane_load_soa(whole, e, 6, i, n, b);
  if (by_jacobi) {
    firn_law_return_jacobi(law, &p, b, &jp, t, &h, &out);
  } else {
    firn_law_return_closed(law, &p, b, &jp, t, &h, &out);
  }
  lane_store_part(whole, spent, i, n, out);
}

static void spend(int law, const firn_material_row *row, bool by_jacobi, size_t n,
                  const firn_real *e, const firn_real *ln_jp, firn_real *spent) {
  firn_law_params p = firn_law_params_set1(row);
  LANE_GROUPS(n, spend_group(whole, i, law, p, by_jacobi, n, e, ln_jp, spent));
}

FIRN_HD_INLINE void energy_group(bool whole, size_t i, int law, firn_law_params p, size_t n,
                                 const firn_real *e, const firn_real *hard, firn_real *psi) {
  lane b[6];
  lane_load_soa(whole, e, 6, i, n, b);
  lane_store_part(whole, psi, i, n, firn_law_energy(law, &p, b, lane_load_part(whole, hard, i, n)));
}

static void energy(int law, const firn_material_row *row, size_t n, const firn_real *e,
                   const firn_real *hard, firn_real *psi) {
  firn_law_params p = firn_law_params_set1(row);
  LANE_GROUPS(n, energy_group(whole, i, law, p, n, e, hard, psi));
}

FIRN_HD_INLINE void differential_group(bool whole, size_t i, int law, bool psd, firn_law_params p,
                                       size_t n, const firn_real *s, const firn_real *mu,
                                       const firn_real *lambda, const firn_real *G, firn_real *A) {
  lane u[6], g[9], a[9];
  p.mu = lane_load_part(whole, mu, i, n);
  p.lambda = lane_load_part(whole, lambda, i, n);
  lane_load_soa(whole, s, 6, i, n, u);
  lane_load_soa(whole, G, 9, i, n, g);
  firn_law_differential(law, psd, &p, u, g, a);
  lane_store_soa(whole, A, 9, i, n, a);
}

static void differential(const firn_material_row *row, bool psd, size_t n, const firn_real *s,
                         const firn_real *mu, const firn_real *lambda, const firn_real *G,
                         firn_real *A) {
  firn_law_params p = firn_law_params_set1(row);
  LANE_GROUPS(n, differential_group(whole, i, row->law, psd, p, n, s, mu, lambda, G, A));
}

FIRN_HD_INLINE void stretch_group(bool whole, size_t i, size_t n, const firn_real *e,
                                  firn_real *s) {
  lane b[6], u[6];
  lane_load_soa(whole, e, 6, i, n, b);
  firn_law_stretch(b, u);
  lane_store_soa(whole, s, 6, i, n, u);
}

static void stretch(size_t n, const firn_real *e, firn_real *s) {
  LANE_GROUPS(n, stretch_group(whole, i, n, e, s));
}

FIRN_HD_INLINE void push_group(bool whole, size_t i, size_t n, const firn_real *D, firn_real *e) {
  lane d[9], b[6];
  lane_load_soa(whole, D, 9, i, n, d);
  lane_load_soa(whole, e, 6, i, n, b);
  firn_law_push(d, b);
  lane_store_soa(whole, e, 6, i, n, b);
}

static void push(size_t n, const firn_real *D, firn_real *e) {
  LANE_GROUPS(n, push_group(whole, i, n, D, e));
}

const firn_law_kernels KERNELS_TABLE = {
    .name = KERNELS_NAME,
    .lanes = FIRN_LANES,
    .law_return = law_return,
    .spend = spend,
    .energy = energy,
    .differential = differential,
    .stretch = stretch,
    .push = push,
};
