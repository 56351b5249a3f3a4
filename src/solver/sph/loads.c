// SPDX-License-Identifier: Apache-2.0
// Bodies under a load. Snow that is stiff stops a plate within one step, whatever the plate weighs: one
// that goes by the force of the step before would be thrown back harder each time, if it is light or the
// snow keeps its volume. So its speed is part of the solve for pressure. With
//
//   c_i = sum over its samples V_b axis . grad W_ib,   V(p) = V(0) + gain dt sum_i psi p_i V_i c_i,
//
// the divergence at a particle has c_i (V(p) - V) more than with samples that move with V: the source
// has -dt rho_i c_i (V(0) - V) more, and B p the rest, a product of two vectors.
#include <math.h>

#include "base/parallel.h"
#include "solver/sph/sph.h"

bool sph_leads_loads(const sph *s) {
  if (!s->pairs.walls.count || s->parting) return false;
  for (int c = 0; c < s->world->collider_count; c++)
    if (firn_collider_is_loaded(&s->world->collider[c])) return true;
  return false;
}

#define FOR_LOADS(s, body)                                                                         \
  for (int body = 0; body < (s)->world->collider_count; body++)                                    \
    if (firn_collider_is_loaded(&(s)->world->collider[body]))

// 1/m, c_i
static double seen(const sph *s, int body, size_t i) {
  const sph_list *walls = &s->pairs.walls;
  const double *axis = s->world->collider[body].load.axis;
  double sum = 0;
  for (uint64_t k = walls->start[i]; k < walls->end[i]; k++) {
    const sph_near *near = &walls->near[k];
    uint32_t b = walls->other[k];
    if (s->boundary.owner[b] != body) continue;
    double V = (double)s->boundary.volume[b] * (double)near->f;
    for (int a = 0; a < 3; a++) sum += V * (double)near->x[a] * axis[a];
  }
  return sum / s->spacing;
}

// Impulse of pressures p along the axis, N s; without p the sum of the sizes of what 1 Pa gives.
static double impulse(sph *s, int body, const firn_real *p) {
  double *part = s->sums.data, cube = s->spacing * s->spacing * s->spacing;
  SPH_FOR_UNITS(s, u) {
    part[u] = 0;
    if (!s->pairs.touched[u]) continue;
    SPH_FOR_SLOTS(s, u, i) {
      double c = seen(s, body, i);
      part[u] += (double)s->V[i] * (p ? (double)p[i] * c : fabs(c));
    }
  }
  return s->dt * sph_psi(s) * cube * sph_sum_units(s);
}

// m/s, V(p); V(0) without p.
static double speed_under(sph *s, int body, const firn_real *p) {
  return firn_load_speed(&s->world->collider[body].load, s->world->time + s->dt,
                         p ? impulse(s, body, p) : 0);
}

// What samples move with now.
static double speed_now(const sph *s, int body) {
  double speed;
  firn_load_way(&s->world->collider[body].load, s->world->time, &speed);
  return speed;
}

// out += dt rho_i c_i change, with the density of the source or that of the laplacian.
static void add_divergence(sph *s, int body, double change, firn_real *out) {
  bool source = out == s->source;
  SPH_FOR_UNITS(s, u) {
    if (!s->pairs.touched[u]) continue;
    SPH_FOR_SLOTS(s, u, i) {
      double rho = source ? sph_source_density(s, i) : sph_density(s, i);
      double more = s->dt * rho * sph_back(s) * seen(s, body, i) * change;
      out[i] = (firn_real)((double)out[i] + more);
    }
  }
}

// Snow that is moved apart lifts no plate: beside one, what is too dense does so by its velocity.
static void add_excess(sph *s) {
  SPH_FOR_UNITS(s, u) {
    if (!s->pairs.touched[u]) continue;
    SPH_FOR_SLOTS(s, u, i) {
      bool beside = false;
      FOR_LOADS(s, body) beside = beside || seen(s, body, i) != 0;
      double excess = sph_source_density(s, i) - (double)s->rho0[i];
      if (beside) s->source[i] = (firn_real)((double)s->source[i] + fmax(0, excess));
    }
  }
}

void sph_loads_source(sph *s) {
  if (sph_parts(s)) add_excess(s);
  FOR_LOADS(s, body) {
    add_divergence(s, body, speed_now(s, body) - speed_under(s, body, NULL), s->source);
  }
}

void sph_loads_product(sph *s, const firn_real *p, firn_real *out) {
  FOR_LOADS(s, body) {
    add_divergence(s, body, speed_under(s, body, p) - speed_under(s, body, NULL), out);
  }
}

// The sum of its row in place of the element: then sweeps converge under a plate of any mass.
void sph_loads_diagonal(sph *s) {
  FOR_LOADS(s, body) {
    const firn_load *load = &s->world->collider[body].load;
    double each = firn_load_gain(load, s->dt) * impulse(s, body, NULL) / s->dt;
    SPH_FOR_UNITS(s, u) {
      if (!s->pairs.touched[u]) continue;
      SPH_FOR_SLOTS(s, u, i) {
        double more = sph_density(s, i) * sph_back(s) * fabs(seen(s, body, i)) * each;
        s->diagonal[i] = (firn_real)((double)s->diagonal[i] + more);
      }
    }
  }
}

void sph_loads_lead(sph *s) {
  FOR_LOADS(s, body) {
    firn_load *load = &s->world->collider[body].load;
    if (!(impulse(s, body, NULL) > 0)) continue; // nobody sees it: it falls freely
    double before = speed_now(s, body);
    firn_load_lead(load, s->world->time + s->dt, impulse(s, body, s->p));
    double change = speed_now(s, body) - before;
    SPH_FOR_UNITS(s, u) {
      if (!s->pairs.touched[u]) continue;
      SPH_FOR_SLOTS(s, u, i) {
        double vc = (double)s->pairs.wall.vc[i] + change * seen(s, body, i);
        s->pairs.wall.vc[i] = (firn_real)vc;
      }
    }
    sph_wall_follow(s, body, change);
    for (size_t b = 0; b < s->boundary.count; b++) {
      if (s->boundary.owner[b] != body) continue;
      for (size_t a = 0; a < 3; a++) {
        firn_real *v = s->boundary.velocity + 3 * b + a;
        *v = (firn_real)((double)*v + change * load->axis[a]);
      }
    }
    firn_collider_prepare(&s->world->collider[body], s->world->time);
  }
}
