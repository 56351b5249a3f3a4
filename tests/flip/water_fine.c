// SPDX-License-Identifier: Apache-2.0
// timeout: 1800
// long
// Water at twice the resolution of water.c, the pool until it has come to rest.
#include "flip/water.h"

static void a_column_breaks_down(void **state) {
  (void)state;
  column_breaks_down(40);
}

static void a_pool_keeps_its_level(void **state) {
  (void)state;
  pool_keeps_its_level(16, 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_column_breaks_down),
      cmocka_unit_test(a_pool_keeps_its_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
