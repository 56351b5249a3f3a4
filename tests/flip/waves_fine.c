// SPDX-License-Identifier: Apache-2.0
// labels: F5
// timeout: 300
// long
// The waves of waves.c at twice its depth in cells.
#include "flip/waves.h"

static void waves_slosh_as_theory_has_it(void **state) {
  (void)state;
  slosh(16, 0.008, 0.9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(waves_slosh_as_theory_has_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
