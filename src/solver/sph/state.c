// SPDX-License-Identifier: Apache-2.0
// What follows from positions and strain: volumes, densities, hardening, the correction of
// gradients.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "math/jacobi.h"
#include "solver/sph/sph.h"
#include "world/heat.h"

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// Points the arrays of a group to consecutive pieces from `at` on, in reals; returns where they
// end. Without base it only counts.
#define X(name, n)                                                                                 \
  s->name = base ? base + at : NULL;                                                               \
  at += (n)*stride;
#define DEFINE_GROUP(group, LIST)                                                                  \
  static size_t lay_##group(sph *s, firn_real *base, size_t at, size_t stride) {                   \
    LIST(X)                                                                                        \
    return at;                                                                                     \
  }
DEFINE_GROUP(kept, SPH_KEPT_LIST)
DEFINE_GROUP(walls, SPH_WALL_LIST)
DEFINE_GROUP(bulk, SPH_BULK_LIST)
DEFINE_GROUP(other, SPH_OTHER_LIST)
DEFINE_GROUP(way, SPH_WAY_LIST)
DEFINE_GROUP(moments, SPH_MOMENT_LIST)
DEFINE_GROUP(pressure, SPH_PRESSURE_LIST)
DEFINE_GROUP(shear, SPH_SHEAR_LIST)
DEFINE_GROUP(strain, SPH_STRAIN_LIST)
#undef DEFINE_GROUP
#undef X

static size_t stride_of(size_t slots) {
  return (slots + 15) / 16 * 16;
}

static size_t lay_all_kept(sph *s, firn_real *base) {
  size_t stride = stride_of(s->world->particles.slots), at = lay_kept(s, base, 0, stride);
  bool walls = s->apart || s->boundary.count, bulk = s->def.split != FIRN_SPH_SPLIT_LAME;
  size_t end = lay_walls(s, walls ? base : NULL, at, stride);
  if (walls) at = end;
  end = lay_bulk(s, s->apart || bulk ? base : NULL, at, stride);
  if (s->apart || bulk) at = end;
  end = lay_other(s, s->def.alternations > 1 ? base : NULL, at, stride);
  if (s->def.alternations > 1) at = end;
  end = lay_way(s, sph_parts(s) ? base : NULL, at, stride);
  return sph_parts(s) ? end : at;
}

static firn_status reserve_kept(sph *s) {
  size_t bytes = lay_all_kept(s, NULL) * sizeof(firn_real);
  bool grows = bytes > s->kept.size;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->kept, bytes, "particles"));
  // Slots of padding must be finite: linear solvers go over them.
  if (grows) memset(s->kept.data, 0, s->kept.size);
  lay_all_kept(s, s->kept.data);
  s->slots = s->world->particles.slots;
  return FIRN_OK;
}

static size_t lay_all_work(sph *s, firn_real *base, size_t krylov) {
  size_t stride = stride_of(s->slots), most = 0, at = 0;
  // Plain lists have their stresses in sigma while the solver is at work.
  bool apart = s->apart || !s->pairs.lists.kernels;
#define NEXT(end)                                                                                  \
  {                                                                                                \
    size_t it = end;                                                                               \
    if (it > most) most = it;                                                                      \
    if (apart) at = it;                                                                            \
  }
  NEXT(lay_moments(s, base, at, stride))
  NEXT(lay_pressure(s, base, at, stride))
  size_t behind = lay_shear(s, base, at, stride);
  s->krylov = base ? base + behind : NULL;
  NEXT(behind + krylov)
  NEXT(lay_strain(s, base, at, stride))
#undef NEXT
  return most;
}

firn_status sph_work_reserve(sph *s, bool bicgstab) {
  size_t count = 3 * s->slots;
  size_t krylov = bicgstab ? firn_bicgstab_workspace(count)
                           : firn_krylov_workspace(FIRN_KRYLOV_CG, count);
  krylov = (krylov + 15) / 16 * 16;
  size_t bytes = lay_all_work(s, NULL, krylov) * sizeof(firn_real);
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->work, bytes, "solves"));
  lay_all_work(s, s->work.data, krylov);
  return FIRN_OK;
}

static firn_status check_materials(const sph *s) {
  const firn_world *world = s->world;
  for (int i = 0; i < world->material_count; i++) {
    if (world->material[i].lambda < 0 && s->def.split == FIRN_SPH_SPLIT_LAME) {
      return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                       "material %d: poisson: below 0, its pressure would grow as it expands; "
                       "sph.split: deviatoric or combined can do that",
                       i);
    }
    if (world->material[i].law == FIRN_LAW_SNOW || world->material[i].law == FIRN_LAW_ELASTIC)
      continue;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "material %d: law: sph knows the laws snow and elastic, and not this one", i);
  }
  return FIRN_OK;
}

