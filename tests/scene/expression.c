// SPDX-License-Identifier: Apache-2.0
// Arithmetic with units, and variables.
#include "scene/expression.h"

#include <firn/firn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static firn_context *context;
static firn_arena arena;
static firn_report report;

static int setup(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  if (firn_context_create(&def, &context) != FIRN_OK) return 1;
  arena = (firn_arena){.context = context};
  report = (firn_report){.context = context};
  return 0;
}

static int teardown(void **state) {
  (void)state;
  firn_arena_free(&arena);
  firn_report_free(&report);
  size_t held = firn_context_bytes(context);
  firn_context_destroy(context);
  return held != 0;
}

static firn_scope scope_of(const char *text) {
  firn_mark base = {0};
  const firn_node *root = firn_node_parse(&arena, &report, text, strlen(text), base);
  assert_non_null(root);
  return (firn_scope){.arena = &arena, .root = root};
}

static const char scene[] = "h: 4 cm\nquality: 2\nfps: 50\n"
                            "variables: {R: 10 cm, n: 3, half: \"0.5 * ${R}\", speed: 36 km/h, "
                            "turn: 30 deg, cold: -20 degC, list: [1, 2]}\n";

static void expressions_have_values_in_si(void **state) {
  (void)state;
  static const struct {
    const char *text;
    firn_dimension want;
    double value;
  } cases[] = {
      {"${R}", FIRN_DIM_LENGTH, 0.1},
      {"2 * ${R} + 1 cm", FIRN_DIM_LENGTH, 0.21},
      {"${R}*2+1cm", FIRN_DIM_LENGTH, 0.21},
      {"-${R}", FIRN_DIM_LENGTH, -0.1},
      {"-20 degC + 5 K", FIRN_DIM_TEMPERATURE, 258.15},
      {"${cold} - 10 K", FIRN_DIM_TEMPERATURE, 243.15},
      {"1 m - ${half} - ${half}", FIRN_DIM_LENGTH, 0.9},
      {"(1 m - ${R}) / ${n}", FIRN_DIM_LENGTH, 0.3},
      {"12 m / 2 / 3", FIRN_DIM_LENGTH, 2},
      {"2 + 3 * 4", FIRN_DIM_NONE, 14},
      {"(2 + 3) * 4", FIRN_DIM_NONE, 20},
      {"-2^2", FIRN_DIM_NONE, -4},
      {"2 * ${R}^2", FIRN_DIM_AREA, 0.02},
      {"${speed} * cos(${turn})", FIRN_DIM_VELOCITY, 10 * 0.86602540378443865},
      {"${speed} / 2 s", FIRN_DIM_ACCELERATION, 5},
      {"${R} / ${speed}", FIRN_DIM_TIME, 0.01},
      {"400 kg/m^3 * 2", FIRN_DIM_DENSITY, 800},
      {"3 1/s * 2", FIRN_DIM_RATE, 6},
      {"sqrt(2 * 9.81 m/s^2 * ${R})", FIRN_DIM_VELOCITY, 1.4007141035914502},
      {"min(${R}, 3 cm, 7 cm)", FIRN_DIM_LENGTH, 0.03},
      {"max(${R}, 3 cm)", FIRN_DIM_LENGTH, 0.1},
      {"max(2 cm, 4 * ${h})", FIRN_DIM_LENGTH, 0.08}, // h 2 cm, after quality
      {"max(9 cm, 4 * ${h})", FIRN_DIM_LENGTH, 0.09},
      {"min(2 cm, 8 * ${spacing}, 1 m)", FIRN_DIM_LENGTH, 0.02},
      {"1 cm * max(1, 6 / ${quality})", FIRN_DIM_LENGTH, 0.03},
      {"min(${n}, 1 km)", FIRN_DIM_LENGTH, 3}, // without a unit: in SI
      {"max(1 cm, ${n} / 100)", FIRN_DIM_LENGTH, 0.03},
      {"1 m * floor(2.7) + 1 m * round(2.7) + 1 m * ceil(2.1)", FIRN_DIM_LENGTH, 8},
      {"abs(-${R})", FIRN_DIM_LENGTH, 0.1},
      {"2 * atan(1)", FIRN_DIM_ANGLE, 1.5707963267948966},
      {"pi * 1 rad", FIRN_DIM_ANGLE, 3.1415926535897931},
      {"50 % * ${R}", FIRN_DIM_LENGTH, 0.05},
      {"1e-2 * 1e2 m", FIRN_DIM_LENGTH, 1},
      {"${n} / 10", FIRN_DIM_LENGTH, 0.3}, // a bare number is SI
      {"40 cm + ${n}", FIRN_DIM_LENGTH, 3.4},
      {"-${n} / 2 + 40 cm", FIRN_DIM_LENGTH, -1.1},
      {"1 m - (${n} + 1)", FIRN_DIM_LENGTH, -3},
      {"10 m/s + ${n}", FIRN_DIM_VELOCITY, 13},
      // what the scene itself has: h after quality
      {"${h}", FIRN_DIM_LENGTH, 0.02},
      {"6 * ${spacing}", FIRN_DIM_LENGTH, 0.06},
      {"${quality}", FIRN_DIM_NONE, 2},
      {"2 / ${fps}", FIRN_DIM_TIME, 0.04},
      {"${frames}", FIRN_DIM_NONE, 48},
  };
  firn_scope scope = scope_of(scene);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char why[300] = "";
    double value = NAN;
    if (!firn_expression_read(&scope, cases[i].text, cases[i].want, &value, why, sizeof why))
      fail_msg("%s: %s", cases[i].text, why);
    // A handful of roundings of doubles.
    if (!(fabs(value - cases[i].value) <= 1e-14 * fabs(cases[i].value)))
      fail_msg("%s: %.17g, expected %.17g", cases[i].text, value, cases[i].value);
  }
}

