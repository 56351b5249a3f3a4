// SPDX-License-Identifier: Apache-2.0
// The colliders of a world.
#include <stdio.h>

#include "base/memory.h"
#include "world/heat.h"

firn_status firn_world_add_collider(firn_world *world, const firn_collider_def *def, int *id) {
  firn_collider collider;
  int parts = 0;
  if (def->temperature > 0) FIRN_TRY(firn_world_keep_heat(world));
  for (int c = 0; c < world->collider_count; c++) parts += world->collider[c].part_count;
  FIRN_TRY(firn_collider_make(world->context, def, world->collider_count, parts, &collider));
  firn_collider *all = firn_grow(world->context, world->collider, (size_t)world->collider_count,
                                 sizeof collider, "colliders");
  if (!all) {
    firn_collider_free(&collider);
    return FIRN_ERROR_MEMORY;
  }
  collider.load.state.time = world->time;
  firn_collider_prepare(&collider, world->time);
  all[world->collider_count] = collider;
  world->collider = all;
  if (id) *id = world->collider_count;
  world->collider_count++;
  world->changes++;
  return FIRN_OK;
}

void firn_world_prepare(firn_world *world, double time) {
  for (int c = 0; c < world->collider_count; c++) {
    firn_collider *collider = &world->collider[c];
    if (collider->prepared != time && !collider->removed) firn_collider_prepare(collider, time);
  }
}

void firn_world_set_time(firn_world *world, double time) {
  world->time = time;
  firn_world_prepare(world, time);
}

// Of a vector along the axis of a load.
static double along(const firn_load *load, const double v[3]) {
  return v[0] * load->axis[0] + v[1] * load->axis[1] + v[2] * load->axis[2];
}

void firn_world_before_step(firn_world *world) {
  for (int c = 0; c < world->collider_count; c++) {
    firn_load *load = &world->collider[c].load;
    world->collider[c].before = world->collider[c].sums;
    load->state.fall = load->weightless ? 0 : along(load, world->gravity);
    load->led = false; // by a step that failed
    load->got = along(load, world->collider[c].sums.impulse);
  }
}

// What has come to some sums.
static firn_collider_sums since(const firn_collider_sums *sums, const firn_collider_sums *before) {
  firn_collider_sums d = {.time = sums->time - before->time, .work = sums->work - before->work};
  for (int a = 0; a < 3; a++) {
    d.impulse[a] = sums->impulse[a] - before->impulse[a];
    d.angular[a] = sums->angular[a] - before->angular[a];
  }
  d.work_before = before->work_before + before->work;
  return d;
}

void firn_world_after_step(firn_world *world) {
  for (int c = 0; c < world->collider_count; c++) {
    firn_collider *collider = &world->collider[c];
    firn_load *load = &collider->load;
    if (collider->removed) { // what was recorded of it stays, its time too
      collider->sums = collider->before;
      collider->last = (firn_collider_sums){0};
      continue;
    }
    collider->last = since(&collider->sums, &collider->before);
    collider->driving.nudge = 0;
    if (load->mass == 0) continue;
    firn_load_step(load, world->time, along(load, collider->sums.impulse) - load->got);
    firn_collider_prepare(collider, world->time);
  }
}

firn_status firn_world_check_colliders(const firn_world *world) {
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    for (int i = 0; i < collider->part_count && collider->varies; i++) {
      char what[FIRN_NAME_SIZE + 16];
      snprintf(what, sizeof what, "collider '%s'", collider->name);
      const firn_shape *shape = collider->part[i].shape;
      if (shape) FIRN_TRY(firn_shape_check_answers(world->context, shape, what));
    }
  }
  return FIRN_OK;
}

firn_collider *firn_world_collider(const firn_world *world, int id) {
  if (id >= 0 && id < world->collider_count) return &world->collider[id];
  firn_fail(world->context, FIRN_ERROR_ARGUMENT, "collider %d does not exist; there are %d", id,
            world->collider_count);
  return NULL;
}

firn_status firn_world_find_collider(const firn_world *world, int id, firn_collider **out) {
  *out = firn_world_collider(world, id);
  if (!*out) return FIRN_ERROR_ARGUMENT;
  if (!(*out)->removed) return FIRN_OK;
  return firn_fail(world->context, FIRN_ERROR_STATE, "collider %d, '%s', was removed", id,
                   (*out)->name);
}

firn_status firn_world_remove_collider(firn_world *world, int id) {
  firn_collider *collider;
  FIRN_TRY(firn_world_find_collider(world, id, &collider));
  if (world->flow.windowed && world->flow.window.follow == id) {
    return firn_fail(world->context, FIRN_ERROR_STATE,
                     "collider %d, '%s', cannot be removed: the window follows it", id,
                     collider->name);
  }
  firn_collider_remove(collider);
  world->changes++;
  return FIRN_OK;
}
