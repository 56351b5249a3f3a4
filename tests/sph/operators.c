// SPDX-License-Identifier: Apache-2.0
// labels: P1 P2 P3 P4
// The sums over neighbours: densities, gradients, divergences, and how they belong together.
#include "support/both_lists.h"

// A lattice of 9^3, and a particle alone far away. Of a whole lattice the kernel sums up to
// 0.9999725, not 1; the others are sums over half, and over nothing.
static void lattice_has_the_density_of_its_kernel_sum(void **state) {
  (void)state;
  sph_plan plan = plan_with_lists();
  sph_case c = sph_case_open(&plan);
  const double corner[3] = {0.123, -0.456, 0.789}, far[3] = {1234.5, -20.25, 77};
  sph_case_lattice(&c, (const int[3]){9, 9, 9}, corner, 0);
  sph_case_add(&c, 1, far);
  sph_case_prepare(&c, 1e-4);
  const sph *s = sph_case_solver(&c);
  double tolerance = by_precision(2e-6, 1e-6); // float: of positions, 1e-7 of a block of 8 spacings
  double inside = sph_density(s, sph_case_slot(&c, 4 * 81 + 4 * 9 + 4)) / 400;
  double face = sph_density(s, sph_case_slot(&c, 8 * 81 + 4 * 9 + 4)) / 400;
  double alone = sph_density(s, sph_case_slot(&c, 729)) / 400;
  assert_within("density inside", inside, 0.9999725, tolerance);
  assert_within("density at a surface", face, 0.850288, tolerance);
  assert_within("density of a lone flake", alone, 0.318310, tolerance);
  // 27 contributors, those at two spacings left to rounding, which weigh nothing.
  sph_case_close(&c);
}

// A cloud above a floor, and with snow of several densities in it: nothing is uniform.
static sph_case mirrored_cloud(bool floor, double far, bool mirrored) {
  sph_plan plan = plan_with_lists();
  plan.sph.walls_printed = !mirrored;
  sph_case c = sph_case_open(&plan);
  const double corner[3] = {0.003 + far, 0.006, -0.02};
  if (floor) sph_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, 1);
  sph_case_lattice(&c, (const int[3]){6, 6, 6}, corner, 0.3);
  sph_case_prepare(&c, 1e-3);
  sph *s = sph_case_solver(&c);
  // Other volumes than densities have, so that V_i and V_j cannot be taken for each other.
  for_each_particle(s, i) {
    uint32_t id = firn_particles_id(&s->world->particles)[i];
    s->V[i] *= (firn_real)sph_random(3, id, 0.5, 1.5);
  }
  sph_pairs_moments(&s->pairs, s->V, s->c, s->L, s->g2);
  return c;
}

static sph_case cloud(bool floor, double far) {
  return mirrored_cloud(floor, far, false);
}

static void diagonal_is_that_of_the_product_with_a_unit_vector(void **state) {
  (void)state;
  sph_case c = cloud(true, 0);
  sph *s = sph_case_solver(&c);
  double off = 0, misprint = 0;
  sph_pressure_diagonal(s);
  firn_real *unit = s->step, *out = s->q;
  memset(unit, 0, s->slots * sizeof *unit);
  for_each_particle(s, i) {
    unit[i] = 1;
    sph_pressure_product(s, unit, out);
    unit[i] = 0;
    double expected = (double)s->kappa[i] + s->dt * s->dt * (double)s->diagonal[i];
    worst(&off, ((double)out[i] - expected) / expected);
    double V_jV_j = 0;                    // as printed
    if (s->pairs.lists.kernels) continue; // pairs are told by plain lists alone
    for (uint64_t k = s->pairs.snow.start[i]; k < s->pairs.snow.end[i]; k++) {
      double g2 = 0, V = (double)s->V[s->pairs.snow.other[k]];
      for (int a = 0; a < 3; a++)
        g2 += pow((double)(s->pairs.snow.near[k].f * s->pairs.snow.near[k].x[a]), 2);
      V_jV_j += V * V * g2 / (c.d * c.d);
    }
    double own = (double)s->V[i] * (double)s->g2[i];
    worst(&misprint, s->dt * s->dt * (V_jV_j - own) / expected);
  }
  // float: a sum of 60 products, and the diagonal adds up to what its parts are several times of
  assert_below("a_ii", off, by_precision(3e-5, 1e-12));
  assert_true(misprint > 0.02 || s->pairs.lists.kernels); // the printed form is told apart
  sph_case_close(&c);
}

