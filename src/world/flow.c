// SPDX-License-Identifier: Apache-2.0
// What happens at the beginning of a step, and what of it a checkpoint must remember.
#include "world/flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "math/vec3.h"
#include "world/settle.h"
#include "world/world.h"

FIRN_DEFAULTS(sink_def) {
  return (firn_sink_def){.shape = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.1},
                         .stop = (double)INFINITY};
}

void firn_flow_free(firn_flow *s, firn_context *context) {
  for (int i = 0; i < s->fill_count; i++) firn_fill_free(&s->fill[i], context);
  for (int i = 0; i < s->emitter_count; i++) firn_fill_free(&s->emitter[i].fill, context);
  for (int i = 0; i < s->sink_count; i++) firn_shape_release(s->sink[i].shape);
  firn_free(context, s->fill, (size_t)s->fill_capacity * sizeof *s->fill);
  firn_free(context, s->filled, (size_t)s->filled_capacity * sizeof *s->filled);
  firn_free(context, s->emitter, firn_room((size_t)s->emitter_count) * sizeof *s->emitter);
  firn_free(context, s->sink, firn_room((size_t)s->sink_count) * sizeof *s->sink);
  for (int i = 0; i < s->impulse_count; i++) firn_shape_release(s->impulse[i].shape);
  firn_free(context, s->impulse, firn_room((size_t)s->impulse_count) * sizeof *s->impulse);
  *s = (firn_flow){0};
}

// ------------------------------------------------------------------------------------------ adding

static firn_status reserve_fill(firn_flow *s, firn_context *context) {
  if (s->fill_count < s->fill_capacity) return FIRN_OK;
  size_t size = (size_t)s->fill_capacity * sizeof *s->fill;
  firn_fill *all = firn_resize(context, s->fill, size, size + sizeof *s->fill, "fills");
  if (!all) return FIRN_ERROR_MEMORY;
  s->fill = all;
  s->fill_capacity++;
  return FIRN_OK;
}

static bool overlap(const firn_filled *f, const double lo[3], const double hi[3]) {
  for (int a = 0; a < 3; a++) {
    if (f->hi[a] <= lo[a] || f->lo[a] >= hi[a]) return false;
  }
  return true;
}

uint32_t firn_flow_number(const firn_flow *s, const double lo[3], const double hi[3]) {
  for (uint32_t number = 0;; number++) {
    bool taken = false;
    for (int i = 0; i < s->filled_count && !taken; i++) {
      taken = s->filled[i].number == number && overlap(&s->filled[i], lo, hi);
    }
    if (!taken) return number;
  }
}

bool firn_flow_lattice(const firn_flow *s, const double lo[3], const double hi[3],
                       firn_seeder *seeder) {
  for (int i = 0; i < s->filled_count; i++) {
    const firn_filled *f = &s->filled[i];
    bool touches = f->lattice && f->per_cell == seeder->per_cell;
    for (int a = 0; a < 3 && touches; a++) {
      double near = 1e-6 * (hi[a] - lo[a]); // faces that touch, to rounding
      touches = f->hi[a] >= lo[a] - near && f->lo[a] <= hi[a] + near;
    }
    if (!touches) continue;
    memcpy(seeder->within, f->within, sizeof seeder->within);
    return true;
  }
  return false;
}

static firn_status reserve_filled(firn_flow *s, firn_context *context) {
  if (s->filled_count < s->filled_capacity) return FIRN_OK;
  int capacity = s->filled_capacity ? 2 * s->filled_capacity : 4;
  firn_filled *all = firn_resize(context, s->filled, (size_t)s->filled_capacity * sizeof *all,
                                 (size_t)capacity * sizeof *all, "fills");
  if (!all) return FIRN_ERROR_MEMORY;
  s->filled = all;
  s->filled_capacity = capacity;
  return FIRN_OK;
}

static void note_filled(firn_flow *s, const firn_fill *fill) {
  firn_filled *f = &s->filled[s->filled_count++];
  *f = (firn_filled){.number = fill->seeder.number,
                     .lattice = fill->seeder.kind == FIRN_SEEDING_LATTICE,
                     .per_cell = fill->seeder.per_cell};
  memcpy(f->within, fill->seeder.within, sizeof f->within);
  firn_shape_bounds(fill->shape, f->lo, f->hi);
}

static bool is_known(const firn_flow *s, const firn_filled *filled) {
  for (int i = 0; i < s->filled_count; i++) {
    const firn_filled *f = &s->filled[i];
    if (f->number == filled->number && memcmp(f->lo, filled->lo, sizeof f->lo) == 0 &&
        memcmp(f->hi, filled->hi, sizeof f->hi) == 0)
      return true;
  }
  return false;
}

