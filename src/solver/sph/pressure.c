// SPDX-License-Identifier: Apache-2.0
// The pressure, by an implicit equation of state (section 3.2.1):
//
//   kappa p - dt^2 laplace p = rho* - rho_0      Eq. 5, times -1: B p = source
//   kappa = rho_0 / lambda,  rho* = rho (1 - dt div v*)
//
// in kg/m^3 throughout, with both signs of p kept: snow resists being pulled, too. The laplacian is
// the divergence of the gradient, each as in Eqs. 6 and 7. Without kappa and with p >= 0 it is the
// incompressible solve of Ihmsen et al. 2014.
//
// Jacobi relaxed by 1/2 is printed. Chebyshev's semi-iteration over the same sweeps needs no
// symmetry, which psi breaks, and about a third of them. It needs bounds on the eigenvalues of D^-1
// B: those of the laplacian alone, D_L^-1 (-laplace) <= l, are found by power iterations and hardly
// change in time; then (kappa + l d) / (kappa + d) bounds the whole, whatever the time step and the
// stiffness are.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/sph/sph.h"

static const double RELAXATION = 0.5;
enum { TRIES = 5 }; // with half of it each time
// Sweeps after which they are looked at.
enum { WATCH = 16 };
// How well the power iteration, begun with random signs, knows the largest eigenvalue.
static const double SAFETY = 1.1;
enum { POWERS = 10, LAPLACE_STEPS = 20 };
// The lowest modes hardly matter for a mean residual: an interval wider than this only slows it
// down.
static const double WIDEST = 20;

double sph_source_density(const sph *s, size_t i) {
  bool strain = s->def.source_divergence && s->def.pressure == FIRN_SPH_PRESSURE_EOS;
  return strain ? (double)s->rho0[i] / sph_determinant(s->s + 6 * i) : sph_density(s, i);
}

bool sph_parts(const sph *s) {
  return s->def.pressure == FIRN_SPH_PRESSURE_IISPH && !s->def.iisph_printed;
}

bool sph_mirrors(const sph *s) {
  return s->pairs.mirror > 0;
}

// A mirror image has the pressure of the particle itself, so that this counts twice. What keeps its
// volume tumbles faster under a wall that stiff (dp/dz 1.08 to 1.11 of rho g, 0.15 m/s; 1.06 and
// 0.05 m/s with 1.5).
double sph_psi(const sph *s) {
  if (s->def.psi >= 0) return s->def.psi;
  return sph_mirrors(s) && s->def.pressure == FIRN_SPH_PRESSURE_EOS ? s->pairs.mirror : 1.5;
}

double sph_back(const sph *s) {
  return sph_parts(s) || sph_mirrors(s) ? sph_psi(s) : 1;
}

void sph_pressure_source(sph *s) {
  bool velocities_alone = sph_parts(s) && !s->parting;
  double back = sph_back(s);
  sph_pairs_divergence(&s->pairs, s->V, s->v, (firn_real)back, s->source);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      double divergence = (double)s->source[i] + back * (double)*sph_pairs_wall(&s->pairs, i).vc;
      double rho = sph_source_density(s, i), excess = rho - (double)s->rho0[i];
      if (velocities_alone) excess = fmin(excess, 0);
      s->source[i] = (firn_real)(excess - rho * s->dt * divergence);
    }
  }
  if (sph_leads_loads(s)) sph_loads_source(s);
}

// -laplace, its diagonal (below Eq. 8). The second term is V_i V_j |grad W|^2; V_j V_j is a
// misprint.
void sph_pressure_diagonal(sph *s) {
  double psi = sph_psi(s), back = sph_back(s);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      const firn_real *wall = sph_pairs_wall(&s->pairs, i).c;
      double sum = (double)s->V[i] * (double)s->g2[i];
      for (size_t a = 0; a < 3; a++) {
        double c = (double)s->c[3 * i + a], w = (double)wall[a];
        sum += (c + psi * w) * (c + back * w);
      }
      s->diagonal[i] = (firn_real)sum;
    }
  }
  if (sph_leads_loads(s)) sph_loads_diagonal(s);
}

// laplace p
static void laplace(sph *s, const firn_real *p) {
  sph_pairs_laplace(&s->pairs, s->V, p, (firn_real)sph_psi(s), (firn_real)sph_back(s), s->grad,
                    s->lap);
}

void sph_pressure_product(sph *s, const firn_real *p, firn_real *out) {
  firn_real dt2 = (firn_real)(s->dt * s->dt);
  laplace(s, p);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) out[i] = s->kappa[i] * p[i] - dt2 * s->lap[i];
  }
  if (sph_leads_loads(s)) sph_loads_product(s, p, out);
}

