// SPDX-License-Identifier: Apache-2.0
// labels: F7 F11 slow
// timeout: 120
// long in double
// The claims of Takahashi et al. 2014 with few particles; flip_full.c has all of them.
#include "scenes/flip_claims.h"

int main(void) {
  QUALITY = "quality=0.4";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crushed_snow_is_thrown),
      cmocka_unit_test(cohesion_keeps_the_bunny),
      cmocka_unit_test(cohesion_keeps_snow_on_the_box),
      cmocka_unit_test(friction_shortens_the_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
