// SPDX-License-Identifier: Apache-2.0
// What users see of the particles' inner state. The plastic return is made in the scatter of the
// next step, so whoever looks in between looks at a returned copy: looking never changes a run.
#include <math.h>
#include <string.h>

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

static returned look(const mpm *m, size_t slot) {
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

static double density_of(const mpm *m, size_t slot, const returned *r) {
  const firn_particles *p = &m->world->particles;
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  double volume = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  // Before the first step the volume is not known yet; the material's own density is.
  double rest = volume > 0 ? mass / volume
                           : (double)m->world->material[firn_particles_material(p)[slot]].density;
  return rest / (r->j_e * exp((double)r->ln_jp));
}

typedef struct access {
  mpm *m;
  int field;
  double *out;
  const double *in;
} access;

static void read_one(void *user, size_t slot, const double corner[3]) {
  access *a = user;
  const mpm *m = a->m;
  const firn_particles *p = &m->world->particles;
  size_t row = firn_particles_row(p, slot);
  (void)corner;
  if (a->field == FIELD_AFFINE) {
    for (int i = 0; i < 9; i++) {
      a->out[9 * row + (size_t)i] = m->field_c < 0
                                        ? 0
                                        : (double)firn_particles_real(p, m->field_c + i)[slot];
    }
    return;
  }
  returned r = look(m, slot);
  switch (a->field) {
  case FIELD_JP: a->out[row] = exp((double)r.ln_jp); break;
  case FIELD_STRAIN:
    for (int i = 0; i < 6; i++) a->out[6 * row + (size_t)i] = (double)r.e[i];
    break;
  case FIELD_DENSITY: a->out[row] = density_of(m, slot, &r); break;
  default: {
    double j = r.j_e * exp((double)r.ln_jp);
    for (int i = 0; i < 6; i++) a->out[6 * row + (size_t)i] = (double)r.tau[i] / j;
  }
  }
}

firn_status mpm_read(void *solver, int field, double *out) {
  access a = {.m = solver, .field = field, .out = out};
  firn_particles_visit(&a.m->world->particles, read_one, &a);
  return FIRN_OK;
}

static void write_one(void *user, size_t slot, const double corner[3]) {
  access *a = user;
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
  access a = {.m = solver, .field = field, .in = in};
  firn_context *context = a.m->world->context;
  if (field == FIELD_AFFINE && a.m->field_c < 0) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "field 'affine' cannot be written: only transfer apic has it");
  }
  for (size_t i = 0; field == FIELD_JP && i < a.m->world->particles.count; i++) {
    if (in[i] > 0) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "field 'jp': the value %g of particle %zu must be positive", in[i], i);
  }
  firn_particles_visit(&a.m->world->particles, write_one, &a);
  a.m->memory.must_survey = true;
  return FIRN_OK;
}

typedef struct summing {
  const mpm *m;
  firn_sums *out;
  double jp_sum, yielded;
} summing;

static void sum_one(void *user, size_t slot, const double corner[3]) {
  summing *s = user;
  const mpm *m = s->m;
  const firn_particles *p = &m->world->particles;
  (void)corner;
  returned r = look(m, slot);
  double jp = exp((double)r.ln_jp), density = density_of(m, slot, &r);
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  s->jp_sum += jp;
  s->yielded += r.ln_jp != 0;
  if (jp < s->out->jp_min) s->out->jp_min = jp;
  if (density > s->out->density_max) s->out->density_max = density;
  double volume = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[slot];
  s->out->energy_elastic += volume * (double)firn_law_energy(r.law, &r.params, r.e, r.hard);
  if (m->field_c < 0) return;
  // The affine part: m D h^2 times the axial vector of C.
  double scale = mass * m->stencil.d * m->world->h * m->world->h;
  double c[9];
  for (int i = 0; i < 9; i++) c[i] = (double)firn_particles_real(p, m->field_c + i)[slot];
  s->out->angular[0] += scale * (c[7] - c[5]);
  s->out->angular[1] += scale * (c[2] - c[6]);
  s->out->angular[2] += scale * (c[3] - c[1]);
}

firn_status mpm_sums(void *solver, firn_sums *out) {
  summing s = {.m = solver, .out = out};
  out->jp_min = INFINITY;
  firn_particles_visit(&s.m->world->particles, sum_one, &s);
  double n = (double)s.m->world->particles.count;
  out->jp_mean = n > 0 ? s.jp_sum / n : 1;
  out->yielded = n > 0 ? s.yielded / n : 0;
  if (n == 0) out->jp_min = 1;
  return FIRN_OK;
}
