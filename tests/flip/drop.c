// SPDX-License-Identifier: Apache-2.0
// timeout: 120
// A scene that was made for mpm, run by flip with nothing changed but the solver: the ball falls as its own
// steps say, lands, and the ground gets what it loses.
#include "support/play.h"

static void a_snowball_falls_and_is_stopped(void **state) {
  (void)state;
  play p = play_builtin("snowball-drop", "solver=flip", "quality=0.17");
  firn_sums first = play_sums(&p), now = first;
  double y = first.center[1], v = first.momentum[1] / first.mass, g = 9.81, end = 0.62, landed = 0;
  double h = firn_sim_h(p.sim), before = 0;
  while (firn_sim_time(p.sim) < end - 1e-9) {
    double t = firn_sim_time(p.sim);
    play_step(&p, end - t);
    double dt = firn_sim_time(p.sim) - t;
    now = play_sums(&p);
    if (landed > 0) continue;
    v -= g * dt;
    y += v * dt;
    if (now.bounds_min[1] < 2 * h) {
      landed = t;
      continue;
    }
    before = fmax(before, fabs(now.center[1] - y));
  }
  assert_true(landed > 0.3);
  assert_between("off its way, of a metre", before, 0, 1e-4);
  assert_between("mass", now.mass / first.mass, 1 - 1e-12, 1 + 1e-12);

  firn_collider_force ground;
  play_must(&p, firn_sim_collider_force(p.sim, 0, &ground));
  double lost = first.mass * g * firn_sim_time(p.sim) + now.momentum[1] - first.momentum[1];
  assert_between("impulse of the ground over what the ball has lost", -ground.impulse[1] / lost,
                 1 - 1e-5, 1 + 1e-5);
  assert_between("speed that is left, m/s", fabs(now.momentum[1] / now.mass), 0, 0.5);
  assert_true(play_stat(&p, "durability_mean") < 1);
  assert_true(play_stat(&p, "unconverged") == 0);
  play_close(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_snowball_falls_and_is_stopped)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
