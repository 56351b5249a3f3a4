// SPDX-License-Identifier: Apache-2.0
// Sand: Hencky's energy in logarithmic strain eps_k = ln sigma_k with a Drucker-Prager cone (Klar et
// al. 2016) whose slope depends on Lode's angle,
//   Psi = mu sum eps_k^2 + lambda/2 (sum eps_k)^2,   tau_k = 2 mu eps_k + lambda sum eps_k,
// a return along the deviator that keeps the volume, and the volume correction of Tampubolon et al.
// 2017: what was pulled apart must be pushed together again before it carries anything. That volume
// is ln J_P, so a particle needs no state of its own: total volume = elastic + ln J_P, always.
#ifndef FIRN_MATERIAL_SAND_H
#define FIRN_MATERIAL_SAND_H

#include "material/corotated_lane.h"
#include "material/params.h"

// The slope of the cone, |dev tau| <= -alpha tr tau, over that of triaxial compression, alpha_c. A circular
// cone would be too strong for sand that is pressed from two sides: where alpha exceeds 1/sqrt 6, from
// 37 degrees on, it would stand upright without anything on the third, and a heap as steep as it likes.
// So alpha goes through Mohr-Coulomb's corners of triaxial compression and extension,
//   alpha_e = alpha_c/(1 + a),  a = sqrt(3/2) alpha_c = 2 sin phi/(3 - sin phi),
// and is linear in Lode's number L = 3 sqrt 6 n_1 n_2 n_3, n = dev/|dev|, from -1 to 1 in between: the
// return is along the deviator, which leaves L as it is.
FIRN_HD_INLINE lane firn_sand_lode(const lane dev[3], lane size2, lane alpha) {
  const lane one = lane_set1(1), half = lane_set1(FIRN_R(0.5));
  lane a = alpha * lane_set1(FIRN_R(1.224744871391589));
  lane size = lane_sqrt(lane_max(size2, lane_set1(FIRN_R(1e-20))));
  lane n0 = dev[0] / size, n1 = dev[1] / size, n2 = dev[2] / size;
  lane lode = lane_clamp(lane_set1(FIRN_R(7.348469228349535)) * n0 * n1 * n2, -one, one);
  return one - half * (one + lode) * a / (one + a);
}

// Of firn_law_params the law reads: mu, lambda; -lo, alpha_c; hi, the logarithmic stretch of the cone's
// tip along each axis (0 without cohesion); ln_jp_hi, the largest volume it remembers (0: no volume
// correction).
FIRN_HD_INLINE lmask firn_sand_principal(const firn_law_params *p, lane s[3], lane *ln_jp,
                                         lane tau[3], lane *hard, lane *spent) {
  const lane zero = lane_zero(), three = lane_set1(3), third = lane_set1(FIRN_R(1.0 / 3));
  lane eps[3], dev[3], tip = three * p->hi, mu2 = p->mu + p->mu;
  for (int k = 0; k < 3; k++) eps[k] = lane_log1p(s[k]);
  lane grown = *ln_jp, before = eps[0] + eps[1] + eps[2];
  for (int k = 0; k < 3; k++) dev[k] = eps[k] - third * before;
  lane volume = before + grown; // of the whole, grains and gaps
  lmask open = lane_ge(volume, tip);
  // Strain of the deviator beyond the cone: |dev eps| - alpha K' (tip - volume), K' = K/(2 mu).
  lane size2 = lane_fma(dev[0], dev[0], lane_fma(dev[1], dev[1], dev[2] * dev[2]));
  lane alpha = -p->lo * firn_sand_lode(dev, size2, -p->lo);
  lane cone = alpha * lane_fma(three, p->lambda, mu2) / mu2 * (tip - volume);
  cone = lane_max(cone, zero);
  lmask slides = lane_gt(size2, cone * cone);
  lmask gaps = lane_ne(grown, zero);
  lmask yield = lmask_or(open, lmask_or(slides, gaps));
  *spent = zero;
  if (lmask_any(yield)) {
    // By deviator and volume: Psi = mu |dev eps|^2 + (lambda/2 + mu/3) (sum eps)^2.
    lane bulk = lane_fma(third, p->mu, lane_set1(FIRN_R(0.5)) * p->lambda);
    lane size2_left = lane_select(open, zero, lane_select(slides, cone * cone, size2));
    lane left = lane_select(open, tip, volume);
    lane drop = lane_fma(p->mu, size2 - size2_left, bulk * (before - left) * (before + left));
    *spent = lane_select(yield, drop, zero);
    lane size = lane_sqrt(size2);
    lane keep = lane_select(slides, cone / lane_max(size, lane_set1(FIRN_REAL_MIN)), lane_set1(1));
    for (int k = 0; k < 3; k++) {
      lane on = lane_fma(keep, dev[k], third * volume);
      on = lane_select(open, p->hi, on);
      eps[k] = lane_select(yield, on, eps[k]);
      s[k] = lane_select(yield, lane_expm1(on), s[k]);
    }
    lane gap = lane_clamp(volume - tip, zero, p->ln_jp_hi);
    *ln_jp = lane_select(open, gap, lane_select(yield, zero, grown));
  }
  lane pressure = p->lambda * (eps[0] + eps[1] + eps[2]);
  for (int k = 0; k < 3; k++) tau[k] = lane_fma(mu2, eps[k], pressure);
  *hard = lane_set1(1);
  return yield;
}

