// SPDX-License-Identifier: Apache-2.0
// long
// timeout: 3600
// Half a metre of snow, flake by flake: none is ever quicker than 0.3 m/s, and the pile is as deep and as
// dense as the law of confined compression says. Then the same from a metre above it.
#include "support/pile.h"

static void half_a_metre_laid_down_gently(void **state) {
  (void)state;
  pile_plan plan = pile_default_plan();
  pile p = pile_build(&plan);
  assert_true(p.speed < 0.3);
  assert_relative("depth", p.depth, p.depth_by_law, 0.1);
  assert_relative("density", p.density, p.density_by_law, 0.1);
  for (int k = 0; k < 10; k++) assert_relative("density of a tenth", p.tenth[k], p.law[k], 0.1);
}

// Impacts at 4.4 m/s pack it: denser than its load would, never looser.
static void half_a_metre_that_fell(void **state) {
  (void)state;
  pile_plan plan = pile_default_plan();
  plan.spacing = 0.01;
  plan.fall = 1;
  plan.pause = 0.1;
  pile p = pile_build(&plan);
  assert_true(p.speed > 4);
  assert_true(p.density > 0.95 * p.density_by_law);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_a_metre_laid_down_gently),
      cmocka_unit_test(half_a_metre_that_fell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
