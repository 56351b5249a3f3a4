// SPDX-License-Identifier: Apache-2.0
// labels: M28
// The operator of the semi-implicit step, M + beta dt^2 K.
#include "mpm/cloud.h"

// The sum of u_i v_i, and of its absolute values.
static double dot(const mpm_case *c, const firn_real *u, const firn_real *v, double *size) {
  double sum = 0;
  for (size_t i = 0; i < node_reals(c); i++) {
    if (i % 4 == 3) continue;
    sum += (double)u[i] * (double)v[i];
    if (size) *size += fabs((double)u[i] * (double)v[i]);
  }
  return sum;
}

static void fill_random(const mpm_case *c, uint64_t seed, bool projected, firn_real *x) {
  for (size_t n = 0; n < node_reals(c) / 4; n++) {
    double q[3][3], y[3] = {0};
    int count = free_directions(c, n, q);
    for (size_t a = 0; a < 3; a++) {
      double r = mpm_random(seed, 3 * n + a, -1, 1);
      if (!projected) y[a] = r;
      if (projected && (int)a < count) {
        for (int b = 0; b < 3; b++) y[b] += r * q[a][b];
      }
    }
    for (size_t a = 0; a < 3; a++) x[4 * n + a] = (firn_real)y[a];
  }
}

static void operator_is_symmetric_with_and_without_projection(void **state) {
  (void)state;
  const cloud what = {{3, 3, 3}, -0.05, 0.04, 0.4, true}; // hard: K outweighs M
  for_each_variant(v) {
    mpm_case c = open_cloud(v, NULL, &what);
    make_star(&c);
    firn_real *x = new_nodes(&c), *y = new_nodes(&c), *ax = new_nodes(&c), *ay = new_nodes(&c);
    for (int projected = 0; projected < 2; projected++) {
      fill_random(&c, 10, projected, x);
      fill_random(&c, 11, projected, y);
      apply(&c, x, ax);
      apply(&c, y, ay);
      // P A P: the projection of the product drops out of the sum, x and y being in its range.
      double size = 0, left = dot(&c, x, ay, &size), right = dot(&c, y, ax, NULL);
      // Rounding errors of the entries are a few eps each and independent: 4 eps of the sum of
      // sizes, 9e-16 in double, leaves room.
      mpm_report(v, "|x'Ay - y'Ax| = %.2e eps of the sum of sizes",
                 fabs(left - right) / size / EPS);
      assert_below(v, "x'Ay - y'Ax", left - right, 4 * EPS * size);
      // Something is being tested: the elastic part matters.
      firn_real *node = mpm_case_solver(&c)->view.node_v;
      double inertia = 0;
      for (size_t i = 0; i < node_reals(&c); i++) {
        if (i % 4 < 3) inertia += (double)(node[i / 4 * 4 + 3] * x[i] * x[i]);
      }
      mpm_report(v, "x'Ax / x'Mx = %.2f", dot(&c, x, ax, NULL) / inertia);
      assert_true(dot(&c, x, ax, NULL) > 2 * inertia);
    }
    free(x);
    free(y);
    free(ax);
    free(ay);
    mpm_case_close(&c);
  }
}

// Weight of a node at r cells from a particle, and its derivative by the particle's position.
static void spline(bool cubic, double r, double *w, double *d) {
  double s = fabs(r), sign = r > 0 ? -1 : 1;
  *w = *d = 0;
  if (cubic && s < 2) {
    *w = s < 1 ? s * s * s / 2 - s * s + 2.0 / 3 : (2 - s) * (2 - s) * (2 - s) / 6;
    *d = sign * (s < 1 ? 1.5 * s * s - 2 * s : -(2 - s) * (2 - s) / 2);
  } else if (!cubic && s < 1.5) {
    *w = s < 0.5 ? 0.75 - s * s : (1.5 - s) * (1.5 - s) / 2;
    *d = sign * (s < 0.5 ? -2 * s : s - 1.5);
  }
}