static void corrected_gradient_of_a_linear_field_is_exact(void **state) {
  (void)state;
  sph_case c = cloud(false, 0);
  sph *s = sph_case_solver(&c);
  const double A[9] = {3, -1, 2, 0.5, -2, 7, 1, 4, -5};
  sph_case_prepare(&c, 1e-3); // L of the true volumes again
  for_each_particle(s, i) {
    double x[3];
    sph_case_position(&c, i, x);
    for (size_t r = 0; r < 3; r++)
      s->v[3 * i + r] = (firn_real)(A[3 * r] * x[0] + A[3 * r + 1] * x[1] + A[3 * r + 2] * x[2]);
  }
  sph_pairs_velocity_gradient(&s->pairs, s->V, s->v, s->sigma);
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  double off = 0, plain = 0, swapped = 0;
  for_each_particle(s, i) {
    const firn_real *D = s->sigma + 9 * i, *L = s->L + 6 * i;
    double grad[9], trace = (double)D[0] + (double)D[4] + (double)D[8];
    sph_corrected_gradient(s, i, D, s->v, false, grad);
    worst(&swapped, grad[0] + grad[4] + grad[8] - trace);
    double back = (trace - (A[0] + A[4] + A[8])) / 3;
    for (int r = 0; r < 3; r++)
      for (int q = 0; q < 3; q++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += (double)D[3 * r + k] * (double)L[place[3 * k + q]];
        worst(&off, sum - A[3 * r + q]);
        worst(&off, grad[3 * r + q] - (r == q ? back : 0) - A[3 * r + q]);
        worst(&plain, (double)D[3 * r + q] - A[3 * r + q]);
      }
  }
  // float: velocities of 0.5 m/s differ by 0.05 over a spacing, and L is up to 3: 1e-7 * 10 * 3 * 7
  assert_below("gradient", off, by_precision(3e-4, 1e-10));
  assert_below("trace of the plain gradient", swapped, by_precision(1e-5, 1e-12));
  assert_true(plain > 1); // without L it is nowhere near
  sph_case_close(&c);
}

static void fill(const sph *s, firn_real *out, size_t n, uint64_t seed) {
  for_each_particle(s, i) {
    for (size_t k = 0; k < n; k++)
      out[n * i + k] = (firn_real)sph_random(
          seed, n * firn_particles_id(&s->world->particles)[i] + k, -1, 1);
  }
}

// sum V q div u = - sum V u . grad q with psi = 1, walls included.
static void gradient_and_divergence_are_adjoint(void **state) {
  (void)state;
  sph_case c = cloud(true, 0);
  sph *s = sph_case_solver(&c);
  fill(s, s->p, 1, 11);
  fill(s, s->v, 3, 12);
  sph_pairs_divergence(&s->pairs, s->V, s->v, 1, s->q);
  for (int weighted = 0; weighted < 2; weighted++) {
    sph_pairs_gradient(&s->pairs, s->V, s->p, weighted ? FIRN_R(1.5) : FIRN_R(1), s->grad);
    double left = 0, right = 0, size = 0;
    for_each_particle(s, i) {
      double V = (double)s->V[i];
      left += V * (double)s->p[i] * (double)s->q[i];
      size += fabs(V * (double)s->p[i] * (double)s->q[i]);
      for (size_t a = 0; a < 3; a++)
        right -= V * (double)s->v[3 * i + a] * (double)s->grad[3 * i + a];
    }
    if (weighted)
      assert_true(fabs(left - right) > 1e-3 * size); // psi breaks it
    else
      assert_below("adjointness of the pressure", (left - right) / size, by_precision(1e-6, 1e-12));
  }
  sph_case_close(&c);
}

// sum V sigma : grad~ u = - sum V u . div sigma, where grad~ has L and, of walls, what they mirror
// or, as printed, their trace.
static void stress_is_adjoint(bool mirrored) {
  static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  sph_case c = mirrored_cloud(true, 0, mirrored);
  sph *s = sph_case_solver(&c);
  firn_real *sigma = malloc(6 * s->slots * sizeof *sigma), *L = s->L;
  fill(s, sigma, 6, 21);
  fill(s, s->v, 3, 22);
  double left = 0, right = 0, size = 0;
  sph_pairs_velocity_gradient(&s->pairs, s->V, s->v, s->sigma);
  for_each_particle(s, i) {
    double wall = 0;
    for (int r = 0; r < 3; r++)
      for (int q = 0; q < 3; q++) {
        double grad = 0, l = (double)L[6 * i + (size_t)place[3 * r + q]];
        for (int k = 0; k < 3; k++) {
          double plain = (double)s->sigma[9 * i + 3 * (size_t)r + (size_t)k];
          for (int d = 0; d < 3 && mirrored; d++)
            plain -= (double)s->pairs.wall.m[10 * i + SPH_MIRROR[d][place[3 * r + k]]] *
                     (double)s->v[3 * i + (size_t)d];
          grad += plain * (double)L[6 * i + (size_t)place[3 * k + q]];
        }
        double part = (double)s->V[i] * (double)sigma[6 * i + (size_t)place[3 * r + q]] * grad;
        left += part;
        size += fabs(part);
        wall -= (double)s->v[3 * i + (size_t)r] * l * (double)s->pairs.wall.c[3 * i + (size_t)q];
      }
    double trace = (double)(sigma[6 * i] + sigma[6 * i + 1] + sigma[6 * i + 2]) / 3;
    if (!mirrored) left += (double)s->V[i] * trace * wall;
    for (int r = 0; r < 3; r++)
      for (int q = 0; q < 3; q++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
          sum += (double)sigma[6 * i + (size_t)place[3 * r + k]] *
                 (double)L[6 * i + (size_t)place[3 * k + q]];
        s->sigma[9 * i + 3 * (size_t)r + (size_t)q] = (firn_real)sum;
      }
  }
  sph_pairs_stress_divergence(&s->pairs, s->V, s->sigma, s->grad);
  for_each_particle(s, i) {
    double trace = (double)(sigma[6 * i] + sigma[6 * i + 1] + sigma[6 * i + 2]) / 3;
    for (size_t r = 0; r < 3; r++) {
      double div = (double)s->grad[3 * i + r];
      for (size_t q = 0; q < 3 && !mirrored; q++)
        div += trace * (double)L[6 * i + (size_t)place[3 * r + q]] *
               (double)s->pairs.wall.c[3 * i + q];
      for (size_t k = 0; k < 9 && mirrored; k++)
        div += (double)s->pairs.wall.m[10 * i + SPH_MIRROR[r][place[k]]] *
               (double)s->sigma[9 * i + k];
      right -= (double)s->V[i] * (double)s->v[3 * i + r] * div;
    }
  }
  assert_below("adjointness of the stress", (left - right) / size, by_precision(2e-6, 1e-12));
  free(sigma);
  sph_case_close(&c);
}

