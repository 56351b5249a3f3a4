// SPDX-License-Identifier: Apache-2.0
// What the figures of Takahashi et al. 2014 show, measured on the scenes that stand for them.
#ifndef FIRN_TESTS_SCENES_FLIP_CLAIMS_H
#define FIRN_TESTS_SCENES_FLIP_CLAIMS_H

#include <stdio.h>

#include "support/play.h"

static const char *QUALITY; // "quality=..."

static double length(const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// Figure 4: at the end of the blow crushed snow is at least twice as fast as whole snow, all of it on average.
static void crushed_snow_is_thrown(void **state) {
  (void)state;
  play p = play_builtin("durability-pair", QUALITY);
  size_t each = play_count(&p) / 2; // the whole ball comes first
  play_advance(&p, 0.125);          // the cuboids stop
  double *v = play_read(&p, "velocity"), speed[2] = {0};
  for (size_t i = 0; i < 2 * each; i++) speed[i / each] += length(v + 3 * i) / (double)each;
  print_message("mean speed: whole %.3f m/s, crushed %.3f m/s\n", speed[0], speed[1]);
  assert_between("crushed over whole", speed[1] / speed[0], 2, 100);
  free(v);
  play_close(&p);
}

// Mean change of the distance of two particles from 0 to 0.6 s, over that distance.
static double deformation(const char *cohesion) {
  enum { PAIRS = 20000 };
  play p = play_builtin("bunny-drop", QUALITY, cohesion);
  double *from = play_read(&p, "position"), all = 0, change = 0;
  play_advance(&p, 0.6);
  double *to = play_read(&p, "position");
  uint64_t random = 1;
  for (int k = 0; k < PAIRS; k++) {
    size_t i[2];
    for (int n = 0; n < 2; n++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      i[n] = (size_t)(random >> 33) % play_count(&p);
    }
    double a[3], b[3];
    for (int n = 0; n < 3; n++) {
      a[n] = from[3 * i[0] + (size_t)n] - from[3 * i[1] + (size_t)n];
      b[n] = to[3 * i[0] + (size_t)n] - to[3 * i[1] + (size_t)n];
    }
    all += length(a);
    change += fabs(length(b) - length(a));
  }
  free(from), free(to);
  play_close(&p);
  print_message("bunny, %s: %.4f\n", cohesion, change / all);
  return change / all;
}

// F11, Figure 6: the bunny keeps its shape the better the more cohesion there is.
static void cohesion_keeps_the_bunny(void **state) {
  (void)state;
  static const char *const cohesion[4] = {"variables.c0=0Pa", "variables.c0=20Pa",
                                          "variables.c0=40Pa", "variables.c0=60Pa"};
  double none = deformation(cohesion[0]), last = none;
  for (int k = 1; k < 4; k++) {
    double now = deformation(cohesion[k]);
    assert_true(now < last);
    last = now;
  }
  assert_between("at 60 Pa over that at 0", last / none, -1, 0.5);
}

// Share of the snow that is above the box, at the end.
static double kept(const char *cohesion) {
  play p = play_builtin("ball-on-box", QUALITY, cohesion);
  play_advance(&p, 1);
  double *x = play_read(&p, "position");
  size_t above = 0;
  for (size_t i = 0; i < play_count(&p); i++) above += x[3 * i + 1] > 0.4;
  double share = (double)above / (double)play_count(&p);
  free(x);
  play_close(&p);
  print_message("ball on a box, %s: %.3f\n", cohesion, share);
  return share;
}

// Figure 11: the snow stays, which without cohesion it does not.
static void cohesion_keeps_snow_on_the_box(void **state) {
  (void)state;
  assert_between("kept at 60 Pa", kept("variables.c0=60Pa"), 0.9, 1.01);
  assert_between("kept at 0", kept("variables.c0=0Pa"), -1, 0.5);
}

// Horizontal distance within which 90 % of the powder is at the end, m.
static double run_out(const char *law, const char *number) {
  play p = play_builtin("powder-on-ball", QUALITY, law, number);
  size_t count = play_count(&p);
  play_advance(&p, 1);
  double *x = play_read(&p, "position"), lo = 0, hi = 100;
  while (hi - lo > 1e-4) {
    double r = (lo + hi) / 2;
    size_t within = 0;
    for (size_t i = 0; i < count; i++) within += hypot(x[3 * i], x[3 * i + 2]) < r;
    *((double)within < 0.9 * (double)count ? &lo : &hi) = r;
  }
  free(x);
  play_close(&p);
  print_message("powder, %s %s: %.3f m\n", law, number, hi);
  return hi;
}

// Figure 5: thick powder runs less far by at least 15 %, be it thick by mu_0 or by k_f as printed.
static void friction_shortens_the_run_out(void **state) {
  (void)state;
  static const char *const law[2] = {"flip.plastic_viscosity=yield",
                                     "flip.plastic_viscosity=printed"};
  double thin = run_out(law[0], "materials.powder.viscosity=0");
  double thick = run_out(law[0], "materials.powder.viscosity=10");
  assert_between("run-out by mu_0", thick / thin, 0, 0.85);
  thin = run_out(law[1], "materials.powder.viscosity_slope=0");
  thick = run_out(law[1], "materials.powder.viscosity_slope=0.1");
  assert_between("run-out by k_f", thick / thin, 0, 0.85);
}

static int test_claims(const char *quality) {
  QUALITY = quality;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crushed_snow_is_thrown),
      cmocka_unit_test(cohesion_keeps_the_bunny),
      cmocka_unit_test(cohesion_keeps_snow_on_the_box),
      cmocka_unit_test(friction_shortens_the_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
