// SPDX-License-Identifier: Apache-2.0
// labels: F5
// timeout: 120
// The lowest standing wave in a tank sloshes with omega^2 = g k tanh(k H), wherever the tank lies
// on the grid and however it is turned, and keeps most of its height.
#include "flip/waves.h"

// At four cells' depth the wave is 0.4 cells high: what particles that lie askew on the grid do is
// 4 % of that, in the record of two periods.
static void waves_slosh_as_theory_has_it(void **state) {
  (void)state;
  slosh(4, 0.03, 0.5);
  slosh(8, 0.012, 0.78);
}

// Where the surface is that of spheres, they are slow, and sooner gone.
static void by_spheres_they_are_slow(void **state) {
  (void)state;
  const place turned = {8, 0.35, {0.62, 0.45}};
  double frequency, height;
  measure(&turned, true, &frequency, &height);
  assert_true(frequency < 0.98 && height < 0.75);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(waves_slosh_as_theory_has_it),
                                     cmocka_unit_test(by_spheres_they_are_slow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
