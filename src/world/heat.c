// SPDX-License-Identifier: Apache-2.0
#include "world/heat.h"

#include <math.h>
#include <stdio.h>

#include "base/def.h"
#include "material/preset.h"
#include "world/digest.h"

static const firn_heat_def none = {.capacity = 2100};

FIRN_DEFAULTS(heat_def) {
  return none;
}

bool firn_heat_is_good(double temperature) {
  return temperature == 0 || firn_real_is_positive(temperature);
}

firn_status firn_world_keep_heat(firn_world *world) {
  firn_particles *p = &world->particles;
  if (world->temperature >= 0) return FIRN_OK;
  int high = firn_particles_add_field(p, "temperature", FIRN_FIELD_REAL, FIRN_HEAT_ZERO);
  if (high < 0) return FIRN_ERROR_MEMORY;
  const double rest = FIRN_HEAT_ZERO - (double)(firn_real)FIRN_HEAT_ZERO;
  if (firn_particles_add_field(p, "temperature_low", FIRN_FIELD_REAL, rest) < 0) {
    firn_particles_drop_last_field(p);
    return FIRN_ERROR_MEMORY;
  }
  world->temperature = high;
  return FIRN_OK;
}

// --------------------------------------------------------------------------------------- materials

static firn_status check(const firn_world *world, int material, const firn_heat_def *def) {
  firn_context *context = world->context;
  if (material < 0 || material >= world->material_count) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "heat: material %d does not exist; there are %d",
                     material, world->material_count);
  }
  if (!(def->conductivity >= 0 && isfinite(def->conductivity))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "material %d: conductivity = %g W/m/K must be 0 or more", material,
                     def->conductivity);
  }
  if (!(def->capacity > 0 && isfinite(def->capacity))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "material %d: heat capacity = %g J/kg/K must be positive", material,
                     def->capacity);
  }
  if (def->points < 0 || def->points > FIRN_HEAT_POINTS) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "material %d: young has %d points by temperature; there may be %d", material,
                     def->points, FIRN_HEAT_POINTS);
  }
  for (int i = 0; i < def->points; i++) {
    bool ascends = i == 0 || def->temperature[i] > def->temperature[i - 1];
    if (firn_real_is_positive(def->temperature[i]) && firn_real_is_positive(def->young[i]) &&
        ascends)
      continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "material %d: young of %g Pa at %g K: both must be positive, and temperatures "
                     "ascend",
                     material, def->young[i], def->temperature[i]);
  }
  return FIRN_OK;
}

static firn_status make_room(firn_world *world, int count) {
  size_t size = sizeof *world->heat, before = (size_t)world->heat_count;
  if (count <= world->heat_count) return FIRN_OK;
  firn_heat_row *rows = firn_resize(world->context, world->heat, before * size,
                                    (size_t)count * size, "heat of materials");
  if (!rows) return FIRN_ERROR_MEMORY;
  for (int i = world->heat_count; i < count; i++) rows[i] = (firn_heat_row){.def = none};
  world->heat = rows;
  world->heat_count = count;
  return FIRN_OK;
}

firn_status firn_world_set_heat(firn_world *world, int material, const firn_heat_def *def) {
  FIRN_TRY(check(world, material, def));
  FIRN_TRY(make_room(world, material + 1));
  FIRN_TRY(firn_world_keep_heat(world));
  if (def->points) FIRN_TRY(firn_world_vary(world)); // all particles have numbers of their own
  firn_heat_row *row = &world->heat[material];
  row->def = *def;
  row->young = firn_material_def_of_row(&world->material[material]).young;
  world->softens = world->softens || def->points > 0;
  const double numbers[] = {material, def->conductivity, def->capacity, def->points};
  uint64_t *digest = &world->digests.materials;
  *digest = firn_digest(*digest, numbers, sizeof numbers);
  for (int i = 0; i < def->points; i++) {
    const double point[] = {def->temperature[i], def->young[i]};
    *digest = firn_digest(*digest, point, sizeof point);
  }
  world->changes++;
  return FIRN_OK;
}

const firn_heat_def *firn_world_heat(const firn_world *world, int material) {
  return material < world->heat_count ? &world->heat[material].def : &none;
}

bool firn_world_conducts(const firn_world *world) {
  bool any = false;
  for (int i = 0; i < world->heat_count; i++) any = any || world->heat[i].def.conductivity > 0;
  return any;
}

double firn_heat_young(const firn_heat_def *def, double temperature) {
  int last = def->points - 1;
  if (!(temperature > def->temperature[0])) return def->young[0];
  for (int i = 0; i < last; i++) {
    double from = def->temperature[i], to = def->temperature[i + 1];
    if (!(temperature < to)) continue;
    return def->young[i] + (temperature - from) / (to - from) * (def->young[i + 1] - def->young[i]);
  }
  return def->young[last];
}

double firn_world_softness(const firn_world *world, size_t slot) {
  int material = firn_particles_material(&world->particles)[slot];
  if (material >= world->heat_count || !world->heat[material].def.points) return 1;
  const firn_heat_row *row = &world->heat[material];
  return firn_heat_young(&row->def, firn_world_temperature(world, slot)) / row->young;
}

// --------------------------------------------------------------------------------------- colliders

firn_status firn_world_set_temperature(firn_world *world, int id, double temperature) {
  firn_collider *collider;
  FIRN_TRY(firn_world_find_collider(world, id, &collider));
  if (!firn_heat_is_good(temperature)) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "collider '%s': temperature %g K must be positive, or 0 for none",
                     collider->name, temperature);
  }
  if (collider->temperature == temperature) return FIRN_OK;
  FIRN_TRY(firn_world_keep_heat(world));
  collider->temperature = temperature;
  world->changes++;
  return FIRN_OK;
}
