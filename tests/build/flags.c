// SPDX-License-Identifier: Apache-2.0
// The build itself: what the results rely on in the compiler's flags, checked in every preset.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void nan_is_seen(void **state) {
  (void)state;
  volatile float zero = 0.0f;
  float nan = zero / zero;
  assert_true(isnan(nan)); // -ffinite-math-only would fold this to false
  assert_true(nan != nan);
}

static void sums_keep_their_order(void **state) {
  (void)state;
  // (1 + e) - 1 is 0 for e below half an ulp of 1; reassociated it would be e.
  volatile float one = 1.0f, e = FLT_EPSILON / 4;
  float sum = one + e - one;
  assert_true(sum == 0.0f);
}

static void products_are_not_fused(void **state) {
  (void)state;
  // a^2 = 1 + 2^-11 + 2^-24 rounds to 1 + 2^-11; a fused a * a - b keeps the 2^-24.
  volatile float a = 1.0f + 0x1p-12f, b = 1.0f + 0x1p-11f;
  float difference = a * a - b;
  assert_true(difference == 0.0f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nan_is_seen),
      cmocka_unit_test(sums_keep_their_order),
      cmocka_unit_test(products_are_not_fused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
