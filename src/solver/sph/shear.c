// SPDX-License-Identifier: Apache-2.0
// The acceleration by shear (section 3.2.2), implicit in the velocity:
//
//   a - dt^2/rho div [G (H + H^T)] = 1/rho div [G (F** + F**^T - 2 I)],  H = (grad a) F_E      Eq. 14
//   F** = F_E + dt (grad v**) F_E
//
// The printed F** lacks the last factor F_E, which putting v = v** + dt a into Eq. 13 gives it
// (f_predict). Gradients are corrected but for their trace, which is that of the plain sum over
// snow and boundary (Eq. 18); the divergence is the adjoint of the corrected gradient (Eq. 19). The
// swap of the trace and F_E make the operator not quite symmetric. CG in the inner product of
// masses comes to the same answer nearly always, at one product an iteration, and BiCGSTAB, which
// is printed, takes over where it does not.
//
// Friction on colliders, -D (v - v_b) with the velocity of the end of the step, is solved for along
// with it: D dt a joins the left side, -D (v** - v_b) the right one, and a is the sum of both. With
// w for what is spared, D = drag I + |w|^2 I - w w^T: along w only drag acts.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/sph/sph.h"

// row x symmetric matrix
static void times_symmetric(const double A[9], const firn_real S[6], double out[9]) {
  double xx = (double)S[0], yy = (double)S[1], zz = (double)S[2], xy = (double)S[3],
         xz = (double)S[4], yz = (double)S[5];
  for (int r = 0; r < 9; r += 3) {
    double x = A[r], y = A[r + 1], z = A[r + 2];
    out[r] = x * xx + y * xy + z * xz;
    out[r + 1] = x * xy + y * yy + z * yz;
    out[r + 2] = x * xz + y * yz + z * zz;
  }
}

// Adds the part that a mirror image of u has in its gradient.
static void add_mirror(const sph *s, size_t i, const firn_real *u, bool moving, double D[9]) {
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  const firn_real *m = s->pairs.wall.m + 10 * i, *vm = s->pairs.wall.vm + 6 * i;
  for (int k = 0; k < 9; k++) {
    double sum = moving ? (double)vm[place[k]] : 0;
    for (size_t d = 0; d < 3; d++) sum -= (double)m[SPH_MIRROR[d][place[k]]] * (double)u[3 * i + d];
    D[k] += sum;
  }
}

// What the boundary adds to a divergence of u at i: that of walls that stand still, or as they
// move.
static double wall_of(const sph *s, size_t i, const firn_real *u, bool moving) {
  sph_wall_at wall = sph_pairs_wall(&s->pairs, i);
  double sum = moving ? (double)*wall.vc : 0;
  for (size_t a = 0; a < 3; a++) sum -= (double)u[3 * i + a] * (double)wall.c[a];
  return sph_mirrors(s) ? sph_back(s) * sum : sum;
}

void sph_corrected_gradient(const sph *s, size_t i, const firn_real D[9], const firn_real *u,
                            bool moving, double out[9]) {
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  double plain[9];
  for (int k = 0; k < 9; k++) plain[k] = (double)D[k];
  double trace = plain[0] + plain[4] + plain[8] + wall_of(s, i, u, moving);
  if (s->pairs.wall.m) add_mirror(s, i, u, moving, plain);
  times_symmetric(plain, s->L + 6 * i, out);
  const firn_real *t = s->pairs.wall.t ? s->pairs.wall.t + 6 * i : NULL;
  for (int k = 0; t && k < 9; k++) trace += (double)t[place[k]] * plain[k];
  double off = (trace - (out[0] + out[4] + out[8])) / 3;
  for (int k = 0; k < 9; k += 4) out[k] += off;
}

// What the boundary adds to div sigma, from T = sigma L: what a mirror image of it comes to, or, as
// printed, 1/3 tr sigma_i sum V_b L_i grad W_ib.
static void hold(const sph *s, size_t i, const double T[9]) {
  firn_real *out = s->held + 3 * i;
  const firn_real *L = s->L + 6 * i;
  if (s->pairs.wall.m) {
    const firn_real *m = s->pairs.wall.m + 10 * i;
    const double t[6] = {T[0], T[4], T[8], T[1] + T[3], T[2] + T[6], T[5] + T[7]};
    for (int d = 0; d < 3; d++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += (double)m[SPH_MIRROR[d][k]] * t[k];
      out[d] = (firn_real)sum;
    }
    return;
  }
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  const firn_real *c = sph_pairs_wall(&s->pairs, i).c;
  for (int r = 0; r < 3; r++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (double)L[place[3 * r + k]] * (double)c[k];
    out[r] = (firn_real)((double)s->trace[i] * sum);
  }
}

