// SPDX-License-Identifier: Apache-2.0
// The fixed corotated energy across lanes (Stomakhin et al. 2013, Eq. 1), in terms of the left
// stretch: what snow and the elastic law share.
//
//   Psi = mu sum (sigma_k - 1)^2 + lambda/2 (J - 1)^2
//
// The law is isotropic, so F_E may be replaced by its left stretch S = sqrt(b) (F_E = S Q with a
// rotation Q that no result depends on), for which the polar rotation is I. All strains enter as
// sigma - 1 and S - I: nothing here subtracts 1 from a number near 1.
#ifndef FIRN_MATERIAL_COROTATED_LANE_H
#define FIRN_MATERIAL_COROTATED_LANE_H

#include "math/svd_lane.h"

// J - 1 for sigma_k = 1 + s_k.
FIRN_HD_INLINE lane firn_corotated_volume(const lane s[3]) {
  lane pair = lane_fma(s[0], s[1], s[0] + s[1]); // sigma_0 sigma_1 - 1
  return lane_fma(pair, s[2], pair + s[2]);
}

// Psi, J/m^3 (Eq. 1).
FIRN_HD_INLINE lane firn_corotated_energy(lane mu, lane lambda, const lane s[3]) {
  lane j = firn_corotated_volume(s);
  lane shear = lane_fma(s[0], s[0], lane_fma(s[1], s[1], s[2] * s[2]));
  return lane_fma(mu, shear, lambda * lane_set1(FIRN_R(0.5)) * j * j);
}

// Principal Kirchhoff stress, Pa, dPsi/dF_E F_E^T of Eq. 5: tau_k = 2 mu sigma_k (sigma_k - 1) + lambda J (J - 1).
FIRN_HD_INLINE void firn_corotated_stress(lane mu, lane lambda, const lane s[3], lane tau[3]) {
  lane j = firn_corotated_volume(s);
  lane pressure = lambda * lane_fma(j, j, j), mu2 = mu + mu;
  for (int k = 0; k < 3; k++) tau[k] = lane_fma(mu2, lane_fma(s[k], s[k], s[k]), pressure);
}

// Confined compression under a load, Pa (oedometer): with sigma = (s, 1, 1) the energy above is
// (mu + lambda/2) (s - 1)^2, so that the stress is (lambda + 2 mu) (s - 1) for any s. Returns s, no
// less than 1 + least.
FIRN_HD double firn_corotated_confined(double mu, double lambda, double least, double load) {
  return 1 + fmax(-load / (lambda + 2 * mu), least);
}

// A = dP[G S] S^T, the change of Kirchhoff stress work under a velocity gradient G (nine lanes,
// row-major); s = S - I (xx yy zz xy xz yz). mu and lambda hardened, perhaps times a volume. This is
// A_p F_E^T of Eqs. 7 and 8: all that the matrix of Eq. 9 knows of the material.
//
// With F = S, R = I and dF = G S the three parts of dP (tests/material/corotated.h) collapse:
//   cof F : dF = J tr G, cof F F^T = J I, dcof F^T = J (tr G I - G^T),
//   A = 2 mu (G S - [w]x) S + lambda J (2J - 1) tr G I - lambda J (J - 1) G^T,
// where (tr S I - S) w = the axial vector of G S - (G S)^T.
FIRN_HD_INLINE void firn_corotated_differential(const lane s[6], lane mu, lane lambda,
                                                const lane G[9], lane A[9]) {
  const lane one = lane_set1(1);
  lane xx = one + s[0], yy = one + s[1], zz = one + s[2], xy = s[3], xz = s[4], yz = s[5];

  // B = G S, and the axial vector of its skew part.
  lane B[9];
  for (int i = 0; i < 9; i += 3) {
    B[i] = lane_fma(G[i], xx, lane_fma(G[i + 1], xy, G[i + 2] * xz));
    B[i + 1] = lane_fma(G[i], xy, lane_fma(G[i + 1], yy, G[i + 2] * yz));
    B[i + 2] = lane_fma(G[i], xz, lane_fma(G[i + 1], yz, G[i + 2] * zz));
  }
  lane a0 = B[7] - B[5], a1 = B[2] - B[6], a2 = B[3] - B[1];

  // w by Cramer's rule; the eigenvalues of M = tr S I - S are sums of two stretches, near 2.
  lane mx = yy + zz, my = xx + zz, mz = xx + yy; // off-diagonals are -xy, -xz, -yz
  lane c00 = lane_fnma(yz, yz, my * mz), c11 = lane_fnma(xz, xz, mx * mz);
  lane c22 = lane_fnma(xy, xy, mx * my);
  lane c01 = lane_fma(xy, mz, xz * yz), c02 = lane_fma(xz, my, xy * yz);
  lane c12 = lane_fma(yz, mx, xy * xz);
  lane det = lane_fnma(xz, c02, lane_fnma(xy, c01, mx * c00));
  lane k = lane_rcp(det);
  lane w0 = k * lane_fma(c00, a0, lane_fma(c01, a1, c02 * a2));
  lane w1 = k * lane_fma(c01, a0, lane_fma(c11, a1, c12 * a2));
  lane w2 = k * lane_fma(c02, a0, lane_fma(c12, a1, c22 * a2));

  // dF - dR, times S.
  B[1] = B[1] + w2;
  B[2] = B[2] - w1;
  B[3] = B[3] - w2;
  B[5] = B[5] + w0;
  B[6] = B[6] + w1;
  B[7] = B[7] - w0;
  // J - 1 = tr s + (sum of principal minors) + det s.
  lane n0 = lane_fnma(yz, yz, s[1] * s[2]), n1 = lane_fnma(xz, xz, s[0] * s[2]);
  lane n2 = lane_fnma(xy, xy, s[0] * s[1]);
  lane dets = lane_fma(
      s[0], n0, lane_fma(xy, lane_fnma(xy, s[2], xz * yz), xz * lane_fnma(xz, s[1], xy * yz)));
  lane j = (s[0] + s[1] + s[2]) + (n0 + n1 + n2) + dets;
  lane J = one + j, lj = lambda * J, skew = lj * j;
  lane trace = lj * (J + j) * (G[0] + G[4] + G[8]);
  lane mu2 = mu + mu;
  for (int i = 0; i < 3; i++) {
    const lane *b = B + 3 * i;
    lane x = lane_fma(b[0], xx, lane_fma(b[1], xy, b[2] * xz));
    lane y = lane_fma(b[0], xy, lane_fma(b[1], yy, b[2] * yz));
    lane z = lane_fma(b[0], xz, lane_fma(b[1], yz, b[2] * zz));
    A[3 * i] = lane_fnma(skew, G[i], mu2 * x);
    A[3 * i + 1] = lane_fnma(skew, G[3 + i], mu2 * y);
    A[3 * i + 2] = lane_fnma(skew, G[6 + i], mu2 * z);
    A[4 * i] = A[4 * i] + trace;
  }
}

