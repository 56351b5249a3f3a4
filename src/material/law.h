// SPDX-License-Identifier: Apache-2.0
// Constitutive laws across lanes: the list of laws, and what a solver asks of one.
//
// A particle carries e = b_E - I, six numbers xx yy zz xy xz yz, with b_E the elastic left
// Cauchy-Green tensor, and ln J_P. The laws are isotropic, so nothing else of F_E is ever needed,
// and b - I keeps its digits near rest. Stress is Kirchhoff's, tau = P F_E^T = J sigma.
//
// A law is one header with the six functions of elastic.h, one include and one line here.
#ifndef FIRN_MATERIAL_LAW_H
#define FIRN_MATERIAL_LAW_H

#include "material/elastic.h"
#include "material/sand.h"
#include "material/snow.h"
#include "math/sym3_lane.h"

// X(CONSTANT, prefix of the functions and name in scene files)
#define FIRN_LAW_LIST(X)                                                                           \
  X(SNOW, snow)                                                                                    \
  X(ELASTIC, elastic)                                                                              \
  X(SAND, sand)

enum firn_law {
#define X(constant, name) FIRN_LAW_##constant,
  FIRN_LAW_LIST(X)
#undef X
      FIRN_LAW_COUNT,
  // Laws without stress of their own, which a solver of incompressible flow alone has.
  FIRN_LAW_WATER = FIRN_LAW_COUNT,
  FIRN_LAW_NAMES
};

// Smallest principal stretch the laws see: an element flattened further, which only a time step far
// beyond its limit can do, counts as this thin in J_P and stress.
#define FIRN_LAW_MIN_STRETCH 1e-3

FIRN_HD_INLINE lmask firn_law_principal(int law, const firn_law_params *p, lane s[3], lane *ln_jp,
                                        lane tau[3], lane *hard, lane *spent) {
  switch (law) {
#define X(constant, name)                                                                          \
  case FIRN_LAW_##constant: return firn_##name##_principal(p, s, ln_jp, tau, hard, spent);
    FIRN_LAW_LIST(X)
#undef X
  default: break;
  }
  tau[0] = tau[1] = tau[2] = lane_zero();
  *hard = lane_set1(1);
  *spent = lane_zero();
  return lane_mask_first(0);
}

// Energy density, J/m^3.
FIRN_HD_INLINE lane firn_law_energy_principal(int law, const firn_law_params *p, const lane s[3],
                                              lane hard) {
  switch (law) {
#define X(constant, name)                                                                          \
  case FIRN_LAW_##constant: return firn_##name##_energy(p, s, hard);
    FIRN_LAW_LIST(X)
#undef X
  default: return lane_zero();
  }
}

// A = dP[G S] S^T at S = I + s (xx yy zz xy xz yz), G and A row-major: the force's derivative, made
// positive semi-definite if psd. p's mu and lambda hardened, perhaps times the particle's volume.
FIRN_HD_INLINE void firn_law_differential(int law, bool psd, const firn_law_params *p,
                                          const lane s[6], const lane G[9], lane A[9]) {
  switch (law) {
#define X(constant, name)                                                                          \
  case FIRN_LAW_##constant:                                                                        \
    if (psd) {                                                                                     \
      firn_##name##_differential_psd(p, s, G, A);                                                  \
    } else {                                                                                       \
      firn_##name##_differential(p, s, G, A);                                                      \
    }                                                                                              \
    break;
    FIRN_LAW_LIST(X)
#undef X
  default:
    for (int i = 0; i < 9; i++) A[i] = lane_zero();
  }
}

// The factor on mu and lambda of snow with this ln J_P, as a law's return has it.
FIRN_HD double firn_law_hardening(const firn_material_row *row, double ln_jp) {
  switch (row->law) {
#define X(constant, name)                                                                          \
  case FIRN_LAW_##constant: return firn_##name##_hardening(row, ln_jp);
    FIRN_LAW_LIST(X)
#undef X
  default: return 1;
  }
}

