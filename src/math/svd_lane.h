// SPDX-License-Identifier: Apache-2.0
// Jacobi across lanes: eigenvectors of symmetric 3x3 matrices, SVD and polar decomposition.
//
// Branchless inside a sweep; a sweep more while any lane still has an off-diagonal term worth
// rotating away. Slower than sym3_lane.h by four, and the oracle for it; for where a frame is needed.
// Matrices are nine lanes, row-major; a set of vectors is stored as the columns of such a matrix.
#ifndef FIRN_MATH_SVD_LANE_H
#define FIRN_MATH_SVD_LANE_H

#include "math/lane.h"

// Cyclic Jacobi on 3x3 converges quadratically after two or three sweeps; ten is a loose cap.
#define FIRN_JACOBI_SWEEPS 10

// Rotates columns p and q of the matrix a by (c, s): p' = c p - s q, q' = s p + c q.
FIRN_HD_INLINE void firn_lane_rotate(lane a[9], int p, int q, lane c, lane s) {
  for (int i = 0; i < 3; i++) {
    lane x = a[3 * i + p], y = a[3 * i + q];
    a[3 * i + p] = lane_fnma(s, y, c * x);
    a[3 * i + q] = lane_fma(s, x, c * y);
  }
}

// One rotation of the two-sided method, killing the (p, q) entry; r is the third index.
FIRN_HD_INLINE void firn_lane_eigen_step(lane *app, lane *aqq, lane *apq, lane *apr, lane *aqr,
                                         lane U[9], int p, int q) {
  const lane tiny = lane_set1(sizeof(firn_real) == 4 ? FIRN_R(1e-18) : FIRN_R(1e-140));
  lane d = (*aqq - *app) * lane_set1(FIRN_R(0.5));
  lane len = lane_abs(d) + lane_sqrt(lane_fma(d, d, *apq * *apq));
  lane t = lane_copysign(lane_set1(1), d) * (*apq / lane_max(len, tiny));
  lane c = lane_rsqrt(lane_fma(t, t, lane_set1(1))), s = t * c;
  *app = lane_fnma(t, *apq, *app);
  *aqq = lane_fma(t, *apq, *aqq);
  *apq = lane_zero();
  lane x = *apr, y = *aqr;
  *apr = lane_fnma(s, y, c * x);
  *aqr = lane_fma(s, x, c * y);
  firn_lane_rotate(U, p, q, c, s);
}

// A (xx yy zz xy xz yz) = U diag(l) U^T; columns of U are the eigenvectors, det U = +1, l unsorted.
FIRN_HD_INLINE void firn_lane_eigen(const lane A[6], lane l[3], lane U[9]) {
  lane xx = A[0], yy = A[1], zz = A[2], xy = A[3], xz = A[4], yz = A[5];
  for (int i = 0; i < 9; i++) U[i] = lane_set1(i % 4 == 0 ? FIRN_R(1) : FIRN_R(0));
  // Off-diagonals below eps/16 of the largest entry are rounding. A nan among them keeps the sweeps
  // going, which spreads it to all results.
  lane scale = lane_max(lane_abs(xx), lane_max(lane_abs(yy), lane_abs(zz)));
  scale = lane_max(scale, lane_max(lane_abs(xy), lane_max(lane_abs(xz), lane_abs(yz))));
  lane small = scale * lane_set1(FIRN_R(FIRN_REAL_EPS / 16));
  for (int sweep = 0; sweep < FIRN_JACOBI_SWEEPS; sweep++) {
    lane off = lane_abs(xy) + lane_abs(xz) + lane_abs(yz);
    if (lmask_all(lane_le(off, small))) break;
    firn_lane_eigen_step(&xx, &yy, &xy, &xz, &yz, U, 0, 1);
    firn_lane_eigen_step(&xx, &zz, &xz, &xy, &yz, U, 0, 2);
    firn_lane_eigen_step(&yy, &zz, &yz, &xy, &xz, U, 1, 2);
  }
  l[0] = xx;
  l[1] = yy;
  l[2] = zz;
}

// U diag(f) U^T.
FIRN_HD_INLINE void firn_lane_eigen_compose(const lane U[9], const lane f[3], lane out[6]) {
  const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    const lane *a = U + 3 * row[k], *b = U + 3 * col[k];
    out[k] = lane_fma(f[0] * a[0], b[0], lane_fma(f[1] * a[1], b[1], f[2] * a[2] * b[2]));
  }
}

FIRN_HD_INLINE lane firn_lane_column_dot(const lane a[9], int p, int q) {
  return lane_fma(a[p], a[q], lane_fma(a[3 + p], a[3 + q], a[6 + p] * a[6 + q]));
}

// Columns p and q to descending length; (p, q) -> (q, -p) keeps the determinants.
FIRN_HD_INLINE void firn_lane_svd_order(lane a[9], lane V[9], lane n2[3], int p, int q) {
  lmask swap = lane_lt(n2[p], n2[q]);
  lane t = n2[p];
  n2[p] = lane_select(swap, n2[q], t);
  n2[q] = lane_select(swap, t, n2[q]);
  for (int i = 0; i < 9; i += 3) {
    lane x = a[i + p], y = a[i + q], v = V[i + p], w = V[i + q];
    a[i + p] = lane_select(swap, y, x);
    a[i + q] = lane_select(swap, -x, y);
    V[i + p] = lane_select(swap, w, v);
    V[i + q] = lane_select(swap, -v, w);
  }
}

