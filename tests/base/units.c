// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene/nearest.h"

#define PI 3.14159265358979323846

static void numbers_with_units_convert_to_si(void **state) {
  (void)state;
  static const struct {
    const char *text;
    firn_dimension dimension;
    double value;
  } cases[] = {
      {"5", FIRN_DIM_LENGTH, 5},
      {"5 mm", FIRN_DIM_LENGTH, 5e-3},
      {"5mm", FIRN_DIM_LENGTH, 5e-3},
      {"-.5e1 cm", FIRN_DIM_LENGTH, -0.05},
      {"140 kPa", FIRN_DIM_PRESSURE, 140e3},
      {"0.14 MPa", FIRN_DIM_PRESSURE, 140e3},
      {"1 N/mm^2", FIRN_DIM_PRESSURE, 1e6},
      {"1 kg m^-1 s^-2", FIRN_DIM_PRESSURE, 1},
      {"40 deg", FIRN_DIM_ANGLE, 40 * PI / 180},
      {"40\302\260", FIRN_DIM_ANGLE, 40 * PI / 180},
      {"400 kg/m^3", FIRN_DIM_DENSITY, 400},
      {"0.4 g/cm^3", FIRN_DIM_DENSITY, 400},
      {"0.4 t/m^3", FIRN_DIM_DENSITY, 400},
      {"36 km/h", FIRN_DIM_VELOCITY, 10},
      {"9.81 m/s^2", FIRN_DIM_ACCELERATION, 9.81},
      {"9.81 m/s/s", FIRN_DIM_ACCELERATION, 9.81},
      {"0.1 ms", FIRN_DIM_TIME, 1e-4},
      {"2 min", FIRN_DIM_TIME, 120},
      {"60 rpm", FIRN_DIM_SPIN, 2 * PI},
      {"90 deg/s", FIRN_DIM_SPIN, PI / 2},
      {"24 Hz", FIRN_DIM_RATE, 24},
      {"24 1/s", FIRN_DIM_RATE, 24},
      {"50 %", FIRN_DIM_NONE, 0.5},
      {"-100 degC", FIRN_DIM_TEMPERATURE, 173.15},
      {"0 \302\260C", FIRN_DIM_TEMPERATURE, 273.15},
      {"5 K", FIRN_DIM_TEMPERATURE, 5},
      {"0.3 W/m/K", FIRN_DIM_CONDUCTIVITY, 0.3},
      {"2.1 kJ/kg/K", FIRN_DIM_HEAT_CAPACITY, 2100},
      {"1 \302\265m", FIRN_DIM_LENGTH, 1e-6},
      {".inf", FIRN_DIM_NONE, INFINITY},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char why[200] = "";
    double value = NAN;
    bool good = firn_quantity_parse(cases[i].text, cases[i].dimension, &value, why, sizeof why);
    if (!good) fail_msg("%s: %s", cases[i].text, why);
    // A few roundings of pow and of the product.
    bool near = value == cases[i].value || fabs(value / cases[i].value - 1) < 4e-16;
    if (!near) fail_msg("%s: %.17g", cases[i].text, value);
  }
}

