// SPDX-License-Identifier: Apache-2.0
// labels: M29
// What the solvers make of the semi-implicit system.
#include "mpm/cloud.h"

// In-place Cholesky factorisation of a [n][n] and solution of a x = b in b. Fails the test where
// the matrix is not positive definite.
static void cholesky_solve(size_t n, double *a, double *b) {
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < j; k++) {
      for (size_t i = j; i < n; i++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
    }
    if (!(a[j * n + j] > 0)) fail_msg("pivot %zu of the dense matrix is %g", j, a[j * n + j]);
    double root = sqrt(a[j * n + j]);
    for (size_t i = j; i < n; i++) a[i * n + j] /= root;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

typedef struct freedom {
  size_t node;
  double q[3];
} freedom;

// v* + Q (Q'AQ)^-1 Q'(M v* - A v*), Q being all directions that contact leaves free. Returns the
// number of directions, and of nodes by how many directions they have left.
static size_t solve_densely(const mpm_case *c, double *v, int kinds[4]) {
  size_t reals = node_reals(c), n = 0;
  const mpm *m = mpm_case_solver(c);
  freedom *f = malloc(reals * sizeof *f);
  assert_non_null(f);
  for (size_t node = 0; node < reals / 4; node++) {
    double q[3][3];
    int count = free_directions(c, node, q);
    if (m->view.node_v[4 * node + 3] > m->view.mass_floor) kinds[count]++;
    for (int k = 0; k < count; k++, n++) {
      f[n].node = node;
      memcpy(f[n].q, q[k], sizeof q[k]);
    }
  }
  firn_real *x = new_nodes(c), *ax = new_nodes(c);
  double *a = malloc(n * n * sizeof *a), *b = malloc(n * sizeof *b);
  assert_non_null(a);
  assert_non_null(b);
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < 3; k++) x[4 * f[j].node + k] = (firn_real)f[j].q[k];
    apply(c, x, ax);
    for (size_t k = 0; k < 3; k++) x[4 * f[j].node + k] = 0;
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t k = 0; k < 3; k++) sum += f[i].q[k] * (double)ax[4 * f[i].node + k];
      a[i * n + j] = sum;
    }
  }
  for (size_t i = 0; i < reals; i++) x[i] = i % 4 < 3 ? m->view.node_v[i] : 0;
  apply(c, x, ax);
  for (size_t i = 0; i < n; i++) {
    b[i] = 0;
    for (size_t k = 0; k < 3; k++) {
      size_t at = 4 * f[i].node + k;
      double mass = (double)m->view.node_v[4 * f[i].node + 3];
      b[i] += f[i].q[k] * (mass * (double)x[at] - (double)ax[at]);
    }
  }
  cholesky_solve(n, a, b);
  for (size_t i = 0; i < reals; i++) v[i] = (double)x[i];
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < 3; k++) v[4 * f[i].node + k] += f[i].q[k] * b[i];
  }
  free(f);
  free(x);
  free(ax);
  free(a);
  free(b);
  return n;
}

// Root mean square over the mass of the difference of the nodes' velocities and v, m/s.
static double distance(const mpm_case *c, const double *v) {
  const firn_real *node = mpm_case_solver(c)->view.node_v;
  double sum = 0, mass = 0;
  for (size_t i = 0; i < node_reals(c); i++) {
    if (i % 4 == 3) {
      mass += (double)node[i];
    } else {
      double d = (double)node[i] - v[i], w = (double)node[i / 4 * 4 + 3];
      sum += w * d * d;
    }
  }
  return sqrt(sum / mass);
}

static void conjugate_residuals_find_what_cholesky_finds(void **state) {
  (void)state;
  // 2 cells by 2 by 1 reach 5 x 5 x 4 nodes of the cubic spline: 300 degrees of freedom at most.
  const cloud what = {{2, 2, 1}, -0.05, 0.04, 0.8, true};
  firn_mpm_def like = firn_default_mpm_def();
  like.tolerance = by_precision(1e-6, 1e-12);
  like.max_iterations = 1000;
  for_each_variant(v) {
    for (int node = 0; node < 2; node++) { // D-6 both ways
      like.contact_node = node;
      mpm_case c = open_cloud(v, &like, &what);
      make_star(&c);
      size_t reals = node_reals(&c);
      double *dense = malloc(reals * sizeof *dense);
      assert_non_null(dense);
      int kinds[4] = {0};
      size_t n = solve_densely(&c, dense, kinds);
      assert_true(n <= 300 && n > 60);
      assert_true(kinds[0] > 0 && kinds[3] > 0);
      if (!node) assert_true(kinds[1] > 0 && kinds[2] > 0);
      if (node) assert_true(kinds[1] == 0 && kinds[2] == 0);
      double changed = distance(&c, dense); // by the solve, m/s
      firn_step step;
      must(&c, firn_sim_step(c.sim, 0, &step));
      assert_true(step.implicit && step.iterations > 3);
      // A - M is positive here, so an error in velocity is at most the residual: tol of the 1 m/s
      // that things move at. The dense matrix in float has errors of a few eps itself, which the
      // condition number, 1 + 4 (c dt/h)^2 of about 20, multiplies.
      double off = distance(&c, dense);
      mpm_report(v, "%zu degrees of freedom, %d iterations: off by %.2e m/s, solve moved %.2e m/s",
                 n, step.iterations, off, changed);
      assert_below(v, "velocity, m/s", off, by_precision(1e-5, 1e-9));
      assert_true(changed > 0.05);
      free(dense);
      mpm_case_close(&c);
    }
  }
}

