// SPDX-License-Identifier: Apache-2.0
// long
// timeout: 1200
// Half a metre of snow, flake by flake: none falls further than one spacing, and the pile is as deep and as
// dense as the law of confined compression says. Then snow that falls a metre.
#include "support/pile.h"

static void half_a_metre_laid_down_gently(void **state) {
  (void)state;
  pile_plan plan = pile_default_plan();
  pile p = pile_build(&plan);
  assert_true(p.speed < 0.37); // m/s, after a spacing of free fall
  assert_relative("depth", p.depth, p.depth_by_law, 0.1);
  assert_relative("density", p.density, p.density_by_law, 0.1);
  for (int k = 0; k < 10; k++) assert_relative("density of a tenth", p.tenth[k], p.law[k], 0.1);
}

// Impacts at 4.4 m/s pack it: denser than its load would, never looser.
static void snow_that_fell_a_metre(void **state) {
  (void)state;
  pile_plan plan = pile_default_plan();
  plan.spacing = 0.02;
  plan.depth = 0.2;
  plan.fall = 1;
  // Longer than the fall, or the next would be placed above those in the air; and speeds are looked at by quarters of
  // it, the third of which ends just before they land.
  plan.pause = 0.58;
  pile p = pile_build(&plan);
  assert_true(p.speed > 4);
  assert_true(p.density > 0.95 * p.density_by_law);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(half_a_metre_laid_down_gently),
      cmocka_unit_test(snow_that_fell_a_metre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
