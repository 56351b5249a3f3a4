// SPDX-License-Identifier: Apache-2.0
// Filling shapes with snow.
#include "world/fill.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "base/parallel.h"
#include "material/preset.h"
#include "math/vec3.h"
#include "world/heat.h"
#include "world/occupied.h"
#include "world/settle.h"
#include "world/start.h"
#include "world/world.h"

FIRN_DEFAULTS(fill_def) {
  return (firn_fill_def){
      .shape = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.1},
      .seeding = FIRN_SEEDING_RANDOM,
      .per_cell = 8,
  };
}

// Particles placed at a time: positions in double take much room.
enum { PORTION = 1 << 17 };

// ------------------------------------------------------------------------------------------ making

static firn_status check_vector(firn_context *context, const double v[3], const char *what,
                                const char *field) {
  for (int a = 0; a < 3; a++) {
    if (firn_real_is_finite(v[a])) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s (%g %g %g) must be finite%s", what,
                     field, v[0], v[1], v[2], isfinite(v[a]) ? " in the working precision" : "");
  }
  return FIRN_OK;
}

static firn_status check(const firn_world *world, const firn_fill_def *def, const char *what) {
  firn_context *context = world->context;
  if (def->material < 0 || def->material >= world->material_count) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: material %d does not exist; there are %d",
                     what, def->material, world->material_count);
  }
  if (isnan(def->time)) return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: time is nan", what);
  FIRN_TRY(check_vector(context, def->velocity, what, "velocity"));
  FIRN_TRY(check_vector(context, def->spin, what, "spin"));
  if (def->pivot) FIRN_TRY(check_vector(context, def->pivot, what, "pivot"));
  if (!firn_heat_is_good(def->temperature)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: temperature %g K must be positive", what,
                     def->temperature);
  }
  if (!!def->strain_at + !!def->stress_at + def->settled > 1) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: strain, stress and settled exclude each other", what);
  }
  return FIRN_OK;
}

static firn_status make(const firn_world *world, const firn_fill_def *def, uint32_t number,
                        firn_fill *out) {
  firn_context *context = world->context;
  double lo[3], hi[3];
  FIRN_TRY(check(world, def, out->name));
  FIRN_TRY(firn_shape_make(context, &def->shape, out->name, &out->shape));
  if (!firn_shape_bounds(out->shape, lo, hi)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: the shape has no bounds to fill",
                     out->name);
  }
  memcpy(out->pivot, def->pivot ? def->pivot : out->shape->center, sizeof out->pivot);
  FIRN_TRY(firn_variety_make(context, def->variation, def->variation_count, world->seed, out->name,
                             &out->variety));
  bool numbered = number != FIRN_FILL_FREE;
  if (!numbered) number = firn_flow_number(&world->flow, lo, hi);
  FIRN_TRY(firn_seeder_make(context, def->seeding, def->per_cell, world->seed, number, out->name,
                            &out->seeder));
  // Fills that touch share a lattice, so that no particle of one is too close to one of the other.
  if (def->seeding == FIRN_SEEDING_LATTICE &&
      (numbered || !firn_flow_lattice(&world->flow, lo, hi, &out->seeder)))
    firn_seeder_center(&out->seeder, world->h, lo, hi, world->hollow);
  return FIRN_OK;
}

firn_status firn_fill_make(const firn_world *world, const firn_fill_def *def, const char *kind,
                           uint32_t number, firn_fill *out) {
  *out = (firn_fill){.material = def->material,
                     .time = def->time,
                     .settled = def->settled,
                     .temperature = def->temperature,
                     .start = {def->velocity_at, def->strain_at, def->stress_at, def->start_user,
                               def->start_release}};
  memcpy(out->velocity, def->velocity, sizeof out->velocity);
  memcpy(out->spin, def->spin, sizeof out->spin);
  if (def->name) {
    snprintf(out->name, sizeof out->name, "%s '%.40s'", kind, def->name);
  } else {
    snprintf(out->name, sizeof out->name, "%s", kind);
  }
  firn_status status = make(world, def, number, out);
  if (status != FIRN_OK) firn_fill_free(out, world->context);
  return status;
}

