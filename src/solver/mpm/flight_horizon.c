// SPDX-License-Identifier: Apache-2.0
// How far both looks at those who fly reach, and what colliders are to them.
#include <math.h>

#include "solver/mpm/flight_search.h"

double mpm_flight_speed(const mpm *m, double speed) {
  const firn_world *world = m->world;
  for (int i = 0; i < world->collider_count; i++) {
    double its = world->collider[i].absent ? 0 : world->collider[i].speed;
    if (isfinite(its)) speed = fmax(speed, its);
  }
  return speed;
}

double mpm_flight_horizon(const mpm *m, double speed, double *way) {
  const firn_world *world = m->world;
  double fall = 0, step = 1.01 * m->def.dt;
  for (int a = 0; a < 3; a++) fall += world->gravity[a] * world->gravity[a];
  fall = sqrt(fall);
  *way = fmax(*way, (speed + fall * step) * step / world->h);
  // speed t + fall t^2: a little more than a discrete fall within that time.
  double far = *way * world->h;
  return 2 * far / (speed + sqrt(speed * speed + 4 * fall * far));
}

bool mpm_flight_meets_collider(const mpm *m, const double lo[3], const double hi[3], double time) {
  const firn_world *world = m->world;
  double x[3], half[3], size2 = 0, h = world->h;
  for (int a = 0; a < 3; a++) {
    x[a] = 0.5 * (lo[a] + hi[a]) * h;
    half[a] = 0.5 * (hi[a] - lo[a] + m->stencil.width) * h;
    size2 += half[a] * half[a];
  }
  for (int i = 0; i < world->collider_count; i++) {
    const firn_collider *collider = &world->collider[i];
    if (collider->absent) continue;
    double ahead = h;
    if (collider->speed != 0) ahead += time * firn_collider_speed_ahead(collider, time);
    for (int k = 0; k < collider->part_count; k++) {
      const firn_part *part = &collider->part[k];
      double far2 = 0, bound = part->radius + sqrt(size2) + ahead;
      for (int a = 0; a < 3; a++) far2 += (x[a] - part->middle[a]) * (x[a] - part->middle[a]);
      if (part->radius < 0 || far2 > bound * bound) continue;
      mpm_tangent t = mpm_tangent_at(part, world->time, x, NULL);
      if (mpm_tangent_meets_box(&t, half, ahead)) return true;
    }
  }
  return false;
}
