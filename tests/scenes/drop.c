// SPDX-License-Identifier: Apache-2.0
// labels: M6 slow
// timeout: 300
// One scene file under each solver, with nothing changed but its name: the ball falls as its own steps say,
// lands, and the ground gets what it loses.
#include "support/play.h"

static void falls_and_is_stopped(const char *solver, const char *quality) {
  play p = play_builtin("snowball-drop", solver, quality);
  firn_sums first = play_sums(&p), now;
  double y = first.center[1], v = first.momentum[1] / first.mass, g = 9.81, end = 0.62, landed = 0;
  double h = firn_sim_h(p.sim), off = 0;
  while (firn_sim_time(p.sim) < end - 1e-9) {
    double t = firn_sim_time(p.sim);
    play_step(&p, end - t);
    double dt = firn_sim_time(p.sim) - t;
    if (landed > 0) continue;
    now = play_sums(&p);
    v -= g * dt;
    y += v * dt;
    if (now.bounds_min[1] < 2 * h)
      landed = t;
    else
      off = fmax(off, fabs(now.center[1] - y));
  }
  now = play_sums(&p);
  assert_between("s until it lands", landed, 0.3, 0.47);
  assert_between("off its way, of a metre", off, -1e-300, 1e-4);
  assert_between("mass", now.mass / first.mass, 1 - 1e-12, 1 + 1e-12);

  firn_collider_force ground = play_force(&p, "ground");
  double lost = first.mass * g * firn_sim_time(p.sim) + now.momentum[1] - first.momentum[1];
  assert_between("impulse of the ground over what the ball has lost", -ground.impulse[1] / lost,
                 0.998, 1.002);
  assert_between("speed that is left, m/s", fabs(now.momentum[1] / now.mass), 0, 0.6);
  play_close(&p);
}

static void under_mpm(void **state) {
  (void)state;
  falls_and_is_stopped("solver=mpm", "quality=0.17");
}

static void under_sph(void **state) {
  (void)state;
  falls_and_is_stopped("solver=sph", "quality=0.17");
}

static void under_flip(void **state) {
  (void)state;
  falls_and_is_stopped("solver=flip", "quality=0.17");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(under_mpm), cmocka_unit_test(under_sph),
                                     cmocka_unit_test(under_flip)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
