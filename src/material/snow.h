// SPDX-License-Identifier: Apache-2.0
// Snow (Stomakhin et al. 2013, sections 5 and 7): fixed corotated elasticity between yield limits on
// each principal stretch, and stiffness that follows the plastic volume,
//   mu = mu_0 exp(xi (1 - J_P)), lambda likewise (Eq. 2), xi being the number `hardening`.
// In tension, J_P > 1, strain localises in a crack of one cell or two whatever their size h, so J_P - 1 is
// the crack's opening over h, and the energy that opens it would go with h. There the exponent is
// xi (1 - J_P) h/l with a length l of the snow: a crack band (Bazant and Oh 1983). `soften` is h/l.
#ifndef FIRN_MATERIAL_SNOW_H
#define FIRN_MATERIAL_SNOW_H

#include "material/corotated_lane.h"
#include "material/params.h"

FIRN_HD_INLINE lane firn_snow_hard(const firn_law_params *p, lane ln_jp) {
  lane packed = lane_set1(1) - lane_exp(ln_jp);
  packed = lane_select(lane_ge(packed, lane_zero()), packed, p->soften * packed);
  return lane_exp(p->hardening * packed); // Eq. 2
}

// The plastic return of section 7 (Eqs. 11 and 12) and hardening (Eq. 2). See elastic.h for the
// arguments. The stretches are clamped to [1 - theta_c, 1 + theta_s], and what
// the clamp takes goes to J_P: J_P *= prod sigma_trial / sigma. J_P is kept as its logarithm because
// F_P itself grows without bound in shear, where only its determinant has a meaning.
FIRN_HD_INLINE lmask firn_snow_principal(const firn_law_params *p, lane s[3], lane *ln_jp,
                                         lane tau[3], lane *hard, lane *spent) {
  const lane one = lane_set1(1);
  lane k0 = lane_clamp(s[0], p->lo, p->hi), k1 = lane_clamp(s[1], p->lo, p->hi);
  lane k2 = lane_clamp(s[2], p->lo, p->hi);
  lane d0 = s[0] - k0, d1 = s[1] - k1, d2 = s[2] - k2;
  lmask yield = lmask_or(lane_ne(d0, lane_zero()),
                         lmask_or(lane_ne(d1, lane_zero()), lane_ne(d2, lane_zero())));
  *spent = lane_zero();
  if (lmask_any(yield)) {
    *spent = firn_snow_hard(p, *ln_jp) * firn_corotated_energy(p->mu, p->lambda, s);
    // The ratio of the products, and that less 1 by the telescoped difference, which keeps the
    // digits of small overshoots.
    lane a0 = one + s[0], a1 = one + s[1], a2 = one + s[2], b0 = one + k0, b1 = one + k1;
    lane over = lane_fma(d0 * a1, a2, b0 * lane_fma(d1, a2, b1 * d2));
    lane inv = lane_rcp(b0 * b1 * (one + k2));
    lane grown = *ln_jp + lane_log_near(a0 * a1 * a2 * inv, over * inv);
    grown = lane_clamp(grown, p->ln_jp_lo, p->ln_jp_hi);
    *ln_jp = lane_select(yield, grown, *ln_jp);
    s[0] = k0;
    s[1] = k1;
    s[2] = k2;
  }
  lane h = firn_snow_hard(p, *ln_jp);
  firn_corotated_stress(p->mu * h, p->lambda * h, s, tau);
  *hard = h;
  if (lmask_any(yield)) {
    lane left = h * firn_corotated_energy(p->mu, p->lambda, s);
    *spent = lane_select(yield, *spent - left, lane_zero());
  }
  return yield;
}

FIRN_HD_INLINE lane firn_snow_energy(const firn_law_params *p, const lane s[3], lane hard) {
  return hard * firn_corotated_energy(p->mu, p->lambda, s);
}

FIRN_HD_INLINE void firn_snow_differential(const firn_law_params *p, const lane s[6],
                                           const lane G[9], lane A[9]) {
  firn_corotated_differential(s, p->mu, p->lambda, G, A);
}

FIRN_HD_INLINE void firn_snow_differential_psd(const firn_law_params *p, const lane s[6],
                                               const lane G[9], lane A[9]) {
  firn_corotated_differential_psd(s, p->mu, p->lambda, G, A);
}

FIRN_HD double firn_snow_hardening(const firn_material_row *m, double ln_jp) {
  double packed = 1 - exp(ln_jp);
  return exp((double)m->hardening * (packed < 0 ? (double)m->soften * packed : packed)); // Eq. 2
}

// What would yield stays at the yield stretch.
FIRN_HD double firn_snow_confined(const firn_material_row *m, double load) {
  return firn_corotated_confined((double)m->mu, (double)m->lambda, (double)m->lo, load);
}

#endif