void firn_fill_free(firn_fill *fill, firn_context *context) {
  if (fill->start.release) fill->start.release(fill->start.user);
  fill->start.release = NULL;
  firn_shape_release(fill->shape);
  firn_seeder_free(&fill->seeder, context);
  firn_variety_free(&fill->variety, context);
  firn_cover_free(&fill->cover, context);
  fill->shape = NULL;
}

// ------------------------------------------------------------------------------------------ adding

// The properties that particles may have of their own, where their values go, and what they are in
// the table of materials.
typedef struct own_property {
  unsigned property;
  const double **values; // in the def of the particles
  double base;
} own_property;

enum { OWN_COUNT = FIRN_PROPERTY_COUNT - 1 }; // all but the packing

static void list_own(const firn_world *world, const firn_fill *fill, firn_particles_def *def,
                     own_property own[OWN_COUNT]) {
  firn_material_def m = firn_material_def_of_row(&world->material[fill->material]);
#define X(CONSTANT, name, ...)                                                                     \
  *own++ = (own_property){FIRN_PROPERTY_##CONSTANT, &def->name, m.name};
  FIRN_MATERIAL_LIST(X, X, FIRN_NO_NUMBER)
#undef X
  double temperature = fill->temperature > 0 ? fill->temperature : FIRN_HEAT_ZERO;
  *own = (own_property){FIRN_PROPERTY_TEMPERATURE, &def->temperature, temperature};
}

// values [OWN_COUNT][count]; only the rows of properties that vary are written and used.
static void vary_all(firn_context *context, const firn_fill *fill, unsigned of, size_t count,
                     const double *position, const own_property *own, double *values) {
  const firn_variety *variety = &fill->variety;
  FIRN_PARALLEL_FOR(context, schedule(static))
  for (size_t i = 0; i < count; i++) {
    const double *x = position + 3 * i;
    double depth = -firn_shape_sample(fill->shape, x, 0, NULL);
    for (int k = 0; k < OWN_COUNT; k++) {
      if (!(of & own[k].property)) continue;
      values[(size_t)k * count + i] = firn_variety_value(variety, own[k].property, own[k].base, x,
                                                         depth);
    }
  }
}

firn_status firn_fill_add(firn_world *world, const firn_fill *fill, size_t count,
                          const double *position, const double *extra) {
  firn_context *context = world->context;
  if (!count) return FIRN_OK;
  // One that is given is one that varies, by nothing.
  unsigned of = fill->variety.of | (fill->temperature > 0 ? FIRN_PROPERTY_TEMPERATURE : 0u);
  bool varies = of & ~(unsigned)FIRN_PROPERTY_PACKING;
  size_t v_bytes = 12 * count * sizeof(double);
  size_t bytes = varies ? OWN_COUNT * count * sizeof(double) : 0;
  double *velocity = firn_alloc(context, v_bytes, "fill"), *values = NULL;
  if (!velocity) return FIRN_ERROR_MEMORY;
  firn_status status = FIRN_OK;
  firn_particles_def particles = firn_default_particles_def();
  if (varies) {
    own_property own[OWN_COUNT];
    list_own(world, fill, &particles, own);
    values = firn_alloc(context, bytes, "variation");
    if (!values) status = FIRN_ERROR_MEMORY;
    if (values) vary_all(context, fill, of, count, position, own, values);
    for (size_t k = 0; k < OWN_COUNT && values; k++) {
      if (of & own[k].property) *own[k].values = values + k * count;
    }
  }
  if (status == FIRN_OK) {
    double *gradient = velocity + 3 * count;
    status = firn_start_velocities(world, fill, count, position, extra, velocity, gradient);
    particles.count = count;
    particles.position = position;
    particles.velocity = velocity;
    particles.gradient = gradient;
    particles.material = fill->material;
    particles.per_cell = fill->seeder.per_cell;
    size_t first = world->particles.slots + world->particles.pending;
    if (status == FIRN_OK) status = firn_world_add_particles(world, &particles);
    if (status == FIRN_OK) status = firn_start_load(world, fill, first, count, position);
    if (status == FIRN_OK && fill->settled) {
      status = firn_world_settle(world, fill->shape, &fill->variety, first, count);
    }
  }
  firn_free(context, velocity, v_bytes);
  firn_free(context, values, bytes);
  return status;
}

// ----------------------------------------------------------------------------------------- placing

typedef struct filling {
  const firn_world *world;
  const firn_fill *fill;
  const firn_fill_part *part; // or NULL
  int32_t lo[3], n[3];        // cells of the pattern
} filling;

// Of a particle from the surface, m. A lattice may have points on two opposite faces: one of them is within.
static double distance_of(const filling *f, const double x[3]) {
  double aside = f->fill->seeder.kind == FIRN_SEEDING_LATTICE ? 1e-6 * f->world->h : 0;
  const double at[3] = {x[0] + aside, x[1] + aside, x[2] + aside};
  return firn_shape_sample(f->fill->shape, at, 0, NULL);
}

// Whether a particle of the pattern belongs to this part; x is its place in metres. taken is the share of
// its cell that other snow fills already.
static bool is_wanted(const filling *f, double x[3], double lot, double taken) {
  const firn_fill *fill = f->fill;
  const firn_fill_part *part = f->part;
  double at[3];
  memcpy(at, x, sizeof at);
  for (int a = 0; a < 3 && part; a++) x[a] += part->drift[a];
  double distance = distance_of(f, x);
  if (distance > 0) return false;
  for (int c = 0; f->world->hollow && c < f->world->collider_count; c++) {
    const firn_collider *collider = &f->world->collider[c];
    if (!collider->absent && firn_collider_sample(collider, x, NULL, NULL) < 0) return false;
  }
  if (part && part->before) {
    for (int a = 0; a < 3; a++) at[a] += part->before[a];
    if (distance_of(f, at) <= 0) return false;
  }
  double share = 1;
  if (fill->variety.of & FIRN_PROPERTY_PACKING)
    share = firn_variety_value(&fill->variety, FIRN_PROPERTY_PACKING, 1, x, -distance);
  return lot < share - taken;
}

// What lies in a cell over what the fill would put there.
static double taken_of(const filling *f, const int32_t cell[3]) {
  const firn_world *world = f->world;
  if (!f->part || !f->part->occupied) return 0;
  double h3 = world->h * world->h * world->h;
  double full = (double)world->material[f->fill->material].density * h3;
  return firn_occupied_mass(f->part->occupied, cell) / full;
}

// Visits the particles of one slab of cells, x = lo + i. out NULL only counts.
static size_t fill_slab(const filling *f, int i, double *out) {
  double h = f->world->h;
  const firn_cover *cover = f->part ? f->part->cover : NULL;
  size_t count = 0;
  for (int j = 0; j < f->n[1]; j++) {
    for (int k = 0; k < f->n[2]; k++) {
      int32_t cell[3] = {f->lo[0] + i, f->lo[1] + j, f->lo[2] + k};
      if (cover) {
        const int32_t block[3] = {cell[0] >> 2, cell[1] >> 2, cell[2] >> 2};
        if (firn_cover_holds(cover, block)) continue;
      }
      double x[3], lot, taken = taken_of(f, cell);
      for (int c = 0; firn_seeder_particle(&f->fill->seeder, cell, c, x, &lot); c++) {
        for (int a = 0; a < 3; a++) x[a] *= h;
        if (!is_wanted(f, x, lot, taken)) continue;
        if (out) memcpy(out + 3 * count, x, sizeof x);
        count++;
      }
    }
  }
  return count;
}

static firn_status fill_slabs(firn_world *world, const filling *f, const size_t *start,
                              size_t first, size_t end, size_t limit) {
  firn_context *context = world->context;
  size_t count = start[end] - start[first], bytes = 3 * count * sizeof(double);
  if (!count) return FIRN_OK;
  double *position = firn_alloc(context, bytes, "fill");
  if (!position) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(context, schedule(dynamic))
  for (size_t i = first; i < end; i++) {
    fill_slab(f, (int)i, position + 3 * (start[i] - start[first]));
  }
  if (count > limit) count = limit;
  firn_status status = firn_fill_add(world, f->fill, count, position, NULL);
  firn_free(context, position, bytes);
  return status;
}

// The cells to visit. None: n[0] is 0.
static firn_status find_cells(filling *f) {
  const firn_world *world = f->world;
  const firn_fill_part *part = f->part;
  double lo[3], hi[3], cells = 1;
  firn_shape_bounds(f->fill->shape, lo, hi);
  for (int a = 0; a < 3; a++) {
    double drift = part ? part->drift[a] : 0;
    double first = floor((lo[a] - drift) / world->h), last = floor((hi[a] - drift) / world->h);
    if (part && part->bounded) {
      first = fmax(first, 4.0 * part->box.lo[a]);
      last = fmin(last, 4.0 * part->box.hi[a] + 3);
    }
    if (last < first) {
      f->n[0] = 0;
      return FIRN_OK;
    }
    cells *= last - first + 1;
    // An inflow's pattern may drift further than particles may go.
    double limit = drift != 0 ? 1 << 30 : 1 << 22;
    if (!(fabs(first) < limit && fabs(last) < limit)) {
      return firn_fail(world->context, FIRN_ERROR_DOMAIN,
                       "%s: the shape reaches %g m along %c, beyond the addressable domain",
                       f->fill->name, fabs(first) > fabs(last) ? lo[a] : hi[a], "xyz"[a]);
    }
    f->lo[a] = (int32_t)first;
    f->n[a] = (int32_t)(last - first) + 1;
  }
  // Twice 2^32: a ball fills half of its bounds. Each cell is visited, however few hold anything.
  if (cells * fmax(1, f->fill->seeder.per_cell) > 8e9) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: %.3g cells at %g particles a cell are too many; the limit is 2^32",
                     f->fill->name, cells, f->fill->seeder.per_cell);
  }
  return FIRN_OK;
}