// One step from the same state, velocities of the nodes after it.
static double *solve_one(const mpm_variant *v, const cloud *what, firn_krylov krylov,
                         firn_hessian hessian, firn_preconditioner preconditioner, double tolerance,
                         mpm_case *keep, firn_step *step) {
  firn_mpm_def like = firn_default_mpm_def();
  like.krylov = krylov;
  like.hessian = hessian;
  like.preconditioner = preconditioner;
  like.tolerance = tolerance;
  like.max_iterations = 1000;
  *keep = open_cloud(v, &like, what);
  must(keep, firn_sim_step(keep->sim, 0, step));
  size_t reals = node_reals(keep);
  double *out = malloc(reals * sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < reals; i++) out[i] = (double)mpm_case_solver(keep)->view.node_v[i];
  return out;
}

static void all_solvers_agree(void **state) {
  (void)state;
  static const struct {
    const char *name;
    firn_krylov krylov;
    firn_hessian hessian;
    firn_preconditioner preconditioner;
  } others[] = {
      {"MINRES", FIRN_KRYLOV_MINRES, FIRN_HESSIAN_EXACT, FIRN_PRECONDITIONER_MASS},
      {"CR, block", FIRN_KRYLOV_CR, FIRN_HESSIAN_EXACT, FIRN_PRECONDITIONER_BLOCK},
      {"MINRES, block", FIRN_KRYLOV_MINRES, FIRN_HESSIAN_EXACT, FIRN_PRECONDITIONER_BLOCK},
      {"CR, stiffness", FIRN_KRYLOV_CR, FIRN_HESSIAN_EXACT, FIRN_PRECONDITIONER_STIFFNESS},
      {"MINRES, stiffness", FIRN_KRYLOV_MINRES, FIRN_HESSIAN_EXACT, FIRN_PRECONDITIONER_STIFFNESS},
      {"CR, PSD", FIRN_KRYLOV_CR, FIRN_HESSIAN_PSD, FIRN_PRECONDITIONER_MASS},
      {"CG, PSD", FIRN_KRYLOV_CG, FIRN_HESSIAN_PSD, FIRN_PRECONDITIONER_MASS},
      {"CG, PSD, block", FIRN_KRYLOV_CG, FIRN_HESSIAN_PSD, FIRN_PRECONDITIONER_BLOCK},
  };
  double tolerance = by_precision(1e-6, 1e-10);
  for_each_variant(v) {
    for (int stretched = 0; stretched < 2; stretched++) {
      // The twist eigenvalues are negative in compression: there PSD is another matrix. In tension
      // all eigenvalues are positive, and it must be the same.
      const cloud what = {{4, 3, 3}, stretched ? 0.1 : -0.05, 0.03, 0.8, true};
      mpm_case c, d;
      firn_step step;
      double *v_cr = solve_one(v, &what, FIRN_KRYLOV_CR, FIRN_HESSIAN_EXACT,
                               FIRN_PRECONDITIONER_MASS, tolerance, &c, &step);
      for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        firn_step other;
        double *v_other = solve_one(v, &what, others[i].krylov, others[i].hessian,
                                    others[i].preconditioner, tolerance, &d, &other);
        double off = distance(&d, v_cr);
        mpm_report(v, "%-10s %-15s %2d iterations (CR %d), off by %.2e m/s",
                   stretched ? "stretched" : "compressed", others[i].name, other.iterations,
                   step.iterations, off);
        // Both stop within tol of velocities that are 2 m/s against the ground at most, in norms
        // that differ by the preconditioner; rounding in float is below.
        bool same = others[i].hessian == FIRN_HESSIAN_EXACT || stretched;
        assert_true(other.iterations > 3);
        if (same) assert_below(v, others[i].name, off, 10 * tolerance);
        if (!same) assert_true(off > 1e-4 && off < 0.1); // another matrix, not a wrong one
        free(v_other);
        mpm_case_close(&d);
      }
      free(v_cr);
      mpm_case_close(&c);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conjugate_residuals_find_what_cholesky_finds),
      cmocka_unit_test(all_solvers_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
