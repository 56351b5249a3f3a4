// SPDX-License-Identifier: Apache-2.0
// Emitters. What comes depends on the clock at the beginning of steps, on seed, emitter and number,
// and on nothing else.
#include <math.h>
#include <string.h>

#include "base/def.h"
#include "base/random.h"
#include "world/world.h"

// Particles of a rate come in small lots: each arrival makes the solver sort and survey.
static const double LOT = 2e-3; // s
// Layers of an inflow that are placed at a time, cells.
static const double LAYER = 0.25;
// Throws at a shape before a particle is given up. Shapes that fill less than a hundredth of their
// bounds are refused, so this happens once in e^40 cases.
enum { THROWS = 4000 };

static const firn_def_part fill_part = {"firn_fill_def", offsetof(firn_emitter_def, fill),
                                        sizeof(firn_fill_def)};

static firn_emitter_def default_emitter_def(void) {
  return (firn_emitter_def){
      .fill = firn_default_fill_def(), .kind = FIRN_EMIT_INFLOW, .stop = (double)INFINITY};
}

void firn_emitter_def_init(firn_emitter_def *def, size_t size, size_t fill_size) {
  const firn_emitter_def own = default_emitter_def();
  firn_def_give_with(&own, sizeof own, def, size, &fill_part, fill_size);
}

firn_status firn_emitter_def_take(firn_context *context, const firn_emitter_def *given,
                                  firn_emitter_def *own) {
  *own = default_emitter_def();
  return firn_def_take_with(context, "firn_emitter_def", given, own, sizeof *own, &fill_part);
}

static firn_status check(const firn_world *world, const firn_emitter_def *def,
                         const firn_emitter *e) {
  firn_context *context = world->context;
  if ((int)def->kind < FIRN_EMIT_INFLOW || def->kind > FIRN_EMIT_SNOWFALL) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: kind %d does not exist", e->fill.name,
                     (int)def->kind);
  }
  if (!(def->rate >= 0 && isfinite(def->rate))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: rate = %g must be 0 or more and finite",
                     e->fill.name, def->rate);
  }
  if (!(def->spread >= 0 && isfinite(def->spread))) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: spread = %g m/s must be 0 or more",
                     e->fill.name, def->spread);
  }
  if (isnan(def->start) || !(def->start <= def->stop)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: it starts at %g s and stops at %g s",
                     e->fill.name, def->start, def->stop);
  }
  if (def->kind == FIRN_EMIT_INFLOW) return FIRN_OK;
  if (def->kind == FIRN_EMIT_SNOWFALL && !(def->fill.per_cell >= 1.0 / 64)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: flakes of %g m must not be larger than 4 cells, %g m", e->fill.name,
                     firn_snowfall_flake(world, e), 4 * world->h);
  }
  double lo[3], hi[3], volume = firn_shape_volume(e->fill.shape), bounds = 1;
  firn_shape_bounds(e->fill.shape, lo, hi);
  for (int a = 0; a < 3; a++) bounds *= hi[a] - lo[a];
  if (!(volume >= 0.01 * bounds)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: its shape of %g m^3 is too thin for its bounds of %g m^3 to be hit at "
                     "random",
                     e->fill.name, volume, bounds);
  }
  return FIRN_OK;
}

firn_status firn_world_add_emitter(firn_world *world, const firn_emitter_def *def, int *id) {
  firn_context *context = world->context;
  firn_flow *s = &world->flow;
  firn_emitter e = {.kind = def->kind,
                    .rate = def->rate,
                    .spread = def->spread,
                    .start = def->start,
                    .stop = def->stop,
                    .max_count = def->max_count ? def->max_count : UINT64_MAX,
                    .number = FIRN_FILL_EMITTER | (uint32_t)s->emitter_count};
  // What comes at a rate comes anywhere in the shape: per_cell is the size of a particle alone, and
  // need not suit a pattern.
  firn_fill_def fill = def->fill;
  if (def->kind != FIRN_EMIT_INFLOW) fill.seeding = FIRN_SEEDING_RANDOM;
  FIRN_TRY(firn_fill_make(world, &fill, "emitter", e.number, &e.fill));
  if (e.kind == FIRN_EMIT_SNOWFALL) {
    double lo[3], hi[3];
    firn_shape_bounds(e.fill.shape, lo, hi);
    e.area = firn_shape_volume(e.fill.shape) / (hi[1] - lo[1]);
  }
  firn_status status = check(world, def, &e);
  firn_emitter *all = NULL;
  if (status == FIRN_OK) {
    all = firn_grow(context, s->emitter, (size_t)s->emitter_count, sizeof e, "emitters");
    if (!all) status = FIRN_ERROR_MEMORY;
  }
  if (status != FIRN_OK) {
    firn_fill_free(&e.fill, context);
    return status;
  }
  all[s->emitter_count] = e;
  s->emitter = all;
  if (id) *id = s->emitter_count;
  s->emitter_count++;
  return FIRN_OK;
}

