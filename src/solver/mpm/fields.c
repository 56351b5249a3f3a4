// SPDX-License-Identifier: Apache-2.0
// What users see of the particles' inner state. The plastic return is made in the scatter of the
// next step, so whoever looks in between looks at a returned copy: looking never changes a run.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "material/preset.h"
#include "solver/mpm/mpm.h"
#include "solver/mpm/rest.h"

// The numbers of a particle's own material that are fields: all but the density at rest, which is mass
// over volume.
#define OF_MATERIAL(X)                                                                             \
  X(YOUNG, young, "Pa", "Young's modulus at rest, before stiffening")                              \
  X(POISSON, poisson, "1", "Poisson's ratio")                                                      \
  X(THETA_C, theta_c, "1", "critical compression of snow")                                         \
  X(THETA_S, theta_s, "1", "critical stretch of snow")                                             \
  X(HARDENING, hardening, "1", "xi of snow")                                                       \
  X(FRICTION_ANGLE, friction_angle, "rad", "of sand")                                              \
  X(COHESION, cohesion, "Pa", "of sand")

enum {
  // These ask for the plastic return.
  FIELD_JP,
  FIELD_STRAIN,
  FIELD_DENSITY,
  FIELD_STRESS,
  FIELD_STIFFENING,
  RETURNED,
  FIELD_AFFINE = RETURNED,
#define X(CONSTANT, ...) FIELD_##CONSTANT,
  OF_MATERIAL(X)
#undef X
      FIELDS
};

const firn_field_info mpm_fields[] = {
    [FIELD_JP] = {"jp", "1", 1, true, false, "plastic volume ratio J_P, within jp_range"},
    [FIELD_STRAIN] = {"strain", "1", 6, true, true, "elastic strain b_E - I, b_E = F_E F_E^T"},
    [FIELD_DENSITY] = {"density", "kg/m^3", 1, false, false, "mass over the volume it takes now"},
    [FIELD_STRESS] = {"stress", "Pa", 6, false, true, "Cauchy's, tension positive"},
    [FIELD_STIFFENING] = {"stiffening", "1", 1, false, true,
                          "factor on Young's modulus: exp(xi (1 - J_P)) for snow"},
    [FIELD_AFFINE] = {"affine", "1/s", 9, true, true,
                      "velocity gradient that transfer apic carries"},
#define X(CONSTANT, name, unit, doc) [FIELD_##CONSTANT] = {#name, unit, 1, false, true, doc},
    OF_MATERIAL(X)
#undef X
        [FIELDS] = {0},
};

enum {
  STAT_JP_MIN,
  STAT_JP_MEAN,
  STAT_DENSITY_MAX,
  STAT_YIELDED,
  STAT_PLASTIC,
  OF_PARTICLES, // the first that needs no look at them
  STAT_REDONE = OF_PARTICLES,
  STAT_INDEFINITE,
  STAT_SORTED,
  STAT_SORTS,
  STAT_FLYING,
  STAT_LAID,
  STAT_SECONDS,
  STATS = STAT_SECONDS + MPM_PHASES
};

const firn_stat_info mpm_stats[] = {
    [STAT_JP_MIN] = {"jp_min", "1", "least plastic volume ratio J_P"},
    [STAT_JP_MEAN] = {"jp_mean", "1", "its mean over the particles"},
    [STAT_DENSITY_MAX] = {"density_max", "kg/m^3", "of the densest particle"},
    [STAT_YIELDED] = {"yielded", "1", "fraction of particles that have ever yielded"},
    [STAT_PLASTIC] = {"energy_plastic", "J",
                      "elastic energy that plastic returns have taken so far, and taking off"},
    [STAT_REDONE] = {"redone", "1", "times the last step was halved and redone"},
    [STAT_INDEFINITE] = {"indefinite", "1", "directions of negative curvature in its solve"},
    [STAT_SORTED] = {"sorted", "1", "1 if it sorted the particles anew"},
    [STAT_SORTS] = {"sorts", "1", "steps that did, since creation"},
    [STAT_FLYING] = {"flying", "1", "particles in free flight, outside the grid"},
    [STAT_LAID] = {"laid", "1", "iterations of the last step's search for balance of settled snow"},
    [STAT_SECONDS + MPM_SORT] = {"seconds_sort", "s", "wall time in sorting"},
    [STAT_SECONDS + MPM_SCATTER] = {"seconds_scatter", "s", "from particles to grid, with the law"},
    [STAT_SECONDS + MPM_GRID] = {"seconds_grid", "s", "on the nodes"},
    [STAT_SECONDS + MPM_SOLVE] = {"seconds_solve", "s", "in linear solves"},
    [STAT_SECONDS + MPM_GATHER] = {"seconds_gather", "s", "from grid to particles"},
    {0},
};

