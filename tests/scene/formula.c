// SPDX-License-Identifier: Apache-2.0
// Expressions of the position: values, units, and texts that read back to the same bits.
#include "scene/formula.h"

#include <math.h>

#include "scene/setup.h"

static const char root[] = "h: 4 cm\nvariables: {R: 10 cm, k: \"2 * pi / ${R}\", w: -3 1/s}\n";

static firn_arena arena;
static firn_report report;
static firn_scope scope;

static int open_scope(void **state) {
  if (open_context(state)) return 1;
  arena = (firn_arena){.context = context};
  report = (firn_report){.context = context};
  const firn_node *node = firn_node_parse(&arena, &report, root, strlen(root), (firn_mark){0});
  scope = (firn_scope){.arena = &arena, .root = node};
  return node == NULL;
}

static int close_scope(void **state) {
  firn_arena_free(&arena);
  firn_report_free(&report);
  return close_context(state);
}

static firn_formula_step room[2][FIRN_FORMULA_STEPS];

static firn_formula compile(int i, const char *text, firn_dimension want) {
  firn_formula f = {.step = room[i]};
  char why[300];
  if (!firn_expression_compile(&scope, text, want, &f, why, sizeof why))
    fail_msg("%s: %s", text, why);
  return f;
}

static void formulas_have_values_and_read_back(void **state) {
  (void)state;
  static const double at[3] = {0.3, -0.7, 1.9};
  const double x = at[0], y = at[1], z = at[2], k = 2 * 3.14159265358979323846 / 0.1;
  const struct {
    const char *text;
    firn_dimension want;
    double value;
  } cases[] = {
      {"x", FIRN_DIM_NONE, x},
      {"-y*2", FIRN_DIM_VELOCITY, -y * 2},
      {"2 1/s * y", FIRN_DIM_VELOCITY, 2 * y},
      {"${w} * z + 1 cm/s", FIRN_DIM_VELOCITY, -3 * z + 0.01},
      {"1 kPa * sin(${k} * x)", FIRN_DIM_PRESSURE, 1000 * sin(k * x)},
      {"1 m/s * x / ${R}", FIRN_DIM_VELOCITY, x / 0.1},
      {"1 - (x - (y - z)) - 2", FIRN_DIM_NONE, 1 - (x - (y - z)) - 2},
      {"x / (y / z) / 3", FIRN_DIM_NONE, x / (y / z) / 3},
      {"-x^2 * -y", FIRN_DIM_NONE, -(x * x) * -y},
      {"(-x)^3", FIRN_DIM_NONE, pow(-x, 3)},
      {"min(x, y, 2 * z) + max(z, 1)", FIRN_DIM_NONE, y + z},
      {"sqrt(abs(x * y)) * (x + 2)", FIRN_DIM_NONE, sqrt(fabs(x * y)) * (x + 2)},
      {"-(x + y)", FIRN_DIM_NONE, -(x + y)},
      {"2 * -3e-7 * x", FIRN_DIM_NONE, 2 * -3e-7 * x},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_true(firn_expression_has_place(cases[i].text));
    firn_formula f = compile(0, cases[i].text, cases[i].want);
    double value = firn_formula_value(&f, at);
    if (!(fabs(value - cases[i].value) <= 4e-16 * fabs(cases[i].value)))
      fail_msg("%s is %.17g, not %.17g", cases[i].text, value, cases[i].value);
    const char *text = firn_formula_write(&arena, &f);
    firn_formula again = compile(1, text, cases[i].want);
    if (firn_formula_value(&again, at) != value)
      fail_msg("%s, written as %s, is %.17g", cases[i].text, text, firn_formula_value(&again, at));
  }
  // Names that hold these letters are others.
  assert_false(firn_expression_has_place("max(1, 2) * ${x}"));
  assert_false(firn_expression_has_place("3 kg"));
}

static void slips_are_explained(void **state) {
  (void)state;
  static const struct {
    const char *text, *why;
  } cases[] = {
      {"2 kg * x", "a mass"},      {"x + 1 cm", "adds"},        {"x * q", "'q' is not a number"},
      {"sin(x", "')' is missing"}, {"x x", "unknown unit"},     {"x + ${y}", "no variable 'y'"},
      {"siny(x)", "did you mean"}, {"x ^ y", "a whole number"}, {"x +", "expected a number"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    firn_formula f = {.step = room[0]};
    char why[300] = "";
    assert_false(
        firn_expression_compile(&scope, cases[i].text, FIRN_DIM_VELOCITY, &f, why, sizeof why));
    if (!strstr(why, cases[i].why)) fail_msg("%s: %s", cases[i].text, why);
  }
  // Too long a one, and one that needs too much at a time, which depth bounds first.
  char text[4096] = "x", why[300];
  for (int i = 0; i < 400; i++) memcpy(text + 1 + 2 * (size_t)i, "+x", 3);
  firn_formula f = {.step = room[0]};
  assert_false(firn_expression_compile(&scope, text, FIRN_DIM_NONE, &f, why, sizeof why));
  assert_non_null(strstr(why, "too long"));
}

// What only a place shows is told with the line of the expression.
static void failures_while_filling_name_the_line(void **state) {
  (void)state;
  static const struct {
    const char *line, *where, *why;
  } cases[] = {
      {"velocity: [0, \"1 / max(x, 0)\", 0]", "test.yaml:6:15: snow[0].velocity", "must be finite"},
      {"stress: [\"-1 MPa\", 0, \"x\", 0, 0, 0]", "test.yaml:6:13: snow[0].stress", "yielding"},
      {"strain: [\"0 * x - 2\", 0, 0, 0, 0, 0]", "test.yaml:6:13: snow[0].strain", "yielding"},
      {"strain: [\"1 / (x - x)\", 0, 0, 0, 0, 0]", "test.yaml:6:13: snow[0].strain", "not finite"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "firn: 1\nh: 1 cm\n# a\nsnow:\n  - shape: {box: {center: [0, 0, 0], size: [4 cm, 4 "
             "cm, 4 cm]}}\n    %s\n",
             cases[i].line);
    firn_scene *made = read_scene(text);
    firn_sim *sim = NULL;
    assert_int_equal(firn_scene_build(made, &sim), FIRN_ERROR_SCENE);
    const char *message = firn_context_message(context);
    if (!strstr(message, cases[i].where) || !strstr(message, cases[i].why))
      fail_msg("%s: %s", cases[i].line, message);
    firn_scene_destroy(made);
  }
}

// A scene that is gone is asked no more: fills that a window has yet to show have their own formulas.
static void fills_outlive_their_scene(void **state) {
  (void)state;
  firn_scene *made = read_scene(
      "firn: 1\nh: 1 cm\n"
      "snow: [{shape: {box: {center: [0, 0, 0], size: [40 cm, 4 cm, 4 cm]}},\n"
      "        velocity: [\"2 * y\", 0, 0], time: 1 ms}]\n");
  firn_sim *sim = build(made);
  firn_scene_destroy(made);
  assert_int_equal(firn_sim_advance(sim, 2e-3, NULL, NULL), FIRN_OK);
  assert_true(firn_sim_count(sim) > 1000);
  firn_sim_destroy(sim);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(failures_while_filling_name_the_line, open_context,
                                      close_context),
      cmocka_unit_test_setup_teardown(fills_outlive_their_scene, open_context, close_context),
      cmocka_unit_test_setup_teardown(formulas_have_values_and_read_back, open_scope, close_scope),
      cmocka_unit_test_setup_teardown(slips_are_explained, open_scope, close_scope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
