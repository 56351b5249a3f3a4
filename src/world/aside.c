// SPDX-License-Identifier: Apache-2.0
#include "world/aside.h"

#include <string.h>

#include "world/settle.h"

firn_world_counts firn_world_count(const firn_world *world) {
  const firn_flow *flow = &world->flow;
  return (firn_world_counts){.materials = world->material_count,
                             .colliders = world->collider_count,
                             .fills = flow->fill_count,
                             .emitters = flow->emitter_count,
                             .sinks = flow->sink_count,
                             .impulses = flow->impulse_count,
                             .forces = world->forces.count};
}

// ------------------------------------------------------------------------------------- copying

// A copy of the first count things of an array with room for more; NULL where that is none.
static firn_status copy(firn_context *context, const void *from, int count, size_t room,
                        size_t size, void **out) {
  *out = NULL;
  if (!room) return FIRN_OK;
  *out = firn_alloc(context, room * size, "a state set aside");
  if (!*out) return FIRN_ERROR_MEMORY;
  if (count) memcpy(*out, from, (size_t)count * size);
  return FIRN_OK;
}

static firn_status copy_collider(const firn_collider *from, firn_collider *to) {
  void *part;
  *to = *from;
  to->part = NULL;
  to->part_count = 0;
  FIRN_TRY(copy(from->context, from->part, from->part_count, (size_t)from->part_count,
                sizeof *to->part, &part));
  to->part = part;
  to->part_count = from->part_count;
  for (int i = 0; i < to->part_count; i++) {
    firn_part *p = &to->part[i];
    if (p->shape) p->shape = firn_shape_retain(p->shape);
    if (p->sequence) p->sequence = firn_sequence_retain(p->sequence);
  }
  to->prepared = (double)NAN; // for no time: what moves it may be another
  return FIRN_OK;
}

// What copy_collider has made; tracks belong to the world that stays.
static void free_copy(firn_collider *collider) {
  for (int i = 0; i < collider->part_count; i++) {
    firn_shape_release(collider->part[i].shape);
    firn_sequence_release(collider->part[i].sequence);
  }
  firn_free(collider->context, collider->part,
            (size_t)collider->part_count * sizeof *collider->part);
}

static firn_status copy_colliders(const firn_world *from, int count, firn_world *to) {
  size_t size = firn_room((size_t)count) * sizeof *to->collider;
  to->collider = firn_alloc(to->context, size, "a state set aside");
  if (size && !to->collider) return FIRN_ERROR_MEMORY;
  firn_status status = FIRN_OK;
  for (int i = 0; status == FIRN_OK && i < count; i++) {
    status = copy_collider(&from->collider[i], &to->collider[i]);
    if (status == FIRN_OK) to->collider_count++;
  }
  if (status == FIRN_OK) return FIRN_OK;
  while (to->collider_count > 0) free_copy(&to->collider[--to->collider_count]);
  firn_free(to->context, to->collider, size);
  to->collider = NULL;
  return status;
}

static firn_status copy_flow(const firn_flow *from, const firn_world_counts *n,
                             firn_context *context, firn_flow *to) {
  void *all;
#define COPY(array, of, room)                                                                      \
  FIRN_TRY(copy(context, from->array, n->of, room, sizeof *to->array, &all));                      \
  to->array = all;                                                                                 \
  to->array##_count = n->of;
  COPY(fill, fills, (size_t)n->fills)
  to->fill_capacity = n->fills;
  for (int i = 0; i < n->fills; i++) to->fill[i].cover = (firn_cover){0};
  COPY(emitter, emitters, firn_room((size_t)n->emitters))
  COPY(sink, sinks, firn_room((size_t)n->sinks))
  COPY(impulse, impulses, firn_room((size_t)n->impulses))
#undef COPY
  FIRN_TRY(copy(context, from->filled, from->filled_count, (size_t)from->filled_count,
                sizeof *to->filled, &all));
  to->filled = all;
  to->filled_count = to->filled_capacity = from->filled_count;
  return FIRN_OK;
}

static firn_status copy_world(const firn_world *from, const firn_world_counts *n, firn_world *to) {
  firn_context *context = from->context;
  void *all;
  FIRN_TRY(copy(context, from->material, n->materials, (size_t)n->materials, sizeof *to->material,
                &all));
  to->material = all;
  to->material_count = n->materials;
  FIRN_TRY(copy(context, from->heat, from->heat_count, (size_t)from->heat_count, sizeof *to->heat,
                &all));
  to->heat = all;
  to->heat_count = from->heat_count;
  FIRN_TRY(copy(context, from->forces.force, n->forces, firn_room((size_t)n->forces),
                sizeof *to->forces.force, &all));
  to->forces.force = all;
  to->forces.count = n->forces;
  FIRN_TRY(firn_wind_copy(context, &from->wind, &to->wind));
  FIRN_TRY(copy_colliders(from, n->colliders, to));
  return copy_flow(&from->flow, n, context, &to->flow);
}