typedef struct returned {
  firn_real e[6], tau[6], ln_jp, ln_cut, hard, spent;
  firn_law_params params;
  int law;
  double j_e; // det F_E
} returned;

static returned returned_of(const mpm *m, size_t slot) {
  const firn_particles *p = &m->world->particles;
  returned r;
  firn_material_row row = firn_world_row(m->world, slot);
  r.law = row.law;
  r.params = firn_law_params_set1(&row);
  firn_real trial[6], ln_jp = firn_particles_real(p, m->field_ln_jp)[slot];
  for (int i = 0; i < 6; i++) trial[i] = r.e[i] = firn_particles_real(p, m->field_b + i)[slot];
  r.ln_jp = ln_jp;
  firn_law_return(r.law, &r.params, r.e, &r.ln_jp, r.tau, &r.hard, &r.spent);
  r.ln_cut = 0;
  if (m->world->cut >= 0) {
    r.ln_cut = firn_particles_real(p, m->world->cut)[slot] +
               firn_law_cut(&r.params, trial, ln_jp, r.e, r.ln_jp);
  }
  double xx = 1 + (double)r.e[0], yy = 1 + (double)r.e[1], zz = 1 + (double)r.e[2],
         xy = (double)r.e[3], xz = (double)r.e[4], yz = (double)r.e[5];
  r.j_e = sqrt(xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz));
  return r;
}

// Sums over a part of the particles.
typedef struct tally {
  double jp, jp_min, yielded, density_max, energy, spent, fresh, angular[3];
} tally;

typedef struct looking {
  const mpm *m;
  const double *volume; // m^3, [count] by id
  double *const *own;   // as of firn_solver_look
  tally *sums;          // or NULL
} looking;

static void sum_one(const mpm *m, size_t slot, const returned *r, double volume, double jp,
                    double density, tally *s) {
  const firn_particles *p = &m->world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  s->jp += jp;
  s->yielded += r->ln_jp != 0;
  if (jp < s->jp_min) s->jp_min = jp;
  if (density > s->density_max) s->density_max = density;
  s->energy += volume * (double)firn_law_energy(r->law, &r->params, r->e, r->hard);
  s->spent += volume * (double)r->spent;
  // Strain is entered in the ledger with the volume.
  if (!(firn_particles_real(p, FIRN_FIELD_VOLUME)[slot] > 0))
    s->fresh += volume * (double)(firn_law_energy(r->law, &r->params, r->e, r->hard) + r->spent);
  if (m->field_c < 0) return;
  // The affine part: m D h^2 times the axial vector of C.
  double scale = mass * m->stencil.d * m->world->h * m->world->h;
  double c[9];
  for (int i = 0; i < 9; i++) c[i] = (double)firn_particles_real(p, m->field_c + i)[slot];
  s->angular[0] += scale * (c[7] - c[5]);
  s->angular[1] += scale * (c[2] - c[6]);
  s->angular[2] += scale * (c[3] - c[1]);
}

