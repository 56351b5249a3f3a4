// SPDX-License-Identifier: Apache-2.0
// Sand's return mapping against closed forms: it carries no tension, slides where Mohr and Coulomb
// say, keeps its volume in doing so, and remembers how far it was pulled apart.
#include "material/setup.h"

static const double PHI = 0.6, YOUNG_SAND = 3.5e5, POISSON_SAND = 0.3; // rad, Pa

// With u the unit roundoff and strains of at most 0.1 through logarithm, root, product and exponential:
// 40 u of the trial strain.
static const double TOLERANCE = 40 * FIRN_REAL_EPS / 2;

static firn_material_row sand(double cohesion, double jp_max) {
  firn_material_def def = firn_default_material_def();
  def.law = "sand";
  def.young = YOUNG_SAND;
  def.poisson = POISSON_SAND;
  def.friction_angle = PHI;
  def.cohesion = cohesion;
  def.jp_max = jp_max;
  firn_material_row row;
  assert_int_equal(firn_material_make_row(NULL, &def, "sand", &row), FIRN_OK);
  return row;
}

// Of either sign.
#define assert_small(value, bound) assert_below(fabs(value), (bound))

// A state by its logarithmic strains along the axes.
typedef struct state3 {
  double eps[3], ln_jp, tau[3];
} state3;

static state3 returned(firn_isa isa, const firn_material_row *row, const double eps[3],
                       double ln_jp) {
  firn_real e[6] = {0}, tau[6], hard, jp = (firn_real)ln_jp;
  for (int k = 0; k < 3; k++) e[k] = (firn_real)expm1(2 * eps[k]);
  firn_law_kernels_get(isa)->law_return(row->law, row, NULL, false, 1, e, &jp, tau, &hard);
  state3 out = {.ln_jp = (double)jp};
  for (int k = 0; k < 3; k++) {
    out.eps[k] = 0.5 * log1p((double)e[k]);
    out.tau[k] = (double)tau[k];
    assert_true(e[3 + k] == 0 && tau[3 + k] == 0);
  }
  assert_true(hard == 1);
  return out;
}

static double trace(const double v[3]) {
  return v[0] + v[1] + v[2];
}

static double deviator(const double v[3]) {
  double m = trace(v) / 3, sum = 0;
  for (int k = 0; k < 3; k++) sum += (v[k] - m) * (v[k] - m);
  return sqrt(sum);
}

static double modulus(const firn_material_row *row) {
  return (double)row->lambda + 2 * (double)row->mu;
}

static void tension_is_not_carried(void **state) {
  (void)state;
  firn_material_row row = sand(0, INFINITY);
  const double pulls[][3] = {{0.01, 0.01, 0.01}, {0.05, 0, 0}, {0.03, -0.02, 0}, {1e-5, 0, 0}};
  for_each_isa(isa) for (size_t i = 0; i < sizeof pulls / sizeof *pulls; i++) {
    state3 s = returned(isa, &row, pulls[i], 0);
    for (int k = 0; k < 3; k++) assert_true(s.tau[k] == 0 && s.eps[k] == 0);
    assert_small(s.ln_jp - trace(pulls[i]), TOLERANCE * (trace(pulls[i]) + 0.05));
  }
}

static void inside_the_cone_nothing_changes(void **state) {
  (void)state;
  firn_material_row row = sand(0, INFINITY);
  double mu = (double)row.mu, lambda = (double)row.lambda;
  const double presses[][3] = {{-0.01, -0.01, -0.01}, {-0.02, -0.019, -0.021}, {-0.1, -0.09, -0.1}};
  for_each_isa(isa) for (size_t i = 0; i < sizeof presses / sizeof *presses; i++) {
    const double *eps = presses[i];
    state3 s = returned(isa, &row, eps, 0);
    assert_true(s.ln_jp == 0);
    for (int k = 0; k < 3; k++) {
      assert_small(s.eps[k] - eps[k], TOLERANCE * 0.1);
      double hencky = 2 * mu * eps[k] + lambda * trace(eps);
      assert_small(s.tau[k] - hencky, TOLERANCE * 0.3 * modulus(&row));
    }
  }
}

// Lode's number of a state, -1 in triaxial compression, 0 in plane shear, 1 in extension.
static double lode(const double v[3]) {
  double m = trace(v) / 3, size = deviator(v);
  return 3 * sqrt(6) * (v[0] - m) * (v[1] - m) * (v[2] - m) / (size * size * size);
}