// sigma L, from the gradient in s->sigma.
static void stress_one(sph *s, size_t i, const firn_real *u, bool strain) {
  const firn_real *e = s->s + 6 * i;
  double grad[9], H[9], sigma[9], dt = s->dt;
  sph_corrected_gradient(s, i, s->sigma + 9 * i, u, strain, grad);
  times_symmetric(grad, e, H); // (grad u) F_E = grad u + (grad u) s
  bool printed = strain && s->def.f_predict_printed;
  for (int k = 0; k < 9; k++) H[k] = dt * (printed ? grad[k] : grad[k] + H[k]);
  if (strain) {
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    for (int k = 0; k < 9; k++) H[k] += (double)e[place[k]];
  }
  double G = (double)s->G[i], around = s->bulk ? (double)s->bulk[i] * (H[0] + H[4] + H[8]) : 0;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      sigma[3 * r + c] = G * (H[3 * r + c] + H[3 * c + r]) + (r == c ? around : 0);
  if (s->trace) s->trace[i] = (firn_real)((sigma[0] + sigma[4] + sigma[8]) / 3);
  times_symmetric(sigma, s->L + 6 * i, H);
  if (s->held) hold(s, i, H);
  for (size_t k = 0; k < 9; k++) s->sigma[9 * i + k] = (firn_real)H[k];
}

void sph_shear_stress(sph *s, const firn_real *u, bool strain) {
  sph_pairs_velocity_gradient(&s->pairs, s->V, u, s->sigma);
  SPH_FOR_UNITS(s, n) {
    SPH_FOR_SLOTS(s, n, i) stress_one(s, i, u, strain);
  }
}

// The law, for lists that take it along.
static sph_law law_of(const sph *s, bool strain) {
  return (sph_law){.L = s->L,
                   .s = s->s,
                   .G = s->G,
                   .bulk = s->bulk,
                   .mass = s->mass,
                   .cube = s->spacing * s->spacing * s->spacing,
                   .drag = s->drag,
                   .trace = s->trace,
                   .held = s->held,
                   .back = sph_mirrors(s) ? sph_back(s) : 1,
                   .dt = s->dt,
                   .strain = strain,
                   .printed = s->def.f_predict_printed};
}

// Friction on walls at a particle, 1/s.
static double drag_of(const sph *s, size_t i) {
  return s->drag ? (double)s->drag[i] : 0;
}

// out += factor D u, drag apart.
static void add_rub(const sph *s, size_t i, double factor, const firn_real *u, firn_real *out) {
  const firn_real *w = s->spared + 3 * i;
  double square = 0, along = 0;
  for (size_t a = 0; a < 3; a++) {
    square += (double)w[a] * (double)w[a];
    along += (double)w[a] * (double)u[3 * i + a];
  }
  for (size_t a = 0; a < 3; a++) {
    double rub = square * (double)u[3 * i + a] - (double)w[a] * along;
    out[3 * i + a] = (firn_real)((double)out[3 * i + a] + factor * rub);
  }
}

// What is spared is 0 but next to walls.
static void add_friction(const sph *s, const firn_real *u, firn_real *out) {
  SPH_FOR_UNITS(s, n) {
    if (!s->pairs.touched[n]) continue;
    SPH_FOR_SLOTS(s, n, i) add_rub(s, i, s->dt * (double)s->mass[i], u, out);
  }
}

static void plain_product(sph *s, const firn_real *u, firn_real *out) {
  sph_shear_stress(s, u, false);
  sph_pairs_stress_divergence(&s->pairs, s->V, s->sigma, out);
  SPH_FOR_UNITS(s, n) {
    SPH_FOR_SLOTS(s, n, i) {
      double mass = (double)s->mass[i], scale = s->dt / sph_density(s, i);
      for (size_t a = 0; a < 3; a++) {
        double div = (double)out[3 * i + a] + (s->held ? (double)s->held[3 * i + a] : 0);
        double own = (1 + s->dt * drag_of(s, i)) * (double)u[3 * i + a];
        out[3 * i + a] = (firn_real)(mass * (own - scale * div));
      }
    }
  }
}

firn_status sph_shear_product(void *solver, const firn_real *u, firn_real *out) {
  sph *s = solver;
  double start = firn_cpu_seconds();
  if (s->pairs.lists.kernels) {
    sph_law law = law_of(s, false);
    sph_lists_shear(&s->pairs, &law, u, out);
  } else {
    plain_product(s, u, out);
  }
  add_friction(s, u, out);
  s->cpu.product += firn_cpu_seconds() - start;
  s->cpu.products++;
  return FIRN_OK;
}

// z = r / (m (1 + dt D)).
static void divide(const sph *s, size_t i, const firn_real r[3], firn_real z[3]) {
  if (!s->drag) {
    for (size_t a = 0; a < 3; a++) z[a] = s->mass[i] > 0 ? r[a] / s->mass[i] : 0;
    return;
  }
  const firn_real *w = s->spared + 3 * i;
  double mass = (double)s->mass[i], free = 1 + s->dt * (double)s->drag[i], square = 0, along = 0;
  for (size_t a = 0; a < 3; a++) {
    square += (double)w[a] * (double)w[a];
    along += (double)w[a] * (double)r[a];
  }
  double share = mass > 0 ? 1 / (mass * (free + s->dt * square)) : 0, more = s->dt * along / free;
  for (size_t a = 0; a < 3; a++) z[a] = (firn_real)(share * ((double)r[a] + more * (double)w[a]));
}

