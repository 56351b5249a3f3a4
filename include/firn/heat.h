// SPDX-License-Identifier: Apache-2.0
// Heat: how snow conducts it, and how stiff it is at a temperature. docs/heat.md is a guide.
//
// Particles have temperatures in a simulation that says something of heat: a material, a fill or a
// collider. They are fields ("temperature", K), to be read and written like others. What is given none
// has 273.15 K.
#ifndef FIRN_HEAT_H
#define FIRN_HEAT_H

#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIRN_HEAT_POINTS = 16 };

// A material, as heat sees it.
typedef struct firn_heat_def {
  size_t size;         // of this struct: firn_default_heat_def() knows
  double conductivity; // W/m/K, under sph; 0: it takes no part in conduction
  double capacity;     // J/kg/K
  // Young's modulus by temperature, linear from point to point and constant beyond the outer ones.
  int points;                           // 0: it does not depend on it
  double temperature[FIRN_HEAT_POINTS]; // K, ascending
  double young[FIRN_HEAT_POINTS];       // Pa
} firn_heat_def;

// ice, without conduction and points
FIRN_API void firn_heat_def_init(firn_heat_def *def, size_t size);
static inline firn_heat_def firn_default_heat_def(void) {
  firn_heat_def def;
  firn_heat_def_init(&def, sizeof def);
  return def;
}
// Once for a material. Its young, and what particles have in place of it, stays in force as a factor: a
// particle that is twice as stiff as its material is so at every temperature.
FIRN_API firn_status firn_sim_set_heat(firn_sim *sim, int material, const firn_heat_def *def);

#ifdef __cplusplus
}
#endif

#endif
