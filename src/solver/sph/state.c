// SPDX-License-Identifier: Apache-2.0
// What follows from positions and strain: volumes, densities, hardening, the correction of gradients.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "math/jacobi.h"
#include "solver/sph/sph.h"

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

static firn_status point_arrays(sph *s, size_t slots) {
  size_t total = 0, stride = (slots + 15) / 16 * 16;
#define X(name, n) total += (n)*stride;
  SPH_ARRAY_LIST(X)
#undef X
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->memory_of_arrays, total * sizeof(firn_real),
                               "particles"));
  firn_real *next = s->memory_of_arrays.data;
  // Slots of padding must be finite: linear solvers go over them.
  memset(next, 0, total * sizeof(firn_real));
#define X(name, n)                                                                                 \
  s->name = next;                                                                                  \
  next += (n)*stride;
  SPH_ARRAY_LIST(X)
#undef X
  s->slots = slots;
  return FIRN_OK;
}

static firn_status check_materials(const sph *s) {
  const firn_world *world = s->world;
  for (int i = 0; i < world->material_count; i++) {
    if (world->material[i].law == FIRN_LAW_SNOW || world->material[i].law == FIRN_LAW_ELASTIC)
      continue;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "material %d: law: sph knows the laws snow and elastic, and not this one", i);
  }
  return FIRN_OK;
}

// What densities are made of.
static void load_volumes(sph *s) {
  const firn_particles *p = &s->world->particles;
  double volume = s->spacing * s->spacing * s->spacing;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      firn_material_row row = firn_world_row(s->world, i);
      firn_real *rest = firn_particles_real(p, FIRN_FIELD_VOLUME) + i;
      s->mass[i] = firn_particles_real(p, FIRN_FIELD_MASS)[i];
      if (!(*rest > 0)) *rest = s->mass[i] / row.density;
      s->V0[i] = (firn_real)((double)*rest / volume);
    }
  }
}

firn_status sph_layout(sph *s) {
  firn_world *world = s->world;
  firn_particles *p = &world->particles;
  FIRN_TRY(check_materials(s));
  double start = firn_cpu_seconds();
  FIRN_TRY(firn_particles_sort(p, 0, false, &s->scratch));
  s->cpu.search += firn_cpu_seconds() - start;
  FIRN_TRY(point_arrays(s, p->slots));
  size_t krylov = firn_bicgstab_workspace(3 * p->slots);
  size_t cg = firn_krylov_workspace(FIRN_KRYLOV_CG, 3 * p->slots);
  if (cg > krylov) krylov = cg;
  FIRN_TRY(firn_buffer_reserve(world->context, &s->krylov, krylov * sizeof(firn_real), "shear"));
  FIRN_TRY(
      firn_buffer_reserve(world->context, &s->sums, (p->unit_count + 1) * sizeof(double), "sums"));
  sph_boundary_def def = {s->spacing, s->def.phi, s->def.boundary_depth};
  firn_world_prepare(world, world->time);
  FIRN_TRY(firn_world_check_colliders(world));
  FIRN_TRY(sph_boundary_update(&s->boundary, world, &def));
  load_volumes(s);
  start = firn_cpu_seconds();
  s->pairs.lists.wanted = s->def.short_lists;
  FIRN_TRY(sph_pairs_build(&s->pairs, p, &s->boundary, s->spacing, s->V0, s->filled));
  s->cpu.search += firn_cpu_seconds() - start;
  return sph_push_begin(s);
}

static void load(sph *s) {
  const firn_particles *p = &s->world->particles;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      for (size_t a = 0; a < 3; a++) {
        s->v[3 * i + a] = firn_particles_real(p, FIRN_FIELD_VX + (int)a)[i];
        s->a[3 * i + a] = firn_particles_real(p, s->field_a + (int)a)[i];
      }
      for (size_t k = 0; k < 6; k++)
        s->s[6 * i + k] = firn_particles_real(p, s->field_s + (int)k)[i];
      s->p[i] = firn_particles_real(p, s->field_p)[i];
      if (s->def.warm_start) continue;
      s->p[i] = 0;
      for (size_t a = 0; a < 3; a++) s->a[3 * i + a] = 0;
    }
  }
}

// det(I + s)
static double determinant(const firn_real *s) {
  double xx = 1 + (double)s[0], yy = 1 + (double)s[1], zz = 1 + (double)s[2], xy = (double)s[3],
         xz = (double)s[4], yz = (double)s[5];
  return xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
}

