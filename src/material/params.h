// SPDX-License-Identifier: Apache-2.0
// The numbers of a constitutive law, as a table holds them and as a loop across particles reads them.
#ifndef FIRN_MATERIAL_PARAMS_H
#define FIRN_MATERIAL_PARAMS_H

#include "math/lane.h"

// One material of a table.
typedef struct firn_material_row {
  firn_real mu, lambda; // Pa, Lame parameters before hardening
  firn_real lo, hi;     // what bounds elasticity; snow: -theta_c and theta_s; sand: see sand.h
  firn_real xi;         // hardening exponent
  firn_real ln_jp_lo;   // bounds of ln J_P (-/+ FIRN_REAL_MAX: none)
  firn_real ln_jp_hi;
  firn_real density; // kg/m^3, at rest
  int law;           // FIRN_LAW_*
} firn_material_row;

// The same for FIRN_LANES particles, which may all differ but for the law.
typedef struct firn_law_params {
  lane mu, lambda, lo, hi, xi, ln_jp_lo, ln_jp_hi;
} firn_law_params;

FIRN_HD_INLINE firn_law_params firn_law_params_set1(const firn_material_row *row) {
  firn_law_params p;
  p.mu = lane_set1(row->mu);
  p.lambda = lane_set1(row->lambda);
  p.lo = lane_set1(row->lo);
  p.hi = lane_set1(row->hi);
  p.xi = lane_set1(row->xi);
  p.ln_jp_lo = lane_set1(row->ln_jp_lo);
  p.ln_jp_hi = lane_set1(row->ln_jp_hi);
  return p;
}

// rows[id] for each lane.
FIRN_HD_INLINE firn_law_params firn_law_params_gather(const firn_material_row *rows, ilane id) {
  ilane i = ilane_mul(id, ilane_set1((int32_t)(sizeof *rows / sizeof(firn_real))));
  firn_law_params p;
  p.mu = lane_gather(&rows->mu, i);
  p.lambda = lane_gather(&rows->lambda, i);
  p.lo = lane_gather(&rows->lo, i);
  p.hi = lane_gather(&rows->hi, i);
  p.xi = lane_gather(&rows->xi, i);
  p.ln_jp_lo = lane_gather(&rows->ln_jp_lo, i);
  p.ln_jp_hi = lane_gather(&rows->ln_jp_hi, i);
  return p;
}

#endif