static void what_is_not_a_number_of_the_dimension_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    firn_dimension dimension;
    const char *why;
  } cases[] = {
      {"", FIRN_DIM_LENGTH, "not a number"},
      {"five", FIRN_DIM_LENGTH, "'five' is not a number"},
      {".", FIRN_DIM_LENGTH, "not a number"},
      {"-", FIRN_DIM_LENGTH, "not a number"},
      {"nan", FIRN_DIM_LENGTH, "not a usable number"},
      {".NaN", FIRN_DIM_LENGTH, "not a usable number"},
      {"0x10", FIRN_DIM_LENGTH, "unknown unit 'x10'"},
      {"1e999", FIRN_DIM_LENGTH, "too large"},
      {"1,5 m", FIRN_DIM_LENGTH, "unknown unit"},
      {"5 kg", FIRN_DIM_LENGTH, "is a mass"},
      {"5 Pa", FIRN_DIM_LENGTH, "is a pressure"},
      {"5 m", FIRN_DIM_NONE, "is a length"},
      {"5 %", FIRN_DIM_LENGTH, "is a plain number"},
      {"5 m^4", FIRN_DIM_LENGTH, "wrong unit"},
      {"5 parsec", FIRN_DIM_LENGTH, "unknown unit 'parsec'"},
      {"5 m^", FIRN_DIM_LENGTH, "unknown unit"},
      {"5 m/", FIRN_DIM_LENGTH, "unknown unit"},
      {"5 /s", FIRN_DIM_RATE, "unknown unit"},
      {"3 1/s", FIRN_DIM_SPIN, "is a rate"},
      {"5 m m", FIRN_DIM_LENGTH, "is an area"},
      {"5 krad", FIRN_DIM_ANGLE, "unknown unit"},
      {"5 degC", FIRN_DIM_LENGTH, "is a temperature"},
      {"5 degC/m", FIRN_DIM_TEMPERATURE, "unknown unit"},
      {"5 degC", FIRN_DIM_ANY, "say differences in K"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char why[200] = "";
    double value;
    if (firn_quantity_parse(cases[i].text, cases[i].dimension, &value, why, sizeof why))
      fail_msg("'%s' was read as %g", cases[i].text, value);
    if (!strstr(why, cases[i].why)) fail_msg("'%s': %s", cases[i].text, why);
  }
}

static void every_si_unit_of_the_table_reads_as_itself(void **state) {
  (void)state;
  for (int d = 1; d < FIRN_DIM_COUNT; d++) {
    char text[40], why[200] = "";
    double value = 0;
    snprintf(text, sizeof text, "3 %s", firn_dimension_unit((firn_dimension)d));
    assert_true(firn_quantity_parse(text, (firn_dimension)d, &value, why, sizeof why));
    assert_true(fabs(value / 3 - 1) < 4e-16);
  }
}

static void edit_distance_counts_half_edits(void **state) {
  (void)state;
  assert_int_equal(firn_edit_distance("young", "young"), 0);
  assert_int_equal(firn_edit_distance("yuong", "young"), 2); // a swap is one edit
  assert_int_equal(firn_edit_distance("yong", "young"), 2);
  assert_int_equal(firn_edit_distance("young", "yung"), 2);
  assert_int_equal(firn_edit_distance("Young", "young"), 1);
  assert_int_equal(firn_edit_distance("half-space", "half_space"), 1);
  assert_int_equal(firn_edit_distance("", "abc"), 6);
}

static const char *suggest(const char *word) {
  static const char *const words[] = {"h",         "fps",  "frames",      "gravity",
                                      "tolerance", "flip", "flip_rescale"};
  firn_nearest nearest = firn_nearest_begin(word);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    firn_nearest_offer(&nearest, words[i]);
  return nearest.best;
}

static void suggestions_are_near_or_none(void **state) {
  (void)state;
  assert_string_equal(suggest("gravty"), "gravity");
  assert_string_equal(suggest("grvity"), "gravity");
  assert_string_equal(suggest("tol"), "tolerance");
  assert_string_equal(suggest("frame"), "frames");
  assert_string_equal(suggest("flipp"), "flip");
  assert_string_equal(suggest("flip-rescale"), "flip_rescale");
  assert_null(suggest("material"));
  assert_null(suggest("x"));
  assert_null(suggest(""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_with_units_convert_to_si),
      cmocka_unit_test(what_is_not_a_number_of_the_dimension_is_refused),
      cmocka_unit_test(every_si_unit_of_the_table_reads_as_itself),
      cmocka_unit_test(edit_distance_counts_half_edits),
      cmocka_unit_test(suggestions_are_near_or_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