FIRN_HD_INLINE lane firn_sand_energy(const firn_law_params *p, const lane s[3], lane hard) {
  (void)hard;
  lane e0 = lane_log1p(s[0]), e1 = lane_log1p(s[1]), e2 = lane_log1p(s[2]), trace = e0 + e1 + e2;
  lane square = lane_fma(e0, e0, lane_fma(e1, e1, e2 * e2));
  return lane_fma(p->mu, square, lane_set1(FIRN_R(0.5)) * p->lambda * trace * trace);
}

// (ln x - ln y)/(x - y) (x + y)/2 for eps = ln x, ln y: z = (x - y)/(x + y) gives atanh(z)/z, by its
// series where the quotient would lose digits (the first term left out is z^10/11, below 2^-53).
FIRN_HD_INLINE lane firn_sand_slope(lane eps_x, lane eps_y, lane x, lane y) {
  lane z = (x - y) / (x + y), z2 = z * z;
  lane series = lane_set1(FIRN_R(1.0 / 9));
  series = lane_fma(series, z2, lane_set1(FIRN_R(1.0 / 7)));
  series = lane_fma(series, z2, lane_set1(FIRN_R(1.0 / 5)));
  series = lane_fma(series, z2, lane_set1(FIRN_R(1.0 / 3)));
  series = lane_fma(series, z2, lane_set1(1));
  lmask near = lane_lt(lane_abs(z), lane_set1(FIRN_R(0.03)));
  lane quotient = lane_set1(FIRN_R(0.5)) * (eps_x - eps_y) / lane_select(near, lane_set1(1), z);
  return lane_select(near, series, quotient);
}