firn_status firn_fill_place(firn_world *world, const firn_fill *fill, const firn_fill_part *part,
                            size_t *placed) {
  firn_context *context = world->context;
  filling f = {.world = world, .fill = fill, .part = part};
  if (placed) *placed = 0;
  FIRN_TRY(find_cells(&f));
  size_t slabs = (size_t)f.n[0];
  if (!slabs) return FIRN_OK;
  if (world->hollow) firn_world_prepare(world, world->time);

  // Count slab by slab, then place some slabs at a time.
  size_t *start = firn_alloc(context, (slabs + 1) * sizeof *start, "fill");
  if (!start) return FIRN_ERROR_MEMORY;
  FIRN_PARALLEL_FOR(context, schedule(dynamic))
  for (size_t i = 0; i < slabs; i++) start[i + 1] = fill_slab(&f, (int)i, NULL);
  start[0] = 0;
  for (size_t i = 0; i < slabs; i++) start[i + 1] += start[i];
  firn_particles *p = &world->particles;
  size_t pending = p->pending, count = p->count, next_id = p->next_id, wanted = start[slabs];
  if (part && part->limit < wanted) wanted = (size_t)part->limit;
  firn_status status = firn_particles_expect(p, wanted);
  for (size_t i = 0; i < slabs && status == FIRN_OK;) {
    size_t end = i + 1;
    while (end < slabs && start[end + 1] - start[i] <= PORTION) end++;
    if (start[i] < wanted) status = fill_slabs(world, &f, start, i, end, wanted - start[i]);
    i = end;
  }
  if (status == FIRN_OK) status = firn_shape_check_answers(context, fill->shape, fill->name);
  if (status != FIRN_OK) { // all or nothing
    p->pending = pending;
    p->count = count;
    p->next_id = next_id;
    firn_settled_forget(&world->settled, (uint32_t)next_id);
  } else if (placed) {
    *placed = wanted;
  }
  firn_free(context, start, (slabs + 1) * sizeof *start);
  return status;
}