firn_status firn_flow_note_filled(firn_flow *s, firn_context *context, const firn_filled *filled) {
  if (is_known(s, filled)) return FIRN_OK;
  FIRN_TRY(reserve_filled(s, context));
  s->filled[s->filled_count++] = *filled;
  return FIRN_OK;
}

firn_status firn_world_fill(firn_world *world, const firn_fill_def *def) {
  firn_flow *s = &world->flow;
  firn_fill fill;
  FIRN_TRY(firn_fill_make(world, def, "fill", FIRN_FILL_FREE, &fill));
  bool due = fill.time <= world->time, keep = s->windowed || !due;
  firn_status status = reserve_filled(s, world->context);
  if (status == FIRN_OK && keep) status = reserve_fill(s, world->context);
  if (status == FIRN_OK && due && !s->expecting) status = firn_window_make(world, &fill);
  if (status == FIRN_OK) note_filled(s, &fill);
  if (status == FIRN_OK && keep) {
    s->fill[s->fill_count++] = fill;
  } else {
    firn_fill_free(&fill, world->context);
  }
  return status;
}

firn_status firn_world_add_sink(firn_world *world, const firn_sink_def *def, int *id) {
  firn_context *context = world->context;
  firn_flow *s = &world->flow;
  char what[64];
  if (def->name) {
    snprintf(what, sizeof what, "sink '%.40s'", def->name);
  } else {
    snprintf(what, sizeof what, "sink %d", s->sink_count);
  }
  if (isnan(def->start) || !(def->start <= def->stop)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: it starts at %g s and stops at %g s", what,
                     def->start, def->stop);
  }
  firn_sink sink = {.start = def->start, .stop = def->stop};
  FIRN_TRY(firn_shape_make(context, &def->shape, what, &sink.shape));
  firn_sink *all = firn_grow(context, s->sink, (size_t)s->sink_count, sizeof sink, "sinks");
  if (!all) {
    firn_shape_release(sink.shape);
    return FIRN_ERROR_MEMORY;
  }
  all[s->sink_count] = sink;
  s->sink = all;
  if (id) *id = s->sink_count;
  s->sink_count++;
  return FIRN_OK;
}

firn_status firn_world_set_kill_box(firn_world *world, const double min[3], const double max[3]) {
  for (int a = 0; a < 3; a++) {
    if (min[a] < max[a]) continue;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "kill box: min %g m is not less than max %g m along %c", min[a], max[a],
                     "xyz"[a]);
  }
  memcpy(world->flow.kill_min, min, sizeof world->flow.kill_min);
  memcpy(world->flow.kill_max, max, sizeof world->flow.kill_max);
  world->flow.killing = true;
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- removing

typedef struct drain {
  const firn_sink *sink;
  double time;
} drain;

static bool block_may_drain(const void *user, const double center[3], double radius) {
  const drain *d = user;
  return firn_shape_sample(d->sink->shape, center, d->time, NULL) <= radius;
}

static bool drains(const void *user, size_t slot, const double x[3]) {
  const drain *d = user;
  (void)slot;
  return firn_shape_sample(d->sink->shape, x, d->time, NULL) <= 0;
}

static bool block_may_die(const void *user, const double center[3], double radius) {
  const firn_flow *s = user;
  for (int a = 0; a < 3; a++) {
    if (center[a] - radius < s->kill_min[a] || center[a] + radius > s->kill_max[a]) return true;
  }
  return false;
}

static bool dies(const void *user, size_t slot, const double x[3]) {
  const firn_flow *s = user;
  (void)slot;
  for (int a = 0; a < 3; a++) {
    if (x[a] < s->kill_min[a] || x[a] > s->kill_max[a]) return true;
  }
  return false;
}

firn_status firn_world_update(firn_world *world) {
  firn_flow *s = &world->flow;
  for (int i = 0; i < s->fill_count; i++) {
    if (s->fill[i].made || s->fill[i].time > world->time) continue;
    FIRN_TRY(firn_window_make(world, &s->fill[i]));
  }
  if (s->windowed) FIRN_TRY(firn_window_update(world));
  for (int i = 0; i < s->emitter_count; i++) {
    FIRN_TRY(firn_emitter_update(world, &s->emitter[i]));
  }
  for (int i = 0; i < s->impulse_count; i++) firn_impulse_update(world, &s->impulse[i]);
  for (int i = 0; i < s->sink_count; i++) {
    const drain d = {&s->sink[i], world->time};
    if (d.time < d.sink->start || d.time > d.sink->stop) continue;
    firn_world_remove(world, block_may_drain, drains, &d);
  }
  if (s->killing) firn_world_remove(world, block_may_die, dies, s);
  firn_ledger_admit(world);
  return FIRN_OK;
}

