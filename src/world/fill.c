// SPDX-License-Identifier: Apache-2.0
// Filling shapes with snow. A particle's place is a function of the seed, its cell and its number
// within the cell, so it does not depend on threads, nor on what else is filled.
#include <math.h>
#include <string.h>

#include <omp.h>

#include "base/isa.h"
#include "base/random.h"
#include "world/world.h"

firn_fill_def firn_default_fill_def(void) {
  return (firn_fill_def){
      .shape = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.1},
      .seeding = FIRN_SEEDING_RANDOM,
      .per_cell = 8,
  };
}

// Particles placed at a time: positions in double take much room.
enum { PORTION = 1 << 17 };

typedef struct filling {
  const firn_world *world;
  const firn_fill_def *def;
  const firn_shape *shape;
  int lo[3], n[3]; // cells
  int parts[3];    // of a cell, for jittered and lattice seeding
} filling;

// Splits count into three factors as equal as can be, the larger ones last.
static void factor(int count, int parts[3]) {
  parts[0] = (int)floor(cbrt(count) + 1e-9);
  while (count % parts[0]) parts[0]--;
  int rest = count / parts[0];
  parts[1] = (int)floor(sqrt(rest) + 1e-9);
  while (rest % parts[1]) parts[1]--;
  parts[2] = rest / parts[1];
}

// The k-th candidate of a cell, in cells. False if there are fewer.
static bool candidate(const filling *f, const int cell[3], int k, double out[3]) {
  uint64_t key = 0;
  for (int a = 0; a < 3; a++) key = key << 21 | ((uint64_t)(cell[a] + (1 << 20)) & 0x1fffff);
  firn_philox r = firn_philox4x32(f->world->seed, key, 0, (uint32_t)k);
  switch (f->def->seeding) {
  case FIRN_SEEDING_RANDOM: {
    // A fractional number a cell is met on average.
    firn_philox extra = firn_philox4x32(f->world->seed, key, 1, 0);
    if (k >= (int)floor(f->def->per_cell + firn_uniform(extra.v[0]))) return false;
    for (int a = 0; a < 3; a++) out[a] = cell[a] + firn_uniform(r.v[a]);
    return true;
  }
  case FIRN_SEEDING_JITTERED:
  case FIRN_SEEDING_LATTICE: {
    const int *n = f->parts;
    if (k >= n[0] * n[1] * n[2]) return false;
    int part[3] = {k / (n[1] * n[2]), k / n[2] % n[1], k % n[2]};
    for (int a = 0; a < 3; a++) {
      double within = f->def->seeding == FIRN_SEEDING_LATTICE ? 0.5 : firn_uniform(r.v[a]);
      out[a] = cell[a] + (part[a] + within) / n[a];
    }
    return true;
  }
  }
  return false;
}

// Visits the particles of one slab of cells, x = lo + i. out NULL only counts.
static size_t fill_slab(const filling *f, int i, double *out) {
  double h = f->world->h;
  size_t count = 0;
  for (int j = 0; j < f->n[1]; j++) {
    for (int k = 0; k < f->n[2]; k++) {
      int cell[3] = {f->lo[0] + i, f->lo[1] + j, f->lo[2] + k};
      double x[3];
      for (int c = 0; candidate(f, cell, c, x); c++) {
        for (int a = 0; a < 3; a++) x[a] *= h;
        if (firn_shape_sample(f->shape, x, 0, NULL) > 0) continue;
        if (out) memcpy(out + 3 * count, x, sizeof x);
        count++;
      }
    }
  }
  return count;
}

static firn_status check(const firn_world *world, const firn_fill_def *def) {
  firn_context *context = world->context;
  if (!(def->per_cell > 0 && def->per_cell <= 1000)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "fill: per_cell = %g must lie in (0, 1000]",
                     def->per_cell);
  }
  if ((int)def->seeding < FIRN_SEEDING_RANDOM || def->seeding > FIRN_SEEDING_LATTICE) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "fill: seeding %d does not exist",
                     (int)def->seeding);
  }
  if (def->seeding != FIRN_SEEDING_RANDOM && def->per_cell != floor(def->per_cell)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "fill: per_cell = %g must be a whole number unless seeding is random",
                     def->per_cell);
  }
  double edge = round(cbrt(def->per_cell));
  if (def->seeding == FIRN_SEEDING_LATTICE && edge * edge * edge != def->per_cell) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "fill: per_cell = %g must be a cube (1, 8, 27, ...) when seeding is a lattice",
                     def->per_cell);
  }
  if (def->material < 0 || def->material >= world->material_count) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "fill: material %d does not exist; there are %d",
                     def->material, world->material_count);
  }
  for (int a = 0; a < 3; a++) {
    if (isfinite(def->velocity[a]) && isfinite(def->spin[a])) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "fill: velocity (%g %g %g) and spin (%g %g %g) must be finite",
                     def->velocity[0], def->velocity[1], def->velocity[2], def->spin[0],
                     def->spin[1], def->spin[2]);
  }
  return FIRN_OK;
}