// Particles a second.
static double particle_rate(const firn_world *world, const firn_emitter *e) {
  double cell = world->h * world->h * world->h, per_cell = e->fill.seeder.per_cell;
  double density = (double)world->material[e->fill.material].density;
  switch (e->kind) {
  case FIRN_EMIT_VOLUME: return e->rate * per_cell / cell;
  case FIRN_EMIT_MASS: return e->rate * per_cell / (cell * density);
  case FIRN_EMIT_SNOWFALL: return firn_snowfall_particles(world, e);
  default: return e->rate;
  }
}

static firn_philox draw(const firn_world *world, const firn_emitter *e, uint64_t n, uint32_t k) {
  return firn_philox4x32(world->seed ^ 0x656d6974u, n, e->number, k << 4 | FIRN_DRAW_EMIT);
}

// The n-th particle: a place in the shape, and a random velocity within a ball.
bool firn_emitter_throw(const firn_world *world, const firn_emitter *e, uint64_t n, double x[3],
                        double v[3]) {
  double lo[3], hi[3];
  firn_shape_bounds(e->fill.shape, lo, hi);
  bool hit = false;
  for (uint32_t k = 0; k < THROWS && !hit; k++) {
    firn_philox r = draw(world, e, n, k);
    for (int a = 0; a < 3; a++) x[a] = lo[a] + (hi[a] - lo[a]) * firn_uniform(r.v[a]);
    hit = firn_shape_sample(e->fill.shape, x, 0, NULL) <= 0;
  }
  double length2 = 2;
  for (uint32_t k = THROWS; length2 > 1; k++) {
    firn_philox r = draw(world, e, n, k);
    length2 = 0;
    for (int a = 0; a < 3; a++) {
      v[a] = 2 * firn_uniform(r.v[a]) - 1;
      length2 += v[a] * v[a];
    }
  }
  for (int a = 0; a < 3; a++) v[a] *= e->spread;
  return hit;
}

static firn_status emit_rate(firn_world *world, firn_emitter *e) {
  firn_context *context = world->context;
  firn_emitter_state *s = &e->state;
  double whole = floor(fmin(s->due, 4e9));
  uint64_t upto = whole > (double)e->max_count ? e->max_count : (uint64_t)whole;
  if (upto <= s->count) return FIRN_OK;
  if (s->count && world->time < s->emitted + LOT && world->time < e->stop) return FIRN_OK;
  size_t n = (size_t)(upto - s->count), bytes = 6 * n * sizeof(double), hits = 0;
  double *x = firn_alloc(context, bytes, "emitter");
  if (!x) return FIRN_ERROR_MEMORY;
  double *v = x + 3 * n;
  for (size_t i = 0; i < n; i++) {
    hits += firn_emitter_throw(world, e, s->count + i, x + 3 * hits, v + 3 * hits);
  }
  firn_status status = firn_fill_add(world, &e->fill, hits, x, v);
  firn_free(context, x, bytes);
  if (status != FIRN_OK) return status;
  s->count = upto;
  s->emitted = world->time;
  return FIRN_OK;
}

static firn_status emit_inflow(firn_world *world, firn_emitter *e) {
  firn_emitter_state *s = &e->state;
  double moved = 0;
  for (int a = 0; a < 3; a++) moved = fmax(moved, fabs(s->drift[a] - s->before[a]));
  if (s->started && moved < LAYER * world->h) return FIRN_OK;
  if (s->count >= e->max_count) return FIRN_OK;
  firn_fill_part part = {.before = s->started ? s->before : NULL, .limit = e->max_count - s->count};
  memcpy(part.drift, s->drift, sizeof part.drift);
  size_t placed;
  FIRN_TRY(firn_fill_place(world, &e->fill, &part, &placed));
  s->count += placed;
  s->started = true;
  s->emitted = world->time;
  memcpy(s->before, s->drift, sizeof s->before);
  return FIRN_OK;
}

firn_status firn_emitter_update(firn_world *world, firn_emitter *e) {
  firn_emitter_state *s = &e->state;
  double from = fmax(s->time, e->start), to = fmin(world->time, e->stop);
  if (world->time < e->start) return FIRN_OK;
  if (to > from) {
    s->due += particle_rate(world, e) * (to - from);
    for (int a = 0; a < 3; a++) s->drift[a] += e->fill.velocity[a] * (to - from);
  }
  s->time = fmax(s->time, world->time);
  if (e->kind == FIRN_EMIT_SNOWFALL) return firn_snowfall_emit(world, e, LOT);
  if (e->kind != FIRN_EMIT_INFLOW) return emit_rate(world, e);
  return s->started && s->time > e->stop ? FIRN_OK : emit_inflow(world, e);
}