// The stretch along a load [Pa] in confined compression, from rest.
FIRN_HD double firn_law_confined(const firn_material_row *row, double load) {
  switch (row->law) {
#define X(constant, name)                                                                          \
  case FIRN_LAW_##constant: return firn_##name##_confined(row, load);
    FIRN_LAW_LIST(X)
#undef X
  default: return 1;
  }
}

// sigma - 1 from the eigenvalue sigma^2 - 1 of e.
FIRN_HD_INLINE lane firn_law_stretch_of(lane l) {
  const lane one = lane_set1(1);
  const lane least = lane_set1(FIRN_R(FIRN_LAW_MIN_STRETCH * FIRN_LAW_MIN_STRETCH - 1.0));
  l = lane_max(least, l); // a nan in l comes through
  return l / (one + lane_sqrt(one + l));
}

// ---- e in, e and stress out, by closed form (sym3_lane.h)
// e[6] in: trial, out: after the plastic return. ln_jp in/out. tau[6]: Kirchhoff stress, Pa.
// hard: the factor on mu and lambda. spent: energy density that the return took, J/m^3. Returns the
// lanes that yielded.
FIRN_HD_INLINE lmask firn_law_return_closed(int law, const firn_law_params *p, lane e[6],
                                            lane *ln_jp, lane tau[6], lane *hard, lane *spent) {
  firn_sym3_split split;
  firn_sym3_decompose(e, &split);
  lane s[3], t[3];
  for (int k = 0; k < 3; k++) s[k] = firn_law_stretch_of(split.l[k]);
  lmask yield = firn_law_principal(law, p, s, ln_jp, t, hard, spent);
  firn_sym3_compose(&split, t, tau);
  if (lmask_any(yield)) {
    lane f[6];
    for (int k = 0; k < 3; k++) t[k] = s[k] * (lane_set1(2) + s[k]);
    firn_sym3_compose(&split, t, f);
    for (int i = 0; i < 6; i++) e[i] = lane_select(yield, f[i], e[i]);
  }
  return yield;
}

// ---- the same by Jacobi eigenvectors: the oracle
FIRN_HD_INLINE lmask firn_law_return_jacobi(int law, const firn_law_params *p, lane e[6],
                                            lane *ln_jp, lane tau[6], lane *hard, lane *spent) {
  lane l[3], U[9], s[3], t[3];
  firn_lane_eigen(e, l, U);
  for (int k = 0; k < 3; k++) s[k] = firn_law_stretch_of(l[k]);
  lmask yield = firn_law_principal(law, p, s, ln_jp, t, hard, spent);
  firn_lane_eigen_compose(U, t, tau);
  if (lmask_any(yield)) {
    lane f[6];
    for (int k = 0; k < 3; k++) t[k] = s[k] * (lane_set1(2) + s[k]);
    firn_lane_eigen_compose(U, t, f);
    for (int i = 0; i < 6; i++) e[i] = lane_select(yield, f[i], e[i]);
  }
  return yield;
}

// What a solver calls. The plain C path is the oracle of the vector ones, so it takes the other way.
#if FIRN_LANES == 1 && !defined(__CUDACC__)
#define FIRN_LAW_JACOBI 1
#else
#define FIRN_LAW_JACOBI 0
#endif

FIRN_HD_INLINE lmask firn_law_return(int law, const firn_law_params *p, lane e[6], lane *ln_jp,
                                     lane tau[6], lane *hard, lane *spent) {
#if FIRN_LAW_JACOBI
  return firn_law_return_jacobi(law, p, e, ln_jp, tau, hard, spent);
#else
  return firn_law_return_closed(law, p, e, ln_jp, tau, hard, spent);
#endif
}

// s = S - I with S = sqrt(I + e): the left stretch, where the implicit solver takes its differential.
FIRN_HD_INLINE void firn_law_stretch(const lane e[6], lane s[6]) {
  lane f[3];
#if FIRN_LAW_JACOBI
  lane l[3], U[9];
  firn_lane_eigen(e, l, U);
  for (int k = 0; k < 3; k++) f[k] = firn_law_stretch_of(l[k]);
  firn_lane_eigen_compose(U, f, s);
#else
  firn_sym3_split split;
  firn_sym3_decompose(e, &split);
  for (int k = 0; k < 3; k++) f[k] = firn_law_stretch_of(split.l[k]);
  firn_sym3_compose(&split, f, s);
#endif
}

