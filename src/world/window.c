// SPDX-License-Identifier: Apache-2.0
// A window that moves over a larger scene, by whole blocks of 4x4x4 cells of the one lattice that all
// particles are kept on, so that what it shows does not depend on where it is.
#include <math.h>
#include <string.h>

#include "base/def.h"
#include "world/morton.h"
#include "world/occupied.h"
#include "world/world.h"

FIRN_DEFAULTS(window_def) {
  return (firn_window_def){
      .min = {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY},
      .max = {(double)INFINITY, (double)INFINITY, (double)INFINITY},
      .follow = -1,
  };
}

firn_status firn_world_set_window(firn_world *world, const firn_window_def *def) {
  firn_context *context = world->context;
  if (world->particles.count || world->flow.fill_count) {
    return firn_fail(context, FIRN_ERROR_STATE,
                     "window: there is snow already; set the window before filling");
  }
  firn_collider *leader;
  if (def->follow >= 0) FIRN_TRY(firn_world_find_collider(world, def->follow, &leader));
  for (int a = 0; a < 3; a++) {
    if (!(def->min[a] < def->max[a])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "window: min %g m is not less than max %g m along %c", def->min[a],
                       def->max[a], "xyz"[a]);
    }
    if (!isfinite(def->velocity[a])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "window: velocity (%g %g %g) must be finite",
                       def->velocity[0], def->velocity[1], def->velocity[2]);
    }
    if (world->particles.periodic[a] && (isfinite(def->min[a]) || isfinite(def->max[a]))) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "window: it cannot bound %c, along which the scene repeats", "xyz"[a]);
    }
  }
  world->flow.window = *def;
  world->flow.windowed = true;
  return FIRN_OK;
}

static void window_offset(const firn_world *world, double out[3]) {
  const firn_window_def *window = &world->flow.window;
  for (int a = 0; a < 3; a++) out[a] = window->velocity[a] * world->time;
  if (window->follow < 0) return;
  const firn_collider *leader = &world->collider[window->follow];
  firn_pose start;
  firn_motion_pose(&leader->motion, 0, NULL, &start);
  for (int a = 0; a < 3; a++) out[a] += leader->pose.pivot[a] - start.pivot[a];
}

firn_status firn_window_box(const firn_world *world, firn_block_box *out) {
  const firn_window_def *window = &world->flow.window;
  double offset[3];
  window_offset(world, offset);
  for (int a = 0; a < 3; a++) {
    double lo = floor((window->min[a] + offset[a]) / (4 * world->h));
    double hi = floor((window->max[a] + offset[a]) / (4 * world->h));
    if (!(lo < FIRN_MORTON_LIMIT && hi > -FIRN_MORTON_LIMIT)) {
      return firn_fail(world->context, FIRN_ERROR_DOMAIN,
                       "window: at time %g s it has left the addressable domain along %c",
                       world->time, "xyz"[a]);
    }
    out->lo[a] = (int32_t)fmax(lo, -FIRN_MORTON_LIMIT);
    out->hi[a] = (int32_t)fmin(hi, FIRN_MORTON_LIMIT);
  }
  return FIRN_OK;
}

// *fresh becomes true where the box had not been shown before. Of snow that lies there already only
// what is in slots below end counts: what other fills put there now belongs there.
static firn_status show(firn_world *world, firn_fill *fill, const firn_block_box *box, size_t end,
                        bool *fresh) {
  if (firn_cover_holds_box(&fill->cover, box)) return FIRN_OK;
  firn_occupied occupied;
  const firn_fill_part part = {.bounded = true,
                               .box = *box,
                               .cover = &fill->cover,
                               .occupied = &occupied,
                               .limit = UINT64_MAX};
  FIRN_TRY(firn_cover_reserve(&fill->cover, world->context)); // once placed, it must be noted
  firn_status status = firn_occupied_make(&occupied, world, end, box, &fill->cover);
  if (status == FIRN_OK) status = firn_fill_place(world, fill, &part, NULL);
  firn_occupied_free(&occupied);
  if (status != FIRN_OK) return status;
  firn_cover_add(&fill->cover, box);
  *fresh = true;
  return FIRN_OK;
}

firn_status firn_window_make(firn_world *world, firn_fill *fill) {
  if (!world->flow.windowed) {
    FIRN_TRY(firn_fill_place(world, fill, NULL, NULL));
  } else {
    firn_block_box box = {0};
    bool fresh = false;
    FIRN_TRY(firn_window_box(world, &box));
    FIRN_TRY(show(world, fill, &box, 0, &fresh));
  }
  fill->made = true;
  return FIRN_OK;
}

typedef struct outside {
  double min[3], max[3]; // m
} outside;

static bool block_may_be_outside(const void *user, const double center[3], double radius) {
  const outside *o = user;
  for (int a = 0; a < 3; a++) {
    if (center[a] - radius < o->min[a] || center[a] + radius >= o->max[a]) return true;
  }
  return false;
}

static bool is_outside(const void *user, size_t slot, const double x[3]) {
  const outside *o = user;
  (void)slot;
  for (int a = 0; a < 3; a++) {
    if (!(x[a] >= o->min[a] && x[a] < o->max[a])) return true;
  }
  return false;
}

firn_status firn_window_update(firn_world *world) {
  firn_flow *flow = &world->flow;
  firn_block_box box = {0};
  bool fresh = false;
  size_t end = world->particles.slots + world->particles.pending;
  FIRN_TRY(firn_window_box(world, &box));
  for (int i = 0; i < flow->fill_count; i++) {
    firn_fill *fill = &flow->fill[i];
    if (!fill->made) continue;
    FIRN_TRY(show(world, fill, &box, end, &fresh));
  }
  // Every removal costs a sort. What strays over the edge may stay until the window moves on, unless
  // it goes further than a block.
  outside o;
  double margin = fresh ? 0 : 1; // blocks
  for (int a = 0; a < 3; a++) {
    o.min[a] = 4 * world->h * (box.lo[a] - margin);
    o.max[a] = 4 * world->h * (box.hi[a] + 1.0 + margin);
  }
  firn_world_remove(world, block_may_be_outside, is_outside, &o);
  return FIRN_OK;
}
