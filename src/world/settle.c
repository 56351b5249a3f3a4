// SPDX-License-Identifier: Apache-2.0
#include "world/settle.h"

#include <math.h>

#include "base/parallel.h"

// Metres of the shape above x, against gravity: distances to the surface lead there step by step.
static double depth_at(const firn_shape *shape, const double x[3], const double up[3], double h) {
  double lo[3], hi[3], depth = 0, most = 0;
  if (!firn_shape_bounds(shape, lo, hi)) return 0;
  for (int a = 0; a < 3; a++) most += hi[a] - lo[a];
  while (depth < most) {
    const double at[3] = {x[0] + depth * up[0], x[1] + depth * up[1], x[2] + depth * up[2]};
    double d = firn_shape_sample(shape, at, 0, NULL);
    if (d > 0) break;
    depth += fmax(-d, 0.05 * h);
  }
  return depth;
}

// kg/m^2 of the shape above x, of snow with this density where nothing varies. Where it does, the
// density is taken twice a cell on the way up, as the fill takes it where it places particles.
static double mass_above(const firn_shape *shape, const firn_variety *variety, double density,
                         const double x[3], const double up[3], double h) {
  double depth = depth_at(shape, x, up, h), sum = 0;
  if (!(variety->of & (FIRN_PROPERTY_DENSITY | FIRN_PROPERTY_PACKING))) return density * depth;
  int n = (int)ceil(depth / (0.5 * h));
  for (int i = 0; i < n; i++) {
    double t = depth * (i + 0.5) / n;
    const double at[3] = {x[0] + t * up[0], x[1] + t * up[1], x[2] + t * up[2]};
    double below = -firn_shape_sample(shape, at, 0, NULL);
    double own = firn_variety_value(variety, FIRN_PROPERTY_DENSITY, density, at, below);
    double share = firn_variety_value(variety, FIRN_PROPERTY_PACKING, 1, at, below);
    sum += fmax(own, 0) * fmin(fmax(share, 0), 1);
  }
  return n ? sum * depth / n : 0;
}

// ------------------------------------------------------------------------------------ who is settled

static firn_status make_room(firn_world *world, uint32_t count) {
  firn_settled *settled = &world->settled;
  size_t size = sizeof *settled->range, room = count + (size_t)count / 2 + 8;
  if (count <= settled->room) return FIRN_OK;
  void *range = firn_resize(world->context, settled->range, settled->room * size, room * size,
                            "settled snow");
  if (!range) return FIRN_ERROR_MEMORY;
  settled->range = range;
  settled->room = (uint32_t)room;
  return FIRN_OK;
}

static firn_status note(firn_world *world, uint32_t first, uint32_t end) {
  firn_settled *settled = &world->settled;
  uint32_t n = settled->count;
  if (n > 0 && settled->range[n - 1][1] == first) {
    settled->range[n - 1][1] = end;
    return FIRN_OK;
  }
  FIRN_TRY(make_room(world, n + 1));
  settled->range[n][0] = first;
  settled->range[n][1] = end;
  settled->count++;
  return FIRN_OK;
}

bool firn_settled_has(const firn_settled *settled, uint32_t id) {
  uint32_t low = 0, high = settled->count; // the first range that ends beyond id
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (settled->range[middle][1] <= id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < settled->count && id >= settled->range[low][0];
}

void firn_settled_forget(firn_settled *settled, uint32_t id) {
  while (settled->count > 0 && settled->range[settled->count - 1][0] >= id) settled->count--;
  if (!settled->count) return;
  uint32_t *last = settled->range[settled->count - 1];
  if (last[1] > id) last[1] = id;
}

void firn_settled_free(firn_settled *settled, firn_context *context) {
  firn_free(context, settled->range, settled->room * sizeof *settled->range);
  *settled = (firn_settled){0};
}

static bool ranges_are_good(const firn_settled *settled, size_t next_id) {
  uint32_t end = 0;
  for (uint32_t n = 0; n < settled->count; n++) {
    if (settled->range[n][0] < end || settled->range[n][1] <= settled->range[n][0]) return false;
    end = settled->range[n][1];
  }
  return end <= next_id;
}

firn_status firn_settled_visit(firn_world *world, bool load, const firn_state_visitor *visitor) {
  firn_settled *settled = &world->settled;
  uint32_t count = settled->count;
  FIRN_TRY(visitor->blob(visitor->user, "settled", &count, sizeof count));
  if (load) settled->count = 0; // until its ranges are there
  bool good = count <= world->particles.next_id;
  if (good && count) {
    if (load) FIRN_TRY(make_room(world, count));
    FIRN_TRY(visitor->blob(visitor->user, "settled_ids", settled->range,
                           count * sizeof *settled->range));
    settled->count = count;
    good = ranges_are_good(settled, world->particles.next_id);
  }
  if (good) return FIRN_OK;
  settled->count = 0;
  return firn_fail(world->context, FIRN_ERROR_FORMAT,
                   "the checkpoint is damaged: %u ranges of settled snow", count);
}

// ------------------------------------------------------------------------------------------ the column

firn_status firn_world_settle(firn_world *world, const firn_shape *shape,
                              const firn_variety *variety, size_t first, size_t count) {
  firn_particles *p = &world->particles;
  double g = 0, up[3];
  for (int a = 0; a < 3; a++) g += world->gravity[a] * world->gravity[a];
  g = sqrt(g);
  if (!world->settler.lay || !(g > 0) || !count) return FIRN_OK;
  const uint32_t *id = firn_particles_id(p);
  FIRN_TRY(note(world, id[first], id[first] + (uint32_t)count));
  for (int a = 0; a < 3; a++) up[a] = -world->gravity[a] / g;
  FIRN_PARALLEL_FOR(world->context, schedule(static))
  for (size_t slot = first; slot < first + count; slot++) {
    const int32_t *block = p->pending_at[slot - p->slots];
    double x[3];
    for (int a = 0; a < 3; a++) {
      x[a] = (4.0 * block[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot]) * world->h;
    }
    double density = (double)world->material[firn_particles_material(p)[slot]].density;
    double load = g * mass_above(shape, variety, density, x, up, world->h);
    world->settler.lay(world->settler.user, slot, up, load);
  }
  return FIRN_OK;
}
