// SPDX-License-Identifier: Apache-2.0
// A purely elastic solid: the fixed corotated energy, no yield, no hardening. Also the example of a
// law: one header with these six functions and one line in FIRN_LAW_LIST (law.h).
#ifndef FIRN_MATERIAL_ELASTIC_H
#define FIRN_MATERIAL_ELASTIC_H

#include "material/corotated_lane.h"
#include "material/params.h"

// Plastic return in principal stretches, then stress.
//   s[3]   in: trial sigma_k - 1, out: after the return
//   ln_jp  in/out: ln J_P
//   tau[3] out: principal Kirchhoff stress, Pa
//   hard   out: factor on mu and lambda
//   spent  out: energy density that the return took, J/m^3: before it, as hard as it was, less after
// Returns the lanes whose state (s or ln_jp) changed.
FIRN_HD_INLINE lmask firn_elastic_principal(const firn_law_params *p, lane s[3], lane *ln_jp,
                                            lane tau[3], lane *hard, lane *spent) {
  (void)ln_jp;
  *hard = lane_set1(1);
  *spent = lane_zero();
  firn_corotated_stress(p->mu, p->lambda, s, tau);
  return lane_mask_first(0);
}

// Energy density, J/m^3; s and hard as they came out of the return.
FIRN_HD_INLINE lane firn_elastic_energy(const firn_law_params *p, const lane s[3], lane hard) {
  (void)hard;
  return firn_corotated_energy(p->mu, p->lambda, s);
}

// A = dP[G S] S^T at S = I + s; p's mu and lambda times hard and, if the caller likes, a volume.
FIRN_HD_INLINE void firn_elastic_differential(const firn_law_params *p, const lane s[6],
                                              const lane G[9], lane A[9]) {
  firn_corotated_differential(s, p->mu, p->lambda, G, A);
}

// The same with the negative eigenvalues of the Hessian dropped.
FIRN_HD_INLINE void firn_elastic_differential_psd(const firn_law_params *p, const lane s[6],
                                                  const lane G[9], lane A[9]) {
  firn_corotated_differential_psd(s, p->mu, p->lambda, G, A);
}

// What `hard` comes out as at this ln J_P, in double, for decisions.
FIRN_HD double firn_elastic_hardening(const firn_material_row *m, double ln_jp) {
  (void)m, (void)ln_jp;
  return 1;
}

// The stretch along a load [Pa] that presses the solid, which may not give way to the sides; of the
// trial state, that is, before the return.
FIRN_HD double firn_elastic_confined(const firn_material_row *m, double load) {
  const double flat = -0.999; // it never yields
  return firn_corotated_confined((double)m->mu, (double)m->lambda, flat, load);
}

#endif
