// SPDX-License-Identifier: Apache-2.0
// Velocities that are given to snow while a simulation runs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "math/vec3.h"
#include "world/world.h"

FIRN_DEFAULTS(impulse_def) {
  return (firn_impulse_def){0};
}

firn_status firn_world_add_impulse(firn_world *world, const firn_impulse_def *def, int *id) {
  firn_context *context = world->context;
  firn_flow *s = &world->flow;
  char what[64];
  if (def->name) {
    snprintf(what, sizeof what, "impulse '%.40s'", def->name);
  } else {
    snprintf(what, sizeof what, "impulse %d", s->impulse_count);
  }
  if (!isfinite(def->time) || !firn_finite3(def->velocity) || !firn_finite3(def->spin) ||
      !firn_finite3(def->pivot)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: its time, velocity, spin and pivot must be finite", what);
  }
  firn_impulse impulse = {.time = def->time};
  memcpy(impulse.velocity, def->velocity, sizeof impulse.velocity);
  memcpy(impulse.spin, def->spin, sizeof impulse.spin);
  memcpy(impulse.pivot, def->pivot, sizeof impulse.pivot);
  if (def->shape) FIRN_TRY(firn_shape_make(context, def->shape, what, &impulse.shape));
  firn_impulse *all = firn_grow(context, s->impulse, (size_t)s->impulse_count, sizeof impulse,
                                "impulses");
  if (!all) {
    firn_shape_release(impulse.shape);
    return FIRN_ERROR_MEMORY;
  }
  all[s->impulse_count] = impulse;
  s->impulse = all;
  if (id) *id = s->impulse_count;
  s->impulse_count++;
  return FIRN_OK;
}

typedef struct giving {
  const firn_world *world;
  const firn_impulse *impulse;
} giving;

// The gradient of spin x (x - pivot), for solvers whose particles carry one.
static void give_spin(const firn_world *world, const double spin[3], size_t slot) {
  double gradient[9];
  if (!world->affine.get || !world->affine.get(world->affine.user, slot, gradient)) return;
  gradient[1] -= spin[2];
  gradient[2] += spin[1];
  gradient[3] += spin[2];
  gradient[5] -= spin[0];
  gradient[6] -= spin[1];
  gradient[7] += spin[0];
  world->affine.set(world->affine.user, slot, gradient);
}

static void give(void *user, size_t slot, const double corner[3]) {
  const giving *g = user;
  const firn_world *world = g->world;
  const firn_particles *p = &world->particles;
  const double *w = g->impulse->spin;
  double x[3], r[3];
  for (int a = 0; a < 3; a++) {
    x[a] = (corner[a] + (double)firn_particles_real(p, FIRN_FIELD_X + a)[slot]) * world->h;
    r[a] = x[a] - g->impulse->pivot[a];
  }
  const firn_shape *shape = g->impulse->shape;
  if (shape && firn_shape_sample(shape, x, world->time, NULL) > 0) return;
  const double turn[3] = {w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2],
                          w[0] * r[1] - w[1] * r[0]};
  for (int a = 0; a < 3; a++) {
    firn_real *v = &firn_particles_real(p, FIRN_FIELD_VX + a)[slot];
    *v = (firn_real)((double)*v + g->impulse->velocity[a] + turn[a]);
  }
  give_spin(world, w, slot);
}

void firn_impulse_update(firn_world *world, firn_impulse *impulse) {
  if (impulse->given || impulse->time > world->time) return;
  giving g = {world, impulse};
  double before = firn_ledger_held(world, false);
  firn_particles_visit_parallel(&world->particles, give, &g);
  world->ledger.given += firn_ledger_held(world, false) - before;
  world->kicked = impulse->given = true;
}

firn_status firn_impulse_visit(firn_world *world, const firn_state_visitor *visitor) {
  for (int i = 0; i < world->flow.impulse_count; i++) {
    firn_impulse *impulse = &world->flow.impulse[i];
    uint64_t given = impulse->given;
    char name[32];
    snprintf(name, sizeof name, "impulse_%d", i);
    FIRN_TRY(visitor->blob(visitor->user, name, &given, sizeof given));
    impulse->given = given != 0;
  }
  return FIRN_OK;
}
