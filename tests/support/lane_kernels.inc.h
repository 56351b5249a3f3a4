// SPDX-License-Identifier: Apache-2.0
// The bodies of firn_lane_kernels, compiled once for each instruction set. The including file has
// chosen the lane (FIRN_LANE_AVX2, ...) and defines KERNELS_TABLE and KERNELS_NAME.
#include "math/bspline.h"
#include "math/row.h"
#include "math/svd_lane.h"
#include "math/sym3_lane.h"
#include "support/lane_io.h"
#include "support/lane_kernels.h"

static lane map_one(firn_lane_map op, lane x) {
  switch (op) {
  case FIRN_LANE_OP_ABS: return lane_abs(x);
  case FIRN_LANE_OP_SQRT: return lane_sqrt(x);
  case FIRN_LANE_OP_RCP: return lane_rcp(x);
  case FIRN_LANE_OP_RSQRT: return lane_rsqrt(x);
  case FIRN_LANE_OP_FLOOR: return lane_floor(x);
  case FIRN_LANE_OP_ROUND: return lane_round(x);
  case FIRN_LANE_OP_EXP: return lane_exp(x);
  case FIRN_LANE_OP_LOG: return lane_log(x);
  case FIRN_LANE_OP_LOG1P: return lane_log1p(x);
  case FIRN_LANE_OP_EXPM1: return lane_expm1(x);
  }
  return lane_zero();
}

static void map(firn_lane_map op, size_t n, const firn_real *x, firn_real *y) {
  LANE_GROUPS(n, lane_store_part(whole, y, i, n, map_one(op, lane_load_part(whole, x, i, n))));
}

FIRN_HD_INLINE void bspline_group(bool whole, size_t i, int width, size_t n, const firn_real *f,
                                  firn_real *w, firn_real *dw) {
  lane x = lane_load_part(whole, f, i, n), a[4], b[4];
  if (width == 4) {
    firn_bspline_cubic(x, a, b);
  } else {
    firn_bspline_quadratic(x, a, b);
  }
  lane_store_soa(whole, w, width, i, n, a);
  lane_store_soa(whole, dw, width, i, n, b);
}

static void bspline(int width, size_t n, const firn_real *f, firn_real *w, firn_real *dw) {
  LANE_GROUPS(n, bspline_group(whole, i, width, n, f, w, dw));
}

FIRN_HD_INLINE void svd_group(bool whole, size_t i, size_t n, const firn_real *F, firn_real *U,
                              firn_real *S, firn_real *V) {
  lane f[9], u[9], s[3], v[9];
  lane_load_soa(whole, F, 9, i, n, f);
  firn_lane_svd(f, u, s, v);
  lane_store_soa(whole, U, 9, i, n, u);
  lane_store_soa(whole, S, 3, i, n, s);
  lane_store_soa(whole, V, 9, i, n, v);
}

static void svd(size_t n, const firn_real *F, firn_real *U, firn_real *S, firn_real *V) {
  LANE_GROUPS(n, svd_group(whole, i, n, F, U, S, V));
}

FIRN_HD_INLINE void polar_group(bool whole, size_t i, size_t n, const firn_real *F, firn_real *R,
                                firn_real *T) {
  lane f[9], r[9], t[6];
  lane_load_soa(whole, F, 9, i, n, f);
  firn_lane_polar(f, r, t);
  lane_store_soa(whole, R, 9, i, n, r);
  lane_store_soa(whole, T, 6, i, n, t);
}

static void polar(size_t n, const firn_real *F, firn_real *R, firn_real *T) {
  LANE_GROUPS(n, polar_group(whole, i, n, F, R, T));
}

FIRN_HD_INLINE void eigen_group(bool whole, size_t i, size_t n, const firn_real *A, firn_real *l,
                                firn_real *Q) {
  lane a[6], d[3], q[9];
  lane_load_soa(whole, A, 6, i, n, a);
  firn_lane_eigen(a, d, q);
  lane_store_soa(whole, l, 3, i, n, d);
  lane_store_soa(whole, Q, 9, i, n, q);
}

static void eigen(size_t n, const firn_real *A, firn_real *l, firn_real *Q) {
  LANE_GROUPS(n, eigen_group(whole, i, n, A, l, Q));
}

