// SPDX-License-Identifier: Apache-2.0
// One step (Algorithm 1).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/sph/sph.h"

static void lap_time(sph *s, int phase, double *last) {
  double now = firn_seconds();
  s->seconds[phase] += now - *last;
  *last = now;
}

// v* = v + dt a of gravity, air, friction and adhesion
static void other_forces(sph *s) {
  const double *g = s->world->gravity;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      for (size_t a = 0; a < 3; a++)
        s->v[3 * i + a] = (firn_real)((double)s->v[3 * i + a] + s->dt * g[a]);
    }
  }
  sph_air(s);
  sph_wall_forces(s);
}

// v += factor times dt a, a that of the last shear solve
static void add_shear(sph *s, double factor) {
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      for (size_t a = 0; a < 3; a++) {
        double change = factor * s->dt * (double)s->a[3 * i + a];
        s->v[3 * i + a] = (firn_real)((double)s->v[3 * i + a] + change);
      }
    }
  }
}

// Pressure against v*, shear against what that leaves; more often, each against what the other found last.
static firn_status elastic_forces(sph *s, double *clock) {
  size_t bytes = 3 * s->slots * sizeof *s->v;
  bool again = s->def.alternations > 1;
  if (again) memcpy(s->v_other, s->v, bytes);
  for (int k = 0; k < s->def.alternations; k++) {
    if (k > 0) {
      memcpy(s->v, s->v_other, bytes);
      add_shear(s, 1);
    }
    FIRN_TRY(sph_pressure(s));
    if (k > 0) add_shear(s, -1);
    lap_time(s, SPH_PRESSURE, clock);
    FIRN_TRY(sph_shear(s));
    lap_time(s, SPH_SHEAR, clock);
  }
  return FIRN_OK;
}

static firn_status fail_short(const sph *s, double dt) {
  return firn_fail(s->world->context, FIRN_ERROR_STEP,
                   "step %llu at time %g s: speeds of %g m/s and accelerations of %g m/s^2 need a "
                   "step of %g s, below dt_min = %g s",
                   (unsigned long long)s->memory.steps, s->world->time, sqrt(s->memory.speed2_max),
                   sqrt(s->memory.accel2_max), dt, s->def.dt_min);
}

firn_status sph_step(void *solver, double limit, firn_step *out) {
  sph *s = solver;
  firn_world *world = s->world;
  double clock = firn_seconds();
  *out = (firn_step){0};
  memset(&s->last, 0, sizeof s->last);
  if (!world->particles.count) {
    double dt = s->def.dt > 0 ? s->def.dt : s->def.dt_max;
    s->dt = out->dt = limit > 0 ? fmin(limit, dt) : dt;
    sph_push_end(s); // time goes on
    out->bound = limit > 0 && limit < dt ? FIRN_BOUND_LIMIT
                 : s->def.dt > 0         ? "sph.dt"
                                         : "sph.dt_max";
    world->time += out->dt;
    return FIRN_OK;
  }

  // Who is near whom. All memory is asked for here.
  FIRN_TRY(sph_layout(s));
  FIRN_TRY(firn_world_reserve_push(world));
  if (s->memory.must_survey || world->kicked) sph_survey(s);
  world->kicked = false;
  world->settled.count = 0;
  lap_time(s, SPH_SEARCH, &clock);
  double longest = sph_choose_step(s, 0, &out->bound);
  if (longest < s->def.dt_min && !(s->def.dt > 0)) return fail_short(s, longest);
  s->dt = sph_choose_step(s, limit, &out->bound);

  // Densities and stiffness, forces one after the other, strain and positions.
  FIRN_TRY(sph_prepare(s));
  lap_time(s, SPH_STATE, &clock);
  other_forces(s);
  FIRN_TRY(elastic_forces(s, &clock));
  FIRN_TRY(sph_conduct(s));
  world->ledger.given += s->last.given;
  sph_push_elastic(s);
  if (s->def.barrier) sph_barrier(s);
  if (sph_parts(s)) FIRN_TRY(sph_part(s));
  bool finite;
  sph_advance(s, &finite);
  if (!finite) return sph_fail_nonfinite(s);
  sph_push_end(s);
  firn_pushed pushed;
  FIRN_TRY(firn_world_push(world, world->time + s->dt, s->dt, NULL, NULL, &pushed));
  s->memory.speed2_max = fmax(s->memory.speed2_max, pushed.speed2);
  s->memory.accel2_max = fmax(s->memory.accel2_max, pushed.accel2);
  lap_time(s, SPH_MOVE, &clock);

  s->memory.neighbours = sph_pairs_mean(&s->pairs);
  s->memory.steps++;
  world->time += s->dt;
  out->dt = s->dt;
  out->implicit = true;
  out->iterations = s->last.pressure_iterations + s->last.shear_iterations;
  return FIRN_OK;
}

// The first particle that is no longer finite, by number.
firn_status sph_fail_nonfinite(const sph *s) {
  const firn_particles *p = &s->world->particles;
  uint32_t worst = UINT32_MAX;
  const char *what = NULL;
  double value = 0;
  for (size_t u = 0; u < p->unit_count; u++) {
    SPH_FOR_SLOTS(s, u, i) {
      uint32_t id = firn_particles_id(p)[i];
      const firn_real of[] = {(firn_real)sph_density(s, i), s->p[i], s->v[3 * i], s->v[3 * i + 1],
                              s->v[3 * i + 2]};
      static const char *const name[] = {"density", "pressure", "velocity", "velocity", "velocity"};
      for (int k = 0; k < 5 && id < worst; k++) {
        if (isfinite(of[k] * of[k])) continue;
        worst = id;
        what = name[k];
        value = (double)of[k];
      }
    }
  }
  if (!what) {
    return firn_fail(s->world->context, FIRN_ERROR_NONFINITE,
                     "step %llu at time %g s: strains are not finite",
                     (unsigned long long)s->memory.steps, s->world->time);
  }
  return firn_fail(
      s->world->context, FIRN_ERROR_NONFINITE,
      "step %llu at time %g s: particle %u: %s (%g) is not finite; a step of %g s may be "
      "too long",
      (unsigned long long)s->memory.steps, s->world->time, worst, what, value, s->dt);
}
