// SPDX-License-Identifier: Apache-2.0
// Conduction of heat (Brookshaw 1994, as the paper has it):
//
//   rho c dT_i/dt = sum_j V_j (k_i + k_j) (T_i - T_j) x_ij . grad W_ij / (r^2 + 0.01 d^2)
//
// over the snow, and over samples of colliders that have a temperature, which conduct as well as the snow
// they touch. What i gets j loses: with m_i = rho_i V_i both are the same product. Heat takes explicit
// steps, as many within one of the snow as keep every new temperature a mean of those around it; the
// snow's own step is never shorter for it.
#include <math.h>

#include "base/parallel.h"
#include "solver/sph/sph.h"
#include "world/heat.h"

// Of a temperature, at most this share comes from its neighbours in one step of heat.
static const double SHARE = 0.5;
// Steps of heat within one of the snow; beyond, somebody has mistaken a unit.
static const double STEPS_MOST = 1000;

// V_k x . grad W / (r^2 + 0.01 d^2), 1/m^2: below 0.
static double weight(const sph *s, const sph_near *near, double V) {
  double r2 = 0;
  for (int a = 0; a < 3; a++) r2 += (double)near->x[a] * (double)near->x[a];
  return V * (double)near->f * r2 / (r2 + 0.01) / (s->spacing * s->spacing);
}

// dT/dt of a particle, K/s; *relaxed is the rate, 1/s, at which it comes to what is around it.
static double rate_of(const sph *s, size_t i, double *relaxed) {
  const firn_world *world = s->world;
  const sph_list *snow = &s->pairs.snow, *walls = &s->pairs.walls;
  const uint16_t *material = firn_particles_material(&world->particles);
  const firn_heat_def *own = firn_world_heat(world, material[i]);
  double T = firn_world_temperature(world, i), heat = 0, sum = 0;
  *relaxed = 0;
  if (!(own->conductivity > 0)) return 0;
  for (uint64_t n = snow->start[i]; n < snow->end[i]; n++) {
    uint32_t j = snow->other[n];
    double k = firn_world_heat(world, material[j])->conductivity;
    if (!(k > 0)) continue;
    double w = (own->conductivity + k) * weight(s, &snow->near[n], (double)s->V[j]);
    heat += w * (T - firn_world_temperature(world, j));
    sum -= w;
  }
  for (uint64_t n = walls->count ? walls->start[i] : 0; walls->count && n < walls->end[i]; n++) {
    uint32_t b = walls->other[n];
    double surface = world->collider[s->boundary.owner[b]].temperature;
    if (!(surface > 0)) continue;
    double w = 2 * own->conductivity * weight(s, &walls->near[n], (double)s->boundary.volume[b]);
    heat += w * (T - surface);
    sum -= w;
  }
  double capacity = sph_density(s, i) * own->capacity; // J/m^3/K
  *relaxed = sum / capacity;
  return heat / capacity;
}

// Rates of all, into q; the largest rate of relaxation is returned.
static double rates(sph *s) {
  double *part = s->sums.data, most = 0;
  SPH_FOR_UNITS(s, u) {
    part[u] = 0;
    SPH_FOR_SLOTS(s, u, i) {
      double relaxed;
      s->q[i] = (firn_real)rate_of(s, i, &relaxed);
      part[u] = fmax(part[u], relaxed);
    }
  }
  for (size_t u = 0; u < s->world->particles.unit_count; u++) most = fmax(most, part[u]);
  return most;
}

static void warm(sph *s, double dt) {
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      double T = firn_world_temperature(s->world, i) + dt * (double)s->q[i];
      firn_world_put_temperature(s->world, i, T);
    }
  }
}

firn_status sph_conduct(sph *s) {
  if (!firn_world_conducts(s->world)) return FIRN_OK;
  double most = rates(s), steps = fmax(1, ceil(s->dt * most / SHARE));
  if (!(steps <= STEPS_MOST)) {
    return firn_fail(s->world->context, FIRN_ERROR_STEP,
                     "step %llu at time %g s: heat passes from particle to particle in %g s, too "
                     "fast for steps of %g s; lower conductivity, raise heat_capacity, or shorten "
                     "the step with dt_max",
                     (unsigned long long)s->memory.steps, s->world->time, 1 / most, s->dt);
  }
  for (int k = 0; k < (int)steps; k++) {
    if (k > 0) rates(s);
    warm(s, s->dt / steps);
  }
  return FIRN_OK;
}
