// SPDX-License-Identifier: Apache-2.0
// labels: slow
// long in double
// The stiffness as preconditioner of the semi-implicit solve, and the choice between it and the mass.
#include "mpm/cloud.h"

static const double JP = 0.5;

static firn_mpm_def def_of(firn_preconditioner preconditioner, double tolerance) {
  firn_mpm_def like = firn_default_mpm_def();
  like.preconditioner = preconditioner;
  like.tolerance = tolerance;
  like.max_iterations = 1000;
  return like;
}

// A cloud whose J_P lies between two numbers, one for each cube of two cells. In its steps c dt/h is
// e^{5 (1 - J_P)}/2.
static mpm_case open_hard(const mpm_variant *v, const firn_mpm_def *like, const cloud *what,
                          double least, double most) {
  mpm_case c = open_cloud(v, like, what);
  double *jp = mpm_case_new(&c, 1), *x = mpm_case_read(&c, "position");
  for (size_t i = 0; i < mpm_case_count(&c); i++) {
    size_t cube = 0;
    for (size_t a = 0; a < 3; a++) cube = 8 * cube + (size_t)(x[3 * i + a] / (2 * H));
    jp[i] = mpm_random(7, cube, least, most);
  }
  mpm_case_write(&c, "jp", jp);
  free(jp);
  free(x);
  return c;
}

// Particles give stiffness to nodes as they give mass. Where all are alike, a node's stiffness is then its mass times
// what a particle has of both: V (lambda + 4 mu)/(16 D h^2 m).
static void stiffness_of_uniform_snow_is_its_mass_times_a_number(void **state) {
  (void)state;
  static const int sizes[2] = {1, 4}; // cells: grains of thin blocks, and arenas
  firn_mpm_def like = def_of(FIRN_PRECONDITIONER_STIFFNESS, 1e-3);
  for_each_variant(v) {
    for (int i = 0; i < 2; i++) {
      const cloud what = {{sizes[i], sizes[i], sizes[i]}, 0, 0, 1, true};
      mpm_case c = open_hard(v, &like, &what, JP, JP);
      firn_material_def snow = firn_default_material_def();
      double mu = snow.young / (2 * (1 + snow.poisson));
      double lambda = 2 * mu * snow.poisson / (1 - 2 * snow.poisson);
      mpm_case_steps(&c, 1);
      const mpm *m = mpm_case_solver(&c);
      double d = m->stencil.d, hard = exp(snow.hardening * (1 - JP));
      double per_mass = hard * (lambda + 4 * mu) / (16 * d * H * H * snow.density);
      double off = 0;
      size_t active = 0;
      for (size_t n = 0; n < node_reals(&c) / 4; n++) {
        const firn_real *inverse = m->view.inverse + 4 * n;
        double mass = (double)m->view.node_v[4 * n + 3];
        if (!(mass > (double)m->view.mass_floor)) continue;
        double whole = mass * (1 + DT * DT * per_mass);
        for (int a = 0; a < 3; a++) worst(&off, (double)inverse[a] * whole - 1);
        assert_true(inverse[3] == 0);
        active++;
      }
      mpm_report(v, "%zu nodes, stiffness %.1f times the mass: off by %.1f eps", active,
                 DT * DT * per_mass, off / EPS);
      assert_true(active >= 27 && DT * DT * per_mass > 0.1);
      // Two sums of some hundred terms of one sign, and a quotient.
      assert_below(v, "inverse", off, 32 * EPS);
      mpm_case_close(&c);
    }
  }
}

static double *step_once(const mpm_variant *v, const cloud *what, const firn_mpm_def *like,
                         mpm_case *c, int *iterations) {
  firn_step step;
  *c = open_hard(v, like, what, JP, JP);
  must(c, firn_sim_step(c->sim, 0, &step));
  *iterations = step.iterations;
  double *out = malloc(node_reals(c) * sizeof *out);
  assert_non_null(out);
  for (size_t i = 0; i < node_reals(c); i++) {
    out[i] = (double)mpm_case_solver(c)->view.node_v[i];
  }
  return out;
}

