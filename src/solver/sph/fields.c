// SPDX-License-Identifier: Apache-2.0
// What users see of the particles. Density and pressure are those of the last step, at its beginning;
// snow that no step has seen yet is at rest.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "material/preset.h"
#include "solver/sph/sph.h"

#define OF_MATERIAL(X)                                                                             \
  X(YOUNG, young, "Pa", "Young's modulus at rest, before stiffening")                              \
  X(POISSON, poisson, "1", "Poisson's ratio")                                                      \
  X(THETA_C, theta_c, "1", "critical compression of snow")                                         \
  X(THETA_S, theta_s, "1", "critical stretch of snow")                                             \
  X(HARDENING, hardening, "1", "xi of snow")

enum {
  FIELD_JP,
  FIELD_STRAIN,
  FIELD_DENSITY,
  FIELD_PRESSURE,
  FIELD_STRESS,
  FIELD_STIFFENING,
#define X(CONSTANT, ...) FIELD_##CONSTANT,
  OF_MATERIAL(X)
#undef X
      FIELDS
};

const firn_field_info sph_fields[] = {
    [FIELD_JP] = {"jp", "1", 1, false, false, "plastic volume ratio: density at rest over rho_0,i"},
    [FIELD_STRAIN] = {"strain", "1", 6, true, true, "elastic strain b_E - I, b_E = F_E F_E^T"},
    [FIELD_DENSITY] = {"density", "kg/m^3", 1, false, false, "by its neighbours"},
    [FIELD_PRESSURE] = {"pressure", "Pa", 1, false, false,
                        "of the last solve; compression positive"},
    [FIELD_STRESS] = {"stress", "Pa", 6, false, true, "Cauchy's, tension positive"},
    [FIELD_STIFFENING] = {"stiffening", "1", 1, false, true,
                          "factor on Young's modulus: exp(xi (1 - J_P)) for snow"},
#define X(CONSTANT, name, unit, doc) [FIELD_##CONSTANT] = {#name, unit, 1, false, true, doc},
    OF_MATERIAL(X)
#undef X
        [FIELDS] = {0},
};

enum {
  STAT_JP_MIN,
  STAT_JP_MEAN,
  STAT_DENSITY_MAX,
  OF_PARTICLES,
  STAT_NEIGHBOURS = OF_PARTICLES,
  STAT_PRESSURE_ITERATIONS,
  STAT_SHEAR_ITERATIONS,
  STAT_FELL_BACK,
  STAT_UNCONVERGED,
  STAT_SAMPLES,
  STAT_PLASTIC,
  STAT_SWEEPS,
  STAT_PRODUCTS,
  STAT_CPU_SEARCH,
  STAT_CPU_SWEEPS,
  STAT_CPU_PRODUCTS,
  STAT_SECONDS,
  STATS = STAT_SECONDS + SPH_PHASES
};

const firn_stat_info sph_stats[] = {
    [STAT_JP_MIN] = {"jp_min", "1", "least plastic volume ratio J_P"},
    [STAT_JP_MEAN] = {"jp_mean", "1", "its mean over the particles"},
    [STAT_DENSITY_MAX] = {"density_max", "kg/m^3", "of the densest particle"},
    [STAT_NEIGHBOURS] = {"neighbours_mean", "1", "snow and samples within reach of a particle"},
    [STAT_PRESSURE_ITERATIONS] = {"pressure_iterations", "1", "of the last step"},
    [STAT_SHEAR_ITERATIONS] = {"shear_iterations", "1", "of the last step"},
    [STAT_FELL_BACK] = {"fell_back", "1",
                        "1 if CG gave up in the last step and BiCGSTAB took over"},
    [STAT_UNCONVERGED] = {"unconverged", "1",
                          "solves of the last step that stopped at their limit"},
    [STAT_SAMPLES] = {"samples", "1", "of colliders, close to the snow"},
    [STAT_PLASTIC] = {"energy_plastic", "J",
                      "elastic energy that clamps of the strain have taken so far"},
    [STAT_SWEEPS] = {"pressure_sweeps", "1", "iterations for pressures so far"},
    [STAT_PRODUCTS] = {"shear_products", "1", "products of the solve for shear so far"},
    [STAT_CPU_SEARCH] = {"cpu_search", "s",
                         "CPU time of all threads for sorting, neighbours and densities"},
    [STAT_CPU_SWEEPS] = {"cpu_sweeps", "s", "for the iterations for pressures"},
    [STAT_CPU_PRODUCTS] = {"cpu_products", "s", "for the products of the solve for shear"},
    [STAT_SECONDS + SPH_SEARCH] = {"seconds_search", "s", "wall time for sorting and neighbours"},
    [STAT_SECONDS + SPH_STATE] = {"seconds_state", "s", "for densities and corrections"},
    [STAT_SECONDS + SPH_PRESSURE] = {"seconds_pressure", "s", "for pressures"},
    [STAT_SECONDS + SPH_SHEAR] = {"seconds_shear", "s", "for shear"},
    [STAT_SECONDS + SPH_MOVE] = {"seconds_move", "s", "for strain and positions"},
    {0},
};

