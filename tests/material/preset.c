// SPDX-License-Identifier: Apache-2.0
// Presets, and the checks between a user's numbers and the laws.
#include "material/setup.h"

static firn_context *context;

static int set_up(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  return firn_context_create(&def, &context) != FIRN_OK;
}

static int tear_down(void **state) {
  (void)state;
  firn_context_destroy(context);
  return 0;
}

static void default_material_is_table_2(void **state) {
  (void)state;
  firn_material_def snow, def = firn_default_material_def();
  assert_int_equal(firn_material_preset(context, "snow", &snow), FIRN_OK);
  assert_memory_equal(&def, &snow, sizeof def);
  assert_string_equal(def.law, "snow");
  assert_true(def.theta_c == 2.5e-2 && def.theta_s == 7.5e-3 && def.hardening == 10);
  assert_true(def.density == 400 && def.young == 1.4e5 && def.poisson == 0.2);
  assert_true(def.jp_min == 0 && isinf(def.jp_max)); // as printed: no bounds
  firn_material_row row;
  assert_int_equal(firn_material_make_row(context, &def, "m", &row), FIRN_OK);
  // The derived numbers of the paper's material: mu, lambda to 1 Pa.
  assert_true(fabs((double)row.mu - 58333.33) < 0.1 && fabs((double)row.lambda - 38888.89) < 0.1);
  assert_true(row.lo == (firn_real)-2.5e-2 && row.hi == (firn_real)7.5e-3 && row.hardening == 10);
  assert_true(row.ln_jp_lo == -FIRN_REAL_MAX && row.ln_jp_hi == FIRN_REAL_MAX);
  assert_int_equal(row.law, FIRN_LAW_SNOW);
}

// Section 5: which way each kind of snow differs from Table 2.
static void presets_differ_from_table_2_as_the_paper_says(void **state) {
  (void)state;
  firn_material_def snow = firn_default_material_def(), powder, packing, wet, icy, mud, sand;
  assert_int_equal(firn_material_preset(context, "powder", &powder), FIRN_OK);
  assert_int_equal(firn_material_preset(context, "packing", &packing), FIRN_OK);
  assert_int_equal(firn_material_preset(context, "wet", &wet), FIRN_OK);
  assert_int_equal(firn_material_preset(context, "icy", &icy), FIRN_OK);
  assert_int_equal(firn_material_preset(context, "mud", &mud), FIRN_OK);
  assert_true(powder.theta_c < snow.theta_c && powder.theta_s < snow.theta_s);
  assert_true(wet.theta_c > snow.theta_c && wet.theta_s > snow.theta_s);
  assert_true(icy.hardening > snow.hardening && icy.young > snow.young);
  assert_true(mud.hardening < snow.hardening && mud.young < snow.young);
  assert_true(packing.hardening < snow.hardening);
  assert_int_equal(firn_material_preset(context, "sand", &sand), FIRN_OK);
  assert_true(sand.hardening == 0); // whatever law is put on it
  // What gives way to a body, holds and runs under flip: light snow most, and grains and water not at all.
  firn_material_def water;
  assert_int_equal(firn_material_preset(context, "water", &water), FIRN_OK);
  assert_string_equal(water.law, "water");
  assert_true(powder.velocity_factor < snow.velocity_factor && powder.crushing > snow.crushing);
  assert_true(powder.yield_cohesion < snow.yield_cohesion);
  assert_true(packing.yield_cohesion > snow.yield_cohesion);
  assert_true(sand.velocity_factor == 1 && sand.yield_cohesion == 0 &&
              fabs(sand.yield_angle - 0.5585053606) < 1e-9);
  assert_true(water.velocity_factor == 1 && water.yield_cohesion == 0 && water.yield_angle == 0);
  assert_true(water.viscosity == 0 && mud.viscosity > snow.viscosity);
}

static void every_preset_is_valid_and_described(void **state) {
  (void)state;
  int count = 0;
  for (const char *name; (name = firn_material_preset_name(count)); count++) {
    firn_material_def def;
    firn_material_row row;
    assert_int_equal(firn_material_preset(context, name, &def), FIRN_OK);
    assert_int_equal(firn_material_make_row(context, &def, name, &row), FIRN_OK);
    assert_non_null(firn_material_preset_doc(count));
    assert_true(strlen(firn_material_preset_doc(count)) > 20);
  }
  assert_int_equal(count, 10);
  assert_null(firn_material_preset_doc(count));
  assert_null(firn_material_preset_name(-1));
}

