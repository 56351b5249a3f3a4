// SPDX-License-Identifier: Apache-2.0
// Particles as they lie in memory, to read without a copy.
//
//   for (size_t i = 0; i < firn_sim_view_count(sim); i++) {
//     firn_view view;
//     firn_sim_view(sim, i, &view);
//     for (size_t k = 0; k < view.count; k++) use(view.id[k], view.velocity[0][k]);
//   }
#ifndef FIRN_VIEW_H
#define FIRN_VIEW_H

#include <firn/context.h>
#include <firn/real.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_sim firn_sim; // sim.h

// Some particles close to each other, [count] each. Good until the simulation takes its next step, or
// anything is added to it or changed.
typedef struct firn_view {
  size_t count;
  const uint32_t *id;       // as the field "id"
  const uint16_t *material; // number of its material, from 0
  // Positions are kept in cells from a corner, which is precise at any distance from the origin: particle
  // k is at origin[a] + h cell[a][k].
  double origin[3];             // m
  double h;                     // m
  const firn_real *cell[3];     // a component each
  const firn_real *velocity[3]; // m/s
  const firn_real *mass;        // kg
  const firn_real *volume;      // m^3 at rest; 0: not known before the first step
  const firn_real *temperature; // K; NULL where nothing has one
} firn_view;

// Every particle is in one of these. Threads may look at several at once.
FIRN_API size_t firn_sim_view_count(const firn_sim *sim);
#define firn_sim_view_sized FIRN_REAL_NAME(firn_sim_view_sized) // or firn_sim_view_sized_f64
FIRN_API firn_status firn_sim_view_sized(const firn_sim *sim, size_t i, firn_view *out,
                                         size_t size);
static inline firn_status firn_sim_view(const firn_sim *sim, size_t i, firn_view *out) {
  return firn_sim_view_sized(sim, i, out, sizeof *out);
}

#ifdef __cplusplus
}
#endif

#endif
