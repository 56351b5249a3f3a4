// labels: M12 M39 slow
// SPDX-License-Identifier: Apache-2.0
// The oedometer of tests/material run through the engine: nodes are given the velocities of a
// laterally confined block that is pressed to 80 % of its height and let go; scatter, gather, sort
// and plastic return do the rest. Every particle must follow the closed form
//   elastic      sigma_zz = M_0 (s - 1) for any s
//   plastic      J_P = s/(1 - theta_c), sigma_zz = -M_0 theta_c (1 - theta_c) e^{xi (1 - J_P)}/s,
//                lateral stress lambda_0/M_0 of that; s = 0.8: -28 526.145 and -7 131.536 Pa
//   unloading    ends without stress at s = 0.8/(1 - theta_c) = 0.820513
//   pulled       J_P = s/(1 + theta_s), sigma_zz = M_0 theta_s (1 + theta_s) e^{xi (1 - J_P) h/l}/s
#include "support/mpm_case.h"

static const double H = 0.02;

typedef struct press {
  mpm_case c;
  double s;    // height over that at rest
  double rate; // 1/s, of the current step
} press;

static void squeeze(void *user, const double x[3], double v[3]) {
  const press *p = user;
  v[2] = p->rate * x[2];
}

static press press_open(const mpm_variant *v, const char *law, double reference_h,
                        double softening_length) {
  firn_sim_def def = mpm_elastic_def(v, H);
  firn_material_def material = firn_default_material_def();
  material.law = law;
  material.softening_length = softening_length;
  def.mpm.reference_h = reference_h;
  def.mpm.dt = 0x1p-13;
  press p = {.c = mpm_case_open(v, &def, &material), .s = 1};
  mpm_case_jittered(&p.c, (const int[]){-2, -1, -2}, (const int[]){1, 2, 3}, 2, 0.5, 31);
  return p;
}

static void press_to(press *p, double s) {
  double change = s / p->s - 1;
  p->rate = change / p->c.dt;
  mpm_case_to_grid(&p->c);
  mpm_case_set_nodes(&p->c, squeeze, p);
  mpm_case_from_grid(&p->c);
  p->s = s;
}

// J/m^3 of volume at rest, of snow pressed to s with its plastic part J_P.
static double energy_at(double s, double jp) {
  double elastic = s / jp - 1;
  return 0.5 * M_WAVE * exp(XI * (1 - jp)) * elastic * elastic;
}

static double volume_of(const press *p) {
  double *volume = mpm_case_read(&p->c, "volume"), sum = 0;
  for (size_t i = 0; i < mpm_case_count(&p->c); i++) sum += volume[i];
  free(volume);
  return sum;
}

// Largest relative differences: J_P to jp, vertical and lateral stress to zz and xx; shear stress,
// which there is none of, over zz.
typedef struct errors {
  double jp, zz, xx, shear;
} errors;

static errors compare(const press *p, double jp, double zz, double xx) {
  double *j = mpm_case_read(&p->c, "jp"), *sigma = mpm_case_read(&p->c, "stress");
  errors e = {0};
  for (size_t i = 0; i < mpm_case_count(&p->c); i++) {
    const double *s = sigma + 6 * i;
    worst(&e.jp, j[i] / jp - 1);
    worst(&e.zz, s[2] / zz - 1);
    worst(&e.xx, s[0] / xx - 1);
    worst(&e.xx, s[1] / xx - 1);
    for (size_t k = 3; k < 6; k++) worst(&e.shear, s[k] / zz);
  }
  free(j);
  free(sigma);
  return e;
}

// Each of 200 steps rounds 1 + change and the overshoot, 2 eps of ln J_P together, which adds up as
// a random walk: sqrt(200) x 2 eps. Stress follows with xi J_P + 2. While elastic, 10 eps relative to
// the strain. In double the case asks 1e-9.
static const double STEP = 1e-3;

