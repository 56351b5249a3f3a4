// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 240
// long in double
// Snow under a roof: the ground below stays bare, and in a wind the bare strip lies where the wind puts it.
#include "support/sph_case.h"

static const double D = 5e-3, FALL = 2.5214, WIDE = 0.64; // m, m/s, m: the period along x
static const double FROM = 0.2, TO = 0.4, UNDER = 0.3, OVER = 0.31;

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Where on the ground, between which x, no flake came down.
static void bare_strip(const sph_case *c, double out[2]) {
  size_t n = sph_case_count(c), down = 0;
  double *x = sph_case_read(c, "position", 3), *at = malloc((n + 1) * sizeof *at), widest = 0;
  assert_non_null(at);
  for (size_t i = 0; i < n; i++)
    if (x[3 * i + 1] < 2 * D) at[down++] = x[3 * i] - WIDE * floor(x[3 * i] / WIDE);
  assert_true(down > 300);
  qsort(at, down, sizeof *at, ascending);
  at[down] = at[0] + WIDE;
  for (size_t i = 0; i < down; i++) {
    if (!(at[i + 1] - at[i] > widest)) continue;
    widest = at[i + 1] - at[i];
    out[0] = at[i];
    out[1] = at[i + 1];
  }
  free(x);
  free(at);
}

// Light flakes come down at 2.52 m/s for half a second, with a wind along x.
static void snow(double wind, double strip[2]) {
  sph_plan plan = sph_default_plan();
  plan.spacing = D;
  plan.material.density = 40;
  plan.gravity[1] = -9.81;
  plan.periodic[0] = plan.periodic[2] = true;
  plan.period[0] = (int)(WIDE / D + 0.5);
  plan.period[2] = 8;
  sph_case c = sph_case_open(&plan);
  sph_case_plane(&c, (const double[3]){0, 0, 0}, (const double[3]){0, 1, 0}, 1);
  firn_collider_def roof = firn_default_collider_def();
  roof.shape = firn_box((const double[3]){(FROM + TO) / 2, (UNDER + OVER) / 2, 4 * D},
                        (const double[3]){(TO - FROM) / 2, (OVER - UNDER) / 2, 8 * D});
  must(&c, firn_sim_add_collider(c.sim, &roof, NULL));
  firn_wind_def air = firn_default_wind_def();
  air.velocity[0] = wind;
  must(&c, firn_sim_set_wind(c.sim, &air));
  firn_emitter_def sky = firn_default_emitter_def();
  sky.kind = FIRN_EMIT_SNOWFALL;
  sky.fill.shape = firn_box((const double[3]){WIDE / 2, 0.4, 4 * D},
                            (const double[3]){WIDE / 2, 2 * D, 4 * D});
  sky.fill.velocity[0] = wind;
  sky.fill.velocity[1] = -FALL;
  sky.rate = 0.24;
  sky.stop = 0.5;
  must(&c, firn_sim_add_emitter(c.sim, &sky, NULL));
  sph_case_advance(&c, 0.7);
  bare_strip(&c, strip);
  sph_case_close(&c);
}

static void ground_under_a_roof_stays_bare(void **state) {
  (void)state;
  const double wind = 1.5;
  double calm[2] = {0}, blown[2] = {0}, shift = (UNDER + OVER) / 2 * wind / FALL;
  snow(0, calm);
  assert_within("from", calm[0], FROM, 2 * D);
  assert_within("to", calm[1], TO, 2 * D);
  snow(wind, blown);
  double moved = (blown[0] + blown[1] - calm[0] - calm[1]) / 2;
  sph_report("strip %.4f to %.4f m, in the wind %.4f to %.4f m: %.4f m aside, %.4f m expected",
             calm[0], calm[1], blown[0], blown[1], moved, shift);
  assert_relative("shift", moved, shift, 0.1);
  assert_within("width", blown[1] - blown[0], TO - FROM, 4 * D);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ground_under_a_roof_stays_bare)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