// The nearest positive semi-definite stretch block: drops the negative part of a symmetric 3x3.
FIRN_HD_INLINE void firn_corotated_project(lane block[6]) {
  lane l[3], Q[9];
  firn_lane_eigen(block, l, Q);
  for (int k = 0; k < 3; k++) l[k] = lane_max(l[k], lane_zero());
  firn_lane_eigen_compose(Q, l, block);
}

// The same (Eqs. 7 to 9) with the negative eigenvalues of d2Psi/dF2 set to 0, by its closed-form spectrum in the
// eigenframe of S: a stretch block on the diagonal of dF, a symmetric ("flip") and a skew ("twist")
// pair in each plane. Then G : A[G] >= 0 for every G.
FIRN_HD_INLINE void firn_corotated_differential_psd(const lane s[6], lane mu, lane lambda,
                                                    const lane G[9], lane A[9]) {
  const lane one = lane_set1(1), zero = lane_zero(), half = lane_set1(FIRN_R(0.5));
  lane e[3], Q[9];
  firn_lane_eigen(s, e, Q);
  lane sigma[3] = {one + e[0], one + e[1], one + e[2]};
  lane j = firn_corotated_volume(e), J = one + j, mu2 = mu + mu;

  // H = Q^T G Q diag(sigma), which is dF in the frame.
  lane T[9], H[9];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      T[3 * i + k] = lane_fma(G[3 * i], Q[k],
                              lane_fma(G[3 * i + 1], Q[3 + k], G[3 * i + 2] * Q[6 + k]));
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      H[3 * i + k] = sigma[k] *
                     lane_fma(Q[i], T[k], lane_fma(Q[3 + i], T[3 + k], Q[6 + i] * T[6 + k]));

  // Stretch.
  lane c = lambda * (J + j); // lambda (2J - 1)
  lane b0 = sigma[1] * sigma[2], b1 = sigma[0] * sigma[2], b2 = sigma[0] * sigma[1];
  lane block[6] = {lane_fma(lambda * b0, b0, mu2),
                   lane_fma(lambda * b1, b1, mu2),
                   lane_fma(lambda * b2, b2, mu2),
                   c * sigma[2],
                   c * sigma[1],
                   c * sigma[0]};
  firn_corotated_project(block);
  lane D[9];
  D[0] = lane_fma(block[0], H[0], lane_fma(block[3], H[4], block[4] * H[8]));
  D[4] = lane_fma(block[3], H[0], lane_fma(block[1], H[4], block[5] * H[8]));
  D[8] = lane_fma(block[4], H[0], lane_fma(block[5], H[4], block[2] * H[8]));

  // Flip and twist in the plane (p, q) with normal k; 1 - 2/(sigma_p + sigma_q) without cancelling.
  for (int k = 0; k < 3; k++) {
    const int p = k == 0 ? 1 : 0, q = k == 2 ? 1 : 2;
    lane sum = e[p] + e[q], lat = lambda * j * sigma[k];
    lane flip = lane_max(mu2 - lat, zero);
    lane twist = lane_max(lane_fma(mu2, sum / (lane_set1(2) + sum), lat), zero);
    lane u = half * (H[3 * p + q] + H[3 * q + p]) * flip;
    lane v = half * (H[3 * p + q] - H[3 * q + p]) * twist;
    D[3 * p + q] = u + v;
    D[3 * q + p] = u - v;
  }

  // A = Q D diag(sigma) Q^T.
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      T[3 * i + k] = sigma[k] * lane_fma(Q[3 * i], D[k],
                                         lane_fma(Q[3 * i + 1], D[3 + k], Q[3 * i + 2] * D[6 + k]));
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      A[3 * i + k] = lane_fma(T[3 * i], Q[3 * k],
                              lane_fma(T[3 * i + 1], Q[3 * k + 1], T[3 * i + 2] * Q[3 * k + 2]));
}

#endif
