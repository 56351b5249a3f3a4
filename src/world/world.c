// SPDX-License-Identifier: Apache-2.0
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "material/preset.h"
#include "world/heat.h"
#include "world/morton.h"
#include "world/settle.h"

firn_status firn_world_init(firn_world *world, firn_context *context, const firn_sim_def *def) {
  memset(world, 0, sizeof *world);
  world->context = context;
  if (!firn_real_is_positive(def->h)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "simulation: h = %g m must lie in [%.3g, %.3g] m", def->h,
                     (double)FIRN_REAL_MIN, (double)FIRN_REAL_MAX);
  }
  for (int a = 0; a < 3; a++) {
    if (!firn_real_is_finite(def->gravity[a])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "simulation: gravity (%g %g %g) is not finite or too large", def->gravity[0],
                       def->gravity[1], def->gravity[2]);
    }
    int cells = def->period_cells[a];
    if (def->periodic[a] && (cells < 4 || cells % 4 || cells > (1 << 20))) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "simulation: period_cells[%d] = %d must be a positive multiple of 4, at "
                       "most %d",
                       a, cells, 1 << 20);
    }
    world->gravity[a] = def->gravity[a];
  }
  world->h = def->h;
  firn_world_note_space(world, def);
  world->seed = def->seed;
  for (int i = 0; i < FIRN_VARY_COUNT; i++) world->vary[i] = -1;
  world->cut = world->temperature = -1;
  firn_particles_init(&world->particles, context, def->periodic, def->period_cells);
  return FIRN_OK;
}

void firn_world_free(firn_world *world) {
  if (!world->context) return;
  firn_particles_free(&world->particles);
  firn_flow_free(&world->flow, world->context);
  firn_settled_free(&world->settled, world->context);
  firn_wind_free(&world->wind, world->context);
  firn_forces_free(&world->forces, world->context);
  firn_free(world->context, world->material,
            (size_t)world->material_count * sizeof *world->material);
  firn_free(world->context, world->heat, (size_t)world->heat_count * sizeof *world->heat);
  for (int c = 0; c < world->collider_count; c++) firn_collider_free(&world->collider[c]);
  firn_free(world->context, world->collider,
            firn_room((size_t)world->collider_count) * sizeof *world->collider);
}

void firn_world_soften(const firn_world *world, firn_material_row *row) {
  double own = (double)row->softening_length, length = own > 0 ? own : world->softening_length;
  double ratio = fmin(fmax(world->h / length, 1e-6), 1e6); // finite, whatever the length
  row->soften = world->softening_length > 0 ? (firn_real)ratio : 1;
}

void firn_world_set_softening(firn_world *world, double length) {
  world->softening_length = length;
  for (int i = 0; i < world->material_count; i++) firn_world_soften(world, &world->material[i]);
}

firn_status firn_world_add_material(firn_world *world, const firn_material_def *def, int *id) {
  firn_context *context = world->context;
  char what[48];
  firn_material_row row;
  snprintf(what, sizeof what, "material %d", world->material_count);
  FIRN_TRY(firn_material_make_row(context, def, what, &row));
  if (world->material_count > UINT16_MAX) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: there is room for %d materials", what,
                     UINT16_MAX + 1);
  }
  firn_world_soften(world, &row);
  if (firn_material_is_bounded(&row)) FIRN_TRY(firn_world_keep_cut(world));
  size_t size = (size_t)world->material_count * sizeof row;
  firn_material_row *rows = firn_resize(context, world->material, size, size + sizeof row,
                                        "materials");
  if (!rows) return FIRN_ERROR_MEMORY;
  rows[world->material_count] = row;
  firn_world_note_material(world, &row);
  world->material = rows;
  if (id) *id = world->material_count;
  world->material_count++;
  return FIRN_OK;
}