// What a node's velocity adds to the gradient at a particle: the gradient of the weight, or what
// APIC has in its place. False where the particle does not reach the node.
static bool slope_at(const mpm_case *c, const double x[3], size_t n, double slope[3]) {
  const int32_t *g = mpm_case_solver(c)->grid.at[n / 64];
  const int k[3] = {(int)(n % 64) / 16, (int)(n % 64) / 4 % 4, (int)(n % 4)};
  double w[3], d[3], r[3];
  for (int a = 0; a < 3; a++) {
    r[a] = 4.0 * g[a] + k[a] - x[a] / H;
    spline(is_cubic(c->variant), r[a], &w[a], &d[a]);
  }
  if (w[0] * w[1] * w[2] == 0) return false;
  for (int a = 0; a < 3; a++) {
    slope[a] = is_apic(c->variant) ? w[0] * w[1] * w[2] * r[a] / (basis_d(c->variant) * H)
                                   : d[a] * w[(a + 1) % 3] * w[(a + 2) % 3] / H;
  }
  return true;
}

// Gradients of the node field u at the particles, [count][9].
static double *gradients(const mpm_case *c, const firn_real *u) {
  double *x = mpm_case_read(c, "position"), *grad = mpm_case_new(c, 9), slope[3];
  for (size_t p = 0; p < mpm_case_count(c); p++) {
    for (size_t n = 0; n < node_reals(c) / 4; n++) {
      if (!slope_at(c, x + 3 * p, n, slope)) continue;
      for (size_t i = 0; i < 9; i++) {
        grad[9 * p + i] += (double)u[4 * n + i / 3] * slope[i % 3];
      }
    }
  }
  free(x);
  return grad;
}

// Sum over particles of V0 tau G^T grad w, [node reals]: by how much more the Kirchhoff stress
// tau = P F^T changes than P(F + dF) F^T, whose derivative K is, since there F^T moves too.
static double *turning(const mpm_case *c, const double *grad) {
  static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  double *x = mpm_case_read(c, "position"), *e = mpm_case_read(c, "strain");
  double *stress = mpm_case_read(c, "stress"), *jp = mpm_case_read(c, "jp");
  double *volume = mpm_case_read(c, "volume"), *out = calloc(node_reals(c), sizeof *out), slope[3];
  assert_non_null(out);
  for (size_t p = 0; p < mpm_case_count(c); p++) {
    const double *b = e + 6 * p, *g = grad + 9 * p;
    double xx = 1 + b[0], yy = 1 + b[1], zz = 1 + b[2];
    double det = xx * (yy * zz - b[5] * b[5]) - b[3] * (b[3] * zz - b[5] * b[4]) +
                 b[4] * (b[3] * b[5] - yy * b[4]);
    double j = sqrt(det) * jp[p]; // the field "stress" is Cauchy's
    for (size_t n = 0; n < node_reals(c) / 4; n++) {
      if (!slope_at(c, x + 3 * p, n, slope)) continue;
      for (size_t i = 0; i < 9; i++) {
        size_t k = i % 3;
        double turned = g[k] * slope[0] + g[3 + k] * slope[1] + g[6 + k] * slope[2];
        out[4 * n + i / 3] += volume[p] * j * stress[6 * p + (size_t)at[i]] * turned;
      }
    }
  }
  free(x);
  free(e);
  free(stress);
  free(jp);
  free(volume);
  return out;
}

// b - I from b = (I + s G) (I + e) (I + s G)^T.
static void push(const double e[6], const double grad[9], double s, double out[6]) {
  static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  const double full[9] = {1 + e[0], e[3], e[4], e[3], 1 + e[1], e[5], e[4], e[5], 1 + e[2]};
  double f[9], fb[9];
  for (int k = 0; k < 9; k++) f[k] = (k % 4 == 0) + s * grad[k];
  for (int p = 0; p < 3; p++) {
    for (int q = 0; q < 3; q++) {
      fb[3 * p + q] = f[3 * p] * full[q] + f[3 * p + 1] * full[3 + q] + f[3 * p + 2] * full[6 + q];
    }
  }
  for (int k = 0; k < 6; k++) {
    const double *p = fb + 3 * row[k], *q = f + 3 * column[k];
    out[k] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] - (k < 3);
  }
}

// v* with all strains pushed by s grad.
static firn_real *star_after(const mpm_case *c, const double *e, const double *grad, double s) {
  double *pushed = mpm_case_new(c, 6);
  for (size_t i = 0; i < mpm_case_count(c); i++) push(e + 6 * i, grad + 9 * i, s, pushed + 6 * i);
  mpm_case_write(c, "strain", pushed);
  free(pushed);
  make_star(c);
  firn_real *star = new_nodes(c);
  memcpy(star, mpm_case_solver(c)->view.node_v, node_reals(c) * sizeof *star);
  return star;
}