// All that copy_world may have made, and what a load has brought.
static void free_copies(firn_world *world) {
  firn_context *context = world->context;
  firn_flow *flow = &world->flow;
  firn_particles_free(&world->particles);
  firn_settled_free(&world->settled, context);
  firn_wind_free(&world->wind, context);
  firn_free(context, world->material, (size_t)world->material_count * sizeof *world->material);
  firn_free(context, world->heat, (size_t)world->heat_count * sizeof *world->heat);
  firn_free(context, world->forces.force,
            firn_room((size_t)world->forces.count) * sizeof *world->forces.force);
  for (int i = 0; i < world->collider_count; i++) free_copy(&world->collider[i]);
  firn_free(context, world->collider,
            firn_room((size_t)world->collider_count) * sizeof *world->collider);
  for (int i = 0; i < flow->fill_count; i++) firn_cover_free(&flow->fill[i].cover, context);
  firn_free(context, flow->fill, (size_t)flow->fill_capacity * sizeof *flow->fill);
  firn_free(context, flow->filled, (size_t)flow->filled_capacity * sizeof *flow->filled);
  firn_free(context, flow->emitter, firn_room((size_t)flow->emitter_count) * sizeof *flow->emitter);
  firn_free(context, flow->sink, firn_room((size_t)flow->sink_count) * sizeof *flow->sink);
  firn_free(context, flow->impulse, firn_room((size_t)flow->impulse_count) * sizeof *flow->impulse);
}

// ------------------------------------------------------------------------------------ both ends

// The same world without anything that copy_world makes.
static firn_world hollow_copy(const firn_world *world) {
  firn_world next = *world;
  const firn_flow *flow = &world->flow;
  const firn_particles *p = &world->particles;
  const int cells[3] = {4 * p->period[0], 4 * p->period[1], 4 * p->period[2]};
  firn_particles_init(&next.particles, world->context, p->periodic, cells);
  for (int i = 0; i < FIRN_VARY_COUNT; i++) next.vary[i] = -1;
  next.cut = next.temperature = -1;
  next.settled = (firn_settled){0};
  next.wind = (firn_wind){0};
  next.forces = (firn_forces){.parts = world->forces.parts};
  next.material = NULL;
  next.heat = NULL;
  next.collider = NULL;
  next.material_count = next.heat_count = next.collider_count = 0;
  next.flow = (firn_flow){.killing = flow->killing,
                          .windowed = flow->windowed,
                          .window = flow->window,
                          .expecting = flow->expecting};
  memcpy(next.flow.kill_min, flow->kill_min, sizeof flow->kill_min);
  memcpy(next.flow.kill_max, flow->kill_max, sizeof flow->kill_max);
  next.kicked = false;
  return next;
}

firn_status firn_world_set_aside(firn_world *world, const firn_world_counts *counts,
                                 firn_world *old) {
  firn_world next = hollow_copy(world);
  firn_status status = copy_world(world, counts, &next);
  if (status != FIRN_OK) {
    free_copies(&next);
    return status;
  }
  *old = *world;
  *world = next;
  return FIRN_OK;
}

void firn_world_put_back(firn_world *world, const firn_world *old) {
  free_copies(world);
  *world = *old;
}

// What came after the first of each, whole.
static void free_later(firn_world *old, const firn_world *world) {
  firn_context *context = old->context;
  firn_flow *flow = &old->flow;
  for (int i = world->collider_count; i < old->collider_count; i++)
    firn_collider_free(&old->collider[i]);
  for (int i = world->flow.fill_count; i < flow->fill_count; i++)
    firn_fill_free(&flow->fill[i], context);
  for (int i = world->flow.emitter_count; i < flow->emitter_count; i++)
    firn_fill_free(&flow->emitter[i].fill, context);
  for (int i = world->flow.sink_count; i < flow->sink_count; i++)
    firn_shape_release(flow->sink[i].shape);
  for (int i = world->flow.impulse_count; i < flow->impulse_count; i++)
    firn_shape_release(flow->impulse[i].shape);
  for (int i = world->forces.count; i < old->forces.count; i++)
    firn_wind_free(&old->forces.force[i].wind, context);
}

void firn_world_drop_aside(firn_world *world, firn_world *old) {
  free_later(old, world);
  free_copies(old);
}