// Diagonal of B. 0 only where a particle has neither neighbours nor stiffness, and so no pressure.
static double weight(const sph *s, size_t i) {
  return (double)s->kappa[i] + s->dt * s->dt * fmax(0, (double)s->diagonal[i]);
}

// q = source - B p; returns its mean size, in densities at rest. Where p >= 0 holds p down, nothing
// is left to do.
static double residual(sph *s) {
  bool clamped = s->def.pressure == FIRN_SPH_PRESSURE_IISPH;
  double *part = s->sums.data;
  s->cpu.sweeps++;
  sph_pressure_product(s, s->p, s->q);
  SPH_FOR_UNITS(s, u) {
    double sum = 0;
    SPH_FOR_SLOTS(s, u, i) {
      s->q[i] = s->source[i] - s->q[i];
      if (clamped && s->p[i] <= 0 && s->q[i] < 0) continue;
      if (weight(s, i) > 0) sum += fabs((double)s->q[i]) / (double)s->rho0[i];
    }
    part[u] = sum;
  }
  return sph_sum_units(s) / (double)s->world->particles.count;
}

// +1 or -1 for a particle, as if thrown.
static firn_real toss(uint32_t id) {
  uint64_t x = (id + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
  x ^= x >> 29;
  x *= UINT64_C(0xBF58476D1CE4E5B9);
  return x >> 63 ? FIRN_R(1) : FIRN_R(-1);
}

// The largest eigenvalue of D_L^-1 (-laplace).
static double largest(sph *s) {
  double *part = s->sums.data, growth = 0;
  const uint32_t *id = firn_particles_id(&s->world->particles);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) s->step[i] = toss(id[i]);
  }
  for (int k = 0; k < POWERS; k++) {
    laplace(s, s->step);
    SPH_FOR_UNITS(s, u) {
      double sum = 0;
      SPH_FOR_SLOTS(s, u, i) {
        double d = (double)s->diagonal[i], y = d > 0 ? -(double)s->lap[i] / d : 0;
        s->step[i] = (firn_real)y;
        sum += y * y;
      }
      part[u] = sum;
    }
    double norm = sqrt(sph_sum_units(s) / (double)s->world->particles.count);
    if (!(norm > 0 && isfinite(norm))) return 1;
    growth = norm;
    SPH_FOR_UNITS(s, u) {
      SPH_FOR_SLOTS(s, u, i) s->step[i] = (firn_real)((double)s->step[i] / norm);
    }
  }
  return fmax(1, growth);
}

// The interval of the eigenvalues of D^-1 B.
static void bounds(const sph *s, double out[2]) {
  double lo = (double)INFINITY, hi = 1, dt2 = s->dt * s->dt, l = SAFETY * s->memory.laplace_max;
  FIRN_PARALLEL_FOR(s->world->context, schedule(static) reduction(min : lo) reduction(max : hi))
  for (size_t u = 0; u < s->world->particles.unit_count; u++) {
    SPH_FOR_SLOTS(s, u, i) {
      double kappa = (double)s->kappa[i], d = dt2 * fmax(0, (double)s->diagonal[i]);
      if (!(kappa + d > 0)) continue;
      lo = fmin(lo, kappa / (kappa + d));
      hi = fmax(hi, (kappa + l * d) / (kappa + d));
    }
  }
  out[1] = hi;
  out[0] = fmin(fmax(lo, hi / WIDEST), 0.99 * hi);
}

static void remember_laplace(sph *s) {
  sph_memory *m = &s->memory;
  if (m->laplace_max > 0 && m->steps - m->laplace_at < LAPLACE_STEPS) return;
  m->laplace_max = largest(s);
  m->laplace_at = m->steps;
}

// p += a q / D, or by the direction d = q / D + b d.
static void move(sph *s, double a, double b) {
  bool clamped = s->def.pressure == FIRN_SPH_PRESSURE_IISPH;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      double w = weight(s, i), z = w > 0 ? (double)s->q[i] / w : 0;
      z += b != 0 ? b * (double)s->step[i] : 0;
      s->step[i] = (firn_real)z;
      s->p[i] = (firn_real)((double)s->p[i] + a * z);
      if (clamped) s->p[i] = firn_max(s->p[i], 0);
    }
  }
}

// Whether an iteration that began with the residual first has gone astray.
static bool is_astray(const sph *s, double first, double left) {
  return !(left <= 10 * first + s->def.pressure_tolerance);
}