// Into s->b: the right side of Eq. 14 times the masses; returns its square, weighted as residuals
// are.
static double right_side(sph *s) {
  double *part = s->sums.data;
  bool quick = s->pairs.lists.kernels;
  if (quick) {
    sph_law law = law_of(s, true);
    sph_lists_shear(&s->pairs, &law, s->v, s->b);
  } else {
    sph_shear_stress(s, s->v, true);
    sph_pairs_stress_divergence(&s->pairs, s->V, s->sigma, s->b);
  }
  SPH_FOR_UNITS(s, u) {
    double sum = 0;
    SPH_FOR_SLOTS(s, u, i) {
      double mass = (double)s->mass[i], rho = sph_density(s, i);
      bool held = s->held && !quick;
      for (size_t a = 0; a < 3; a++) {
        double b = ((double)s->b[3 * i + a] + (held ? (double)s->held[3 * i + a] : 0)) / rho;
        if (s->drag) b -= drag_of(s, i) * (double)s->v[3 * i + a] - (double)s->drawn[3 * i + a];
        s->b[3 * i + a] = (firn_real)(mass * b);
      }
      if (s->pairs.touched[u]) add_rub(s, i, -mass, s->v, s->b);
      firn_real own[3];
      divide(s, i, s->b + 3 * i, own);
      for (size_t a = 0; a < 3; a++) sum += (double)s->b[3 * i + a] * (double)own[a];
    }
    part[u] = sum;
  }
  return sph_sum_units(s);
}

// r = b - M A a, in s->b.
static firn_status subtract_product(sph *s, firn_real *product) {
  FIRN_TRY(sph_shear_product(s, s->a, product));
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      for (size_t a = 0; a < 3; a++) s->b[3 * i + a] -= product[3 * i + a];
    }
  }
  return FIRN_OK;
}

static void by_mass(void *solver, const firn_real *r, firn_real *z, size_t first, size_t count) {
  for (size_t k = 0; k < count; k += 3) divide(solver, (first + k) / 3, r + k, z + k);
}

static void begin(sph *s) {
  const firn_particles *p = &s->world->particles;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      for (size_t a = 0; a < 3; a++)
        s->a[3 * i + a] = s->def.warm_start ? firn_particles_real(p, s->field_a + (int)a)[i] : 0;
    }
  }
}

static firn_status solve(sph *s, bool bicgstab, firn_linear_result *result) {
  size_t count = 3 * s->world->particles.slots;
  firn_linear_system system = {.context = s->world->context,
                               .count = count,
                               .block = 3,
                               .chunk = 3072,
                               .user = s,
                               .apply = sph_shear_product,
                               .precondition = by_mass};
  FIRN_TRY(sph_work_reserve(s, bicgstab));
  // Products and sums leave padding as it is.
  memset(s->b, 0, count * sizeof *s->b);
  double reference2 = right_side(s);
  *result = (firn_linear_result){.converged = true};
  if (reference2 == 0) {
    memset(s->a, 0, count * sizeof *s->a);
    return FIRN_OK;
  }
  size_t reals = bicgstab ? firn_bicgstab_workspace(count)
                          : firn_krylov_workspace(FIRN_KRYLOV_CG, count);
  memset(s->krylov, 0, reals * sizeof *s->krylov);
  FIRN_TRY(subtract_product(s, s->krylov));
  const firn_sph_def *def = &s->def;
  return bicgstab ? firn_bicgstab_solve(&system, def->shear_tolerance, reference2,
                                        def->shear_iterations, s->a, s->b, s->krylov, result)
                  : firn_krylov_solve(FIRN_KRYLOV_CG, &system, def->shear_tolerance, reference2,
                                      def->shear_iterations, s->a, s->b, s->krylov, result);
}

firn_status sph_shear(sph *s) {
  firn_linear_result result;
  bool bicgstab = s->def.shear_solver == FIRN_SPH_BICGSTAB;
  FIRN_TRY(solve(s, bicgstab, &result));
  s->last.shear_iterations += result.iterations;
  if (!bicgstab && !result.converged) {
    s->last.fell_back = true;
    begin(s);
    FIRN_TRY(solve(s, true, &result));
    s->last.shear_iterations += result.iterations;
  }
  s->last.unconverged += !result.converged;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      for (size_t a = 0; a < 3; a++)
        s->v[3 * i + a] = (firn_real)((double)s->v[3 * i + a] + s->dt * (double)s->a[3 * i + a]);
    }
  }
  return FIRN_OK;
}