typedef struct seen {
  firn_material_row row;
  double s[6], mass, volume, density, rho0, jp, hard, p, det;
} seen;

static seen see(const sph *s, size_t slot) {
  const firn_particles *p = &s->world->particles;
  seen o = {.row = firn_world_row(s->world, slot)};
  o.mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  o.volume = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  if (!(o.volume > 0)) o.volume = o.mass / (double)o.row.density;
  for (int k = 0; k < 6; k++) o.s[k] = (double)firn_particles_real(p, s->field_s + k)[slot];
  double xx = 1 + o.s[0], yy = 1 + o.s[1], zz = 1 + o.s[2];
  o.det = xx * (yy * zz - o.s[5] * o.s[5]) - o.s[3] * (o.s[3] * zz - o.s[5] * o.s[4]) +
          o.s[4] * (o.s[3] * o.s[5] - yy * o.s[4]);
  double rest = o.mass / o.volume, rho = (double)firn_particles_real(p, s->field_rho)[slot];
  bool fresh = !(rho > 0); // no step has seen it
  o.density = fresh ? rest : rho;
  o.rho0 = fresh ? rest : rho * o.det;
  if (s->field_ln_jp >= 0)
    o.rho0 = rest / exp((double)firn_particles_real(p, s->field_ln_jp)[slot]);
  o.jp = rest / o.rho0;
  o.hard = sph_hardening(&o.row, o.rho0 * (double)o.row.density / rest);
  o.p = (double)firn_particles_real(p, s->field_p)[slot];
  return o;
}

// sigma = -p I + 2 G eps + bulk tr(eps) I
static void stress_of(const sph *s, const seen *o, double out[6]) {
  double G = o->hard * (double)o->row.mu, lambda = o->hard * (double)o->row.lambda;
  double trace = o->s[0] + o->s[1] + o->s[2], bulk = 0;
  if (s->def.split == FIRN_SPH_SPLIT_DEVIATORIC) bulk = -2 * G / 3;
  if (s->def.split == FIRN_SPH_SPLIT_COMBINED) bulk = lambda;
  for (int k = 0; k < 6; k++) out[k] = 2 * G * o->s[k] + (k < 3 ? bulk * trace - o->p : 0);
}

// G |eps|^2, and of p = lambda (1/J - 1) the work lambda (J - 1 - ln J).
double sph_strain_energy(const sph *s, const firn_material_row *row, double hard, double square,
                         double trace, double det) {
  double G = hard * (double)row->mu, lambda = hard * (double)row->lambda;
  if (s->def.split == FIRN_SPH_SPLIT_COMBINED) return G * square + lambda * trace * trace / 2;
  if (s->def.split == FIRN_SPH_SPLIT_DEVIATORIC) {
    square -= trace * trace / 3;
    lambda += 2 * G / 3;
  }
  if (s->def.pressure == FIRN_SPH_PRESSURE_IISPH) lambda = 0;
  return G * square + lambda * (det - 1 - log(fmax(1e-9, det)));
}

static double energy_density(const sph *s, const seen *o) {
  double square = 0;
  for (int k = 0; k < 6; k++) square += (k < 3 ? 1 : 2) * o->s[k] * o->s[k];
  return sph_strain_energy(s, &o->row, o->hard, square, o->s[0] + o->s[1] + o->s[2], o->det);
}

double sph_energy(void *solver, size_t slot) {
  const sph *s = solver;
  seen o = see(s, slot);
  return o.mass / o.rho0 * energy_density(s, &o);
}

typedef struct tally {
  double jp, jp_min, density_max, energy;
} tally;

typedef struct looking {
  const sph *s;
  double *const *own;
  tally *sums; // or NULL
} looking;