// ------------------------------------------------------------------------------------- checkpoints

typedef struct head {
  uint32_t fills, emitters;
} head;

typedef struct fill_state {
  uint64_t made, boxes;
} fill_state;

typedef struct emitter_state {
  firn_emitter_state state;
  double rate, velocity[3];
} emitter_state;

static firn_status visit_fill(firn_world *world, firn_fill *fill, int i, bool load,
                              const firn_state_visitor *visitor) {
  char name[48];
  fill_state state = {fill->made, fill->cover.count};
  snprintf(name, sizeof name, "fill_%d", i);
  FIRN_TRY(visitor->blob(visitor->user, name, &state, sizeof state));
  if (load) {
    if (state.boxes > 1 << 24) {
      return firn_fail(world->context, FIRN_ERROR_FORMAT,
                       "the checkpoint is damaged: %s was seen through %llu windows", fill->name,
                       (unsigned long long)state.boxes);
    }
    firn_cover_free(&fill->cover, world->context);
    while (fill->cover.capacity < state.boxes) {
      fill->cover.count = fill->cover.capacity;
      FIRN_TRY(firn_cover_reserve(&fill->cover, world->context));
    }
    fill->cover.count = state.boxes;
    fill->made = state.made != 0;
  }
  if (!state.boxes) return FIRN_OK;
  snprintf(name, sizeof name, "fill_%d_boxes", i);
  return visitor->blob(visitor->user, name, fill->cover.box,
                       fill->cover.count * sizeof *fill->cover.box);
}

static firn_status visit_emitter(firn_world *world, firn_emitter *e, int i, bool load,
                                 const firn_state_visitor *visitor) {
  emitter_state s = {.state = e->state, .rate = e->rate};
  memcpy(s.velocity, e->fill.velocity, sizeof s.velocity);
  char name[48];
  snprintf(name, sizeof name, "emitter_%d", i);
  FIRN_TRY(visitor->blob(visitor->user, name, &s, sizeof s));
  if (!load) return FIRN_OK;
  bool finite = firn_finite3(s.velocity);
  if (!(s.rate >= 0 && isfinite(s.rate) && finite)) {
    return firn_fail(world->context, FIRN_ERROR_FORMAT,
                     "the checkpoint is damaged: rate or velocity of %s", e->fill.name);
  }
  e->state = s.state;
  e->rate = s.rate;
  memcpy(e->fill.velocity, s.velocity, sizeof s.velocity);
  return FIRN_OK;
}

static firn_status visit_snowfall(firn_emitter *e, int i, const firn_state_visitor *visitor) {
  char name[48];
  if (e->kind != FIRN_EMIT_SNOWFALL) return FIRN_OK;
  snprintf(name, sizeof name, "snowfall_%d", i);
  return visitor->blob(visitor->user, name, &e->throws, sizeof e->throws);
}

firn_status firn_world_state(firn_world *world, bool load, const firn_state_visitor *visitor) {
  firn_flow *s = &world->flow;
  head h = {(uint32_t)s->fill_count, (uint32_t)s->emitter_count};
  const head here = h;
  FIRN_TRY(visitor->blob(visitor->user, "sources", &h, sizeof h));
  if (load && (h.fills != here.fills || h.emitters != here.emitters)) {
    return firn_fail(
        world->context, FIRN_ERROR_FORMAT,
        "the checkpoint knows %u fills to come and %u emitters, this simulation %u and "
        "%u: it must be built as the saved one was",
        h.fills, h.emitters, here.fills, here.emitters);
  }
  for (int i = 0; i < s->fill_count; i++) {
    FIRN_TRY(visit_fill(world, &s->fill[i], i, load, visitor));
  }
  for (int i = 0; i < s->emitter_count; i++) {
    FIRN_TRY(visit_emitter(world, &s->emitter[i], i, load, visitor));
    FIRN_TRY(visit_snowfall(&s->emitter[i], i, visitor));
  }
  FIRN_TRY(firn_settled_visit(world, load, visitor));
  // Last, so that a load that fails before leaves them alone.
  FIRN_TRY(firn_world_visit_settings(world, load, visitor));
  FIRN_TRY(firn_ledger_visit(world, load, visitor));
  FIRN_TRY(firn_impulse_visit(world, visitor));
  FIRN_TRY(firn_wind_visit(world, load, visitor));
  FIRN_TRY(firn_forces_visit(world, load, visitor));
  if (load) s->expecting = false;
  return FIRN_OK;
}
