// SPDX-License-Identifier: Apache-2.0
// What users see of the particles. Densities are those of the last step, at its beginning; what no step has
// seen yet is as it was laid out.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

enum { FIELD_DENSITY, FIELDS };

const firn_field_info flip_fields[] = {
    [FIELD_DENSITY] = {"density", "kg/m^3", 1, false, false, "by its neighbours"},
    [FIELDS] = {0},
};

enum {
  STAT_DENSITY_MAX,
  OF_PARTICLES,
  STAT_PRESSURE_ITERATIONS = OF_PARTICLES,
  STAT_UNCONVERGED,
  STAT_RESIDUAL,
  STAT_CELLS,
  STAT_CLOSED,
  STAT_SECONDS,
  STATS = STAT_SECONDS + FLIP_PHASES
};

const firn_stat_info flip_stats[] = {
    [STAT_DENSITY_MAX] = {"density_max", "kg/m^3", "of the densest particle"},
    [STAT_PRESSURE_ITERATIONS] = {"pressure_iterations", "1", "of the last step"},
    [STAT_UNCONVERGED] = {"unconverged", "1",
                          "solves of the last step that stopped at their limit"},
    [STAT_RESIDUAL] = {"pressure_residual", "1", "of the last solve, relative"},
    [STAT_CELLS] = {"cells", "1", "that have a pressure"},
    [STAT_CLOSED] = {"cells_closed", "1", "of those, in pools without a surface"},
    [STAT_SECONDS + FLIP_TRANSFER] = {"seconds_transfer", "s",
                                      "wall time for sorting and from particles to the grid"},
    [STAT_SECONDS + FLIP_SOLIDS] = {"seconds_solids", "s", "for colliders on the grid"},
    [STAT_SECONDS + FLIP_PRESSURE] = {"seconds_pressure", "s", "for pressures"},
    [STAT_SECONDS + FLIP_MOVE] = {"seconds_move", "s", "for velocities and positions"},
    {0},
};

static double volume_of(const flip *s, size_t slot) {
  const firn_particles *p = &s->world->particles;
  double volume = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  if (volume > 0) return volume;
  return (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot] /
         (double)firn_world_row(s->world, slot).density;
}

static double density_of(const flip *s, size_t slot) {
  const firn_particles *p = &s->world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  return (double)firn_particles_real(p, s->field_rho)[slot] * mass / volume_of(s, slot);
}

typedef struct looking {
  const flip *s;
  double *const *own;
  double most; // density
} looking;

static void look_one(void *user, size_t slot, const double corner[3]) {
  looking *l = user;
  size_t row = firn_particles_row(&l->s->world->particles, slot);
  double density = density_of(l->s, slot);
  (void)corner;
  if (l->own[FIELD_DENSITY]) l->own[FIELD_DENSITY][row] = density;
  l->most = fmax(l->most, density);
}

static double look_at_all(flip *s, const firn_solver_look *look) {
  const firn_particles *p = &s->world->particles;
  looking part[FIRN_PARTS];
  double most = 0;
  FIRN_PARALLEL_FOR(p->context, schedule(dynamic, 1))
  for (int i = 0; i < FIRN_PARTS; i++) {
    part[i] = (looking){s, look->own, 0};
    firn_particles_visit_part(p, i, look_one, &part[i]);
  }
  for (int i = 0; i < FIRN_PARTS; i++) most = fmax(most, part[i].most);
  return most;
}

firn_status flip_look(void *solver, const firn_solver_look *look) {
  flip *s = solver;
  bool reads = look->wanted & ((1u << OF_PARTICLES) - 1);
  for (int f = 0; f < FIELDS; f++) reads = reads || look->own[f];
  double stats[STATS] = {
      [STAT_DENSITY_MAX] = reads ? look_at_all(s, look) : 0,
      [STAT_PRESSURE_ITERATIONS] = s->last.pressure_iterations,
      [STAT_UNCONVERGED] = s->last.unconverged,
      [STAT_RESIDUAL] = s->last.residual,
      [STAT_CELLS] = (double)s->last.cells,
      [STAT_CLOSED] = (double)s->last.closed,
  };
  if (look->sums) look->sums->energy_elastic = look->sums->energy_lost = 0;
  memcpy(stats + STAT_SECONDS, s->seconds, sizeof s->seconds);
  for (int i = 0; i < STATS; i++) {
    if (look->wanted >> i & 1) look->stats[i] = stats[i];
  }
  return FIRN_OK;
}

typedef struct volumes {
  const flip *s;
  double *out;
} volumes;

static void volume_one(void *user, size_t slot, const double corner[3]) {
  const volumes *v = user;
  (void)corner;
  v->out[firn_particles_row(&v->s->world->particles, slot)] = volume_of(v->s, slot);
}

firn_status flip_volumes(void *solver, double *out) {
  const flip *s = solver;
  volumes v = {s, out};
  firn_particles_visit_parallel(&s->world->particles, volume_one, &v);
  return FIRN_OK;
}
