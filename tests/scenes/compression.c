// SPDX-License-Identifier: Apache-2.0
// labels: P8 P9
// timeout: 7200
// long
// The compression scenes: heights of the snow under its own weight and the piston's, under 10 kPa and
// after unloading, against the closed form; at three lengths of steps in float, which take an hour, and at
// one in double. What does not compress stays.
#include <stdio.h>
#include <string.h>

#include "math/real.h"
#include "support/play.h"

static const double HEIGHT = 1.68, RHO = 400, G9 = 9.81, LOAD = 10e3, THETA = 0.025, XI = 10;

// Stretch of snow that was pressed by `most` and is by q now, Pa: elastic up to q_y, then as hardening
// allows; what is elastic of it goes with the load.
static double stretch(double young, double most, double q) {
  double G = young / 2.4, lambda = young * 0.2 / (1.2 * 0.6);
  double q_y = THETA * (2 * G + lambda / (1 - THETA));
  if (most <= q_y) return 1 - q / (lambda + 2 * G);
  return (1 - log(most / q_y) / XI) * (1 - THETA * q / most);
}

// m, with what lies above each layer.
static double closed_form(double young, double most, double load) {
  enum { LAYERS = 500 };
  double sum = 0;
  for (int i = 0; i < LAYERS; i++) {
    double own = RHO * G9 * HEIGHT * (i + 0.5) / LAYERS;
    sum += stretch(young, own + most, own + load) * HEIGHT / LAYERS;
  }
  return sum;
}

static double height(const play *p) {
  firn_collider_state s;
  play_must(p, firn_sim_collider(p->sim, play_collider(p, "piston"), &s));
  return s.pivot[1];
}

// Under own weight, loaded, unloaded; at the times at which the scene's stages end.
static void measure(const char *scene, const char *quality, double dt, double out[3]) {
  char step[40];
  snprintf(step, sizeof step, "sph.dt_max=%g", dt);
  play p = play_builtin(scene, quality, step);
  static const double until[4] = {0, 1.6, 3, 4};
  for (int k = 0; k < 3; k++) {
    play_advance(&p, until[k + 1] - until[k]);
    out[k] = height(&p);
  }
  play_close(&p);
}

static void compare(const char *scene, double young) {
  const double piston = 200 * G9 / (3.14159265358979 * 0.75 * 0.75);
  const double form[3] = {closed_form(young, piston, piston), closed_form(young, LOAD, LOAD),
                          closed_form(young, LOAD, piston)};
  for (int halvings = 0; halvings < (sizeof(firn_real) == 4 ? 3 : 1); halvings++) {
    double got[3], dt = ldexp(1.5e-3, -halvings);
    measure(scene, "quality=0.5", dt, got);
    print_message("%s, %g ms: %.3f %.3f %.3f m, closed form %.3f %.3f %.3f m\n", scene, 1e3 * dt,
                  got[0], got[1], got[2], form[0], form[1], form[2]);
    for (int k = 0; k < 3; k++) assert_between(scene, got[k] / form[k], 0.92, 1.08);
    assert_between("rebound", got[2] / got[1], 1, 1 + THETA / (1 - THETA));
  }
}

static void soft_snow_follows_the_closed_form(void **state) {
  (void)state;
  compare("compression", 20e3);
}

static void stiff_snow_follows_the_closed_form(void **state) {
  (void)state;
  compare("compression-140", 140e3);
}

static void incompressible_snow_keeps_its_height(void **state) {
  (void)state;
  double got[3];
  measure("compression-iisph", "quality=0.5", 1.5e-3, got);
  print_message("iisph: %.4f %.4f %.4f m of %.2f m\n", got[0], got[1], got[2], HEIGHT);
  for (int k = 1; k < 3; k++) assert_between("height", got[k] / got[0], 0.99, 1.01);
  // It has filled the room of half a spacing that the mould leaves it.
  double radius = 0.75, room = 0.03, filled = HEIGHT * pow(radius / (radius + room), 2);
  assert_between("height at first", got[0] / filled, 0.97, 1.03);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(soft_snow_follows_the_closed_form),
      cmocka_unit_test(stiff_snow_follows_the_closed_form),
      cmocka_unit_test(incompressible_snow_keeps_its_height),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