static void look_at_material(const looking *l, const seen *o, size_t row) {
  firn_material_def def = firn_material_def_of_row(&o->row);
#define X(CONSTANT, name, ...)                                                                     \
  if (l->own[FIELD_##CONSTANT]) {                                                                  \
    const firn_schema_row *of = firn_schema_find(&firn_material_settings, #name);                  \
    l->own[FIELD_##CONSTANT][row] = firn_material_has(of, def.law) ? def.name : 0;                 \
  }
  OF_MATERIAL(X)
#undef X
}

static void look_one(void *user, size_t slot, const double corner[3]) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  const looking *l = user;
  const sph *s = l->s;
  seen o = see(s, slot);
  size_t row = firn_particles_row(&s->world->particles, slot);
  double *out, stress[6];
  (void)corner;
  look_at_material(l, &o, row);
  if ((out = l->own[FIELD_JP])) out[row] = o.jp;
  if ((out = l->own[FIELD_DENSITY])) out[row] = o.density;
  if ((out = l->own[FIELD_PRESSURE])) out[row] = o.p;
  if ((out = l->own[FIELD_STIFFENING])) out[row] = o.hard;
  stress_of(s, &o, stress);
  for (size_t k = 0; k < 6; k++) {
    double square = 2 * o.s[k];
    for (int m = 0; m < 3; m++)
      square += o.s[place[3 * pair[k][0] + m]] * o.s[place[3 * m + pair[k][1]]];
    if ((out = l->own[FIELD_STRAIN])) out[6 * row + k] = square;
    if ((out = l->own[FIELD_STRESS])) out[6 * row + k] = stress[k];
  }
  if (!l->sums) return;
  l->sums->jp += o.jp;
  l->sums->jp_min = fmin(l->sums->jp_min, o.jp);
  l->sums->density_max = fmax(l->sums->density_max, o.density);
  l->sums->energy += o.mass / o.rho0 * energy_density(s, &o);
}

static void look_at_all(sph *s, const firn_solver_look *look, bool adds, tally *all) {
  const firn_particles *p = &s->world->particles;
  tally part[FIRN_PARTS] = {{0}};
  FIRN_PARALLEL_FOR(p->context, schedule(dynamic, 1))
  for (int i = 0; i < FIRN_PARTS; i++) {
    part[i].jp_min = (double)INFINITY;
    looking l = {s, look->own, adds ? &part[i] : NULL};
    firn_particles_visit_part(p, i, look_one, &l);
  }
  *all = (tally){.jp_min = (double)INFINITY};
  for (int i = 0; i < FIRN_PARTS; i++) {
    all->jp += part[i].jp;
    all->jp_min = fmin(all->jp_min, part[i].jp_min);
    all->density_max = fmax(all->density_max, part[i].density_max);
    all->energy += part[i].energy;
  }
}

firn_status sph_look(void *solver, const firn_solver_look *look) {
  sph *s = solver;
  tally all = {0};
  bool adds = look->sums || look->wanted & ((1u << OF_PARTICLES) - 1), reads = adds;
  for (int f = 0; f < FIELDS; f++) reads = reads || look->own[f];
  if (reads) look_at_all(s, look, adds, &all);
  if (look->sums) {
    look->sums->energy_elastic = all.energy;
    look->sums->energy_lost = 0;
  }
  double n = (double)s->world->particles.count;
  double stats[STATS] = {
      [STAT_JP_MIN] = n > 0 ? all.jp_min : 1,
      [STAT_JP_MEAN] = n > 0 ? all.jp / n : 1,
      [STAT_DENSITY_MAX] = all.density_max,
      [STAT_NEIGHBOURS] = s->memory.neighbours,
      [STAT_PRESSURE_ITERATIONS] = s->last.pressure_iterations,
      [STAT_SHEAR_ITERATIONS] = s->last.shear_iterations,
      [STAT_FELL_BACK] = s->last.fell_back,
      [STAT_UNCONVERGED] = s->last.unconverged,
      [STAT_SAMPLES] = (double)s->boundary.count,
      [STAT_PLASTIC] = s->memory.plastic,
      [STAT_SWEEPS] = (double)s->cpu.sweeps,
      [STAT_PRODUCTS] = (double)s->cpu.products,
      [STAT_CPU_SEARCH] = s->cpu.search,
      [STAT_CPU_SWEEPS] = s->cpu.sweep,
      [STAT_CPU_PRODUCTS] = s->cpu.product,
  };
  memcpy(stats + STAT_SECONDS, s->seconds, sizeof s->seconds);
  for (int i = 0; i < STATS; i++) {
    if (look->wanted >> i & 1) look->stats[i] = stats[i];
  }
  return FIRN_OK;
}

typedef struct access {
  const sph *s;
  const double *in;
} access;

// F_E = sqrt(I + e), symmetric.
static void write_one(void *user, size_t slot, const double corner[3]) {
  const access *a = user;
  const firn_particles *p = &a->s->world->particles;
  const double *in = a->in + 6 * firn_particles_row(p, slot);
  firn_real e[6], stretch[6];
  (void)corner;
  for (int k = 0; k < 6; k++) e[k] = (firn_real)in[k];
  firn_law_stretch(e, stretch);
  for (int k = 0; k < 6; k++) firn_particles_real(p, a->s->field_s + k)[slot] = stretch[k];
}

firn_status sph_write(void *solver, int field, const double *in) {
  sph *s = solver;
  (void)field; // there is one: strain
  access a = {s, in};
  firn_particles_visit_parallel(&s->world->particles, write_one, &a);
  s->memory.must_survey = true;
  return FIRN_OK;
}

typedef struct volumes {
  const sph *s;
  double *out;
} volumes;

static void volume_one(void *user, size_t slot, const double corner[3]) {
  const volumes *v = user;
  (void)corner;
  v->out[firn_particles_row(&v->s->world->particles, slot)] = see(v->s, slot).volume;
}

firn_status sph_volumes(void *solver, double *out) {
  const sph *s = solver;
  volumes v = {s, out};
  firn_particles_visit_parallel(&s->world->particles, volume_one, &v);
  return FIRN_OK;
}
