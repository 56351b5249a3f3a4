// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 240
// Snow that falls piles up: as dense and as deep as the law of confined compression says. Flakes that lie
// loose are soft, since density tells hardening, and yield until the load above them is what they hold:
// J_P = 1 - ln(q / q_y) / xi, with the density rho / ((1 - theta_c) J_P).
#include "support/pile.h"

// 20 cm of flakes of 2 cm, which fall by up to one spacing; pile_deep.c has half a metre of small ones.
static void snow_laid_down_gently_is_as_dense_as_its_load(void **state) {
  (void)state;
  pile_plan plan = pile_default_plan();
  plan.depth = 0.2;
  plan.spacing = 0.02;
  pile p = pile_build(&plan);
  // That of a fall by one spacing.
  assert_below("greatest speed, m/s", p.speed, sqrt(2 * 9.81 * plan.spacing));
  assert_relative("depth", p.depth, p.depth_by_law, 0.1);
  assert_relative("density", p.density, p.density_by_law, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_laid_down_gently_is_as_dense_as_its_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
