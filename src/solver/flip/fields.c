// SPDX-License-Identifier: Apache-2.0
// What users see of the particles. Densities are those of the last step, at its beginning; what no step has
// seen yet is as it was laid out.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "solver/flip/flip.h"

enum { FIELD_DENSITY, FIELD_PRESSURE, FIELD_DURABILITY, FIELDS };

const firn_field_info flip_fields[] = {
    [FIELD_DENSITY] = {"density", "kg/m^3", 1, false, false, "by its neighbours"},
    [FIELD_PRESSURE] = {"pressure", "Pa", 1, false, false,
                        "of the last step, before friction and cohesion; compression positive"},
    [FIELD_DURABILITY] = {"durability", "1", 1, false, false,
                          "share of its structure that snow still has"},
    [FIELDS] = {0},
};

enum {
  STAT_DENSITY_MAX,
  STAT_DURABILITY_MEAN,
  STAT_DURABILITY_MIN,
  OF_PARTICLES,
  STAT_PRESSURE_ITERATIONS = OF_PARTICLES,
  STAT_VISCOSITY_ITERATIONS,
  STAT_UNCONVERGED,
  STAT_RESIDUAL,
  STAT_CELLS,
  STAT_CLOSED,
  STAT_PLASTIC,
  STAT_CLUSTERS,
  STAT_CPU_TO_GRID,
  STAT_CPU_BACK,
  STAT_PROJECT,
  STAT_SECONDS,
  STATS = STAT_SECONDS + FLIP_PHASES
};

const firn_stat_info flip_stats[] = {
    [STAT_DENSITY_MAX] = {"density_max", "kg/m^3", "of the densest particle"},
    [STAT_DURABILITY_MEAN] = {"durability_mean", "1", "mean over the particles"},
    [STAT_DURABILITY_MIN] = {"durability_min", "1", "of the particle that is crushed most"},
    [STAT_PRESSURE_ITERATIONS] = {"pressure_iterations", "1", "of the last step"},
    [STAT_VISCOSITY_ITERATIONS] = {"viscosity_iterations", "1", "of the last step"},
    [STAT_UNCONVERGED] = {"unconverged", "1",
                          "solves of the last step that stopped at their limit"},
    [STAT_RESIDUAL] = {"pressure_residual", "1", "of the last solve, relative"},
    [STAT_CELLS] = {"cells", "1", "that have a pressure"},
    [STAT_CLOSED] = {"cells_closed", "1", "of those, in pools without a surface"},
    [STAT_PLASTIC] = {"cells_plastic", "1", "of the cells, those that yield"},
    [STAT_CLUSTERS] = {"clusters", "1", "rigid pieces"},
    [STAT_CPU_TO_GRID] = {"cpu_to_grid", "s",
                          "CPU time of all threads from particles to the grid, without sorting"},
    [STAT_CPU_BACK] = {"cpu_back", "s", "for velocities and positions of particles"},
    [STAT_PROJECT] = {"projection_seconds", "s",
                      "wall time for solves for pressure, all but what leads to their right sides"},
    [STAT_SECONDS + FLIP_TRANSFER] = {"seconds_transfer", "s",
                                      "wall time for sorting and from particles to the grid"},
    [STAT_SECONDS + FLIP_SOLIDS] = {"seconds_solids", "s", "for colliders on the grid"},
    [STAT_SECONDS + FLIP_PRESSURE] = {"seconds_pressure", "s", "for pressures"},
    [STAT_SECONDS + FLIP_CRUSHING] = {"seconds_crushing", "s", "for durability"},
    [STAT_SECONDS + FLIP_FRICTION] = {"seconds_friction", "s", "for friction and viscosity"},
    [STAT_SECONDS + FLIP_COHESION] = {"seconds_cohesion", "s", "for rigid pieces"},
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
  return (double)firn_particles_real(p, s->field_fill)[slot] * mass / volume_of(s, slot);
}