// F = U diag(S) V^T with det U = det V = +1, S[0] >= S[1] >= |S[2]|; S[2] has the sign of det F.
// One-sided Jacobi: rotate the columns of F until they are orthogonal to working precision relative
// to their own lengths, which is what keeps small singular values accurate.
FIRN_HD_INLINE void firn_lane_svd(const lane F[9], lane U[9], lane S[3], lane V[9]) {
  const lane one = lane_set1(1), zero = lane_zero();
  const lane floor2 = lane_set1(FIRN_REAL_MIN * FIRN_R(1e6));
  lane a[9];
  for (int i = 0; i < 9; i++) {
    a[i] = F[i];
    V[i] = lane_set1(i % 4 == 0 ? FIRN_R(1) : FIRN_R(0));
  }

  // Orthogonal columns; a tighter threshold than 2 eps would chase the rounding of the products.
  const lane tol2 = lane_set1(FIRN_REAL_EPS * FIRN_REAL_EPS * FIRN_R(4));
  for (int sweep = 0; sweep < 2 * FIRN_JACOBI_SWEEPS; sweep++) {
    int busy = 0;
    for (int k = 0; k < 3; k++) {
      const int p = k == 2 ? 1 : 0, q = k == 0 ? 1 : 2;
      lane na = firn_lane_column_dot(a, p, p), nb = firn_lane_column_dot(a, q, q);
      lane g = firn_lane_column_dot(a, p, q);
      lmask rotate = lmask_and(lane_gt(g / na * (g / nb), tol2), lane_gt(lane_abs(g), floor2));
      if (lmask_none(rotate)) continue;
      busy = 1;
      lane z = (nb - na) * lane_set1(FIRN_R(0.5)) / lane_select(rotate, g, one);
      lane t = one / (lane_abs(z) + lane_sqrt(lane_fma(z, z, one)));
      t = lane_select(rotate, lane_copysign(t, z), zero);
      lane c = lane_rsqrt(lane_fma(t, t, one)), s = t * c;
      firn_lane_rotate(a, p, q, c, s);
      firn_lane_rotate(V, p, q, c, s);
    }
    if (!busy) break;
  }
  lane n2[3];
  for (int k = 0; k < 3; k++) n2[k] = firn_lane_column_dot(a, k, k);
  firn_lane_svd_order(a, V, n2, 0, 1);
  firn_lane_svd_order(a, V, n2, 0, 2);
  firn_lane_svd_order(a, V, n2, 1, 2);

  // u_0 = a_0 / |a_0|, or x where F = 0.
  lmask full = lane_gt(n2[0], floor2);
  lane inv = lane_rsqrt(lane_select(full, n2[0], one));
  lane u0 = lane_select(full, a[0] * inv, one);
  lane u1 = lane_select(full, a[3] * inv, zero);
  lane u2 = lane_select(full, a[6] * inv, zero);
  S[0] = lane_select(full, n2[0] * inv, zero);

  // u_1 = a_1 without its part along u_0; where a_1 = 0, the axis least along u_0 instead.
  full = lane_gt(n2[1], floor2);
  lane x0 = lane_abs(u0), x1 = lane_abs(u1), x2 = lane_abs(u2);
  lmask first = lmask_and(lane_le(x0, x1), lane_le(x0, x2));
  lmask third = lmask_and(lmask_not(first), lane_lt(x2, x1));
  lmask second = lmask_not(lmask_or(first, third));
  lane w0 = lane_select(full, a[1], lane_select(first, one, zero));
  lane w1 = lane_select(full, a[4], lane_select(second, one, zero));
  lane w2 = lane_select(full, a[7], lane_select(third, one, zero));
  lane along = lane_fma(u0, w0, lane_fma(u1, w1, u2 * w2));
  w0 = lane_fnma(along, u0, w0);
  w1 = lane_fnma(along, u1, w1);
  w2 = lane_fnma(along, u2, w2);
  lane norm2 = lane_fma(w0, w0, lane_fma(w1, w1, w2 * w2));
  inv = lane_rsqrt(norm2);
  w0 = w0 * inv;
  w1 = w1 * inv;
  w2 = w2 * inv;
  S[1] = lane_select(full, norm2 * inv, zero);

  // u_2 completes the rotation; its sign goes to the singular value.
  lane v0 = lane_fnma(u2, w1, u1 * w2), v1 = lane_fnma(u0, w2, u2 * w0);
  lane v2 = lane_fnma(u1, w0, u0 * w1);
  S[2] = lane_fma(v0, a[2], lane_fma(v1, a[5], v2 * a[8]));
  U[0] = u0, U[1] = w0, U[2] = v0;
  U[3] = u1, U[4] = w1, U[5] = v1;
  U[6] = u2, U[7] = w2, U[8] = v2;
}

// F = R T with R a rotation and T symmetric (xx yy zz xy xz yz); where det F < 0, T has one negative
// eigenvalue, its smallest in magnitude.
FIRN_HD_INLINE void firn_lane_polar(const lane F[9], lane R[9], lane T[6]) {
  lane U[9], S[3], V[9];
  firn_lane_svd(F, U, S, V);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[3 * i + j] = lane_fma(U[3 * i], V[3 * j],
                              lane_fma(U[3 * i + 1], V[3 * j + 1], U[3 * i + 2] * V[3 * j + 2]));
  firn_lane_eigen_compose(V, S, T);
}

#endif