// What densities are made of: volumes at rest, m^3.
static void know_volumes(sph *s) {
  const firn_particles *p = &s->world->particles;
  firn_real *volume = firn_particles_real(p, FIRN_FIELD_VOLUME);
  s->mass = firn_particles_real(p, FIRN_FIELD_MASS);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      if (!(volume[i] > 0)) volume[i] = s->mass[i] / firn_world_row(s->world, i).density;
    }
  }
}

// Of the samples. As printed, snow that touches a wall weighs 1.026 of its density at rest. What
// keeps its volume must not: where a sample of a plane has a volume of d^3, a wall stands for snow
// that goes on.
static double packing(const sph *s) {
  if (s->def.phi > 0) return s->def.phi;
  return s->def.pressure == FIRN_SPH_PRESSURE_IISPH ? sph_boundary_plane_sum() : 0.8;
}

// A body under a load takes the shear of snow a step late (loads.c has the pressure alone), and one
// that is light is thrown back by what a mirror image answers: all walls are as printed where there
// is one.
static bool walls_mirror(const sph *s) {
  for (int c = 0; c < s->world->collider_count; c++)
    if (firn_collider_is_loaded(&s->world->collider[c])) return false;
  bool printed = s->def.pressure == FIRN_SPH_PRESSURE_IISPH && s->def.iisph_printed;
  return !s->def.walls_printed && !printed;
}

