// labels: M19 slow
// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// A free elastic sphere that breathes: tan X/X = 1/(1 - M X^2/(4 mu)) for X = omega R/c has the root
// 2.46054, so a ball of R = 0.1 m of Table 2 swings at 77.226 Hz.
#include "base/isa.h"
#include "support/mpm_case.h"

static const double PI = 3.14159265358979323846;
static const double R = 0.1; // m

// The root, by bisection of the singular-free form sin X (1 - q X^2) = X cos X.
static double root(void) {
  double q = M_WAVE / (4 * MU), lo = 2, hi = 3;
  for (int i = 0; i < 60; i++) {
    double x = (lo + hi) / 2;
    if (sin(x) * (1 - q * x * x) - x * cos(x) < 0) {
      lo = x;
    } else {
      hi = x;
    }
  }
  return (lo + hi) / 2;
}

typedef struct shape {
  double k, size;
} shape;

// u = grad (sin kr/kr), outwards.
static void breath(void *user, const double x[3], double v[3]) {
  const shape *s = user;
  double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), z = s->k * r;
  double u = z < 1e-3 ? z / 3 : sin(z) / (z * z) - cos(z) / z;
  for (int a = 0; a < 3 && r > 0; a++) v[a] = s->size * u * x[a] / r;
}

// dv/dx, for APIC: u' n n + u/r (I - n n).
static void breath_gradient(const shape *s, const double x[3], double g[9]) {
  double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), z = s->k * r;
  double u = sin(z) / (z * z) - cos(z) / z, slope = s->k * (sin(z) / z - 2 * u / z);
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) {
      double nn = x[a] * x[b] / (r * r);
      g[3 * a + b] = s->size * (slope * nn + u / r * ((a == b) - nn));
    }
  }
}

// Frequency over the exact one, less one. The radius is in cells.
static double shift_of(const mpm_variant *v, int radius, bool nominal) {
  double h = R / radius, c0 = sqrt(M_WAVE / DENSITY);
  firn_sim_def def = mpm_elastic_def(v, h);
  firn_material_def material = mpm_elastic_material();
  def.mpm.volume_nominal = nominal;
  def.mpm.dt = 0.3 * h / c0;
  mpm_case c = mpm_case_open(v, &def, &material);
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((const double[]){0, 0, 0}, R);
  fill.seeding = FIRN_SEEDING_LATTICE;
  must(&c, firn_sim_fill(c.sim, &fill));
  shape s = {root() / R, 1e-3 * c0};
  mpm_case_set_velocity(&c, breath, &s);
  double *at = mpm_case_read(&c, "position");
  size_t count = mpm_case_count(&c);
  if (is_apic(v)) {
    double *affine = mpm_case_new(&c, 9);
    for (size_t i = 0; i < count; i++) breath_gradient(&s, at + 3 * i, affine + 9 * i);
    mpm_case_write(&c, "affine", affine);
    free(affine);
  }
  double expected = s.k * c0;
  int steps = (int)ceil(0.6 * 2 * PI / (expected * def.mpm.dt));
  double t[128], y[128];
  assert_true(steps < 128);
  s.size = 1;
  for (int n = 0; n <= steps; n++) {
    double *u = mpm_case_read(&c, "velocity");
    t[n] = n * def.mpm.dt;
    y[n] = mpm_case_amplitude(&c, u, at, breath, &s);
    free(u);
    if (n < steps) mpm_case_steps(&c, 1);
  }
  free(at);
  mpm_case_close(&c);
  mpm_sine fit = mpm_fit_sine(steps + 1, t, y, expected);
  double shift = fit.omega / expected - 1;
  mpm_report(v, "R/h %2d, %s volumes: %.3f Hz, off by %.3f %% = %.2f (h/R)^2", radius,
             nominal ? "nominal" : "grid", fit.omega / (2 * PI), 100 * shift,
             shift * radius * radius);
  return shift;
}

// The case asks 1.5 % at R/h = 12 and order 1.7, and expects -1.5 (h/R)^2 of cubic FLIP (M19); the
// other schemes have less dispersion and do better. The surface, in steps of half a cell, adds up to
// 0.2 (h/R)^2 of either sign. The costly size is left to the fastest kernels there are.
static void a_free_sphere_breathes_at_its_frequency(void **state) {
  (void)state;
  assert_within(NULL, "root", root(), 2.46054, 5e-6);
  firn_isa best = firn_isa_best();
  for_each_variant(v) {
    double s6 = shift_of(v, 6, true);
    assert_true(s6 < 0);
    assert_below(v, "shift of the frequency at R/h = 6", s6, 1.7 / 36);
    if (v->isa == best) {
      double s12 = shift_of(v, 12, true);
      mpm_report(v, "order %.2f", log2(s6 / s12));
      assert_below(v, "shift of the frequency at R/h = 12", s12, 0.015);
      assert_true(log2(s6 / s12) >= 1.7);
    } else if (v->isa != FIRN_ISA_SCALAR) {
      double s8 = shift_of(v, 8, true);
      assert_true(s8 < 0);
      assert_below(v, "shift of the frequency at R/h = 8", s8, 1.7 / 64);
    }
  }
}

// Volumes by the density on the grid are too large at the surface, 18 % in sum at R/h = 8, which
// stiffens the ball: it swings faster than it should, by 1.6 % with cubic FLIP.
static void volumes_from_the_grid_stiffen_the_surface(void **state) {
  (void)state;
  for_each_variant(v) {
    if (v->isa != firn_isa_best()) continue;
    double shift = shift_of(v, 8, false);
    assert_true(shift > 0.01 && shift < 0.035);
    if (is_cubic(v) && !is_apic(v)) assert_within(v, "shift", shift, 0.016, 0.002);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_free_sphere_breathes_at_its_frequency),
      cmocka_unit_test(volumes_from_the_grid_stiffen_the_surface),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
