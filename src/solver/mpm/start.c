// SPDX-License-Identifier: Apache-2.0
// What new particles are given: an affine velocity, and the strain of a load.
#include <math.h>

#include "math/jacobi.h"
#include "solver/mpm/mpm.h"

void mpm_set_affine(void *solver, size_t slot, const double gradient[9]) {
  const mpm *m = solver;
  for (int i = 0; i < 9 && m->field_c >= 0; i++) {
    firn_particles_real(&m->world->particles, m->field_c + i)[slot] = (firn_real)gradient[i];
  }
}

bool mpm_get_affine(void *solver, size_t slot, double gradient[9]) {
  const mpm *m = solver;
  for (int i = 0; i < 9 && m->field_c >= 0; i++) {
    gradient[i] = (double)firn_particles_real(&m->world->particles, m->field_c + i)[slot];
  }
  return m->field_c >= 0;
}

// A share within which numbers of single precision that were computed in two ways are the same: some
// hundred roundings of 6e-8 each. In double precision it is no stricter, so that both builds take the same
// scenes.
static const double ROUNDING = 1e-5;

static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

// det(I + e), or 0 where I + e is not positive.
static double determinant(const double e[6]) {
  double xx = 1 + e[0], yy = 1 + e[1], zz = 1 + e[2], minor = xx * yy - e[3] * e[3];
  double det = zz * minor - xx * e[5] * e[5] - yy * e[4] * e[4] + 2 * e[3] * e[4] * e[5];
  return xx > 0 && minor > 0 && det > 0 ? det : 0;
}

double mpm_start_strain(void *solver, size_t slot, const double strain[6]) {
  const mpm *m = solver;
  firn_material_row row = firn_world_row(m->world, slot);
  firn_law_params params = firn_law_params_set1(&row);
  firn_real e[6], tau[6], ln_jp = 0, hard, spent;
  double most = 0, moved = 0, det = determinant(strain);
  if (!(det > 0 && isfinite(det))) return 0;
  for (int i = 0; i < 6; i++) e[i] = (firn_real)strain[i];
  firn_law_return(row.law, &params, e, &ln_jp, tau, &hard, &spent);
  // At a yield limit rounding decides, which is no reason to refuse.
  for (int i = 0; i < 6; i++) {
    most = fmax(most, fabs(strain[i]));
    moved = fmax(moved, fabs((double)e[i] - strain[i]));
  }
  if (!(moved <= ROUNDING * most)) return 0;
  for (int i = 0; i < 6; i++) {
    firn_particles_real(&m->world->particles, m->field_b + i)[slot] = (firn_real)strain[i];
  }
  return sqrt(det);
}

// Principal stretches less 1 whose Cauchy stress is this: the law's own, without its yield, answered by
// Hooke's, which is its slope at rest, until nothing is left. Converges as the strain is small.
static bool invert(const firn_material_row *material, const double sigma[3], double s[3]) {
  enum { MOST = 200 };
  firn_material_row row = *material;
  row.lo = -(row.hi = FIRN_R(1e6));
  firn_law_params params = firn_law_params_set1(&row);
  double mu2 = 2 * (double)row.mu, lambda = (double)row.lambda, size = 0, last = (double)INFINITY;
  for (int k = 0; k < 3; k++) {
    s[k] = 0;
    size = fmax(size, fabs(sigma[k]));
  }
  for (int n = 0; n < MOST; n++) {
    firn_real trial[3] = {(firn_real)s[0], (firn_real)s[1], (firn_real)s[2]}, tau[3], ln_jp = 0,
              hard, spent;
    double left[3], most = 0, j = (1 + s[0]) * (1 + s[1]) * (1 + s[2]);
    firn_law_principal(row.law, &params, trial, &ln_jp, tau, &hard, &spent);
    for (int k = 0; k < 3; k++) {
      left[k] = sigma[k] - (double)tau[k] / j;
      most = fmax(most, fabs(left[k]));
    }
    if (!isfinite(most)) return false;
    // As near as the working precision comes.
    if (most <= ROUNDING * size && !(most < 0.5 * last)) return true;
    last = most;
    double trace = (left[0] + left[1] + left[2]) / (mu2 + 3 * lambda);
    for (int k = 0; k < 3; k++) {
      s[k] += (left[k] - lambda * trace) / mu2;
      if (!(s[k] > -1)) return false;
    }
  }
  return false;
}

double mpm_start_stress(void *solver, size_t slot, const double stress[6]) {
  const mpm *m = solver;
  firn_material_row row = firn_world_row(m->world, slot);
  double a[9], v[9], s[3], e[6] = {0};
  for (int i = 0; i < 6; i++) {
    if (!isfinite(stress[i])) return 0;
    a[3 * pair[i][0] + pair[i][1]] = a[3 * pair[i][1] + pair[i][0]] = stress[i];
  }
  firn_jacobi(3, a, v);
  if (!invert(&row, (const double[3]){a[0], a[4], a[8]}, s)) return 0;
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 3; k++)
      e[i] += s[k] * (2 + s[k]) * v[3 * pair[i][0] + k] * v[3 * pair[i][1] + k];
  }
  return mpm_start_strain(solver, slot, e);
}