firn_status sph_layout(sph *s) {
  firn_world *world = s->world;
  firn_particles *p = &world->particles;
  FIRN_TRY(check_materials(s));
  double start = firn_cpu_seconds();
  FIRN_TRY(firn_particles_sort(p, 0, false, &s->scratch));
  s->cpu.search += firn_cpu_seconds() - start;
  FIRN_TRY(
      firn_buffer_reserve(world->context, &s->sums, (p->unit_count + 1) * sizeof(double), "sums"));
  sph_boundary_def def = {s->spacing, packing(s), s->def.boundary_depth};
  firn_world_prepare(world, world->time);
  FIRN_TRY(firn_world_check_colliders(world));
  FIRN_TRY(sph_boundary_update(&s->boundary, world, &def));
  FIRN_TRY(reserve_kept(s));
  know_volumes(s);
  start = firn_cpu_seconds();
  s->pairs.lists.wanted = s->def.short_lists;
  s->pairs.mirror = walls_mirror(s) ? 2 * sph_boundary_plane_sum() / def.phi : 0;
  s->pairs.touching = sph_mirrors(s) && s->def.pressure == FIRN_SPH_PRESSURE_EOS;
  s->pairs.plain_too = firn_world_conducts(world);
  FIRN_TRY(sph_pairs_build(&s->pairs, p, &s->boundary, s->spacing,
                           firn_particles_real(p, FIRN_FIELD_VOLUME), s->V));
  s->cpu.search += firn_cpu_seconds() - start;
  FIRN_TRY(sph_work_reserve(s, s->def.shear_solver == FIRN_SPH_BICGSTAB));
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

double sph_determinant(const firn_real s[6]) {
  double xx = 1 + (double)s[0], yy = 1 + (double)s[1], zz = 1 + (double)s[2], xy = (double)s[3],
         xz = (double)s[4], yz = (double)s[5];
  return xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
}

double sph_hardening(const firn_material_row *row, double rho0) {
  if (row->law != FIRN_LAW_SNOW) return 1;
  // J_P = density / rho0. A lone flake comes to 5e-10; nothing must come to 0, which would mean
  // that there is no equation of state at all.
  double jp = (double)row->density / rho0;
  jp = fmin(fmax(jp, exp((double)row->ln_jp_lo)), exp((double)row->ln_jp_hi));
  return fmax(1e-12, exp((double)row->hardening * (1 - jp)));
}

// What pressure and shear each carry of Lame's parameters; returns that of the pressure.
static double share_stiffness(const sph *s, size_t i, double lambda, double G) {
  s->G[i] = (firn_real)G;
  switch (s->def.split) {
  case FIRN_SPH_SPLIT_LAME: break;
  case FIRN_SPH_SPLIT_DEVIATORIC: s->bulk[i] = (firn_real)(-2 * G / 3); return lambda + 2 * G / 3;
  case FIRN_SPH_SPLIT_COMBINED: s->bulk[i] = (firn_real)lambda; return 0;
  }
  return lambda;
}

// Eqs. 20 and 21, and hardening (Eq. 22). A particle weighs its neighbours as snow of its own
// density at rest, so that light snow beside heavy snow is not taken for packed.
static void set_density(sph *s, size_t i) {
  const firn_particles *p = &s->world->particles;
  firn_material_row row = firn_world_row(s->world, i);
  double cube = s->spacing * s->spacing * s->spacing,
         wall = (double)*sph_pairs_wall(&s->pairs, i).w;
  double V0 = (double)firn_particles_real(p, FIRN_FIELD_VOLUME)[i];
  double density = (double)s->mass[i] / V0, filled = (double)s->V[i] / cube;
  double share = s->def.boundary_density_akinci ? filled + wall
                                                : filled / fmax(1 - wall, 0.05); // D-13
  double rho0 = density * share * fabs(sph_determinant(s->s + 6 * i));
  if (s->field_ln_jp >= 0) rho0 = density / exp((double)firn_particles_real(p, s->field_ln_jp)[i]);
  if (s->def.pressure == FIRN_SPH_PRESSURE_IISPH) rho0 = density;
  double hard = sph_hardening(&row, rho0 * (double)row.density / density);
  double lambda = share_stiffness(s, i, hard * (double)row.lambda, hard * (double)row.mu);
  bool stiff = s->def.pressure == FIRN_SPH_PRESSURE_IISPH;
  s->rho0[i] = (firn_real)rho0;
  s->V[i] = (firn_real)(V0 / cube / share);
  // Without lambda the pressure has next to nothing to carry; kappa = 0 would keep the volume.
  s->kappa[i] = stiff ? 0 : (firn_real)(rho0 / fmax(lambda, 1e-6 * (double)s->G[i]));
}

// Directions with less than this share of a particle's neighbours are flat.
static const double THIN = 1e-3;

// The inverse of a moment without its flat directions (Eq. 15): a sheet or a lone pair has no
// gradient across itself, even where it is rough by 3 % of a spacing. Dividing by less makes
// rounding explode.
static void invert(const firn_real m[6], firn_real L[6]) {
  double a[9], v[9], most = 0;
  for (int k = 0; k < 6; k++) a[3 * pair[k][0] + pair[k][1]] = (double)m[k];
  firn_jacobi(3, a, v);
  for (int k = 0; k < 3; k++) most = fmax(most, a[4 * k]);
  for (int k = 0; k < 6; k++) {
    double sum = 0;
    for (int e = 0; e < 3; e++) {
      if (!(a[4 * e] > THIN * most)) continue;
      sum += v[3 * pair[k][0] + e] * v[3 * pair[k][1] + e] / a[4 * e];
    }
    L[k] = (firn_real)sum;
  }
}

// Whether the snow at i is drawn to what is before it, by the strain that it has.
static bool is_drawn(const sph *s, size_t i) {
  const firn_real *c = s->pairs.wall.c + 3 * i, *e = s->s + 6 * i;
  double c2 = 0, along = 0, p = (double)s->p[i], kappa = (double)s->kappa[i];
  double around = s->bulk ? (double)s->bulk[i] * (double)(e[0] + e[1] + e[2]) : 0;
  for (size_t a = 0; a < 3; a++) c2 += (double)c[a] * (double)c[a];
  if (!(c2 > 0)) return false;
  for (int k = 0; k < 6; k++)
    along += (k < 3 ? 1 : 2) * (double)e[k] * (double)c[pair[k][0]] * (double)c[pair[k][1]] / c2;
  if (kappa > 0) p = (double)s->rho0[i] / kappa * (1 - sph_determinant(e));
  return 2 * (double)s->G[i] * along + around > p;
}

// A wall stops what comes against it, and holds back what leaves as little as printed.
static void mirror_at(sph *s, size_t i) {
  sph_pairs_complete(&s->pairs, i, s->L + 6 * i);
  if (!s->pairs.wall.m || !is_drawn(s, i)) return;
  memset(s->pairs.wall.m + 10 * i, 0, 10 * sizeof *s->pairs.wall.m);
  memset(s->pairs.wall.vm + 6 * i, 0, 6 * sizeof *s->pairs.wall.vm);
}

firn_status sph_prepare(sph *s) {
  sph_pairs *pairs = &s->pairs;
  load(s);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) set_density(s, i);
  }
  sph_pairs_moments(pairs, s->V, s->c, s->L, s->g2);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      firn_real m[6];
      memcpy(m, s->L + 6 * i, sizeof m);
      invert(m, s->L + 6 * i);
      mirror_at(s, i);
    }
  }
  sph_pressure_diagonal(s);
  return FIRN_OK;
}
