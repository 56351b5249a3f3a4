// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 60
// long in double
// Under `auto`, a semi-implicit step solves for those blocks alone that an explicit step of its
// length would not suit.
#include "support/mpm_case.h"

static const double H = 0.01, DT = 2e-4; // m, s: below the explicit limit of Table 2's snow

// A soft cube at the origin and, unless far off, one ten times as stiff beside it: in one piece or
// 40 cells away. Both are stretched along x and let go.
typedef struct setup {
  firn_integrator integrator;
  double dt;
  bool soft, stiff;
  int gap; // cells
} setup;

static void stretched(void *user, const double x[3], double d[9]) {
  (void)user;
  memset(d, 0, 9 * sizeof *d);
  d[0] = 2e-3 * sin(20 * x[0]);
}

static mpm_case open_cubes(const mpm_variant *v, const setup *s) {
  firn_sim_def def = mpm_elastic_def(v, H);
  def.mpm.integrator = s->integrator;
  def.mpm.dt = s->dt;
  def.mpm.tolerance = by_precision(1e-5, 1e-9);
  firn_material_def elastic = mpm_elastic_material();
  mpm_case c = mpm_case_open(v, &def, &elastic);
  for (int k = 0; k < 2; k++) {
    if (!(k ? s->stiff : s->soft)) continue;
    enum { SIDE = 8, COUNT = 8 * SIDE * SIDE * SIDE };
    static double x[COUNT][3], young[COUNT];
    for (int i = 0; i < COUNT; i++) {
      int at[3] = {i / (4 * SIDE * SIDE), i / (2 * SIDE) % (2 * SIDE), i % (2 * SIDE)};
      // Whole blocks, whose particles lie half a cell off the corner with quadratic splines: small
      // ones would be taken together with others, soft or not.
      for (int a = 0; a < 3; a++) x[i][a] = (0.25 + 0.5 * at[a] + (is_cubic(v) ? 0 : 0.5)) * H;
      x[i][0] += k * (SIDE + s->gap) * H;
      young[i] = k ? 10 * YOUNG : YOUNG;
    }
    firn_particles_def cube = firn_default_particles_def();
    cube.count = COUNT;
    cube.position = x[0];
    cube.young = young;
    must(&c, firn_sim_add_particles(c.sim, &cube));
  }
  mpm_case_set_gradient(&c, stretched, NULL);
  return c;
}

static double *run(const mpm_variant *v, const setup *s, int steps, const char *field, bool *part) {
  mpm_case c = open_cubes(v, s);
  for (int i = 0; i < steps; i++) must(&c, firn_sim_step(c.sim, 0, NULL));
  if (part) *part = mpm_case_solver(&c)->partial;
  double *out = mpm_case_read(&c, field);
  mpm_case_close(&c);
  return out;
}

static double difference(const double *a, const double *b, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++) worst(&most, a[i] - b[i]);
  return most;
}

enum { CUBE = 8 * 8 * 8 * 8, STEPS = 12 };

// Far apart, each is taken as if it were alone: one explicitly, one semi-implicitly.
static void each_is_taken_its_own_way(void **state) {
  (void)state;
  for_each_variant(v) {
    bool part;
    double *both = run(v, &(setup){FIRN_INTEGRATOR_AUTO, DT, true, true, 40}, STEPS, "velocity",
                       &part);
    assert_true(part);
    double *soft = run(v, &(setup){FIRN_INTEGRATOR_EXPLICIT, DT, true, false, 40}, STEPS,
                       "velocity", NULL);
    double *stiff = run(v, &(setup){FIRN_INTEGRATOR_IMPLICIT, DT, false, true, 40}, STEPS,
                        "velocity", NULL);
    double other = difference(soft, both + 3 * CUBE, 3 * CUBE), speed = 0;
    for (size_t i = 0; i < 3 * CUBE; i++) worst(&speed, soft[i]);
    double off_soft = difference(both, soft, 3 * CUBE);
    double off_stiff = difference(both + 3 * CUBE, stiff, 3 * CUBE);
    mpm_report(v, "speed %.3g m/s; soft off by %.2g, stiff by %.2g", speed, off_soft, off_stiff);
    // Rounding of a dozen steps; and the tolerance of as many solves, of velocities ten times less
    // known where the spring is ten times stiffer.
    assert_below(v, "soft", off_soft, 2 * STEPS * EPS * speed + 1e-9 * EPS);
    assert_below(v, "stiff", off_stiff, by_precision(1e-3, 1e-7) * speed);
    assert_true(other > 0.1 * speed);
    free(both);
    free(soft);
    free(stiff);
  }
}

// In one piece, they move as an explicit run of much shorter steps says, no worse than when all is
// solved for, and nothing grows that should not.
static void one_piece_moves_as_one(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa == FIRN_ISA_SCALAR && is_cubic(v)) continue; // takes long
    bool part;
    double *truth = run(v, &(setup){FIRN_INTEGRATOR_EXPLICIT, DT / 8, true, true, 0}, 8 * STEPS,
                        "position", NULL);
    double *partly = run(v, &(setup){FIRN_INTEGRATOR_AUTO, DT, true, true, 0}, STEPS, "position",
                         &part);
    double *wholly = run(v, &(setup){FIRN_INTEGRATOR_IMPLICIT, DT, true, true, 0}, STEPS,
                         "position", NULL);
    assert_true(part);
    double a = difference(partly, truth, 6 * CUBE), b = difference(wholly, truth, 6 * CUBE);
    mpm_report(v, "off by %.3g cells; solved as a whole by %.3g", a / H, b / H);
    assert_true(a < b && b > 1e-5 * H);
    free(truth);
    free(partly);
    free(wholly);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_is_taken_its_own_way),
      cmocka_unit_test(one_piece_moves_as_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