// New snow has that of its material.
static double durability_of(const flip *s, size_t slot) {
  const firn_particles *p = &s->world->particles;
  double d = (double)firn_particles_real(p, s->field_d)[slot];
  return d < 0 ? (double)firn_world_row(s->world, slot).durability : d;
}

typedef struct looking {
  const flip *s;
  double *const *own;
  double density_max, durability, durability_min;
  double angular[3]; // of the affine part
} looking;

static void look_one(void *user, size_t slot, const double corner[3]) {
  looking *l = user;
  const firn_particles *p = &l->s->world->particles;
  size_t row = firn_particles_row(p, slot);
  double density = density_of(l->s, slot), d = durability_of(l->s, slot), *out;
  (void)corner;
  if ((out = l->own[FIELD_DENSITY])) out[row] = density;
  if ((out = l->own[FIELD_DURABILITY])) out[row] = d;
  if ((out = l->own[FIELD_PRESSURE]))
    out[row] = (double)firn_particles_real(p, l->s->field_p)[slot];
  l->density_max = fmax(l->density_max, density);
  l->durability += d;
  l->durability_min = fmin(l->durability_min, d);
  if (l->s->field_c < 0) return;
  // m h^2/4 times the axial vector of C: quadratic splines have that second moment.
  double c[9], h = l->s->world->h;
  double scale = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot] * h * h / 4;
  for (int k = 0; k < 9; k++) c[k] = (double)firn_particles_real(p, l->s->field_c + k)[slot];
  l->angular[0] += scale * (c[7] - c[5]);
  l->angular[1] += scale * (c[2] - c[6]);
  l->angular[2] += scale * (c[3] - c[1]);
}

static looking look_at_all(flip *s, const firn_solver_look *look) {
  const firn_particles *p = &s->world->particles;
  looking part[FIRN_PARTS], all = {.s = s, .own = look->own, .durability_min = 1};
  FIRN_PARALLEL_FOR(p->context, schedule(dynamic, 1))
  for (int i = 0; i < FIRN_PARTS; i++) {
    part[i] = (looking){.s = s, .own = look->own, .durability_min = 1};
    firn_particles_visit_part(p, i, look_one, &part[i]);
  }
  for (int i = 0; i < FIRN_PARTS; i++) {
    all.density_max = fmax(all.density_max, part[i].density_max);
    all.durability += part[i].durability;
    all.durability_min = fmin(all.durability_min, part[i].durability_min);
    for (int a = 0; a < 3; a++) all.angular[a] += part[i].angular[a];
  }
  return all;
}

firn_status flip_look(void *solver, const firn_solver_look *look) {
  flip *s = solver;
  bool reads = look->wanted & ((1u << OF_PARTICLES) - 1);
  looking all = {.durability_min = 1};
  reads = reads || (look->sums && s->field_c >= 0);
  for (int f = 0; f < FIELDS; f++) reads = reads || look->own[f];
  if (reads) all = look_at_all(s, look);
  double stats[STATS] = {
      [STAT_DENSITY_MAX] = all.density_max,
      [STAT_DURABILITY_MEAN] = all.durability / fmax(1, (double)s->world->particles.count),
      [STAT_DURABILITY_MIN] = all.durability_min,
      [STAT_PRESSURE_ITERATIONS] = s->last.pressure_iterations,
      [STAT_VISCOSITY_ITERATIONS] = s->last.viscosity_iterations,
      [STAT_UNCONVERGED] = s->last.unconverged,
      [STAT_RESIDUAL] = s->last.residual,
      [STAT_CELLS] = (double)s->last.cells,
      [STAT_CLOSED] = (double)s->last.closed,
      [STAT_PLASTIC] = (double)s->last.plastic,
      [STAT_CLUSTERS] = (double)s->last.clusters,
      [STAT_CPU_TO_GRID] = s->cost.to_grid,
      [STAT_CPU_BACK] = s->cost.back,
      [STAT_PROJECT] = s->cost.project,
  };
  if (look->sums) look->sums->energy_elastic = look->sums->energy_lost = 0;
  for (int a = 0; a < 3 && look->sums; a++) look->sums->angular[a] += all.angular[a];
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