static void pressed_snow_follows_the_closed_form(void **state) {
  (void)state;
  const double of_jp = 14.2 * 2 * EPS, of_stress = (XI + 2) * of_jp;
  for_each_variant(v) {
    press p = press_open(v, "snow", 0, 0);
    double yield = 1 - THETA_C;
    errors worst_of = {0};
    while (p.s > yield + 1.5 * STEP) {
      press_to(&p, p.s - STEP);
      double zz = M_WAVE * (p.s - 1);
      errors e = compare(&p, 1, zz, zz * LAMBDA / M_WAVE);
      assert_true(e.jp == 0);
      // The gradient itself is off by eps of velocities that differ across the block.
      worst(&worst_of.zz, fmax(e.zz, e.xx) * (1 - p.s) / THETA_C);
    }
    mpm_report(v, "elastic: stress off by %.2g eps at yield", worst_of.zz / EPS);
    assert_below(v, "elastic stress", worst_of.zz, 10 * EPS / THETA_C);

    worst_of = (errors){0};
    double taken = 0; // by the returns so far: what each finds less what it leaves
    while (p.s > 0.8 + STEP / 2) {
      double jp_before = fmin(1, p.s / yield);
      press_to(&p, fmax(p.s - STEP, 0.8));
      taken += energy_at(p.s, jp_before) - energy_at(p.s, fmin(1, p.s / yield));
      double jp = fmin(1, p.s / yield), hard = exp(XI * (1 - jp));
      double zz = p.s > yield ? M_WAVE * (p.s - 1) : -M_WAVE * THETA_C * yield * hard / p.s;
      errors e = compare(&p, jp, zz, zz * LAMBDA / M_WAVE);
      worst(&worst_of.jp, e.jp);
      worst(&worst_of.zz, e.zz);
      worst(&worst_of.xx, e.xx);
      worst(&worst_of.shear, e.shear);
    }
    press_to(&p, 0.8);
    errors at = compare(&p, 0.8 / yield, -28526.145, -7131.536);
    mpm_report(v, "plastic: J_P %.2g eps, stress %.2g %.2g %.2g eps; at 0.8: %.1e %.1e",
               worst_of.jp / EPS, worst_of.zz / EPS, worst_of.xx / EPS, worst_of.shear / EPS, at.zz,
               at.xx);
    assert_below(v, "J_P", worst_of.jp, of_jp);
    assert_below(v, "vertical stress", worst_of.zz, of_stress);
    assert_below(v, "lateral stress", worst_of.xx, of_stress);
    assert_below(v, "shear stress", worst_of.shear, of_stress);
    assert_below(v, "vertical stress at s = 0.8", at.zz, of_stress + 2e-8); // printed to 8 digits
    assert_below(v, "lateral stress at s = 0.8", at.xx, of_stress + 7e-8);
    // A return's share is a difference of energies: the overshoot is 1/30 of the strain at yield.
    double plastic = mpm_case_stat(&p.c, "energy_plastic") / volume_of(&p);
    mpm_report(v, "plastic: %.6g J/m^3 of %.6g", plastic, taken);
    assert_relative(v, "plastic energy, J/m^3", plastic, taken, 30 * of_stress);

    // Unload, elastic: no stress at the end, J_P as it was.
    double rest = 0.8 / yield;
    for (int i = 1; i <= 20; i++) press_to(&p, 0.8 + (rest - 0.8) * i / 20);
    double *jp = mpm_case_read(&p.c, "jp"), *sigma = mpm_case_read(&p.c, "stress"), left = 0;
    double change = 0;
    for (size_t i = 0; i < mpm_case_count(&p.c); i++) {
      worst(&change, jp[i] / rest - 1);
      for (size_t k = 0; k < 6; k++) worst(&left, sigma[6 * i + k] / 28526.145);
    }
    mpm_report(v, "unloaded: stress %.2g eps, J_P %.2g eps", left / EPS, change / EPS);
    // Strain left over where s or theta_c were rounded, over theta_c.
    assert_below(v, "stress after unloading", left, of_jp / THETA_C);
    assert_below(v, "J_P after unloading", change, of_jp);
    free(jp);
    free(sigma);
    mpm_case_close(&p.c);
  }
}

// By the h of reference, by a length of the material's own, which wins, and as printed.
static void pulled_snow_softens_over_a_length(void **state) {
  (void)state;
  static const struct {
    double reference_h, length, h_over_l;
  } soft[] = {{H / 3, 0, 3}, {2 * H, 0, 0.5}, {H / 3, 2 * H, 0.5}, {0, 0, 1}};
  const double of_jp = 14.2 * 2 * EPS;
  for_each_variant(v) {
    for (size_t i = 0; i < sizeof soft / sizeof *soft; i++) {
      if (v->isa == FIRN_ISA_SCALAR && i > 1) continue;
      press p = press_open(v, "snow", soft[i].reference_h, soft[i].length);
      double yield = 1 + THETA_S, xi = XI * soft[i].h_over_l;
      errors worst_of = {0};
      while (p.s < 1.1 - STEP / 2) {
        press_to(&p, p.s + STEP);
        double jp = p.s / yield;
        if (p.s < yield) continue;
        double zz = M_WAVE * THETA_S * yield * exp(xi * (1 - jp)) / p.s;
        errors e = compare(&p, jp, zz, zz * LAMBDA / M_WAVE);
        worst(&worst_of.jp, e.jp);
        worst(&worst_of.zz, fmax(e.zz, e.xx));
      }
      mpm_report(v, "h/l = %g: J_P %.2g eps, stress %.2g eps", soft[i].h_over_l, worst_of.jp / EPS,
                 worst_of.zz / EPS);
      assert_below(v, "J_P", worst_of.jp, of_jp);
      assert_below(v, "stress", worst_of.zz, (xi + 2) * of_jp);
      mpm_case_close(&p.c);
    }
  }
}

static void pressed_elastic_matter_is_linear(void **state) {
  (void)state;
  for_each_variant(v) {
    press p = press_open(v, "elastic", 0, 0);
    errors worst_of = {0};
    while (p.s > 0.505) {
      press_to(&p, p.s - 0.01);
      double zz = M_WAVE * (p.s - 1);
      errors e = compare(&p, 1, zz, zz * LAMBDA / M_WAVE);
      assert_true(e.jp == 0);
      worst(&worst_of.zz, fmax(e.zz, e.xx) * (1 - p.s));
    }
    mpm_report(v, "elastic to s = 0.5: stress off by %.2g eps M", worst_of.zz / EPS);
    assert_below(v, "elastic stress over M", worst_of.zz, 14.2 * EPS);
    mpm_case_close(&p.c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pressed_snow_follows_the_closed_form),
      cmocka_unit_test(pulled_snow_softens_over_a_length),
      cmocka_unit_test(pressed_elastic_matter_is_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