static firn_status add(firn_world *world, const filling *f, size_t count, const double *position,
                       double *velocity) {
  const firn_fill_def *def = f->def;
  const double *w = def->spin, *c = f->shape->center;
  for (size_t i = 0; i < count; i++) {
    const double r[3] = {position[3 * i] - c[0], position[3 * i + 1] - c[1],
                         position[3 * i + 2] - c[2]};
    velocity[3 * i] = def->velocity[0] + w[1] * r[2] - w[2] * r[1];
    velocity[3 * i + 1] = def->velocity[1] + w[2] * r[0] - w[0] * r[2];
    velocity[3 * i + 2] = def->velocity[2] + w[0] * r[1] - w[1] * r[0];
  }
  firn_particles_def particles = firn_default_particles_def();
  particles.count = count;
  particles.position = position;
  particles.velocity = velocity;
  particles.material = def->material;
  particles.per_cell = def->per_cell;
  return firn_world_add_particles(world, &particles);
}

static firn_status fill_slabs(firn_world *world, const filling *f, const size_t *start,
                              size_t first, size_t end) {
  firn_context *context = world->context;
  size_t count = start[end] - start[first], bytes = 3 * count * sizeof(double);
  if (!count) return FIRN_OK;
  double *position = firn_alloc(context, bytes, "fill");
  double *velocity = firn_alloc(context, bytes, "fill");
  firn_status status = FIRN_ERROR_MEMORY;
  if (position && velocity) {
#pragma omp parallel num_threads(context->threads)
    {
      unsigned mode = firn_fp_enter();
#pragma omp for schedule(dynamic)
      for (size_t i = first; i < end; i++) {
        fill_slab(f, (int)i, position + 3 * (start[i] - start[first]));
      }
      firn_fp_leave(mode);
    }
    status = add(world, f, count, position, velocity);
  }
  firn_free(context, position, bytes);
  firn_free(context, velocity, bytes);
  return status;
}

static firn_status fill(firn_world *world, const firn_fill_def *def, const firn_shape *shape) {
  firn_context *context = world->context;
  filling f = {.world = world, .def = def, .shape = shape};
  double lo[3], hi[3], cells = 1;
  if (!firn_shape_bounds(shape, lo, hi)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "fill: the shape has no bounds to fill");
  }
  for (int a = 0; a < 3; a++) {
    double first = floor(lo[a] / world->h), last = floor(hi[a] / world->h);
    cells *= last - first + 1;
    if (!(fabs(first) < 1 << 22 && fabs(last) < 1 << 22)) {
      return firn_fail(context, FIRN_ERROR_DOMAIN,
                       "fill: the shape reaches %g m along %c, beyond the addressable domain",
                       fabs(first) > fabs(last) ? lo[a] : hi[a], "xyz"[a]);
    }
    f.lo[a] = (int)first;
    f.n[a] = (int)(last - first) + 1;
  }
  // Twice 2^32: a ball fills half of its bounds. Each cell is visited, however few hold anything.
  if (cells * fmax(1, def->per_cell) > 8e9) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "fill: %.3g cells at %g particles a cell are too many; the limit is 2^32",
                     cells, def->per_cell);
  }
  factor((int)def->per_cell > 0 ? (int)def->per_cell : 1, f.parts);

  // Count slab by slab, then place some slabs at a time.
  size_t slabs = (size_t)f.n[0];
  size_t *start = firn_alloc(context, (slabs + 1) * sizeof *start, "fill");
  if (!start) return FIRN_ERROR_MEMORY;
#pragma omp parallel num_threads(context->threads)
  {
    unsigned mode = firn_fp_enter();
#pragma omp for schedule(dynamic)
    for (size_t i = 0; i < slabs; i++) start[i + 1] = fill_slab(&f, (int)i, NULL);
    firn_fp_leave(mode);
  }
  start[0] = 0;
  for (size_t i = 0; i < slabs; i++) start[i + 1] += start[i];
  firn_particles *p = &world->particles;
  size_t pending = p->pending, count = p->count;
  firn_status status = firn_particles_expect(p, start[slabs]);
  for (size_t i = 0; i < slabs && status == FIRN_OK;) {
    size_t end = i + 1;
    while (end < slabs && start[end + 1] - start[i] <= PORTION) end++;
    status = fill_slabs(world, &f, start, i, end);
    i = end;
  }
  if (status != FIRN_OK) { // all or nothing
    p->pending = pending;
    p->count = count;
  }
  firn_free(context, start, (slabs + 1) * sizeof *start);
  return status;
}

firn_status firn_world_fill(firn_world *world, const firn_fill_def *def) {
  firn_shape *shape;
  FIRN_TRY(check(world, def));
  FIRN_TRY(firn_shape_make(world->context, &def->shape, "fill", &shape));
  firn_status status = fill(world, def, shape);
  firn_shape_release(shape);
  return status;
}
