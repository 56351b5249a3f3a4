// SPDX-License-Identifier: Apache-2.0
// Temperatures of particles, and what a material makes of them. Conduction is the solver's.
#ifndef FIRN_WORLD_HEAT_H
#define FIRN_WORLD_HEAT_H

#include <firn/heat.h>

#include "world/world.h"

// Of whatever nobody gives one, K.
#define FIRN_HEAT_ZERO 273.15

// Makes the fields "temperature" and "temperature_low", K, if they are not there yet. The second is what
// rounding leaves of the first: what a step conducts may be less than its last digit.
firn_status firn_world_keep_heat(firn_world *world);
firn_status firn_world_set_heat(firn_world *world, int material, const firn_heat_def *def);
// Of the surface of a collider; 0: none.
firn_status firn_world_set_temperature(firn_world *world, int id, double temperature);
// Whether a temperature can be one: 0 (none) or above it.
bool firn_heat_is_good(double temperature);

// What a material is to heat.
const firn_heat_def *firn_world_heat(const firn_world *world, int material);
// Whether heat flows at all.
bool firn_world_conducts(const firn_world *world);
// Pa, of a def with points.
double firn_heat_young(const firn_heat_def *def, double temperature);

// K of the particle in a slot.
static inline double firn_world_temperature(const firn_world *world, size_t slot) {
  if (world->temperature < 0) return FIRN_HEAT_ZERO;
  const firn_particles *p = &world->particles;
  return (double)firn_particles_real(p, world->temperature)[slot] +
         (double)firn_particles_real(p, world->temperature + 1)[slot];
}

// Where the fields are there.
static inline void firn_world_put_temperature(const firn_world *world, size_t slot,
                                              double temperature) {
  const firn_particles *p = &world->particles;
  firn_real high = (firn_real)temperature;
  firn_particles_real(p, world->temperature)[slot] = high;
  firn_particles_real(p, world->temperature + 1)[slot] = (firn_real)(temperature - (double)high);
}

#endif