double sph_hardening(const firn_material_row *row, double rho0) {
  if (row->law != FIRN_LAW_SNOW) return 1;
  // J_P = density / rho0. A lone flake comes to 5e-10; nothing must come to 0, which would mean that
  // there is no equation of state at all.
  double jp = (double)row->density / rho0;
  jp = fmin(fmax(jp, exp((double)row->ln_jp_lo)), exp((double)row->ln_jp_hi));
  return fmax(1e-12, exp((double)row->hardening * (1 - jp)));
}

// What pressure and shear each carry of Lame's parameters.
static void share_stiffness(const sph *s, size_t i, double lambda, double G) {
  switch (s->def.split) {
  case FIRN_SPH_SPLIT_LAME:
    s->lambda[i] = (firn_real)lambda;
    s->bulk[i] = 0;
    break;
  case FIRN_SPH_SPLIT_DEVIATORIC:
    s->lambda[i] = (firn_real)(lambda + 2 * G / 3);
    s->bulk[i] = (firn_real)(-2 * G / 3);
    break;
  case FIRN_SPH_SPLIT_COMBINED:
    s->lambda[i] = 0;
    s->bulk[i] = (firn_real)lambda;
    break;
  }
  s->G[i] = (firn_real)G;
}

// Eqs. 20 and 21, and hardening (Eq. 22). A particle weighs its neighbours as snow of its own density
// at rest, so that light snow beside heavy snow is not taken for packed.
static void set_density(sph *s, size_t i, double interpolated, double wall) {
  const firn_particles *p = &s->world->particles;
  firn_material_row row = firn_world_row(s->world, i);
  double density = (double)s->mass[i] / (double)s->V0[i] / (s->spacing * s->spacing * s->spacing);
  double share = s->def.boundary_density_akinci ? interpolated + wall
                                                : interpolated / fmax(1 - wall, 0.05); // D-13
  double det = determinant(s->s + 6 * i), rho = density * share, rho0 = rho * fabs(det);
  if (s->field_ln_jp >= 0) rho0 = density / exp((double)firn_particles_real(p, s->field_ln_jp)[i]);
  if (s->def.pressure == FIRN_SPH_PRESSURE_IISPH) rho0 = density;
  double hard = sph_hardening(&row, rho0 * (double)row.density / density);
  s->rho[i] = (firn_real)rho;
  s->rho0[i] = (firn_real)rho0;
  s->V[i] = (firn_real)((double)s->V0[i] / share);
  share_stiffness(s, i, hard * (double)row.lambda, hard * (double)row.mu);
  bool stiff = s->def.pressure == FIRN_SPH_PRESSURE_IISPH;
  s->kappa[i] = s->lambda[i] > 0 && !stiff ? s->rho0[i] / s->lambda[i] : 0;
}

// The inverse of a moment without its flat directions (Eq. 15): a sheet or a lone pair has no gradient
// across itself. Those are below a share of the largest.
static void invert(const firn_real m[6], double flat, firn_real L[6]) {
  double a[9], v[9], most = 0;
  for (int k = 0; k < 6; k++) a[3 * pair[k][0] + pair[k][1]] = (double)m[k];
  firn_jacobi(3, a, v);
  for (int k = 0; k < 3; k++) most = fmax(most, a[4 * k]);
  for (int k = 0; k < 6; k++) {
    double sum = 0;
    for (int e = 0; e < 3; e++) {
      if (!(a[4 * e] > flat * most)) continue;
      sum += v[3 * pair[k][0] + e] * v[3 * pair[k][1] + e] / a[4 * e];
    }
    L[k] = (firn_real)sum;
  }
}

firn_status sph_prepare(sph *s) {
  sph_pairs *pairs = &s->pairs;
  load(s);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) set_density(s, i, (double)s->filled[i], (double)pairs->wall.w[i]);
  }
  sph_pairs_moments(pairs, s->V, s->c, s->L, s->g2);
  double flat = pairs->lists.kernels ? 1e-3 : 1e-6; // weights of 16 bits leave 2e-5 where nobody is
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      firn_real m[6];
      memcpy(m, s->L + 6 * i, sizeof m);
      invert(m, flat, s->L + 6 * i);
    }
  }
  return FIRN_OK;
}