// Whether what is left of sweeps with p >= 0 points against what was left before the last, on the
// whole.
static bool swings(sph *s) {
  double *part = s->sums.data;
  SPH_FOR_UNITS(s, u) {
    part[u] = 0;
    SPH_FOR_SLOTS(s, u, i) {
      if (s->p[i] > 0 || s->q[i] > 0) part[u] += (double)s->q[i] * (double)s->step[i];
    }
  }
  return sph_sum_units(s) < 0;
}

// False if it went astray: sweeps relaxed by w diverge where an eigenvalue of D^-1 B is above 2 / w
// or below 0. Where p >= 0 holds them they swing to and fro instead; but what they bring may also
// be a while in coming, until pressures have spread to where they are needed. The last try keeps
// what is better than nothing.
static bool jacobi(sph *s, double relaxation, bool last, int *iterations) {
  bool clamped = s->def.pressure == FIRN_SPH_PRESSURE_IISPH;
  double left = residual(s), first = left, before = (double)INFINITY;
  for (int k = 0; k < s->def.pressure_iterations; k++) {
    if (k >= 1 && left < s->def.pressure_tolerance) break;
    if (k % WATCH == 0) {
      bool stuck = left > 0.999 * before && (!clamped || swings(s));
      if (stuck && (!last || left > first)) return false;
      if (stuck) break;
      before = left;
    }
    move(s, relaxation, 0);
    left = residual(s);
    ++*iterations;
    if (is_astray(s, first, left)) return false;
  }
  s->last.residual = left;
  return left <= fmax(first, s->def.pressure_tolerance);
}

// False if it went astray: the bounds do not hold.
static bool chebyshev(sph *s, int *iterations) {
  double range[2], left = residual(s), first = left, alpha = 0;
  bounds(s, range);
  double middle = (range[1] + range[0]) / 2, half = (range[1] - range[0]) / 2;
  for (int k = 0; k < s->def.pressure_iterations; k++) {
    if (k >= 1 && left < s->def.pressure_tolerance) break;
    double beta = k == 0 ? 0 : (half * alpha) * (half * alpha) / (k == 1 ? 2 : 4);
    alpha = k == 0 ? 1 / middle : 1 / (middle - beta / alpha);
    move(s, alpha, beta);
    left = residual(s);
    ++*iterations;
    if (is_astray(s, first, left)) return false;
  }
  s->last.residual = left;
  return left <= fmax(first, s->def.pressure_tolerance);
}

static void restart(sph *s) {
  const firn_particles *p = &s->world->particles;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i)
    s->p[i] = s->def.warm_start && !s->parting ? firn_particles_real(p, s->field_p)[i] : 0;
  }
}

static firn_status apply(void *solver, const firn_real *x, firn_real *y) {
  sph_pressure_product(solver, x, y);
  return FIRN_OK;
}

static void by_diagonal(void *solver, const firn_real *r, firn_real *z, size_t first,
                        size_t count) {
  const sph *s = solver;
  for (size_t k = 0; k < count; k++) {
    double w = s->mass[first + k] > 0 ? weight(s, first + k) : 0;
    z[k] = w > 0 ? (firn_real)((double)r[k] / w) : 0;
  }
}

// By BiCGSTAB, for which eigenvalues may have any sign: psi makes them negative where flakes are
// driven into samples and each other. What it makes worse is left as it was.
static firn_status rescue(sph *s, int *iterations) {
  firn_linear_system system = {.context = s->world->context,
                               .count = s->slots,
                               .block = 1,
                               .chunk = 1024,
                               .user = s,
                               .apply = apply,
                               .precondition = by_diagonal};
  size_t bytes = firn_bicgstab_workspace(s->slots) * sizeof(firn_real);
  double *part = s->sums.data;
  FIRN_TRY(firn_buffer_reserve(s->world->context, &s->rescue, bytes, "pressures"));
  memset(s->rescue.data, 0, bytes); // products leave padding as it is
  memset(s->q, 0, s->slots * sizeof *s->q);
  double first = residual(s);
  SPH_FOR_UNITS(s, u) {
    part[u] = 0;
    SPH_FOR_SLOTS(s, u, i) {
      double w = weight(s, i);
      if (w > 0) part[u] += (double)s->rho0[i] * (double)s->rho0[i] / w;
    }
  }
  firn_linear_result result;
  FIRN_TRY(firn_bicgstab_solve(&system, s->def.pressure_tolerance, sph_sum_units(s),
                               s->def.pressure_iterations, s->p, s->q, s->rescue.data, &result));
  *iterations += result.iterations;
  s->last.residual = residual(s);
  if (s->last.residual <= first) return FIRN_OK;
  restart(s);
  s->last.residual = residual(s);
  return FIRN_OK;
}

