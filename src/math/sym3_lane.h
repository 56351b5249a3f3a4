// SPDX-License-Identifier: Apache-2.0
// Functions of a symmetric 3x3 matrix across lanes: closed form, no eigenvectors, no iteration.
//
// A symmetric matrix is six lanes in the order xx yy zz xy xz yz.
//
// Split A = m I + p B with tr B = 0, |B|^2 = 6. The eigenvalues of B are the roots of
// y^3 - 3 y - 2 r = 0, r = det B / 2 in [-1, 1]. The textbook goes on with acos(r)/3, which loses
// half the digits where two roots meet (r = -1, 1): an error u in r moves them by sqrt(u). Newton's
// divided differences over such nodes then divide rounding by rounding. Instead:
//
// 1. One root, y_0 of the sign of r, is at least sqrt 3 away from the two others and a smooth
//    function of |r|: a polynomial, with one Newton step in double.
// 2. Its spectral projector is P = adj(B - y_0 I) / (3 y_0^2 - 3), whose denominator is in [6, 9]:
//    every entry to a few u, whatever the other two roots do.
// 3. What B does in the plane orthogonal to it is -y_0/2 (I - P) + N, N = B - 3/2 y_0 P + y_0/2 I
//    symmetric and traceless there, so N^2 = g^2 (I - P) with g = |N|/sqrt 2 and the other roots
//    are -y_0/2 + g and -y_0/2 - g. N comes out to some 15 u in absolute terms, and so does g: the
//    pair is as good as the rest (15 u p) even when it is double.
// 4. f(A) = f_0 P + (f_1 + f_2)/2 (I - P) + (f_1 - f_2)/2 N/g. Since g is computed from N, |N/g| is
//    sqrt 2 to rounding even if N is nothing but rounding; then f_1 - f_2 is, for any f with a
//    Lipschitz constant L (clamps included), at most L times a few u p. So the error of f(A) is some
//    20 u (L p + |f|) for every spectrum, double and triple eigenvalues included.
#ifndef FIRN_MATH_SYM3_LANE_H
#define FIRN_MATH_SYM3_LANE_H

#include "math/lane.h"

typedef struct firn_sym3_split {
  lane l[3]; // eigenvalues: the isolated one, then the pair, larger first
  lane P[6]; // projector on the isolated eigenvector
  lane N[6]; // N/g: difference of the projectors of the pair
} firn_sym3_split;

// The root of y^3 - 3y - 2r of largest magnitude for r in [0, 1].
FIRN_HD_INLINE lane firn_sym3_root(lane r) {
  // Interpolation of 2 cos(acos(r)/3) at 9 Chebyshev points: off by 3.6e-9.
  lane r2 = r * r, r4 = r2 * r2;
  lane a = lane_fma(r, lane_set1(FIRN_R(0.3333327423)), lane_set1(FIRN_R(1.732050811)));
  lane b = lane_fma(r, lane_set1(FIRN_R(0.04920859358)), lane_set1(FIRN_R(-0.09620888291)));
  lane c = lane_fma(r, lane_set1(FIRN_R(0.01876666114)), lane_set1(FIRN_R(-0.03021455032)));
  lane d = lane_fma(r, lane_set1(FIRN_R(0.003529713748)), lane_set1(FIRN_R(-0.009859382347)));
  d = lane_fma(r2, lane_set1(FIRN_R(-0.0006057084035)), d);
  lane y = lane_fma(r4, lane_fma(r2, d, c), lane_fma(r2, b, a));
#ifdef FIRN_DOUBLE
  lane y2 = y * y;
  lane residual = lane_fma(y, y2 - lane_set1(3), lane_set1(-2) * r);
  y = y - residual / (lane_set1(3) * (y2 - lane_set1(1)));
#endif
  return y;
}

