// SPDX-License-Identifier: Apache-2.0
#include "world/setup.h"

#include <string.h>

static firn_status take_heat(const firn_world *world, firn_setup *out) {
  size_t size = (size_t)world->heat_count * sizeof *out->heat;
  out->heat = firn_alloc(world->context, size, "a setup");
  if (size && !out->heat) return FIRN_ERROR_MEMORY;
  out->heat_count = world->heat_count;
  if (size) memcpy(out->heat, world->heat, size);
  return FIRN_OK;
}

static firn_status take_parts(const firn_world *world, firn_setup *out) {
  size_t parts = 0;
  for (int c = 0; c < world->collider_count; c++) parts += (size_t)world->collider[c].part_count;
  firn_held_part *held = firn_alloc_zero(world->context, parts * sizeof *held, "a setup");
  if (parts && !held) return FIRN_ERROR_MEMORY;
  out->part = held;
  out->parts = parts;
  for (int c = 0; c < world->collider_count; c++) {
    for (int i = 0; i < world->collider[c].part_count; i++, held++) {
      const firn_part *part = &world->collider[c].part[i];
      if (part->shape) held->shape = firn_shape_retain(part->shape);
      if (part->sequence) held->sequence = firn_sequence_retain(part->sequence);
    }
  }
  return FIRN_OK;
}

firn_status firn_setup_take(const firn_world *world, firn_setup *out) {
  const firn_flow *flow = &world->flow;
  *out = (firn_setup){.counts = firn_world_count(world),
                      .digests = world->digests,
                      .softens = world->softens,
                      .killing = flow->killing,
                      .windowed = flow->windowed,
                      .window = flow->window};
  memcpy(out->kill_min, flow->kill_min, sizeof out->kill_min);
  memcpy(out->kill_max, flow->kill_max, sizeof out->kill_max);
  firn_status status = take_heat(world, out);
  if (status == FIRN_OK) status = firn_wind_copy(world->context, &world->wind, &out->wind);
  if (status == FIRN_OK) status = take_parts(world, out);
  if (status != FIRN_OK) firn_setup_free(out, world->context);
  return status;
}

void firn_setup_free(firn_setup *setup, firn_context *context) {
  for (size_t i = 0; i < setup->parts; i++) {
    firn_shape_release(setup->part[i].shape);
    firn_sequence_release(setup->part[i].sequence);
  }
  firn_free(context, setup->part, setup->parts * sizeof *setup->part);
  if (setup->heat) firn_free(context, setup->heat, (size_t)setup->heat_count * sizeof *setup->heat);
  firn_wind_free(&setup->wind, context);
  *setup = (firn_setup){0};
}

// The world may have more rows or fewer.
static firn_status give_heat(const firn_setup *setup, firn_world *world) {
  size_t size = (size_t)setup->heat_count * sizeof *world->heat;
  firn_heat_row *heat = firn_alloc(world->context, size, "a setup");
  if (size && !heat) return FIRN_ERROR_MEMORY;
  if (size) memcpy(heat, setup->heat, size);
  firn_free(world->context, world->heat, (size_t)world->heat_count * sizeof *world->heat);
  world->heat = heat;
  world->heat_count = setup->heat_count;
  return FIRN_OK;
}

static bool is_held(const firn_held_part *held) {
  return held->shape || held->sequence;
}

// Colliders that have been removed since get their shapes back.
static void give_shapes(const firn_setup *setup, firn_world *world) {
  const firn_held_part *held = setup->part;
  for (int c = 0; c < world->collider_count; c++) {
    firn_collider *collider = &world->collider[c];
    bool there = false; // when the setup was taken
    for (int i = 0; i < collider->part_count; i++) there = there || is_held(&held[i]);
    for (int i = 0; i < collider->part_count && there && collider->removed; i++) {
      if (held[i].shape) collider->part[i].shape = firn_shape_retain(held[i].shape);
      if (held[i].sequence) collider->part[i].sequence = firn_sequence_retain(held[i].sequence);
    }
    if (there && collider->removed) firn_collider_revive(collider);
    held += collider->part_count;
  }
}

firn_status firn_setup_apply(const firn_setup *setup, firn_world *world) {
  firn_context *context = world->context;
  firn_flow *flow = &world->flow;
  firn_wind wind;
  FIRN_TRY(give_heat(setup, world));
  FIRN_TRY(firn_wind_copy(context, &setup->wind, &wind));
  firn_wind_free(&world->wind, context);
  world->wind = wind;
  world->softens = setup->softens;
  world->digests = setup->digests;
  flow->killing = setup->killing;
  flow->windowed = setup->windowed;
  flow->window = setup->window;
  flow->expecting = false;
  memcpy(flow->kill_min, setup->kill_min, sizeof flow->kill_min);
  memcpy(flow->kill_max, setup->kill_max, sizeof flow->kill_max);
  give_shapes(setup, world);
  return FIRN_OK;
}
