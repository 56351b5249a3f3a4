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

static void note(firn_settled *settled, uint32_t first, uint32_t end) {
  uint32_t n = settled->count;
  if (n > 0 && settled->range[n - 1][1] == first) {
    settled->range[n - 1][1] = end;
  } else if (n < FIRN_SETTLED_MAX) {
    settled->range[n][0] = first;
    settled->range[n][1] = end;
    settled->count++;
  }
}

void firn_world_settle(firn_world *world, const firn_shape *shape, const firn_variety *variety,
                       size_t first, size_t count) {
  firn_particles *p = &world->particles;
  double g = 0, up[3];
  for (int a = 0; a < 3; a++) g += world->gravity[a] * world->gravity[a];
  g = sqrt(g);
  if (!world->settler.lay || !(g > 0) || !count) return;
  const uint32_t *id = firn_particles_id(p);
  note(&world->settled, id[first], id[first] + (uint32_t)count);
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
}