static void plain_numbers_are_no_expressions(void **state) {
  (void)state;
  static const char *const plain[] = {"5 mm",  "-1e-3 m", "3 1/s", "1 kg/m^3", "2 m s^-2",
                                      "4 N*m", "x",       "",      ".inf"};
  static const char *const expressions[] = {"1 + 1", "2*3 cm", "${a}", "(1)", "1 m - 2 m", "6/2"};
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    if (firn_expression_is(plain[i])) fail_msg("%s", plain[i]);
  for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++)
    if (!firn_expression_is(expressions[i])) fail_msg("%s", expressions[i]);
}

static void wrong_expressions_say_what_is_wrong(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"${R} + 1 s", "adds a length and a time"},
      {"${R} + 1", "adds a length and a plain number"},
      {"${R} + ${R} / ${R}", "adds a length and a plain number"},
      {"${R} + ${quality}", "adds a length and a plain number"},
      {"${R} + ${n} * 1 s", "adds a length and a time"},
      {"${R} * ${R}", "is an area"},
      {"${R}^2 * ${R}^2", "wrong unit"},
      {"1 / 0", "divides by zero"},
      {"${Q}", "there is no variable 'Q'"},
      {"${list}", "is a list, not a number"},
      {"$R", "write ${name}"},
      {"${R", "write ${name}"},
      {"(1 m", "')' is missing"},
      {"1 m + ", "expected a number"},
      {"1 m) + (2 m", "')"},
      {"sqrt(1 m)", "has no unit"},
      {"cos(1 m) * 1 m", "needs an angle"},
      {"floor(1 m)", "needs a plain number"},
      {"min(1 m, 1 s)", "different units"},
      {"sin(1, 2) * 1 m", "takes one number"},
      {"1 m * 2 furlong", "unknown unit 'furlong'"},
      {"1e300 m * 1e300", "not a finite number"},
      {"asin(2) * 1 m", "not a finite number"},
      {"2 m ^ 2.5", "2.5"},
      // 9^12 is more than an int holds.
      {"((((((((((((1 m)^9)^9)^9)^9)^9)^9)^9)^9)^9)^9)^9)^9", "no sensible unit"},
      {"1 m + 2 m 3", "too much"},
  };
  firn_scope scope = scope_of(scene);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char why[300] = "";
    double value;
    if (firn_expression_read(&scope, cases[i].text, FIRN_DIM_LENGTH, &value, why, sizeof why))
      fail_msg("%s: taken for %g", cases[i].text, value);
    if (!strstr(why, cases[i].why)) fail_msg("%s: %s", cases[i].text, why);
  }
}

static void texts_take_variables_in(void **state) {
  (void)state;
  firn_scope scope = scope_of(
      "variables: {a: one, b: 'two ${a}', n: 5 cm, c: '${d}', d: '${c}'}\n");
  char why[300];
  assert_string_equal(firn_scope_expand(&scope, "plain", why, sizeof why), "plain");
  assert_string_equal(firn_scope_expand(&scope, "x ${a}, ${b}!", why, sizeof why),
                      "x one, two one!");
  assert_string_equal(firn_scope_expand(&scope, "${n} wide", why, sizeof why), "5 cm wide");
  assert_null(firn_scope_expand(&scope, "${c}", why, sizeof why));
  assert_non_null(strstr(why, "depends on itself"));
  assert_null(firn_scope_expand(&scope, "${nobody}", why, sizeof why));
  assert_non_null(strstr(why, "no variable 'nobody'"));
}

// Doubling per level would take 2^60 evaluations.
static void long_chains_of_variables_end(void **state) {
  (void)state;
  char text[8192] = "variables:\n  v0: 1 m\n";
  for (int i = 1; i <= 60; i++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "  v%d: \"(${v%d} + ${v%d}) / 2\"\n", i, i - 1,
             i - 1);
  }
  firn_scope scope = scope_of(text);
  char why[300];
  double value = 0;
  assert_true(firn_expression_read(&scope, "${v20}", FIRN_DIM_LENGTH, &value, why, sizeof why));
  assert_true(value == 1);
  // Too deep in one go is an error, not a crash.
  scope.entries = NULL;
  assert_false(firn_expression_read(&scope, "${v60}", FIRN_DIM_LENGTH, &value, why, sizeof why));
  assert_non_null(strstr(why, "too deeply"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(expressions_have_values_in_si),
      cmocka_unit_test(plain_numbers_are_no_expressions),
      cmocka_unit_test(wrong_expressions_say_what_is_wrong),
      cmocka_unit_test(texts_take_variables_in),
      cmocka_unit_test(long_chains_of_variables_end),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