static void vary_slot(firn_world *world, size_t slot, const firn_material_row *row) {
#define X(CONSTANT, name, ...)                                                                     \
  firn_particles_real(&world->particles, world->vary[FIRN_VARY_##CONSTANT])[slot] = row->name;
  FIRN_VARY_LIST(X)
#undef X
}

firn_status firn_world_vary(firn_world *world) {
#define X(CONSTANT, name, ...) #name,
  static const char *const names[] = {FIRN_VARY_LIST(X)};
#undef X
  firn_particles *p = &world->particles;
  if (world->vary[0] >= 0) return FIRN_OK;
  // All or none: they are used as soon as the first one is there.
  int first = p->field_count;
  for (int i = 0; i < FIRN_VARY_COUNT; i++) {
    if (firn_particles_add_field(p, names[i], FIRN_FIELD_REAL, 0) >= 0) continue;
    while (p->field_count > first) firn_particles_drop_last_field(p);
    return FIRN_ERROR_MEMORY;
  }
  for (int i = 0; i < FIRN_VARY_COUNT; i++) world->vary[i] = first + i;
  const firn_real *mass = firn_particles_real(p, FIRN_FIELD_MASS);
  const uint16_t *material = firn_particles_material(p);
  for (size_t slot = 0; slot < p->slots + p->pending; slot++) {
    if (mass[slot] > 0) vary_slot(world, slot, &world->material[material[slot]]);
  }
  return FIRN_OK;
}

firn_status firn_world_keep_cut(firn_world *world) {
  if (world->cut >= 0) return FIRN_OK;
  world->cut = firn_particles_add_field(&world->particles, "ln_cut", FIRN_FIELD_REAL, 0);
  return world->cut < 0 ? FIRN_ERROR_MEMORY : FIRN_OK;
}

FIRN_DEFAULTS(particles_def) {
  return (firn_particles_def){.per_cell = 8};
}

// Of a particle whose mass is not given, kg.
static double nominal_mass(const firn_world *world, const firn_particles_def *def) {
  double h = world->h;
  return (double)world->material[def->material].density * h * h * h / def->per_cell;
}

// What is wrong with a number of a particle.
typedef struct fault {
  const char *field; // NULL: nothing
  const char *rule;
  double value;
  int beyond; // 'x', 'y' or 'z', along which it lies outside the domain; or 0
} fault;

static const char *finite_rule(double value) {
  return isfinite(value) ? "is too large to compute with" : "is not finite";
}

static fault fault_along(const firn_world *world, const firn_particles_def *def, size_t i, int a) {
  double x = def->position[3 * i + (size_t)a];
  if (!isfinite(x)) return (fault){"position", "is not finite", x, 0};
  if (!world->particles.periodic[a] && !(fabs(x / world->h) < 4.0 * FIRN_MORTON_LIMIT)) {
    return (fault){"position", "m is outside the domain", x, "xyz"[a]};
  }
  if (!def->velocity || firn_real_is_finite(def->velocity[3 * i + (size_t)a])) return (fault){0};
  double v = def->velocity[3 * i + (size_t)a];
  return (fault){"velocity", finite_rule(v), v, 0};
}

static fault fault_of(const firn_world *world, const firn_particles_def *def, size_t i) {
  for (int a = 0; a < 3; a++) {
    fault f = fault_along(world, def, i, a);
    if (f.field) return f;
  }
  for (size_t k = 0; k < 9 && def->gradient; k++) {
    double g = def->gradient[9 * i + k];
    if (!firn_real_is_finite(g)) return (fault){"gradient", finite_rule(g), g, 0};
  }
  if (def->mass && !firn_real_is_positive(def->mass[i])) {
    return (fault){"mass", "kg must be positive and finite", def->mass[i], 0};
  }
  if (def->volume && def->volume[i] != 0 && !firn_real_is_positive(def->volume[i])) {
    return (fault){"volume", "m^3 must be 0 or more and finite", def->volume[i], 0};
  }
  if (def->temperature && !firn_real_is_positive(def->temperature[i])) {
    return (fault){"temperature", "K must be positive and finite", def->temperature[i], 0};
  }
  return (fault){0};
}

size_t firn_world_find_bad(const firn_world *world, const firn_particles_def *def) {
  for (size_t i = 0; i < def->count; i++) {
    if (fault_of(world, def, i).field) return i;
  }
  return def->count;
}

firn_status firn_world_refuse(const firn_world *world, const firn_particles_def *def, size_t i,
                              const char *what) {
  fault f = fault_of(world, def, i);
  if (!f.beyond) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "%s: %s = %g %s", what, f.field, f.value,
                     f.rule);
  }
  return firn_fail(world->context, FIRN_ERROR_DOMAIN,
                   "%s: its position, %g m or %g cells from the origin along %c, is outside the "
                   "addressable +-%g cells",
                   what, f.value, f.value / world->h, f.beyond, 4.0 * FIRN_MORTON_LIMIT);
}