// Energy density of a state that has been through firn_law_return, J/m^3.
FIRN_HD_INLINE lane firn_law_energy(int law, const firn_law_params *p, const lane e[6], lane hard) {
  lane s[3];
#if FIRN_LAW_JACOBI
  lane U[9];
  firn_lane_eigen(e, s, U);
#else
  firn_sym3_split split;
  firn_sym3_decompose(e, &split);
  for (int k = 0; k < 3; k++) s[k] = split.l[k];
#endif
  for (int k = 0; k < 3; k++) s[k] = firn_law_stretch_of(s[k]);
  return firn_law_energy_principal(law, p, s, hard);
}

// ---- volume
// ln det F_E = 1/2 ln det(I + e), from the determinant less 1, which keeps its digits near rest.
FIRN_HD_INLINE lane firn_law_ln_volume(const lane e[6]) {
  lane minors = lane_fma(e[0], e[1], lane_fma(e[0], e[2], e[1] * e[2]));
  minors = minors - lane_fma(e[3], e[3], lane_fma(e[4], e[4], e[5] * e[5]));
  lane det = e[0] * lane_fnma(e[5], e[5], e[1] * e[2]) - e[3] * lane_fnma(e[4], e[5], e[3] * e[2]) +
             e[4] * lane_fnma(e[4], e[1], e[3] * e[5]);
  lane over = e[0] + e[1] + e[2] + (minors + det);
  // Flatter than this is beyond what laws see (FIRN_LAW_MIN_STRETCH); a nan comes through.
  return lane_set1(FIRN_R(0.5)) * lane_log1p(lane_max(lane_set1(FIRN_R(1e-6 - 1)), over));
}

// A return keeps the volume, det F_E J_P, but for what the bounds on J_P cut off: the logarithm of that,
// from the state before (trial) and after; 0 where J_P is not at a bound.
FIRN_HD_INLINE lane firn_law_cut(const firn_law_params *p, const lane trial[6], lane trial_ln_jp,
                                 const lane e[6], lane ln_jp) {
  lmask bound = lmask_or(lane_ge(p->ln_jp_lo, ln_jp), lane_ge(ln_jp, p->ln_jp_hi));
  if (!lmask_any(bound)) return lane_zero();
  lane cut = (firn_law_ln_volume(trial) - firn_law_ln_volume(e)) + (trial_ln_jp - ln_jp);
  return lane_select(bound, cut, lane_zero());
}

// ---- kinematics
// Eq. 4 for b: e <- (I + D) (I + e) (I + D)^T - I with D = dt grad v, row-major: e + DB + BD^T + DBD^T, B = I + e.
FIRN_HD_INLINE void firn_law_push(const lane D[9], lane e[6]) {
  const lane one = lane_set1(1), two = lane_set1(2);
  lane xx = one + e[0], yy = one + e[1], zz = one + e[2];
  lane Q[9]; // D B
  for (int i = 0; i < 9; i += 3) {
    Q[i] = lane_fma(D[i], xx, lane_fma(D[i + 1], e[3], D[i + 2] * e[4]));
    Q[i + 1] = lane_fma(D[i], e[3], lane_fma(D[i + 1], yy, D[i + 2] * e[5]));
    Q[i + 2] = lane_fma(D[i], e[4], lane_fma(D[i + 1], e[5], D[i + 2] * zz));
  }
  const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; k++) {
    const lane *q = Q + 3 * row[k], *d = D + 3 * col[k];
    lane twice = lane_fma(q[0], d[0], lane_fma(q[1], d[1], q[2] * d[2])); // (D B D^T)_ij
    lane once = k < 3 ? two * Q[4 * k] : Q[3 * row[k] + col[k]] + Q[3 * col[k] + row[k]];
    e[k] = e[k] + (once + twice);
  }
}

#endif
