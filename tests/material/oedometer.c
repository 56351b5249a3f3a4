// labels: M12
// SPDX-License-Identifier: Apache-2.0
// One element, laterally confined, pressed to 80 % of its height and let go, on every instruction
// set. The answers are closed form:
//   elastic      P_zz = M_0 (s - 1) for any s
//   plastic      J_P = s/(1 - theta_c), sigma_zz = -M_0 theta_c (1 - theta_c) e^{xi (1 - J_P)} / s,
//                lateral stress lambda_0/M_0 of that; s = 0.8: -28 526.145 and -7 131.536 Pa
//   unloading    ends at s = 0.8/(1 - theta_c) = 0.820513
#include "material/setup.h"

typedef struct element {
  firn_real e[6], ln_jp, tau[6], hard;
  double s; // height
} element;

static void stretch_to(const firn_law_kernels *k, const firn_material_row *row, bool by_jacobi,
                       element *p, double s) {
  firn_real D[9] = {0};
  D[8] = (firn_real)(s / p->s - 1);
  k->push(1, D, p->e);
  k->law_return(row->law, row, NULL, by_jacobi, 1, p->e, &p->ln_jp, p->tau, &p->hard);
  p->s *= 1 + (double)D[8]; // what the element saw
}

// In float: while plastic, sigma is reset to the limit each step; each of the 200 steps rounds 1 + D
// and the overshoot, 4 u in ln J_P together, which adds up like a random walk: sqrt(200) x 4 u. Stress
// follows with xi J_P. While elastic, errors are relative to the strain, 20 u. In double M12 asks 1e-9.
static const double STEP = 1e-3;
static const double TOL = sizeof(firn_real) == 4 ? 14.2 * 4 * FLT_EPSILON / 2 : 1e-10;

static void press(firn_isa isa, bool by_jacobi) {
  const firn_law_kernels *k = firn_law_kernels_get(isa);
  const double M = LAMBDA + 2 * MU;
  firn_material_row row = table2(FIRN_LAW_SNOW);
  element p = {.s = 1};

  // Elastic: Kirchhoff tau_zz = s P_zz. The test's own s - 1 is off by 25 roundings of s.
  const double tol = 20 * FIRN_REAL_EPS / 2 + 25 * DBL_EPSILON / STEP;
  for (int i = 1; i < 25; i++) { // down to just above the limit
    stretch_to(k, &row, by_jacobi, &p, 1 - i * STEP);
    assert_below(fabs((double)p.tau[2] / (M * p.s * (p.s - 1)) - 1), tol);
    assert_true(p.ln_jp == 0);
  }
  // Plastic, all the way down.
  for (int i = 26; i < 200; i++) {
    stretch_to(k, &row, by_jacobi, &p, 1 - i * STEP);
    double J_P = p.s / (1 - THETA_C);
    double want = -M * THETA_C * (1 - THETA_C) * exp(XI * (1 - J_P));
    assert_below(fabs(exp((double)p.ln_jp) / J_P - 1), TOL);
    assert_below(fabs((double)p.tau[2] / want - 1), (XI + 2) * TOL);
  }
  stretch_to(k, &row, by_jacobi, &p, 0.8);
  stretch_to(k, &row, by_jacobi, &p, 0.8); // the first may have missed by the rounding of D
  double zz = (double)p.tau[2] / p.s, xx = (double)p.tau[0] / p.s, yy = (double)p.tau[1] / p.s;
  assert_below(fabs(zz / -28526.145 - 1), (XI + 2) * TOL + 2e-8); // printed to 8 digits
  assert_below(fabs(xx / -7131.536 - 1), (XI + 2) * TOL + 7e-8);
  assert_true(xx == yy || fabs(xx / yy - 1) < TOL);
  assert_below(fabs(exp((double)p.ln_jp) - 0.8 / 0.975), TOL);
  assert_below(fabs(exp((double)p.ln_jp) - 0.820513), TOL + 5e-7);

  // Unload: elastic, stress-free at s_res, J_P as it was.
  firn_real jp = p.ln_jp;
  double res = 0.8 / (1 - THETA_C), last = (double)p.tau[2];
  for (int i = 1; i <= 20; i++) {
    stretch_to(k, &row, by_jacobi, &p, 0.8 + (res - 0.8) * i / 20);
    assert_true((double)p.tau[2] > last);
    last = (double)p.tau[2];
  }
  assert_true(p.ln_jp == jp);
  assert_below(fabs((double)p.tau[2] / (M * (double)p.hard)), TOL);
  assert_below(fabs((double)p.tau[0] / (M * (double)p.hard)), TOL);
}

