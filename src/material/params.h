// SPDX-License-Identifier: Apache-2.0
// The numbers of a constitutive law, as a table holds them and as a loop across particles reads them.
#ifndef FIRN_MATERIAL_PARAMS_H
#define FIRN_MATERIAL_PARAMS_H

#include <firn/material.h>

#include "math/lane.h"

// What laws read. Users' numbers marked DIRECT in <firn/material.h> are among them by that alone;
// preset.c makes the others from what users say.
//   mu, lambda          Pa, Lame's parameters before hardening
//   lo, hi              what bounds elasticity; snow: -theta_c and theta_s; sand: see sand.h
//   ln_jp_lo, ln_jp_hi  bounds of ln J_P (-/+ FIRN_REAL_MAX: none)
//   soften              factor on 1 - J_P where J_P > 1: h over the length of softening; 1: as printed.
//                       firn_world_soften sets it
// X(CONSTANT, name, ...)
#define FIRN_LAW_OWN(X) /* may differ from particle to particle */                                 \
  X(MU, mu)                                                                                        \
  X(LAMBDA, lambda)                                                                                \
  X(LO, lo)                                                                                        \
  X(HI, hi)                                                                                        \
  FIRN_MATERIAL_LIST(FIRN_NO_NUMBER, X, FIRN_NO_NUMBER)
#define FIRN_LAW_SHARED(X) /* by all particles of a material */                                    \
  X(LN_JP_LO, ln_jp_lo)                                                                            \
  X(LN_JP_HI, ln_jp_hi)                                                                            \
  X(SOFTEN, soften)

// What may vary: that and the density, which no law reads.
#define FIRN_VARY_LIST(X)                                                                          \
  FIRN_LAW_OWN(X)                                                                                  \
  X(DENSITY, density)
#define FIRN_ROW_LIST(X)                                                                           \
  FIRN_VARY_LIST(X)                                                                                \
  FIRN_LAW_SHARED(X)                                                                               \
  FIRN_POROUS_LIST(X) /* which solvers read, and no law */

enum firn_vary {
#define X(CONSTANT, ...) FIRN_VARY_##CONSTANT,
  FIRN_VARY_LIST(X) FIRN_VARY_COUNT
#undef X
};

// One material of a table.
typedef struct firn_material_row {
#define X(CONSTANT, name, ...) firn_real name;
  FIRN_ROW_LIST(X)
#undef X
  int law; // FIRN_LAW_*; last, since firn_law_params_gather steps in units of firn_real
} firn_material_row;

// The same for FIRN_LANES particles, which may all differ but for the law.
typedef struct firn_law_params {
#define X(CONSTANT, name, ...) lane name;
  FIRN_LAW_OWN(X)
  FIRN_LAW_SHARED(X)
#undef X
} firn_law_params;

FIRN_HD_INLINE firn_law_params firn_law_params_set1(const firn_material_row *row) {
  firn_law_params p;
#define X(CONSTANT, name, ...) p.name = lane_set1(row->name);
  FIRN_LAW_OWN(X)
  FIRN_LAW_SHARED(X)
#undef X
  return p;
}

// rows[id] for each lane.
FIRN_HD_INLINE firn_law_params firn_law_params_gather(const firn_material_row *rows, ilane id) {
  ilane i = ilane_mul(id, ilane_set1((int32_t)(sizeof *rows / sizeof(firn_real))));
  firn_law_params p;
#define X(CONSTANT, name, ...) p.name = lane_gather(&rows->name, i);
  FIRN_LAW_OWN(X)
  FIRN_LAW_SHARED(X)
#undef X
  return p;
}

// The numbers that particles from slot on have of their own: vary[FIRN_VARY_*][slot].
FIRN_HD_INLINE void firn_law_params_vary(firn_law_params *p, const firn_real *const *vary,
                                         size_t slot) {
#define X(CONSTANT, name, ...) p->name = lane_load(vary[FIRN_VARY_##CONSTANT] + slot);
  FIRN_LAW_OWN(X)
#undef X
}

// A particle's own row: that of its material, with what varies (vary[0] NULL: nothing).
FIRN_HD_INLINE firn_material_row firn_material_row_at(const firn_material_row *material,
                                                      const firn_real *const *vary, size_t slot) {
  firn_material_row row = *material;
  if (!vary[0]) return row;
#define X(CONSTANT, name, ...) row.name = vary[FIRN_VARY_##CONSTANT][slot];
  FIRN_VARY_LIST(X)
#undef X
  return row;
}

#endif