// The force in v* = v + dt (f/m + g) changes by -K u s, and what turning takes, when strains are
// pushed by the gradient of s u.
static void operator_is_the_derivative_of_the_force(void **state) {
  (void)state;
  const cloud what = {{2, 2, 2}, -0.05, 0.04, 0.8, false};
  // Central differences with strains of epsilon: the energy's fourth derivative leaves epsilon^2,
  // rounding of forces that are 0.1 of the stiffness leaves 0.1 eps/epsilon, times a few.
  double epsilon = by_precision(3e-3, 1e-5), allowed = by_precision(3e-4, 1e-9);
  for_each_variant(v) {
    mpm_case c = open_cloud(v, NULL, &what);
    make_star(&c);
    firn_real *u = new_nodes(&c), *au = new_nodes(&c);
    fill_random(&c, 12, false, u);
    apply(&c, u, au);
    double *e = mpm_case_read(&c, "strain"), *grad = gradients(&c, u), largest = 0;
    double *turned = turning(&c, grad);
    for (size_t i = 0; i < 9 * mpm_case_count(&c); i++) worst(&largest, grad[i]);
    double s = epsilon / largest;
    firn_real *more = star_after(&c, e, grad, s), *less = star_after(&c, e, grad, -s);
    double off = 0, size = 0;
    for (size_t i = 0; i < node_reals(&c); i++) {
      if (i % 4 == 3) continue;
      double mass = (double)more[i / 4 * 4 + 3];
      double change = mass * ((double)more[i] - (double)less[i]) / (2 * s * DT);
      double ku = ((double)au[i] - mass * (double)u[i]) / (DT * DT);
      worst(&size, ku);
      worst(&off, change + ku + turned[i]);
    }
    mpm_report(v, "largest difference %.2e of the largest force", off / size);
    assert_below(v, "df + Ku", off / size, allowed);
    free(u);
    free(au);
    free(more);
    free(less);
    free(e);
    free(grad);
    free(turned);
    mpm_case_close(&c);
  }
}

// At rest the blocks that the block preconditioner inverts are the operator's own; in a solve they
// stay in memory.
static void block_preconditioner_inverts_the_diagonal(void **state) {
  (void)state;
  const cloud what = {{2, 2, 2}, 0, 0, 0.6, false};
  firn_mpm_def like = firn_default_mpm_def();
  like.preconditioner = FIRN_PRECONDITIONER_BLOCK;
  for_each_variant(v) {
    mpm_case c = open_cloud(v, NULL, &what), d = open_cloud(v, &like, &what);
    make_star(&c);
    mpm_case_steps(&d, 1);
    assert_int_equal(node_reals(&c), node_reals(&d));
    const mpm *m = mpm_case_solver(&c);
    const firn_real *inverse = mpm_case_solver(&d)->diagonal.data;
    firn_real *x = new_nodes(&c), *ax = new_nodes(&c);
    double off = 0, size = 0;
    for (size_t n = 0; n < node_reals(&c) / 4; n++) {
      if (!(m->view.node_v[4 * n + 3] > m->view.mass_floor)) continue;
      for (size_t a = 0; a < 3; a++) {
        static const size_t at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
        x[4 * n + a] = 1;
        apply(&c, x, ax);
        x[4 * n + a] = 0;
        for (size_t i = 0; i < 3; i++) {
          double product = 0;
          for (size_t k = 0; k < 3; k++) {
            product += (double)inverse[6 * n + at[i][k]] * (double)ax[4 * n + k];
          }
          worst(&off, product - (i == a));
          worst(&size, (double)ax[4 * n + i] / (double)m->view.node_v[4 * n + 3]);
        }
      }
    }
    mpm_report(v, "inverse times block - I: %.1f eps; blocks up to %.1f times the mass", off / EPS,
               size);
    // Rounding of sums and of a 3x3 inverse whose condition number is below 4.
    assert_below(v, "inverse times block - I", off, 16 * EPS);
    assert_true(size > 2);
    free(x);
    free(ax);
    mpm_case_close(&c);
    mpm_case_close(&d);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operator_is_symmetric_with_and_without_projection),
      cmocka_unit_test(operator_is_the_derivative_of_the_force),
      cmocka_unit_test(block_preconditioner_inverts_the_diagonal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
