// SPDX-License-Identifier: Apache-2.0
// The guard against inverted elements: no step squeezes a particle to less than min_det of its
// volume, however wild the velocities; it is redone with half the time until it does not.
#include "support/mpm_case.h"

static const double H = 0.01, DT = 1e-3; // m, s
enum { STEPS = 5 };

// det(I + e), which is det(F)^2.
static double det_of(const double e[6]) {
  double xx = 1 + e[0], yy = 1 + e[1], zz = 1 + e[2];
  return xx * (yy * zz - e[5] * e[5]) - e[3] * (e[3] * zz - e[5] * e[4]) +
         e[4] * (e[3] * e[5] - yy * e[4]);
}

typedef struct outcome {
  double least; // smallest ratio of a particle's volumes after and before a step
  int redone;
} outcome;

// Random velocities of up to eight cells a step, which the grid averages; a soft solid, so that a
// solve does not undo them.
static outcome shake(const mpm_variant *v, bool implicit, double min_det) {
  firn_sim_def def = mpm_elastic_def(v, H);
  def.mpm.integrator = implicit ? FIRN_INTEGRATOR_IMPLICIT : FIRN_INTEGRATOR_EXPLICIT;
  def.mpm.dt = DT;
  def.mpm.min_det = min_det;
  firn_material_def soft = mpm_elastic_material();
  soft.young = 100;
  mpm_case c = mpm_case_open(v, &def, &soft);
  const int lo[3] = {-2, -2, -2}, hi[3] = {2, 2, 2};
  mpm_case_jittered(&c, lo, hi, 2, 0.5, 7);
  size_t n = mpm_case_count(&c);
  double *u = mpm_case_new(&c, 3), most = 8 * H / DT;
  for (size_t i = 0; i < 3 * n; i++) u[i] = mpm_random(8, i, -most, most);
  mpm_case_write(&c, "velocity", u);
  free(u);
  outcome o = {.least = INFINITY};
  for (int i = 0; i < STEPS; i++) {
    double *before = mpm_case_read(&c, "strain");
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    int redone = (int)mpm_case_stat(&c, "redone");
    o.redone += redone;
    assert_true(step.implicit == implicit);
    assert_true(step.dt == ldexp(DT, -redone));
    double *after = mpm_case_read(&c, "strain");
    for (size_t k = 0; k < n; k++) {
      double ratio = sqrt(det_of(after + 6 * k) / det_of(before + 6 * k));
      if (!(ratio >= o.least)) o.least = ratio;
    }
    free(before);
    free(after);
  }
  mpm_report(v, "%s, min_det %.2f: redone %d times, least %.4f", implicit ? "implicit" : "explicit",
             min_det, o.redone, o.least);
  mpm_case_close(&c);
  return o;
}

static void no_step_inverts_a_particle(void **state) {
  (void)state;
  for_each_variant(v) {
    for (int implicit = 0; implicit < 2; implicit++) {
      for (int k = 0; k < 2; k++) {
        double min_det = k ? 0.5 : 0.2;
        outcome o = shake(v, implicit, min_det);
        assert_true(o.redone >= 1);
        // What is compared went through b = F F^T and back, squared: its determinant loses digits
        // as elements become flat, here to a tenth at most in each direction.
        if (!(o.least > min_det * (1 - by_precision(1e-3, 1e-10)))) {
          fail_msg("%s: det = %g, min_det = %g", v->name, o.least, min_det);
        }
        assert_true(o.least < 0.95); // and it was not for nothing
      }
    }
  }
}

// Two flakes a cell apart rush at each other, at eight cells a step. Nobody looks at their nodes
// before they do, so the vector kernels bound the gradient instead of redoing the step.
static void spray_is_bounded_without_redoing_the_step(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR) continue; // it sets nothing apart
    firn_sim_def def = mpm_elastic_def(v, H);
    def.mpm.integrator = FIRN_INTEGRATOR_EXPLICIT;
    def.mpm.dt = DT;
    def.mpm.min_det = 0.5;
    firn_material_def soft = mpm_elastic_material();
    soft.young = 100;
    mpm_case c = mpm_case_open(v, &def, &soft);
    const double x[6] = {1.6 * H, 2 * H, 2 * H, 2.4 * H, 2.1 * H, 2 * H};
    mpm_case_add(&c, 2, x, 8);
    double speed = 8 * H / DT;
    const double u[6] = {speed, 0, 0, -speed, 0, 0};
    mpm_case_write(&c, "velocity", u);
    firn_step step;
    must(&c, firn_sim_step(c.sim, 0, &step));
    assert_true(mpm_case_stat(&c, "redone") == 0);
    assert_int_equal(mpm_case_solver(&c)->grid.spray_count, 1);
    double *e = mpm_case_read(&c, "strain");
    for (int k = 0; k < 2; k++) {
      double det = sqrt(det_of(e + 6 * k));
      mpm_report(v, "spray: det %.4f", det);
      if (!(det > def.mpm.min_det * (1 - 1e-3) && det < 0.8)) {
        fail_msg("%s: det = %g, min_det = %g", v->name, det, def.mpm.min_det);
      }
    }
    free(e);
    mpm_case_close(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spray_is_bounded_without_redoing_the_step),
      cmocka_unit_test(no_step_inverts_a_particle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
