// SPDX-License-Identifier: Apache-2.0
// Decimal numbers: read to the last bit, printed as they are read, in every locale.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdbool.h>

#include <cmocka.h>

#include "base/number.h"
#include "support/comma.h"

static void numbers_end_where_they_end(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
    double value;
  } cases[] = {
      {"0", 1, 0},
      {"-1.5e3,", 6, -1500},
      {"+.5 m", 3, 0.5},
      {"5.", 2, 5},
      {"1e5x", 3, 1e5},
      {"1e", 1, 1},
      {"2e+ ", 1, 2},
      {"1.2.3", 3, 1.2},
      {"007.50", 6, 7.5},
      {"0x10", 1, 0},
      {"1e400", 5, INFINITY},
      {"-1e-400", 7, 0},
      {"0e9999", 6, 0},
      {"", 0, 0},
      {"-", 0, 0},
      {".", 0, 0},
      {"e5", 0, 0},
      {"nan", 0, 0},
      {"inf", 0, 0},
      {" 1", 0, 0},
      {"0,5", 1, 0},
      {"1 000", 1, 1},
      {"5e-324", 6, 0x1p-1074},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = 0;
    assert_int_equal(firn_number_read(cases[i].text, SIZE_MAX, &value), cases[i].length);
    if (value != cases[i].value) fail_msg("%s: %.17g", cases[i].text, value);
    // Bytes that are not there do not count.
    assert_true(firn_number_read(cases[i].text, cases[i].length ? cases[i].length - 1 : 0, &value) <
                cases[i].length + !cases[i].length);
  }
  double value;
  assert_true(firn_number_is("12.5", &value) && !firn_number_is("12.5 m", &value) &&
              !firn_number_is("", &value));
}

// Texts from 1 to 40 digits: all powers, all roundings, and what is halfway between two doubles but
// for its last digit.
static void numbers_are_rounded_as_strtod_rounds(void **state) {
  (void)state;
  uint64_t bits = 1;
  for (int i = 0; i < 200000; i++) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    double x = ldexp((double)(bits >> 11), (int)(bits % (i % 2 ? 2000 : 60)) - (i % 2 ? 1060 : 70));
    char text[64], again[FIRN_NUMBER_SIZE];
    int length = snprintf(text, sizeof text, "%.*e", (int)(bits >> 40) % 40, x);
    double value = 0;
    assert_int_equal(firn_number_read(text, (size_t)length, &value), length);
    if (value != strtod(text, NULL)) fail_msg("%s: %.17g", text, value);
    firn_number_print_exact(again, x);
    assert_true(strtod(again, NULL) == x);
  }
  // 1 + 2^-53 lies in the middle of two doubles and goes to the even one; what follows far behind
  // decides otherwise.
  char middle[1200] = "1.00000000000000011102230246251565404236316680908203125";
  size_t n = strlen(middle);
  double value;
  assert_true(firn_number_is(middle, &value) && value == 1);
  memset(middle + n, '0', 1000);
  snprintf(middle + n + 1000, 2, "1");
  assert_true(firn_number_is(middle, &value) && value == 1 + 0x1p-52);
}

static void numbers_are_printed_short(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *nine, *exact;
  } cases[] = {
      {0, "0", "0"},
      {-0.0, "0", "-0"},
      {0.1, "0.1", "0.1"},
      {1.0 / 3, "0.333333333", "0.3333333333333333"},
      {-123456789012345, "-123456789012345", "-123456789012345"},
      {1e15, "1e+15", "1e+15"},
      {-1.23456789123e-308, "-1.23456789e-308", "-1.23456789123e-308"},
      {0x1.fffffffffffffp1023, "1.79769313e+308", "1.7976931348623157e+308"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[FIRN_NUMBER_SIZE];
    assert_int_equal(firn_number_print(text, cases[i].value), strlen(cases[i].nine));
    assert_string_equal(text, cases[i].nine);
    assert_int_equal(firn_number_print_exact(text, cases[i].value), strlen(cases[i].exact));
    assert_string_equal(text, cases[i].exact);
  }
}

static void a_decimal_comma_changes_nothing(void **state) {
  if (!comma_begin()) {
    print_message("skipped: there is no locale with a decimal comma, nor localedef to make one\n");
    skip();
  }
  numbers_end_where_they_end(state);
  numbers_are_printed_short(state);
  double value;
  assert_true(firn_number_is("0.12345678901234567890123", &value) && value == 0x1.f9add3746f65fp-4);
  comma_end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_end_where_they_end),
      cmocka_unit_test(numbers_are_rounded_as_strtod_rounds),
      cmocka_unit_test(numbers_are_printed_short),
      cmocka_unit_test(a_decimal_comma_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
