// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// Water at a resolution that takes seconds.
#include "flip/water.h"

static void a_column_breaks_down(void **state) {
  (void)state;
  column_breaks_down(20);
}

static void a_pool_keeps_its_level(void **state) {
  (void)state;
  pool_keeps_its_level(8, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_column_breaks_down),
      cmocka_unit_test(a_pool_keeps_its_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