// M = q/p, q = sqrt(3/2) |dev tau|, goes from 6 sin phi/(3 - sin phi) to 6 sin phi/(3 + sin phi), linear
// in Lode's number; flow keeps the volume and the direction of the deviator.
static void on_the_cone_shear_over_pressure_is_m(void **state) {
  (void)state;
  firn_material_row row = sand(0, INFINITY);
  const double compressed = 6 * sin(PHI) / (3 - sin(PHI)), pulled = 6 * sin(PHI) / (3 + sin(PHI));
  const double slides[][3] = {{0.03, 0, -0.04},
                              {-0.1, 0.02, 0.02},
                              {0.04, 0.04, -0.1},
                              {-0.04, -0.04, 0.03},
                              {0.04, -0.05, -0.03}};
  for_each_isa(isa) for (size_t i = 0; i < sizeof slides / sizeof *slides; i++) {
    const double *eps = slides[i];
    state3 s = returned(isa, &row, eps, 0);
    double p = -trace(s.tau) / 3, q = sqrt(1.5) * deviator(s.tau), l = lode(eps);
    double m = (compressed * (1 - l) + pulled * (1 + l)) / 2;
    assert_true(p > 0);
    // p itself is a difference of strains ten times its size.
    assert_small(q / p - m, 10 * TOLERANCE);
    assert_small(trace(s.eps) - trace(eps), TOLERANCE * 0.1);
    assert_true(s.ln_jp == 0);
    double before = trace(eps) / 3, after = trace(s.eps) / 3, shrunk = deviator(s.eps);
    for (int k = 0; k < 3; k++) {
      double want = (eps[k] - before) * shrunk / deviator(eps);
      assert_small(s.eps[k] - after - want, TOLERANCE * 0.1);
    }
  }
}

// Triaxial compression along x: at yield the ratio of the principal stresses is Rankine's,
// (1 + sin phi)/(1 - sin phi), and with cohesion sigma_1 = R sigma_3 + 2 c sqrt R.
static void triaxial_compression_yields_where_mohr_and_coulomb_say(void **state) {
  (void)state;
  const double r = (1 + sin(PHI)) / (1 - sin(PHI));
  for (int cohesive = 0; cohesive < 2; cohesive++) {
    const double c = cohesive ? 2e3 : 0;
    firn_material_row row = sand(c, INFINITY);
    for_each_isa(isa) {
      const double eps[3] = {-0.1, 0.02, 0.02};
      state3 s = returned(isa, &row, eps, 0);
      assert_small(s.tau[1] - s.tau[2], TOLERANCE * modulus(&row) * 0.1);
      double strength = -s.tau[1] * r + 2 * c * sqrt(r);
      assert_small(-s.tau[0] / strength - 1, 20 * TOLERANCE);
    }
  }
}

// Extension along x: the two other stresses are Rankine's times this one. Without any, nothing holds,
// however large the angle; a circular cone would hold it from 37 degrees on.
static void triaxial_extension_yields_where_mohr_and_coulomb_say(void **state) {
  (void)state;
  const double r = (1 + sin(PHI)) / (1 - sin(PHI));
  firn_material_row row = sand(0, INFINITY);
  for_each_isa(isa) {
    const double eps[3] = {0.03, -0.05, -0.05};
    state3 s = returned(isa, &row, eps, 0);
    assert_small(s.tau[1] - s.tau[2], TOLERANCE * modulus(&row) * 0.1);
    assert_true(s.tau[0] < 0);
    assert_small(s.tau[1] / (s.tau[0] * r) - 1, 20 * TOLERANCE);
  }
}

static void cohesion_carries_tension_up_to_its_tip(void **state) {
  (void)state;
  const double c = 2e3, tip = c / tan(PHI); // Pa
  firn_material_row row = sand(c, INFINITY);
  double bulk = (double)row.lambda + 2 * (double)row.mu / 3;
  for_each_isa(isa) {
    const double below[3] = {0.9 * tip / bulk / 3, 0.9 * tip / bulk / 3, 0.9 * tip / bulk / 3};
    state3 s = returned(isa, &row, below, 0);
    assert_true(s.ln_jp == 0);
    for (int k = 0; k < 3; k++) assert_small(s.tau[k] / tip - 0.9, 10 * TOLERANCE);
    const double beyond[3] = {0.03, 0.01, 0.02};
    s = returned(isa, &row, beyond, 0);
    for (int k = 0; k < 3; k++) assert_small(s.tau[k] / tip - 1, 10 * TOLERANCE);
    assert_small(s.ln_jp - (0.06 - tip / bulk), TOLERANCE * 0.2);
  }
}

