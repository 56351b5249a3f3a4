// SPDX-License-Identifier: Apache-2.0
// What users see of the particles' inner state. The plastic return is made in the scatter of the
// next step, so whoever looks in between looks at a returned copy: looking never changes a run.
#include <math.h>

#include "base/parallel.h"
#include "solver/mpm/mpm.h"

enum { FIELD_JP, FIELD_STRAIN, FIELD_DENSITY, FIELD_STRESS, FIELD_AFFINE };

const firn_field_info mpm_fields[] = {
    [FIELD_JP] = {"jp", "1", 1, true},
    [FIELD_STRAIN] = {"strain", "1", 6, true},
    [FIELD_DENSITY] = {"density", "kg/m^3", 1, false},
    [FIELD_STRESS] = {"stress", "Pa", 6, false}, // Cauchy
    [FIELD_AFFINE] = {"affine", "1/s", 9, true},
    {0},
};

typedef struct returned {
  firn_real e[6], tau[6], ln_jp, hard;
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
  for (int i = 0; i < 6; i++) r.e[i] = firn_particles_real(p, m->field_b + i)[slot];
  r.ln_jp = firn_particles_real(p, m->field_ln_jp)[slot];
  firn_law_return(r.law, &r.params, r.e, &r.ln_jp, r.tau, &r.hard);
  double xx = 1 + (double)r.e[0], yy = 1 + (double)r.e[1], zz = 1 + (double)r.e[2],
         xy = (double)r.e[3], xz = (double)r.e[4], yz = (double)r.e[5];
  r.j_e = sqrt(xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz));
  return r;
}

// Sums over a part of the particles.
typedef struct tally {
  double jp, jp_min, yielded, density_max, energy, angular[3];
} tally;

typedef struct looking {
  const mpm *m;
  double *const *own; // as of firn_solver_type.look
  tally *sums;        // or NULL
} looking;

static void sum_one(const mpm *m, size_t slot, const returned *r, double jp, double density,
                    tally *s) {
  const firn_particles *p = &m->world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  double volume = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  s->jp += jp;
  s->yielded += r->ln_jp != 0;
  if (jp < s->jp_min) s->jp_min = jp;
  if (density > s->density_max) s->density_max = density;
  s->energy += volume * (double)firn_law_energy(r->law, &r->params, r->e, r->hard);
  if (m->field_c < 0) return;
  // The affine part: m D h^2 times the axial vector of C.
  double scale = mass * m->stencil.d * m->world->h * m->world->h;
  double c[9];
  for (int i = 0; i < 9; i++) c[i] = (double)firn_particles_real(p, m->field_c + i)[slot];
  s->angular[0] += scale * (c[7] - c[5]);
  s->angular[1] += scale * (c[2] - c[6]);
  s->angular[2] += scale * (c[3] - c[1]);
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
  bool returns = l->sums;
  for (int f = 0; f < FIELD_AFFINE; f++) returns = returns || l->own[f];
  if (!returns) return;

  returned r = returned_of(m, slot);
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  double volume = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  // Before the first step the volume is not known yet; the material's own density is.
  double rest = volume > 0 ? mass / volume
                           : (double)m->world->material[firn_particles_material(p)[slot]].density;
  double jp = exp((double)r.ln_jp), j = r.j_e * jp;
  if ((out = l->own[FIELD_JP])) out[row] = jp;
  if ((out = l->own[FIELD_DENSITY])) out[row] = rest / j;
  for (size_t i = 0; i < 6; i++) {
    if ((out = l->own[FIELD_STRAIN])) out[6 * row + i] = (double)r.e[i];
    if ((out = l->own[FIELD_STRESS])) out[6 * row + i] = (double)r.tau[i] / j;
  }
  if (l->sums) sum_one(m, slot, &r, jp, rest / j, l->sums);
}

firn_status mpm_look(void *solver, double *const own[], firn_sums *sums) {
  const mpm *m = solver;
  const firn_particles *p = &m->world->particles;
  tally part[FIRN_PARTS], all = {.jp_min = INFINITY};
  FIRN_PARALLEL_FOR(p->context, schedule(dynamic, 1))
  for (int i = 0; i < FIRN_PARTS; i++) {
    part[i] = (tally){.jp_min = INFINITY};
    looking l = {m, own, sums ? &part[i] : NULL};
    firn_particles_visit_part(p, i, look_one, &l);
  }
  if (!sums) return FIRN_OK;
  for (const tally *s = part; s < part + FIRN_PARTS; s++) {
    all.jp += s->jp;
    all.yielded += s->yielded;
    all.jp_min = fmin(all.jp_min, s->jp_min);
    all.density_max = fmax(all.density_max, s->density_max);
    all.energy += s->energy;
    for (int c = 0; c < 3; c++) all.angular[c] += s->angular[c];
  }
  double n = (double)p->count;
  sums->jp_min = n > 0 ? all.jp_min : 1;
  sums->jp_mean = n > 0 ? all.jp / n : 1;
  sums->yielded = n > 0 ? all.yielded / n : 0;
  sums->density_max = all.density_max;
  sums->energy_elastic = all.energy;
  for (int c = 0; c < 3; c++) sums->angular[c] += all.angular[c];
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
  return FIRN_OK;
}