static void unknown_names_are_named_in_the_message(void **state) {
  (void)state;
  firn_material_def def = firn_default_material_def();
  firn_material_row row;
  assert_int_equal(firn_material_preset(context, "slush", &def), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "slush"));
  assert_int_equal(firn_material_preset(context, NULL, &def), FIRN_ERROR_ARGUMENT);
  def.law = "sand?";
  assert_int_equal(firn_material_make_row(context, &def, "material 3", &row), FIRN_ERROR_ARGUMENT);
  assert_non_null(strstr(firn_context_message(context), "sand?"));
  assert_non_null(strstr(firn_context_message(context), "material 3"));
  def.law = NULL;
  assert_int_equal(firn_material_make_row(context, &def, "m", &row), FIRN_ERROR_ARGUMENT);
}

// One bad value at a time, in every field: refused, and the message says which field and what value.
static void values_out_of_range_are_refused_by_field_and_value(void **state) {
  (void)state;
  const struct {
    size_t field;
    const char *name;
    double bad[5];
  } cases[] = {
      {offsetof(firn_material_def, density), "density", {0, -400, NAN, INFINITY, -INFINITY}},
      {offsetof(firn_material_def, young), "young", {0, -1, NAN, INFINITY, -INFINITY}},
      {offsetof(firn_material_def, poisson), "poisson", {0.5, -1, NAN, 7, INFINITY}},
      {offsetof(firn_material_def, theta_c), "theta_c", {0, 1, NAN, -0.1, INFINITY}},
      {offsetof(firn_material_def, theta_s), "theta_s", {-0.001, NAN, INFINITY, -INFINITY, -1}},
      {offsetof(firn_material_def, hardening), "hardening", {-1, NAN, INFINITY, -INFINITY, -0.5}},
      {offsetof(firn_material_def, jp_min), "jp_min", {-0.5, 1.5, NAN, INFINITY, -INFINITY}},
      {offsetof(firn_material_def, jp_max), "jp_max", {0.5, -2, NAN, 0, -INFINITY}},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int i = 0; i < 5; i++) {
      firn_material_def def = firn_default_material_def();
      firn_material_row row;
      memcpy((char *)&def + cases[c].field, &cases[c].bad[i], sizeof(double));
      firn_status status = firn_material_make_row(context, &def, "material 2", &row);
      if (status != FIRN_ERROR_ARGUMENT)
        fail_msg("%s = %g accepted", cases[c].name, cases[c].bad[i]);
      const char *message = firn_context_message(context);
      char value[32];
      snprintf(value, sizeof value, "%g", cases[c].bad[i]);
      assert_non_null(strstr(message, "material 2"));
      assert_non_null(strstr(message, cases[c].name));
      assert_non_null(strstr(message, value));
    }
}

// What a law does not ask for may be anything but what a checkpoint would refuse to load.
static void numbers_of_other_laws_must_be_finite(void **state) {
  (void)state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      firn_material_def def = firn_default_material_def();
      firn_material_row row;
      def.law = "elastic";
      *(k == 0 ? &def.theta_c : k == 1 ? &def.theta_s : &def.hardening) = -1;
      assert_int_equal(firn_material_make_row(context, &def, "m", &row), FIRN_OK);
      *(k == 0 ? &def.theta_c : k == 1 ? &def.theta_s : &def.hardening) = bad[i];
      assert_int_equal(firn_material_make_row(context, &def, "m", &row), FIRN_ERROR_ARGUMENT);
      assert_non_null(strstr(firn_context_message(context), "must be finite"));
    }
}

// def -> row -> def gives the numbers back to the rounding of firn_real.
static void rows_remember_their_def(void **state) {
  (void)state;
  firn_material_def def = firn_default_material_def();
  def.jp_min = 0.6;
  def.jp_max = 20;
  def.poisson = 0.31;
  firn_material_row row;
  assert_int_equal(firn_material_make_row(context, &def, "m", &row), FIRN_OK);
  firn_material_def back = firn_material_def_of_row(&row);
  const double tol = 20 * FIRN_REAL_EPS;
  assert_string_equal(back.law, def.law);
  assert_below(fabs(back.young / def.young - 1), tol);
  assert_below(fabs(back.poisson / def.poisson - 1), tol);
  assert_below(fabs(back.theta_c / def.theta_c - 1), tol);
  assert_below(fabs(back.theta_s / def.theta_s - 1), tol);
  assert_below(fabs(back.jp_min / def.jp_min - 1), tol);
  assert_below(fabs(back.jp_max / def.jp_max - 1), tol);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(default_material_is_table_2),
      cmocka_unit_test(presets_differ_from_table_2_as_the_paper_says),
      cmocka_unit_test(every_preset_is_valid_and_described),
      cmocka_unit_test(unknown_names_are_named_in_the_message),
      cmocka_unit_test(values_out_of_range_are_refused_by_field_and_value),
      cmocka_unit_test(numbers_of_other_laws_must_be_finite),
      cmocka_unit_test(rows_remember_their_def),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