// A number that the particle's law does not ask for is 0.
static void look_at_material(const looking *l, size_t slot, size_t row) {
  bool asked = false;
  for (int f = FIELD_AFFINE + 1; f < FIELDS; f++) asked = asked || l->own[f];
  if (!asked) return;
  firn_material_row own = firn_world_row(l->m->world, slot);
  firn_material_def def = firn_material_def_of_row(&own);
#define X(CONSTANT, name, ...)                                                                     \
  if (l->own[FIELD_##CONSTANT]) {                                                                  \
    const firn_schema_row *of = firn_schema_find(&firn_material_settings, #name);                  \
    l->own[FIELD_##CONSTANT][row] = firn_material_has(of, def.law) ? def.name : 0;                 \
  }
  OF_MATERIAL(X)
#undef X
}

static void look_one(void *user, size_t slot, const double corner[3]) {
  const looking *l = user;
  const mpm *m = l->m;
  const firn_particles *p = &m->world->particles;
  size_t row = firn_particles_row(p, slot);
  double *out = l->own[FIELD_AFFINE];
  (void)corner;
  for (int i = 0; i < 9 && out; i++) {
    double c = m->field_c < 0 ? 0 : (double)firn_particles_real(p, m->field_c + i)[slot];
    out[9 * row + (size_t)i] = c;
  }
  look_at_material(l, slot, row);
  bool returns = l->sums;
  for (int f = 0; f < RETURNED; f++) returns = returns || l->own[f];
  if (!returns) return;

  returned r = returned_of(m, slot);
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  double volume = l->volume ? l->volume[row]
                            : (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  // Volume now over volume at rest: J_P as if it had no bounds.
  double jp = exp((double)r.ln_jp), j = r.j_e * exp((double)r.ln_jp + (double)r.ln_cut),
         density = mass / volume / j;
  if ((out = l->own[FIELD_JP])) out[row] = jp;
  if ((out = l->own[FIELD_DENSITY])) out[row] = density;
  if ((out = l->own[FIELD_STIFFENING])) out[row] = (double)r.hard;
  for (size_t i = 0; i < 6; i++) {
    if ((out = l->own[FIELD_STRAIN])) out[6 * row + i] = (double)r.e[i];
    if ((out = l->own[FIELD_STRESS])) out[6 * row + i] = (double)r.tau[i] / j;
  }
  if (l->sums) sum_one(m, slot, &r, volume, jp, density, l->sums);
}

static tally sum_parts(const tally part[FIRN_PARTS]) {
  tally all = {.jp_min = INFINITY};
  for (const tally *s = part; s < part + FIRN_PARTS; s++) {
    all.jp += s->jp;
    all.yielded += s->yielded;
    all.jp_min = fmin(all.jp_min, s->jp_min);
    all.density_max = fmax(all.density_max, s->density_max);
    all.energy += s->energy;
    all.spent += s->spent;
    all.fresh += s->fresh;
    for (int c = 0; c < 3; c++) all.angular[c] += s->angular[c];
  }
  return all;
}

static firn_status look_at_all(mpm *m, const firn_solver_look *look, bool adds, tally *all) {
  const firn_particles *p = &m->world->particles;
  tally part[FIRN_PARTS] = {{0}};
  double *volume = NULL;
  if (mpm_lacks_volumes(m)) {
    volume = firn_alloc(p->context, p->count * sizeof *volume, "volumes");
    if (p->count && !volume) return FIRN_ERROR_MEMORY;
    firn_status status = mpm_volumes(m, volume);
    if (status != FIRN_OK) {
      firn_free(p->context, volume, p->count * sizeof *volume);
      return status;
    }
  }
  FIRN_PARALLEL_FOR(p->context, schedule(dynamic, 1))
  for (int i = 0; i < FIRN_PARTS; i++) {
    part[i].jp_min = INFINITY;
    looking l = {m, volume, look->own, adds ? &part[i] : NULL};
    firn_particles_visit_part(p, i, look_one, &l);
  }
  firn_free(p->context, volume, p->count * sizeof *volume);
  *all = sum_parts(part);
  return FIRN_OK;
}

firn_status mpm_look(void *solver, const firn_solver_look *look) {
  mpm *m = solver;
  const firn_particles *p = &m->world->particles;
  tally all = {0};
  bool adds = look->sums || look->wanted & ((1u << OF_PARTICLES) - 1), reads = adds;
  for (int f = 0; f < FIELDS; f++) reads = reads || look->own[f];
  if (reads) FIRN_TRY(look_at_all(m, look, adds, &all));
  if (look->sums) look->sums->energy_elastic = all.energy;
  if (look->sums) look->sums->energy_lost = all.fresh;
  for (int c = 0; c < 3 && look->sums; c++) look->sums->angular[c] += all.angular[c];
  double n = (double)p->count;
  double stats[STATS] = {
      [STAT_JP_MIN] = n > 0 ? all.jp_min : 1,
      [STAT_JP_MEAN] = n > 0 ? all.jp / n : 1,
      [STAT_DENSITY_MAX] = all.density_max,
      [STAT_YIELDED] = n > 0 ? all.yielded / n : 0,
      [STAT_REDONE] = m->last.redone,
      [STAT_INDEFINITE] = m->last.indefinite,
      [STAT_SORTED] = m->last.sorted,
      [STAT_SORTS] = (double)m->sorts,
      [STAT_FLYING] = (double)p->flying,
      [STAT_PLASTIC] = m->memory.plastic + all.spent,
      [STAT_LAID] = m->last.laid,
  };
  memcpy(stats + STAT_SECONDS, m->seconds, sizeof m->seconds);
  for (int i = 0; i < STATS; i++) {
    if (look->wanted >> i & 1) look->stats[i] = stats[i];
  }
  return FIRN_OK;
}

typedef struct access {
  const mpm *m;
  int field;
  const double *in;
} access;

static void write_one(void *user, size_t slot, const double corner[3]) {
  const access *a = user;
  const mpm *m = a->m;
  const firn_particles *p = &m->world->particles;
  size_t row = firn_particles_row(p, slot);
  (void)corner;
  switch (a->field) {
  case FIELD_JP: firn_particles_real(p, m->field_ln_jp)[slot] = (firn_real)log(a->in[row]); break;
  case FIELD_STRAIN:
    for (int i = 0; i < 6; i++) {
      firn_particles_real(p, m->field_b + i)[slot] = (firn_real)a->in[6 * row + (size_t)i];
    }
    break;
  default:
    for (int i = 0; i < 9 && m->field_c >= 0; i++) {
      firn_particles_real(p, m->field_c + i)[slot] = (firn_real)a->in[9 * row + (size_t)i];
    }
  }
}

firn_status mpm_write(void *solver, int field, const double *in) {
  mpm *m = solver;
  firn_context *context = m->world->context;
  if (field == FIELD_AFFINE && m->field_c < 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "field 'affine' cannot be written: only transfer apic has it");
  }
  for (size_t i = 0; field == FIELD_JP && i < m->world->particles.count; i++) {
    if (in[i] > 0) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "field 'jp': the value %g of particle %zu must be positive", in[i], i);
  }
  access a = {m, field, in};
  firn_particles_visit_parallel(&m->world->particles, write_one, &a);
  m->memory.must_survey = true;
  mpm_rest_disturb(m);
  return FIRN_OK;
}

// As it stands, before the return that the next step makes.
double mpm_energy(void *solver, size_t slot) {
  const mpm *m = solver;
  const firn_particles *p = &m->world->particles;
  firn_material_row row = firn_world_row(m->world, slot);
  firn_law_params params = firn_law_params_set1(&row);
  firn_real e[6], volume = firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  double hard = firn_law_hardening(&row, (double)firn_particles_real(p, m->field_ln_jp)[slot]);
  for (int i = 0; i < 6; i++) e[i] = firn_particles_real(p, m->field_b + i)[slot];
  return (double)volume * (double)firn_law_energy(row.law, &params, e, (firn_real)hard);
}

void mpm_settle(void *solver, size_t slot, const double up[3], double load) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const mpm *m = solver;
  firn_material_row own = firn_world_row(m->world, slot);
  double s = firn_law_confined(&own, load), e = s * s - 1;
  for (int i = 0; i < 6; i++) {
    firn_particles_real(&m->world->particles,
                        m->field_b + i)[slot] = (firn_real)(e * up[pair[i][0]] * up[pair[i][1]]);
  }
}
