// SPDX-License-Identifier: Apache-2.0
// long
#include "support/sph_case.h"

static double env(const char *n, double d) { const char *s = getenv(n); return s ? atof(s) : d; }
static const double G9 = 9.81, RHO = 400, XI = 10, TC = 0.025;
static double q_y(double young) {
  double G = young / 2.4, lambda = young * 0.2 / (1.2 * 0.6);
  return TC * (2 * G + lambda / (1 - TC));
}
static double thick(double m, double young) { // m, thickness of the uppermost m kg/m2
  return m > 0 ? (1 - TC) / RHO * m * (1 + 1 / XI - log(G9 * m / q_y(young)) / XI) : 0;
}
static int up(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static void gentle(void **state) {
  (void)state;
  double d = env("D", 0.02), speed = env("SPEED", 0.25), M = env("MASS", 211.6), T = env("T", 20);
  int wide = (int)env("WIDE", 8);
  sph_plan plan = sph_default_plan();
  plan.spacing = d;
  plan.material.young = 20e3;
  plan.gravity[1] = -G9;
  plan.sph.dt_max = env("DT", 0.005);
  plan.sph.rest_density_tracked = env("TRACKED", 0) > 0;
  for (int a = 0; a < 3; a += 2) plan.periodic[a] = true, plan.period[a] = wide;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, env("NU", 1));
  if (speed > 0) {
    firn_wind_def air = firn_default_wind_def();
    double l = 0.62035 * d;
    air.air_viscosity = RHO * d * d * d * G9 / (6 * 3.14159265 * l * speed);
    must(&c, firn_sim_set_wind(c.sim, &air));
  }
  firn_emitter_def sky = firn_default_emitter_def();
  double w = wide * d, top = env("TOP", 0.75);
  sky.fill.shape = firn_box((double[]){w / 2, top, w / 2}, (double[]){w / 2, 1.5 * d, w / 2});
  sky.kind = FIRN_EMIT_SNOWFALL;
  sky.rate = M / T;
  sky.fill.velocity[1] = -fabs(env("V0", speed));
  sky.stop = T;
  must(&c, firn_sim_add_emitter(c.sim, &sky, NULL));
  double *x = NULL, *rho = NULL;
  double end = T + env("REST", 5);
  for (int k = 1; k <= 10; k++) {
    sph_case_advance(&c, end / 10);
    size_t n = sph_case_count(&c);
    x = sph_case_read(&c, "position", 3), rho = sph_case_read(&c, "density", 1);
    double *jp = sph_case_read(&c, "jp", 1);
    double *v = sph_case_read(&c, "velocity", 3);
    double *y = malloc(n * sizeof *y), mass = RHO * d * d * d / (w * w);
    for (size_t i = 0; i < n; i++) y[i] = x[3 * i + 1];
    qsort(y, n, sizeof *y, up);
    double total = (double)n * mass, h95 = y[(size_t)(0.95 * (double)n)], speedmax = 0;
    for (size_t i = 0; i < n; i++) speedmax = fmax(speedmax, hypot(hypot(v[3 * i], v[3 * i + 1]), v[3 * i + 2]));
    double form = thick(total, 20e3) - thick(0.05 * total, 20e3);
    printf("t %.2f n %zu mass %.1f  h95 %.4f law %.4f ratio %.4f max y %.4f speed %.3g nb %.1f\n", firn_sim_time(c.sim), n, total, h95, form, h95 / form, y[n - 1], speedmax, sph_case_stat(&c, "neighbours_mean"));
    fflush(stdout);
    if (k == 10) {
      // profile in tenths of mass
      for (int q = 0; q < 10; q++) {
        double lo = y[n * (size_t)q / 10], hi = y[n * (size_t)(q + 1) / 10 - 1], r = 0, j = 0, dens;
        size_t m = 0;
        for (size_t i = 0; i < n; i++) {
          if (x[3 * i + 1] < lo || x[3 * i + 1] > hi) continue;
          r += rho[i];
          j += jp[i];
          m++;
        }
        dens = 0.1 * total / (hi - lo);
        double above = total * (0.95 - 0.1 * q), J = 1 - log(G9 * above / q_y(20e3)) / XI;
        printf("  y %.3f..%.3f rho %.1f geometric %.1f law %.1f  jp %.3f law %.3f\n", lo, hi, r / (double)m, dens, RHO / (1 - TC) / J, j / (double)m, J);
      }
    }
    free(x), free(rho), free(v), free(y), free(jp);
  }
  sph_case_close(&c);
}
int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gentle)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
