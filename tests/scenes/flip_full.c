// SPDX-License-Identifier: Apache-2.0
// labels: F7 F11
// timeout: 1800
// long
// The claims of Takahashi et al. 2014 with as many particles as the paper has.
#include "scenes/flip_claims.h"

int main(void) {
  QUALITY = "quality=1";
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(crushed_snow_is_thrown),
      cmocka_unit_test(cohesion_keeps_the_bunny),
      cmocka_unit_test(cohesion_keeps_snow_on_the_box),
      cmocka_unit_test(friction_shortens_the_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
