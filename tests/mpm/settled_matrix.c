// SPDX-License-Identifier: Apache-2.0
// timeout: 1200
// long
// Every way that settled snow can lie, for one second: its floor carries it from the first frame on,
// and it stays where it was laid.
#include "mpm/settled.h"

#include "base/isa.h"

static void settled_snow_lies_still(void **state) {
  (void)state;
  for_each_scheme(v, firn_isa_best()) {
    for (int i = 0; i < 4 * SETTLED_KINDS; i++) {
      settled_case s = {.kind = (settled_kind)(i / 4),
                        .across = 10,
                        .deep = 8,
                        .sleep = i % 4 / 2,
                        .nominal = i % 2};
      if (is_apic(v) && s.nominal) s.integrator = FIRN_INTEGRATOR_IMPLICIT;
      settled_check(v, &s, 1);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(settled_snow_lies_still),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