// Chebyshev's, or sweeps that are relaxed more. Random signs hardly meet a mode of few particles,
// so the largest eigenvalue may be well above what is known of it: in spray more than 4 was, where
// 3.5 was found.
static firn_status solve(sph *s, bool jacobian, int *iterations) {
  if (!jacobian) {
    if (chebyshev(s, iterations)) return FIRN_OK;
    restart(s);
    s->memory.laplace_max *= 1.5; // until it is found anew
  }
  bool clamped = s->def.pressure == FIRN_SPH_PRESSURE_IISPH;
  double relaxation = RELAXATION;
  for (int k = 0, tries = clamped ? TRIES : 2; k < tries; k++, relaxation /= 2) {
    if (jacobi(s, relaxation, clamped && k + 1 == tries, iterations)) return FIRN_OK;
    restart(s);
  }
  if (!clamped) return rescue(s, iterations);
  s->last.residual = residual(s);
  return FIRN_OK;
}

static void accelerate(sph *s) {
  sph_pairs_gradient(&s->pairs, s->V, s->p, (firn_real)sph_psi(s), s->grad);
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      double push = s->dt / sph_density(s, i);
      for (size_t a = 0; a < 3; a++)
        s->v[3 * i + a] = (firn_real)((double)s->v[3 * i + a] - push * (double)s->grad[3 * i + a]);
    }
  }
}

firn_status sph_pressure(sph *s) {
  if (s->def.split == FIRN_SPH_SPLIT_COMBINED) return FIRN_OK;
  int iterations = 0;
  sph_pressure_source(s);
  bool jacobian = s->def.pressure_solver == FIRN_SPH_JACOBI ||
                  s->def.pressure == FIRN_SPH_PRESSURE_IISPH; // a clamp breaks the semi-iteration
  if (!jacobian) remember_laplace(s);
  double start = firn_cpu_seconds();
  FIRN_TRY(solve(s, jacobian, &iterations));
  s->cpu.sweep += firn_cpu_seconds() - start;
  s->last.pressure_iterations += iterations;
  s->last.unconverged += !(s->last.residual < s->def.pressure_tolerance);
  if (!isfinite(s->last.residual)) return sph_fail_nonfinite(s);
  accelerate(s);
  if (sph_leads_loads(s)) sph_loads_lead(s);
  return FIRN_OK;
}

// Velocities that part what is too dense, from the gradient of p; the largest of them, squared.
static double parting_velocities(sph *s) {
  double most = 0;
  sph_pairs_gradient(&s->pairs, s->V, s->p, (firn_real)sph_psi(s), s->grad);
  FIRN_PARALLEL_FOR(s->world->context, schedule(static) reduction(max : most))
  for (size_t u = 0; u < s->world->particles.unit_count; u++) {
    SPH_FOR_SLOTS(s, u, i) {
      double square = 0, push = s->dt / sph_density(s, i);
      for (size_t a = 0; a < 3; a++) {
        double w = -push * (double)s->grad[3 * i + a];
        s->way[3 * i + a] = (firn_real)w;
        square += w * w;
      }
      most = fmax(most, square);
    }
  }
  return most;
}

// By the pressure that undoes what densities will be too much, but for what bodies under a load
// would give way. What would go too far goes a part of it, and the rest in the next steps.
static firn_status part(sph *s) {
  double before = s->last.residual;
  sph_pressure_source(s);
  restart(s);
  FIRN_TRY(solve(s, true, &s->last.pressure_iterations));
  s->last.residual = before;
  double most = s->dt * sqrt(parting_velocities(s)), limit = s->def.cfl * s->spacing;
  if (!isfinite(most)) return sph_fail_nonfinite(s);
  double share = most > limit ? limit / most : 1;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) {
      for (size_t a = 0; a < 3; a++) {
        double w = (double)s->v[3 * i + a] + share * (double)s->way[3 * i + a];
        s->way[3 * i + a] = (firn_real)w;
      }
    }
  }
  return FIRN_OK;
}

firn_status sph_part(sph *s) {
  const firn_particles *p = &s->world->particles;
  firn_real *v = s->v;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) firn_particles_real(p, s->field_p)[i] = s->p[i];
  }
  s->parting = true;
  firn_status status = part(s);
  s->v = s->way;
  if (s->def.barrier && status == FIRN_OK) sph_barrier(s);
  s->v = v;
  s->parting = false;
  SPH_FOR_UNITS(s, u) {
    SPH_FOR_SLOTS(s, u, i) s->p[i] = firn_particles_real(p, s->field_p)[i];
  }
  return status;
}
