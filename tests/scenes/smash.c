// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 60
// long in double
// A sticky wall holds the snow that hits it, a plain one sheds it (Stomakhin et al. 2013, Figure 2).
#include "support/play.h"

// Fraction of the snow that is on the wall, well above the ground, 0.6 s after the impact: time
// enough to fall 1.7 m, and the ball hit the wall at 0.75 m.
static double held(const char *name) {
  play p = play_builtin(name, "quality=0.22");
  play_advance(&p, 0.6);
  double h = firn_sim_h(p.sim), *x = play_read(&p, "position"), *m = play_read(&p, "mass");
  double mass = 0, on_wall = 0;
  for (size_t i = 0; i < play_count(&p); i++) {
    mass += m[i];
    if (x[3 * i] > -5 * h && x[3 * i + 1] > 0.5) on_wall += m[i];
  }
  free(x);
  free(m);
  play_close(&p);
  return on_wall / mass;
}

static void sticky_walls_hold_snow_and_plain_ones_shed_it(void **state) {
  (void)state;
  // What a sticky wall holds is what touches it and what sticks to that: at this resolution much of
  // the ball. A plain wall cannot hold anything: it only pushes.
  assert_between("held by a plain wall", held("snowball-smash"), -1, 0.02);
  assert_between("held by a sticky wall", held("snowball-smash-sticky"), 0.2, 1.01);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sticky_walls_hold_snow_and_plain_ones_shed_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
