// SPDX-License-Identifier: Apache-2.0
#include "world/start.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/vec3.h"
#include "world/world.h"

// Of h, either way: over a cell, which is what the grid sees. The affine part of a particle then never
// says more than the velocities about it differ by, also where they jump.
static const double STEP = 0.5;

// Adds the fill's own function of the place, and its central differences.
static void add_function(const firn_start *start, const double x[3], double step, double v[3],
                         double gradient[9]) {
  double own[3] = {0}, before[3] = {0}, after[3] = {0};
  start->velocity(start->user, x, own);
  for (int a = 0; a < 3; a++) v[a] += own[a];
  for (int b = 0; b < 3; b++) {
    double at[3] = {x[0], x[1], x[2]};
    at[b] = x[b] - step;
    start->velocity(start->user, at, before);
    double from = at[b];
    at[b] = x[b] + step;
    start->velocity(start->user, at, after);
    for (int a = 0; a < 3; a++) gradient[3 * a + b] += (after[a] - before[a]) / (at[b] - from);
  }
}

firn_status firn_start_velocities(const firn_world *world, const firn_fill *fill, size_t count,
                                  const double *position, const double *extra, double *velocity,
                                  double *gradient) {
  const double *v = fill->velocity, *w = fill->spin, *c = fill->pivot;
  const double turn[9] = {0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0};
  FIRN_PARALLEL_FOR(world->context, schedule(static))
  for (size_t i = 0; i < count; i++) {
    const double *x = position + 3 * i;
    const double r[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]};
    double *out = velocity + 3 * i;
    memcpy(gradient + 9 * i, turn, sizeof turn);
    out[0] = v[0] + w[1] * r[2] - w[2] * r[1];
    out[1] = v[1] + w[2] * r[0] - w[0] * r[2];
    out[2] = v[2] + w[0] * r[1] - w[1] * r[0];
    for (size_t a = 0; a < 3 && extra; a++) out[a] += extra[3 * i + a];
    if (fill->start.velocity) {
      add_function(&fill->start, x, STEP * world->h, out, gradient + 9 * i);
    }
  }
  for (size_t i = 0; i < count && fill->start.velocity; i++) {
    const double *x = position + 3 * i, *u = velocity + 3 * i;
    bool finite = firn_finite3(u);
    for (size_t k = 9 * i; k < 9 * i + 9; k++) finite = finite && isfinite(gradient[k]);
    if (finite) continue;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: its velocity at (%g %g %g) m is (%g %g %g) m/s; it and its slope must be "
                     "finite",
                     fill->name, x[0], x[1], x[2], u[0], u[1], u[2]);
  }
  return FIRN_OK;
}

static firn_status fail_load(const firn_world *world, const firn_fill *fill, const double x[3]) {
  const firn_start *start = &fill->start;
  double e[6] = {0};
  (start->strain ? start->strain : start->stress)(start->user, x, e);
  bool finite = true;
  for (int k = 0; k < 6; k++) finite = finite && isfinite(e[k]);
  return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                   "%s: the %s (%g %g %g %g %g %g)%s at (%g %g %g) m is %s", fill->name,
                   start->strain ? "strain" : "stress", e[0], e[1], e[2], e[3], e[4], e[5],
                   start->strain ? "" : " Pa", x[0], x[1], x[2],
                   finite ? "more than its material holds without yielding" : "not finite");
}

firn_status firn_start_load(firn_world *world, const firn_fill *fill, size_t first, size_t count,
                            const double *position) {
  const firn_start *start = &fill->start;
  const firn_loader *loader = &world->loader;
  const firn_particles *p = &world->particles;
  firn_start_fn load = start->strain ? start->strain : start->stress;
  if (!load || !count) return FIRN_OK;
  double (*take)(void *, size_t, const double[6]) = start->strain ? loader->strain : loader->stress;
  if (!take) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: snow of this solver can be given no strain or stress", fill->name);
  }
  size_t bad = count; // the first that its law refuses
  FIRN_PARALLEL_FOR(world->context, schedule(static) reduction(min : bad))
  for (size_t i = 0; i < count; i++) {
    size_t slot = first + i;
    double e[6] = {0};
    load(start->user, position + 3 * i, e);
    double j = take(loader->user, slot, e);
    if (!(j > 0)) {
      if (i < bad) bad = i;
      continue;
    }
    double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
    double density = (double)firn_world_row(world, slot).density;
    firn_particles_real(p, FIRN_FIELD_VOLUME)[slot] = (firn_real)(mass / (density * j));
  }
  return bad < count ? fail_load(world, fill, position + 3 * bad) : FIRN_OK;
}