// Pulled apart by 0.06, sand is pushed together for 0.06 before it carries anything; then it carries
// what sand does that was never pulled. Without memory (jp_max 1) it would carry from the start.
static void what_was_pulled_apart_must_close_before_it_carries(void **state) {
  (void)state;
  firn_material_row row = sand(0, INFINITY), forgetful = sand(0, 1);
  double bulk = (double)row.lambda + 2 * (double)row.mu / 3;
  for_each_isa(isa) {
    const double apart[3] = {0.02, 0.02, 0.02}, half[3] = {-0.01, -0.01, -0.01};
    const double more[3] = {-0.03, -0.03, -0.03};
    state3 s = returned(isa, &row, apart, 0);
    s = returned(isa, &row, half, s.ln_jp);
    assert_true(s.tau[0] == 0 && s.eps[0] == 0);
    assert_small(s.ln_jp - 0.03, TOLERANCE * 0.2);
    s = returned(isa, &row, more, s.ln_jp);
    assert_true(s.ln_jp == 0);
    assert_small(trace(s.eps) + 0.06, TOLERANCE * 0.2);
    for (int k = 0; k < 3; k++) assert_small(s.tau[k] + bulk * 0.06, TOLERANCE * bulk);
    s = returned(isa, &forgetful, apart, 0);
    assert_true(s.ln_jp == 0);
    s = returned(isa, &forgetful, half, s.ln_jp);
    for (int k = 0; k < 3; k++) assert_small(s.tau[k] + bulk * 0.03, TOLERANCE * bulk);
  }
}

// Any frame, any lane: the vector paths against the scalar one, which takes another way (Jacobi).
// Spectral functions of e are good to 25 u |e| (sym3_lane.h); the return has slopes of at most 3.
static void instruction_sets_agree(void **state) {
  (void)state;
  enum { N = 3001 };
  firn_material_row row = sand(500, INFINITY);
  firn_real *e[2], *tau[2], *jp[2], *hard = new_reals(N);
  for (int i = 0; i < 2; i++) {
    e[i] = new_reals(6 * N);
    tau[i] = new_reals(6 * N);
    jp[i] = new_reals(N);
  }
  for_each_isa(isa) {
    sample r = {71, 0};
    for (size_t i = 0; i < N; i++) {
      double d[3];
      for (int k = 0; k < 3; k++) d[k] = sample_uniform(&r, -0.1, 0.06);
      if (i % 7 == 1) d[1] = d[0];
      firn_mat3 m = sample_congruence(sample_rotation(&r), d);
      for (int w = 0; w < 2; w++) {
        soa_set_symmetric(e[w], N, i, m);
        jp[w][i] = i % 2 ? FIRN_R(0.03) : 0;
      }
    }
    firn_law_kernels_get(FIRN_ISA_SCALAR)
        ->law_return(row.law, &row, NULL, true, N, e[0], jp[0], tau[0], hard);
    firn_law_kernels_get(isa)->law_return(row.law, &row, NULL, false, N, e[1], jp[1], tau[1], hard);
    double strain = 0, stress = 0, volume = 0;
    for (size_t i = 0; i < 6 * N; i++) {
      worst(&strain, (double)e[1][i] - (double)e[0][i]);
      worst(&stress, ((double)tau[1][i] - (double)tau[0][i]) / modulus(&row));
      if (i < N) worst(&volume, (double)jp[1][i] - (double)jp[0][i]);
    }
    const double tolerance = 3 * 25 * 0.2 * (double)FIRN_REAL_EPS;
    assert_below(strain, tolerance);
    assert_below(stress, 2 * tolerance);
    assert_below(volume, 3 * tolerance);
  }
  for (int i = 0; i < 2; i++) free(e[i]), free(tau[i]), free(jp[i]);
  free(hard);
}

static void rows_remember_angle_and_cohesion(void **state) {
  (void)state;
  firn_material_row row = sand(1234, INFINITY);
  firn_material_def def = firn_material_def_of_row(&row);
  assert_string_equal(def.law, "sand");
  assert_small(def.friction_angle / PHI - 1, 20 * FIRN_REAL_EPS);
  assert_small(def.cohesion / 1234 - 1, 20 * FIRN_REAL_EPS);
  def.friction_angle = 1.5708; // more than a right angle
  assert_int_equal(firn_material_make_row(NULL, &def, "m", &row), FIRN_ERROR_ARGUMENT);
  def.friction_angle = 0.5;
  def.cohesion = -1;
  assert_int_equal(firn_material_make_row(NULL, &def, "m", &row), FIRN_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tension_is_not_carried),
      cmocka_unit_test(inside_the_cone_nothing_changes),
      cmocka_unit_test(on_the_cone_shear_over_pressure_is_m),
      cmocka_unit_test(triaxial_compression_yields_where_mohr_and_coulomb_say),
      cmocka_unit_test(triaxial_extension_yields_where_mohr_and_coulomb_say),
      cmocka_unit_test(cohesion_carries_tension_up_to_its_tip),
      cmocka_unit_test(what_was_pulled_apart_must_close_before_it_carries),
      cmocka_unit_test(instruction_sets_agree),
      cmocka_unit_test(rows_remember_angle_and_cohesion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