// dP in the eigenframe of S: the stretches couple by (2 mu delta_ij + lambda - tau_i delta_ij) /
// (sigma_i sigma_j); in a plane (p, q), with P_k = tau_k / sigma_k, the symmetric part of dF meets
// (P_p - P_q)/(sigma_p - sigma_q) and the skew one (P_p + P_q)/(sigma_p + sigma_q).
FIRN_HD_INLINE void firn_sand_differential_frame(const lane s[6], lane mu, lane lambda,
                                                 const lane G[9], lane A[9], int psd) {
  const lane one = lane_set1(1), half = lane_set1(FIRN_R(0.5)), mu2 = mu + mu;
  lane e[3], Q[9], T[9], H[9], D[9], sigma[3], inverse[3], eps[3], tau[3];
  firn_lane_eigen(s, e, Q);
  for (int k = 0; k < 3; k++) {
    sigma[k] = one + e[k];
    inverse[k] = one / sigma[k];
    eps[k] = lane_log1p(e[k]);
  }
  lane trace = lambda * (eps[0] + eps[1] + eps[2]);
  for (int k = 0; k < 3; k++) tau[k] = lane_fma(mu2, eps[k], trace);

  // H = Q^T G Q diag(sigma), which is dF in the frame.
  for (int i = 0; i < 9; i++) {
    const lane *g = G + 3 * (i / 3), *q = Q + i % 3;
    T[i] = g[0] * q[0] + g[1] * q[3] + g[2] * q[6];
  }
  for (int i = 0; i < 9; i++) {
    const lane *q = Q + i / 3, *t = T + i % 3;
    H[i] = sigma[i % 3] * (q[0] * t[0] + q[3] * t[3] + q[6] * t[6]);
  }

  lane block[6];
  for (int k = 0; k < 3; k++) block[k] = (mu2 + lambda - tau[k]) * inverse[k] * inverse[k];
  block[3] = lambda * inverse[0] * inverse[1];
  block[4] = lambda * inverse[0] * inverse[2];
  block[5] = lambda * inverse[1] * inverse[2];
  if (psd) firn_corotated_project(block);
  D[0] = block[0] * H[0] + block[3] * H[4] + block[4] * H[8];
  D[4] = block[3] * H[0] + block[1] * H[4] + block[5] * H[8];
  D[8] = block[4] * H[0] + block[5] * H[4] + block[2] * H[8];
  for (int n = 0; n < 3; n++) { // planes (p, q)
    const int p = n == 0 ? 1 : 0, q = n == 2 ? 1 : 2;
    lane sum = sigma[p] + sigma[q], both = inverse[p] * inverse[q];
    // The mean of both ways to write it, so that it does not matter which of the two is p.
    lane slope = mu2 * firn_sand_slope(eps[p], eps[q], sigma[p], sigma[q]);
    lane same = both * (slope - half * (tau[p] + tau[q]));
    lane skew = (tau[p] * inverse[p] + tau[q] * inverse[q]) / sum;
    if (psd) {
      same = lane_max(same, lane_zero());
      skew = lane_max(skew, lane_zero());
    }
    lane u = half * (H[3 * p + q] + H[3 * q + p]) * same;
    lane v = half * (H[3 * p + q] - H[3 * q + p]) * skew;
    D[3 * p + q] = u + v;
    D[3 * q + p] = u - v;
  }

  // A = Q D diag(sigma) Q^T.
  for (int i = 0; i < 9; i++) {
    const lane *q = Q + 3 * (i / 3), *d = D + i % 3;
    T[i] = sigma[i % 3] * (q[0] * d[0] + q[1] * d[3] + q[2] * d[6]);
  }
  for (int i = 0; i < 9; i++) {
    const lane *t = T + 3 * (i / 3), *q = Q + 3 * (i % 3);
    A[i] = t[0] * q[0] + t[1] * q[1] + t[2] * q[2];
  }
}

FIRN_HD_INLINE void firn_sand_differential(const firn_law_params *p, const lane s[6],
                                           const lane G[9], lane A[9]) {
  firn_sand_differential_frame(s, p->mu, p->lambda, G, A, 0);
}

FIRN_HD_INLINE void firn_sand_differential_psd(const firn_law_params *p, const lane s[6],
                                               const lane G[9], lane A[9]) {
  firn_sand_differential_frame(s, p->mu, p->lambda, G, A, 1);
}

FIRN_HD double firn_sand_hardening(const firn_material_row *m, double ln_jp) {
  (void)m, (void)ln_jp;
  return 1;
}

// Confined, eps is the strain along the load. Elastic, tau = (lambda + 2 mu) eps; on the cone the
// deviator is alpha K' (tip - eps), K' as above, of which sqrt(2/3) is along the load:
// tau = K eps - 2 mu sqrt(2/3) alpha K' (tip - eps), K = lambda + 2 mu/3. The smaller of the two in
// size is the one that holds. The load is Cauchy's stress, tau/J with J = exp(eps).
FIRN_HD double firn_sand_confined(const firn_material_row *m, double load) {
  double mu = (double)m->mu, lambda = (double)m->lambda, part = sqrt(2.0 / 3), eps = 0;
  double slope = 2 * mu * part * -(double)m->lo * (3 * lambda + 2 * mu) / (2 * mu);
  double tip = 3 * (double)m->hi;
  for (int i = 0; i < 40; i++) {
    double tau = load * exp(eps), elastic = -tau / (lambda + 2 * mu);
    double cone = (slope * tip - tau) / (lambda + 2 * mu / 3 + slope);
    eps = fmax(fmin(elastic, cone), -6.9);
  }
  return exp(eps);
}

#endif