static void stress_divergence_is_adjoint_to_the_corrected_gradient(void **state) {
  (void)state;
  stress_is_adjoint(false);
  stress_is_adjoint(true);
}

static void pairs_exert_no_force_on_themselves(void **state) {
  (void)state;
  sph_case c = cloud(false, 0);
  sph *s = sph_case_solver(&c);
  sph_case_prepare(&c, 1e-3);
  fill(s, s->p, 1, 31);
  fill(s, s->sigma, 9, 32);
  sph_pairs_gradient(&s->pairs, s->V, s->p, FIRN_R(1.5), s->grad);
  sph_pairs_stress_divergence(&s->pairs, s->V, s->sigma, s->v);
  double sum[2][3] = {{0}}, torque[3] = {0}, size[2] = {0}, arm = 0;
  for_each_particle(s, i) {
    double x[3], f[3];
    sph_case_position(&c, i, x);
    for (size_t a = 0; a < 3; a++) {
      f[a] = (double)s->V[i] * (double)s->grad[3 * i + a];
      sum[0][a] += f[a];
      size[0] += fabs(f[a]);
      sum[1][a] += (double)s->V[i] * (double)s->v[3 * i + a];
      size[1] += fabs((double)s->V[i] * (double)s->v[3 * i + a]);
      arm = fmax(arm, fabs(x[a]));
    }
    torque[0] += x[1] * f[2] - x[2] * f[1];
    torque[1] += x[2] * f[0] - x[0] * f[2];
    torque[2] += x[0] * f[1] - x[1] * f[0];
  }
  for (int a = 0; a < 3; a++) {
    assert_below("net force of pressure", sum[0][a] / size[0], by_precision(1e-7, 1e-12));
    assert_below("net torque of pressure", torque[a] / size[0] / arm, by_precision(1e-7, 1e-12));
    assert_below("net force of shear", sum[1][a] / size[1], by_precision(1e-7, 1e-12));
  }
  sph_case_close(&c);
}

// Blocks and cells are those of the lattice: 2560 blocks of 8 spacings away nothing has changed.
static void sums_are_the_same_far_from_the_origin(void **state) {
  (void)state;
  sph_case here = cloud(true, 0), there = cloud(true, 2560 * 0.08);
  sph *a = sph_case_solver(&here), *b = sph_case_solver(&there);
  double off = 0;
  for_each_particle(a, i) {
    size_t j = sph_case_slot(&there, firn_particles_id(&a->world->particles)[i]);
    worst(&off, (double)(a->V[i] - b->V[j]) / (double)a->V[i]);
    worst(&off, (double)(a->g2[i] - b->g2[j]) / (double)a->g2[i]);
  }
  // Positions are handed over as doubles of 200 m: 3e-14 m, or 3e-12 spacings.
  assert_below("difference", off, by_precision(3e-7, 1e-10));
  sph_case_close(&here);
  sph_case_close(&there);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      BOTH_LISTS(lattice_has_the_density_of_its_kernel_sum),
      BOTH_LISTS(diagonal_is_that_of_the_product_with_a_unit_vector),
      BOTH_LISTS(corrected_gradient_of_a_linear_field_is_exact),
      BOTH_LISTS(gradient_and_divergence_are_adjoint),
      BOTH_LISTS(stress_divergence_is_adjoint_to_the_corrected_gradient),
      BOTH_LISTS(pairs_exert_no_force_on_themselves),
      BOTH_LISTS(sums_are_the_same_far_from_the_origin),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