// Root mean square over the mass, m/s.
static double distance(const mpm_case *c, const double *a, const double *b) {
  double sum = 0, mass = 0;
  for (size_t i = 0; i < node_reals(c); i++) {
    double weight = a[i | 3];
    if (i % 4 == 3) mass += weight;
    if (i % 4 < 3) sum += weight * (a[i] - b[i]) * (a[i] - b[i]);
  }
  return sqrt(sum / mass);
}

// Uniform snow, for which the stiffness is the mass times 13 or 17: in its own norm a residual would be a quarter of
// what it is in that of the mass, and solves would stop at four times the error.
static void a_tolerance_means_the_same_by_mass_and_by_stiffness(void **state) {
  (void)state;
  const cloud what = {{6, 6, 6}, -0.01, 0.005, 1, true};
  const firn_mpm_def by_mass = def_of(FIRN_PRECONDITIONER_MASS, 1e-3),
                     by_stiffness = def_of(FIRN_PRECONDITIONER_STIFFNESS, 1e-3),
                     best = def_of(FIRN_PRECONDITIONER_MASS, 1e-6);
  for_each_variant(v) {
    mpm_case c, d, e;
    int mass, stiffness, most;
    double *exact = step_once(v, &what, &best, &c, &most);
    double *first = step_once(v, &what, &by_mass, &d, &mass);
    double *second = step_once(v, &what, &by_stiffness, &e, &stiffness);
    double off_mass = distance(&c, exact, first), off_stiffness = distance(&c, exact, second);
    mpm_report(v, "by the mass %d iterations, off by %.1e m/s; by the stiffness %d, %.1e m/s", mass,
               off_mass, stiffness, off_stiffness);
    assert_true(off_mass > 0 && off_stiffness < 1.5 * off_mass);
    assert_true(mass > 8 && 10 * stiffness <= 12 * mass);
    free(exact);
    free(first);
    free(second);
    mpm_case_close(&c);
    mpm_case_close(&d);
    mpm_case_close(&e);
  }
}

// Iterations of `steps` steps, and how often one had another preconditioner than those before and after it.
static int iterations_of(const mpm_variant *v, const cloud *what, firn_preconditioner kind,
                         int steps, int *trials) {
  const firn_mpm_def like = def_of(kind, 1e-3);
  mpm_case c = open_hard(v, &like, what, 0.6, 1.3);
  const mpm *m = mpm_case_solver(&c);
  int sum = 0;
  bool by[3] = {false};
  *trials = 0;
  for (int i = 0; i < steps; i++) {
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    sum += step.iterations;
    by[0] = by[1];
    by[1] = by[2];
    by[2] = m->by_stiffness;
    *trials += i >= 2 && by[1] != by[0] && by[1] != by[2];
  }
  mpm_case_close(&c);
  return sum;
}

// The first solves, out of random velocities, take as many by either; those after the first trial, at step 64, do not.
static void auto_takes_what_takes_fewer_iterations(void **state) {
  (void)state;
  const cloud what = {{6, 4, 4}, -0.01, 0.005, 1, true};
  enum { STEPS = 200 };
  for_each_variant(v) {
    int trials;
    int mass = iterations_of(v, &what, FIRN_PRECONDITIONER_MASS, STEPS, &trials);
    assert_int_equal(trials, 0);
    int stiffness = iterations_of(v, &what, FIRN_PRECONDITIONER_STIFFNESS, STEPS, &trials);
    assert_int_equal(trials, 0);
    int chosen = iterations_of(v, &what, FIRN_PRECONDITIONER_AUTO, STEPS, &trials);
    mpm_report(v, "%d by the mass, %d by the stiffness, %d chosen, %d trials", mass, stiffness,
               chosen, trials);
    assert_true(trials >= 2); // of three; what is chosen may change by one of them
    assert_true(100 * stiffness < 85 * mass);
    assert_true(100 * chosen < 95 * mass);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stiffness_of_uniform_snow_is_its_mass_times_a_number),
      cmocka_unit_test(a_tolerance_means_the_same_by_mass_and_by_stiffness),
      cmocka_unit_test(auto_takes_what_takes_fewer_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
