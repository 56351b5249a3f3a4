// SPDX-License-Identifier: Apache-2.0
// How long a step may be (section 3.5): 0.4 spacings at the highest speed, and a quarter of the time in
// which the highest acceleration crosses one. Sound sets no limit, since both solves are implicit.
#include <math.h>

#include "solver/sph/sph.h"

void sph_survey(sph *s) {
  double speed2 = 0;
  for (size_t u = 0; u < s->world->particles.unit_count; u++) {
    SPH_FOR_SLOTS(s, u, i) {
      double v2 = 0;
      for (int a = 0; a < 3; a++) {
        double v = (double)firn_particles_real(&s->world->particles, FIRN_FIELD_VX + a)[i];
        v2 += v * v;
      }
      speed2 = fmax(speed2, v2);
    }
  }
  s->memory.speed2_max = fmax(s->memory.speed2_max, speed2);
  s->memory.must_survey = false;
}

// m^2/s^2, of the samples around the snow.
static double surface_speed2(const sph *s) {
  double most = 0;
  for (size_t i = 0; i < s->boundary.count; i++) {
    double v2 = 0;
    for (size_t a = 0; a < 3; a++) {
      double v = (double)s->boundary.velocity[3 * i + a];
      v2 += v * v;
    }
    most = fmax(most, v2);
  }
  return most;
}

double sph_choose_step(const sph *s, double limit, const char **bound) {
  const firn_sph_def *def = &s->def;
  const double *g = s->world->gravity;
  double speed = sqrt(fmax(s->memory.speed2_max, surface_speed2(s)));
  double accel = sqrt(fmax(s->memory.accel2_max, g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
  *bound = "sph.dt_max";
  double dt = firn_step_bound(def->dt_max, def->cfl * s->spacing / speed,
                              "sph.cfl (the speed of snow or of a collider)", bound);
  dt = firn_step_bound(dt, def->force_cfl * sqrt(s->spacing / accel),
                       "sph.force_cfl (the largest acceleration)", bound);
  // Who is not near yet may come no further than samples are looked for around the snow. Of a user's
  // distance that depends on time nobody knows how fast it comes.
  for (int c = 0; c < s->world->collider_count; c++) {
    const firn_collider *collider = &s->world->collider[c];
    if (collider->absent || !(collider->speed > 0 && isfinite(collider->speed))) continue;
    dt = firn_step_bound(dt, 2 * s->spacing / collider->speed, "the speed of a collider", bound);
  }
  if (def->dt > 0) dt = firn_step_bound((double)INFINITY, def->dt, "sph.dt", bound);
  if (!(limit > 0)) return dt;
  if (limit < dt) *bound = FIRN_BOUND_LIMIT;
  double parts = ceil(limit / dt - 1e-9); // equal ones rather than one last crumb
  return limit / fmax(1, parts);
}
