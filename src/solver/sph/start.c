// SPDX-License-Identifier: Apache-2.0
// What new snow is given: the strain of a load. Its volume at rest is then larger than the one that it
// takes, so that by its density it is neither packed nor loose.
#include <math.h>

#include "math/jacobi.h"
#include "solver/sph/sph.h"

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// What the pressure has of lambda.
static double pressure_of(const sph *s, const firn_material_row *row, double j) {
  double lambda = (double)row->lambda;
  if (s->def.split == FIRN_SPH_SPLIT_COMBINED || s->def.pressure == FIRN_SPH_PRESSURE_IISPH)
    return 0;
  if (s->def.split == FIRN_SPH_SPLIT_DEVIATORIC) lambda += 2 * (double)row->mu / 3;
  return lambda * (1 / j - 1);
}

static void give(sph *s, size_t slot, const double stretch[6], double j) {
  const firn_particles *p = &s->world->particles;
  firn_material_row row = firn_world_row(s->world, slot);
  double mass = (double)firn_particles_real(p, FIRN_FIELD_MASS)[slot];
  for (int k = 0; k < 6; k++) firn_particles_real(p, s->field_s + k)[slot] = (firn_real)stretch[k];
  firn_particles_real(p, s->field_p)[slot] = (firn_real)pressure_of(s, &row, j);
  firn_particles_real(p, FIRN_FIELD_VOLUME)[slot] = (firn_real)(mass / ((double)row.density * j));
}

// Confined along up: 2 G (1 - s) + lambda (1/s - 1) = load, which is quadratic in s. What would yield stays
// at the yield stretch.
void sph_settle(void *solver, size_t slot, const double up[3], double load) {
  sph *s = solver;
  firn_material_row row = firn_world_row(s->world, slot);
  double G = (double)row.mu, lambda = (double)row.lambda, b = load + lambda - 2 * G, stretch[6];
  double x = (sqrt(b * b + 8 * G * lambda) - b) / (4 * G);
  if (row.law == FIRN_LAW_SNOW) x = fmax(x, 1 + (double)row.lo);
  for (int k = 0; k < 6; k++) stretch[k] = (x - 1) * up[pair[k][0]] * up[pair[k][1]];
  give(s, slot, stretch, x);
}

// Principal stretches, less 1, and their directions, the columns of V. False where they would yield.
static bool principal(const firn_material_row *row, const double x[3]) {
  for (int k = 0; k < 3; k++) {
    if (!(x[k] > -1)) return false;
    // At a limit rounding decides, which is no reason to refuse.
    double slack = 1e-5 * fabs(x[k]);
    if (row->law == FIRN_LAW_SNOW &&
        (x[k] < (double)row->lo - slack || x[k] > (double)row->hi + slack))
      return false;
  }
  return true;
}

static double take(sph *s, size_t slot, const double x[3], const double V[9]) {
  firn_material_row row = firn_world_row(s->world, slot);
  double stretch[6] = {0}, j = (1 + x[0]) * (1 + x[1]) * (1 + x[2]);
  if (!principal(&row, x)) return 0;
  for (int m = 0; m < 6; m++)
    for (int k = 0; k < 3; k++) stretch[m] += x[k] * V[3 * pair[m][0] + k] * V[3 * pair[m][1] + k];
  give(s, slot, stretch, j);
  return j;
}

double sph_start_strain(void *solver, size_t slot, const double strain[6]) {
  double A[9], V[9], x[3];
  for (int k = 0; k < 6; k++) {
    if (!isfinite(strain[k])) return 0;
    A[3 * pair[k][0] + pair[k][1]] = strain[k];
  }
  firn_jacobi(3, A, V);
  for (int k = 0; k < 3; k++) {
    if (!(A[4 * k] > -1)) return 0;
    x[k] = A[4 * k] / (1 + sqrt(1 + A[4 * k]));
  }
  return take(solver, slot, x, V);
}

// sigma = 2 G x - lambda (1/J - 1), answered by Hooke's law until nothing is left.
double sph_start_stress(void *solver, size_t slot, const double stress[6]) {
  enum { MOST = 200 };
  sph *s = solver;
  firn_material_row row = firn_world_row(s->world, slot);
  double G = (double)row.mu, lambda = (double)row.lambda, A[9], V[9], x[3] = {0}, size = 0;
  for (int k = 0; k < 6; k++) {
    if (!isfinite(stress[k])) return 0;
    A[3 * pair[k][0] + pair[k][1]] = stress[k];
  }
  firn_jacobi(3, A, V);
  for (int k = 0; k < 3; k++) size = fmax(size, fabs(A[4 * k]));
  for (int n = 0; n < MOST; n++) {
    double left[3], most = 0, j = (1 + x[0]) * (1 + x[1]) * (1 + x[2]);
    double trace = x[0] + x[1] + x[2], p = lambda * (1 / j - 1);
    if (s->def.split == FIRN_SPH_SPLIT_COMBINED) p = -lambda * trace;
    if (s->def.split == FIRN_SPH_SPLIT_DEVIATORIC)
      p = (lambda + 2 * G / 3) * (1 / j - 1) + 2 * G / 3 * trace;
    for (int k = 0; k < 3; k++) {
      left[k] = A[4 * k] - (2 * G * x[k] - p);
      most = fmax(most, fabs(left[k]));
    }
    if (!isfinite(most)) return 0;
    if (most <= 1e-12 * size) return take(s, slot, x, V);
    double share = (left[0] + left[1] + left[2]) / (2 * G + 3 * lambda);
    for (int k = 0; k < 3; k++) {
      x[k] += (left[k] - lambda * share) / (2 * G);
      if (!(x[k] > -1)) return 0;
    }
  }
  return 0;
}
