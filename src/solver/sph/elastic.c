// SPDX-License-Identifier: Apache-2.0
// The strain of the next step, the plastic clamp (section 3.3.1), and where particles go.
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/jacobi.h"
#include "solver/sph/sph.h"

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// F' = F_E + dt (grad v) F_E = U S' V^T; S' is clamped, and U S U^T kept. The paper keeps V S V^T, the
// stretch in directions of before the step: it would not turn with the snow, since later increments act
// from the left. Both follow from the eigenvectors of F' F'^T or F'^T F', less I. Returns the logarithm of
// what the clamp has taken from the volume.
double sph_stretch(const firn_material_row *row, bool printed, const double D[9], firn_real e[6],
                   double principal[2][3]) {
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  double F[9], A[9], V[9]; // F' - I = s + D (I + s)
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      double sum = D[3 * r + c] + (double)e[place[3 * r + c]];
      for (int k = 0; k < 3; k++) sum += D[3 * r + k] * (double)e[place[3 * k + c]];
      F[3 * r + c] = sum;
    }
  }
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      double sum = F[3 * r + c] + F[3 * c + r]; // F' F'^T - I = f + f^T + f f^T
      for (int k = 0; k < 3; k++)
        sum += printed ? F[3 * k + r] * F[3 * k + c] : F[3 * r + k] * F[3 * c + k];
      A[3 * r + c] = sum;
    }
  }
  firn_jacobi(3, A, V);
  double taken = 0, left[3];
  for (int k = 0; k < 3; k++) {
    double l = fmax(A[4 * k], FIRN_LAW_MIN_STRETCH * FIRN_LAW_MIN_STRETCH - 1);
    double x = l / (1 + sqrt(1 + l));
    left[k] = x;
    if (principal) principal[0][k] = principal[1][k] = x;
    if (row->law != FIRN_LAW_SNOW) continue;
    left[k] = fmin(fmax(x, (double)row->lo), (double)row->hi);
    if (principal) principal[1][k] = left[k];
    taken += log1p(x) - log1p(left[k]);
  }
  for (int m = 0; m < 6; m++) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += left[k] * V[3 * pair[m][0] + k] * V[3 * pair[m][1] + k];
    e[m] = (firn_real)sum;
  }
  return taken;
}

// J that the clamp takes from a particle, at the stiffness that it had in this step.
static double spent_one(const sph *s, size_t i, const firn_material_row *row,
                        double principal[2][3]) {
  double hard = (double)s->G[i] / (double)row->mu, energy[2];
  for (int k = 0; k < 2; k++) {
    const double *x = principal[k];
    double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], trace = x[0] + x[1] + x[2];
    double det = (1 + x[0]) * (1 + x[1]) * (1 + x[2]);
    energy[k] = sph_strain_energy(s, row, hard, square, trace, det);
  }
  return (double)s->mass[i] / (double)s->rho0[i] * (energy[0] - energy[1]);
}

// Turns a vector by the spin of D = dt grad v, by Cayley's form: what a body that turns begins its next solve
// with turns along, or it would be driven by what is left of that.
static void turn(const double D[9], double a[3]) {
  const double t[3] = {(D[7] - D[5]) / 4, (D[2] - D[6]) / 4, (D[3] - D[1]) / 4};
  double b[3], scale = 2 / (1 + t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    b[k] = a[k] + t[l] * a[m] - t[m] * a[l];
  }
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    a[k] += scale * (t[l] * b[m] - t[m] * b[l]);
  }
}

static bool advance_one(sph *s, size_t i, double *speed2, double *accel2, double *spent) {
  const firn_particles *p = &s->world->particles;
  firn_material_row row = firn_world_row(s->world, i);
  double grad[9], v2 = 0, a2 = 0, rho = sph_density(s, i), shear[3];
  firn_real e[6];
  const firn_real *way = (s->way ? s->way : s->v) + 3 * i;
  sph_corrected_gradient(s, i, s->sigma + 9 * i, s->v, true, grad);
  memcpy(e, s->s + 6 * i, sizeof e);
  for (int k = 0; k < 9; k++) grad[k] *= s->dt;
  double principal[2][3], taken = sph_stretch(&row, s->def.rotation_printed, grad, e, principal);
  if (taken != 0) *spent += spent_one(s, i, &row, principal);
  bool finite = isfinite(taken);
  for (int k = 0; k < 6; k++) {
    finite = finite && isfinite(e[k]);
    firn_particles_real(p, s->field_s + k)[i] = e[k];
  }
  if (s->field_ln_jp >= 0) {
    firn_real *ln_jp = firn_particles_real(p, s->field_ln_jp) + i;
    *ln_jp = firn_min(firn_max((firn_real)((double)*ln_jp + taken), row.ln_jp_lo), row.ln_jp_hi);
  }
  for (size_t a = 0; a < 3; a++) shear[a] = (double)s->a[3 * i + a];
  turn(grad, shear);
  for (size_t a = 0; a < 3; a++) {
    firn_real *v = firn_particles_real(p, FIRN_FIELD_VX + (int)a) + i;
    double now = (double)s->v[3 * i + a], change = (now - (double)*v) / s->dt;
    v2 += now * now;
    a2 += change * change;
    *v = s->v[3 * i + a];
    double step = s->dt * (double)way[a] / s->world->h;
    firn_particles_real(p, FIRN_FIELD_X + (int)a)[i] += (firn_real)step;
    firn_particles_real(p, s->field_a + (int)a)[i] = (firn_real)shear[a];
  }
  firn_particles_real(p, s->field_p)[i] = s->p[i];
  firn_particles_real(p, s->field_rho)[i] = (firn_real)rho;
  *speed2 = fmax(*speed2, v2);
  *accel2 = fmax(*accel2, a2);
  return finite && isfinite((firn_real)v2) && isfinite(a2) && isfinite(s->p[i]) &&
         isfinite((firn_real)rho);
}

void sph_advance(sph *s, bool *finite) {
  bool good = true;
  double speed2 = 0, accel2 = 0, *part = s->sums.data;
  sph_pairs_velocity_gradient(&s->pairs, s->V, s->v, s->sigma);
  FIRN_PARALLEL_FOR(s->world->context,
                    schedule(static) reduction(&& : good) reduction(max : speed2, accel2))
  for (size_t u = 0; u < s->world->particles.unit_count; u++) {
    part[u] = 0;
    SPH_FOR_SLOTS(s, u, i) good = advance_one(s, i, &speed2, &accel2, &part[u]) && good;
  }
  if (good) s->memory.plastic += sph_sum_units(s);
  s->memory.speed2_max = speed2;
  s->memory.accel2_max = accel2;
  *finite = good;
}