FIRN_HD_INLINE void split_group(bool whole, size_t i, size_t n, const firn_real *A, firn_real *l,
                                firn_real *P, firn_real *N) {
  lane a[6];
  firn_sym3_split s;
  lane_load_soa(whole, A, 6, i, n, a);
  firn_sym3_decompose(a, &s);
  lane_store_soa(whole, l, 3, i, n, s.l);
  lane_store_soa(whole, P, 6, i, n, s.P);
  lane_store_soa(whole, N, 6, i, n, s.N);
}

static void split(size_t n, const firn_real *A, firn_real *l, firn_real *P, firn_real *N) {
  LANE_GROUPS(n, split_group(whole, i, n, A, l, P, N));
}

static void transpose(const firn_real *in, firn_real *out) {
  lane r[FIRN_LANES];
  for (int i = 0; i < FIRN_LANES; i++) r[i] = lane_loadu(in + i * FIRN_LANES);
  lane_transpose(r);
  for (int i = 0; i < FIRN_LANES; i++) lane_storeu(out + i * FIRN_LANES, r[i]);
}

static void across(const firn_real *x, firn_real out[3]) {
  lane v = lane_loadu(x);
  out[0] = lane_hsum(v);
  out[1] = lane_hmin(v);
  out[2] = lane_hmax(v);
}

static unsigned select_lanes(int count, const firn_real *x, const firn_real *y, const firn_real *a,
                             const firn_real *b, firn_real *out) {
  lmask first = lane_mask_first(count), less = lane_lt(lane_loadu(x), lane_loadu(y));
  lane picked = lane_select(less, lane_loadu(a), lane_loadu(b));
  lane_storeu(out, lane_select(first, picked, lane_zero()));
  return lmask_bits(lmask_and(first, less));
}

static void gather(const firn_real *base, const firn_real *index, int32_t shift, firn_real *out,
                   int32_t *integers) {
  ilane i = ilane_add(lane_to_ilane(lane_loadu(index)), ilane_set1(shift));
  ilane_storeu(integers, i);
  lane_storeu(out, lane_gather(base, ilane_loadu(integers)));
}

static void integers(const int32_t *a, const int32_t *b, const int32_t *base, const uint16_t *pair,
                     int32_t *out) {
  ilane x = ilane_loadu(a), y = ilane_loadu(b), i = ilane_and(y, ilane_set1(7));
  const ilane all[10] = {ilane_add(x, y),       ilane_mul(x, y),
                         ilane_xor(x, y),       ilane_and(x, y),
                         ILANE_SHL(x, 9),       ILANE_SHR(x, 9),
                         ILANE_ROTL(x, 13),     ilane_select(ilane_negative(x), x, y),
                         ilane_gather(base, i), ilane_gather16(pair, i)};
  for (int k = 0; k < 10; k++) ilane_storeu(out + k * FIRN_LANES, all[k]);
}

#if FIRN_LANES > 1
static void row_affine(firn_real w, const firn_real *a, const firn_real *four, const firn_real *w4,
                       firn_real *out) {
  row16 product = row_mul(row_splat4(four), row_spread4(w4));
  row_storeu(out, row_fma(lane_set1(w), row_loadu(a), product));
}

static void row_reduce(const firn_real *abcd, firn_real *out) {
  row_reduce4x4(row_loadu(abcd), row_loadu(abcd + 16), row_loadu(abcd + 32), row_loadu(abcd + 48),
                out);
}

static void row_part(const firn_real *p, unsigned first, unsigned count, firn_real *out) {
  row_storeu(out, row_maskz_load(p, first, count));
}

static void row_unweight(const firn_real *a, firn_real *out) {
  row16 r = row_loadu(a);
  row_storeu(out, row_blend_w(row_div(r, row_broadcast_w(r)), r));
}
#endif

const firn_lane_kernels KERNELS_TABLE = {
    .name = KERNELS_NAME,
    .lanes = FIRN_LANES,
    .map = map,
    .bspline = bspline,
    .svd = svd,
    .polar = polar,
    .eigen = eigen,
    .split = split,
    .transpose = transpose,
    .across = across,
    .select = select_lanes,
    .gather = gather,
    .integers = integers,
#if FIRN_LANES > 1
    .row_affine = row_affine,
    .row_reduce = row_reduce,
    .row_part = row_part,
    .row_unweight = row_unweight,
#endif
};
