// SPDX-License-Identifier: Apache-2.0
// How long a step may be: neither particles nor colliders that are about to meet them may cross more than
// so many cells.
#include <math.h>

#include "solver/flip/flip.h"

void flip_survey(flip *s) {
  const firn_particles *p = &s->world->particles;
  double most = 0;
  for (size_t b = 0; b < p->block_count; b++) {
    for (size_t i = p->block[b].first; i < p->block[b].first + p->block[b].count; i++) {
      double v2 = 0;
      for (int a = 0; a < 3; a++) {
        double v = (double)firn_particles_real(p, FIRN_FIELD_VX + a)[i];
        v2 += v * v;
      }
      most = fmax(most, v2);
    }
  }
  s->memory.speed2_max = most;
  s->memory.must_survey = false;
}

// m/s, of colliders that may reach the box of all particles within the longest step.
static double collider_speed(const flip *s) {
  const firn_world *world = s->world;
  const firn_particles *p = &world->particles;
  double lo[3], hi[3], x[3], size2 = 0, most = 0;
  for (int a = 0; a < 3; a++) {
    lo[a] = (double)INFINITY, hi[a] = -(double)INFINITY;
    for (size_t b = 0; b < p->block_count; b++) {
      lo[a] = fmin(lo[a], 4.0 * p->block[b].at[a]);
      hi[a] = fmax(hi[a], 4.0 * p->block[b].at[a] + 4);
    }
    x[a] = (lo[a] + hi[a]) / 2 * world->h;
    size2 += (hi[a] - lo[a]) * (hi[a] - lo[a]) / 4;
  }
  double size = sqrt(size2) * world->h;
  for (int c = 0; c < world->collider_count; c++) {
    const firn_collider *collider = &world->collider[c];
    double ahead = s->def.dt_max;
    if (collider->absent || !firn_collider_moves(collider, world->time, world->time + ahead))
      continue;
    double speed = firn_collider_speed_bound(collider, ahead);
    if (!isfinite(speed)) continue;
    double d = firn_collider_sample(collider, x, NULL, NULL);
    if (d < size + 2 * world->h + ahead * speed) most = fmax(most, speed);
  }
  return most;
}

double flip_choose_step(const flip *s, double limit, const char **bound) {
  const firn_flip_def *def = &s->def;
  const double *g = s->world->gravity;
  double h = s->world->h, fall = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  // (v + g dt) dt = cfl h
  double v = sqrt(s->memory.speed2_max), way = def->cfl * h;
  *bound = "flip.dt_max";
  double dt = firn_step_bound(def->dt_max, 2 * way / (v + sqrt(v * v + 4 * fall * way)),
                              "flip.cfl (the speed of snow)", bound);
  dt = firn_step_bound(dt, way / collider_speed(s), "flip.cfl (the speed of a collider)", bound);
  if (def->dt > 0) dt = firn_step_bound((double)INFINITY, def->dt, "flip.dt", bound);
  if (!(limit > 0)) return dt;
  if (limit < dt) *bound = FIRN_BOUND_LIMIT;
  double parts = ceil(limit / dt - 1e-9); // equal ones rather than one last crumb
  return limit / fmax(1, parts);
}