FIRN_HD_INLINE void firn_sym3_decompose(const lane A[6], firn_sym3_split *out) {
  // m, p and B. Where the deviator is 0 or underflows so does p, whatever B is then: A = m I.
  const lane tiny = lane_set1(sizeof(firn_real) == 4 ? FIRN_R(1e-36) : FIRN_R(1e-290));
  lane m = (A[0] + A[1] + A[2]) * lane_set1(FIRN_R(1.0 / 3.0));
  lane dx = A[0] - m, dy = A[1] - m, dz = A[2] - m;
  lane off = lane_fma(A[3], A[3], lane_fma(A[4], A[4], A[5] * A[5]));
  lane diag = lane_fma(dx, dx, lane_fma(dy, dy, dz * dz));
  lane p2 = lane_fma(off, lane_set1(2), diag) * lane_set1(FIRN_R(1.0 / 6.0));
  lane ip = lane_rsqrt(lane_max(tiny, p2)), p = p2 * ip;
  lane xx = dx * ip, yy = dy * ip, zz = dz * ip, xy = A[3] * ip, xz = A[4] * ip, yz = A[5] * ip;

  // The isolated eigenvalue of B, and the minors of B - y I.
  lane det = lane_fma(xx, lane_fnma(yz, yz, yy * zz),
                      lane_fma(xy, lane_fnma(xy, zz, yz * xz), xz * lane_fnma(yy, xz, xy * yz)));
  lane r = det * lane_set1(FIRN_R(0.5));
  lane y = lane_copysign(firn_sym3_root(lane_min(lane_abs(r), lane_set1(1))), r);
  lane cx = xx - y, cy = yy - y, cz = zz - y;
  lane k = lane_rcp(lane_fma(lane_set1(3) * y, y, lane_set1(-3)));
  lane P[6];
  P[0] = k * lane_fnma(yz, yz, cy * cz);
  P[1] = k * lane_fnma(xz, xz, cx * cz);
  P[2] = k * lane_fnma(xy, xy, cx * cy);
  P[3] = k * lane_fnma(xy, cz, xz * yz);
  P[4] = k * lane_fnma(xz, cy, xy * yz);
  P[5] = k * lane_fnma(yz, cx, xy * xz);

  // The pair.
  lane y32 = y * lane_set1(FIRN_R(1.5)), y2 = y * lane_set1(FIRN_R(0.5));
  lane N[6];
  N[0] = lane_fnma(y32, P[0], xx + y2);
  N[1] = lane_fnma(y32, P[1], yy + y2);
  N[2] = lane_fnma(y32, P[2], zz + y2);
  N[3] = lane_fnma(y32, P[3], xy);
  N[4] = lane_fnma(y32, P[4], xz);
  N[5] = lane_fnma(y32, P[5], yz);
  lane noff = lane_fma(N[3], N[3], lane_fma(N[4], N[4], N[5] * N[5]));
  lane ndiag = lane_fma(N[0], N[0], lane_fma(N[1], N[1], N[2] * N[2]));
  lane g2 = lane_fma(ndiag, lane_set1(FIRN_R(0.5)), noff);
  lane ig = lane_rsqrt(lane_max(tiny, g2)), g = g2 * ig;

  out->l[0] = lane_fma(p, y, m);
  out->l[1] = lane_fma(p, g - y2, m);
  out->l[2] = lane_fnma(p, g + y2, m);
  for (int i = 0; i < 6; i++) {
    out->P[i] = P[i];
    out->N[i] = N[i] * ig;
  }
}

// f(A) from the values f[k] at the eigenvalues l[k].
FIRN_HD_INLINE void firn_sym3_compose(const firn_sym3_split *s, const lane f[3], lane out[6]) {
  lane mean = (f[1] + f[2]) * lane_set1(FIRN_R(0.5)), half = (f[1] - f[2]) * lane_set1(FIRN_R(0.5));
  lane top = f[0] - mean;
  for (int i = 0; i < 3; i++) out[i] = lane_fma(half, s->N[i], lane_fma(top, s->P[i], mean));
  for (int i = 3; i < 6; i++) out[i] = lane_fma(half, s->N[i], top * s->P[i]);
}

#endif