static firn_status check_particles(const firn_world *world, const firn_particles_def *def) {
  if (!def->count) return FIRN_OK;
  FIRN_TRY(firn_particles_check_count(&world->particles, def->count));
  if (def->material < 0 || def->material >= world->material_count) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "particles: material %d does not exist; there are %d", def->material,
                     world->material_count);
  }
  if (!def->position) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "particles: position is NULL");
  }
  if (!def->mass && !firn_real_is_positive(nominal_mass(world, def))) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "particles: per_cell = %g makes a mass of %g kg, which must be positive and "
                     "finite",
                     def->per_cell, nominal_mass(world, def));
  }
  size_t bad = firn_world_find_bad(world, def);
  if (bad == def->count) return FIRN_OK;
  char what[48];
  snprintf(what, sizeof what, "particle %zu", world->particles.next_id + bad);
  return firn_world_refuse(world, def, bad, what);
}

// Fails for the first value of a number of particles that no material may have.
static firn_status check_number(const firn_world *world, const firn_particles_def *def,
                                const char *key, const double *value) {
  const firn_schema_row *row = firn_schema_find(&firn_material_settings, key);
  size_t bad = firn_material_refused(row, value, def->count);
  if (bad == def->count) return FIRN_OK;
  char what[48];
  snprintf(what, sizeof what, "particle %zu", world->particles.next_id + bad);
  return firn_material_refuse(world->context, what, row, key, value[bad]);
}

// The material of particle i.
static firn_material_row varied_row(const firn_world *world, const firn_particles_def *def,
                                    size_t i) {
  firn_material_def own = firn_material_def_of_row(&world->material[def->material]);
#define X(CONSTANT, name, ...)                                                                     \
  if (def->name) own.name = def->name[i];
  FIRN_MATERIAL_LIST(X, X, FIRN_NO_NUMBER)
#undef X
  return firn_material_row_of_def(&own, world->material[def->material].law);
}

firn_status firn_world_add_particles(firn_world *world, const firn_particles_def *def) {
  firn_particles *p = &world->particles;
  FIRN_TRY(check_particles(world, def));
  if (!def->count) return FIRN_OK;
  bool varied = false;
#define X(CONSTANT, name, ...)                                                                     \
  if (def->name) {                                                                                 \
    FIRN_TRY(check_number(world, def, #name, def->name));                                          \
    varied = true;                                                                                 \
  }
  FIRN_MATERIAL_LIST(X, X, FIRN_NO_NUMBER)
#undef X
  firn_material_row row = world->material[def->material];
  if (varied) FIRN_TRY(firn_world_vary(world));
  if (def->temperature) FIRN_TRY(firn_world_keep_heat(world));
  FIRN_TRY(firn_particles_extend(p, def->count));
  double h = world->h;
  double nominal = nominal_mass(world, def), base = (double)world->material[def->material].density;
  size_t first = p->slots + p->pending;
  for (size_t i = 0; i < def->count; i++) {
    size_t slot = first + i;
    double cell[3];
    for (int a = 0; a < 3; a++) {
      cell[a] = def->position[3 * i + (size_t)a] / h;
      if (def->velocity) {
        firn_particles_real(p,
                            FIRN_FIELD_VX + a)[slot] = (firn_real)def->velocity[3 * i + (size_t)a];
      }
    }
    FIRN_TRY(firn_particles_place(p, slot, cell));
    double mass = def->mass      ? def->mass[i]
                  : def->density ? nominal / base * def->density[i]
                                 : nominal;
    firn_particles_real(p, FIRN_FIELD_MASS)[slot] = (firn_real)mass;
    if (def->volume) firn_particles_real(p, FIRN_FIELD_VOLUME)[slot] = (firn_real)def->volume[i];
    firn_particles_material(p)[slot] = (uint16_t)def->material;
    if (def->temperature) firn_world_put_temperature(world, slot, def->temperature[i]);
    if (def->gradient && world->affine.set) {
      world->affine.set(world->affine.user, slot, def->gradient + 9 * i);
    }
    if (world->vary[0] < 0) continue;
    if (varied) row = varied_row(world, def, i);
    vary_slot(world, slot, &row);
  }
  p->pending += def->count;
  p->count += def->count;
  p->next_id += def->count;
  return FIRN_OK;
}