static void oedometer_follows_the_closed_form(void **state) {
  (void)state;
  for_each_isa(isa) {
    press(isa, false);
    press(isa, true);
  }
}

// The elastic law never yields: P_zz = M_0 (s - 1) down to half the height.
static void elastic_oedometer_is_linear(void **state) {
  (void)state;
  const double M = LAMBDA + 2 * MU;
  firn_material_row row = table2(FIRN_LAW_ELASTIC);
  for_each_isa(isa) {
    element p = {.s = 1};
    for (int i = 1; i <= 50; i++) {
      stretch_to(firn_law_kernels_get(isa), &row, false, &p, 1 - 0.01 * i);
      assert_below(fabs((double)p.tau[2] / p.s - M * (p.s - 1)) / M, TOL);
    }
  }
}

// A law's own answer to a load is the stretch at which its stress carries it: sigma = tau/s. Snow does
// so up to its yield, an elastic solid at any load, and sand inside its cone and on it, with a tip of
// cohesion and without. Of any other law the first order in the strain is asked.
static void confined_stretch_carries_the_load(void **state) {
  (void)state;
  const double M = LAMBDA + 2 * MU;
  const double alpha[] = {10, 0.3, 0.1, 0.3}, tip[] = {0, 0, 0, 1e-3}; // of sand
  for (int law = 0; law < FIRN_LAW_COUNT; law++) {
    for (int k = 0; k < (law == FIRN_LAW_SAND ? 4 : 1); k++) {
      firn_material_row row = table2(law);
      if (law == FIRN_LAW_SAND) {
        row.lo = (firn_real)-alpha[k];
        row.hi = (firn_real)tip[k];
      }
      for (int i = 0; i < 9; i++) {
        bool far = law == FIRN_LAW_ELASTIC || law == FIRN_LAW_SAND;
        double load = (far ? 1 : 0.1) * i * THETA_C * M;
        double order = far || law == FIRN_LAW_SNOW ? 0 : 2 * load * load / M;
        element p = {.s = 1};
        stretch_to(firn_law_kernels_get(FIRN_ISA_SCALAR), &row, false, &p,
                   firn_law_confined(&row, load));
        assert_below(fabs((double)p.tau[2] / p.s + load), 4 * FIRN_REAL_EPS * M + order);
      }
    }
  }
  firn_material_row snow = table2(FIRN_LAW_SNOW); // what would yield stays at the yield stretch
  assert_true(firn_law_confined(&snow, 2 * THETA_C * M) == 1 + (double)snow.lo);
}

// Eq. 2 for decisions is Eq. 2 of the return.
static void hardening_is_that_of_the_return(void **state) {
  (void)state;
  for (int law = 0; law < FIRN_LAW_COUNT; law++) {
    firn_material_row row = table2(law);
    for (int i = -30; i < 30; i++) {
      element p = {.ln_jp = FIRN_R(0.01) * (firn_real)i, .s = 1};
      double want = firn_law_hardening(&row, (double)p.ln_jp);
      stretch_to(firn_law_kernels_get(FIRN_ISA_SCALAR), &row, false, &p, 1);
      assert_below(fabs((double)p.hard / want - 1), 2 * XI * FIRN_REAL_EPS);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(oedometer_follows_the_closed_form),
      cmocka_unit_test(elastic_oedometer_is_linear),
      cmocka_unit_test(confined_stretch_carries_the_load),
      cmocka_unit_test(hardening_is_that_of_the_return),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
