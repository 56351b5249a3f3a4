// SPDX-License-Identifier: Apache-2.0
// What a scene's cells are too coarse for is named once for each kind, with the quality that
// resolves it.
#include <math.h>

#include "scene/setup.h"

enum { MOST = 8 };

typedef struct {
  int count;
  firn_scene_error all[MOST];
} told;

static void note(void *user, const firn_scene_error *advice) {
  told *t = user;
  if (t->count < MOST) t->all[t->count] = *advice;
  t->count++;
}

static told advice_of(firn_scene *scene) {
  told t = {0};
  assert_int_equal(firn_scene_advise_resolution(scene, note, &t), FIRN_OK);
  firn_scene_destroy(scene);
  return t;
}

static void expect_one(told t, firn_log_level level, const char *message) {
  if (t.count != 1 || t.all[0].level != level || strcmp(t.all[0].message, message) != 0)
    fail_msg("%d messages, level %d: %s", t.count, (int)t.all[0].level, t.all[0].message);
}

static void expect_none(told t) {
  if (t.count) fail_msg("found %s", t.all[0].message);
}

// A body from 0 to 1 m in cells of 1 cm, turned and moved by no number of cells unless told
// otherwise.
static told of_variation(const char *head, const char *variation) {
  char text[1000];
  snprintf(text, sizeof text,
           "firn: 1\n%s\nsnow:\n  - shape: {box: {center: [0, 50 cm, 0], size: [1, 1, 1]}}\n"
           "    variation:\n%s",
           head, variation);
  return advice_of(read_scene(text));
}

#define H      "h: 1 cm"
#define BAND   "snow[0].variation[0]."
#define RATHER FIRN_LOG_WARNING
#define HARDLY FIRN_LOG_INFO

static void a_shell_says_its_cells_and_what_resolves_it(void **state) {
  (void)state;
  told t = of_variation(H, "      - {of: young, depth: [0, 2 cm], factor: 3}\n");
  expect_one(t, RATHER,
             BAND "depth: a band of 2 cm has 2 cells of 1 cm; 4 resolve it: quality 2 or "
                  "more, or 4 cm");
  assert_int_equal(t.all[0].line, 6);
  assert_int_equal(t.all[0].column, 28);
  // The quality counts from what it is.
  t = of_variation(H "\nquality: 0.5", "      - {of: young, depth: [0, 6 cm], factor: 3}\n");
  expect_one(t, HARDLY,
             BAND "depth: a band of 6 cm has 3 cells of 2 cm; 4 resolve it: quality 0.66 "
                  "or more, or 8 cm");
  // A shell in the inside, and one that the others leave over.
  expect_one(of_variation(H, "      - {of: young, depth: [5 cm, 7 cm], factor: 3}\n"), RATHER,
             BAND "depth: a band of 2 cm has 2 cells of 1 cm; 4 resolve it: quality 2 or more, or "
                  "4 cm");
  expect_one(of_variation(H, "      - {of: young, depth: [1 cm, .inf], factor: 3}\n"), RATHER,
             BAND "depth: a band of 1 cm has 1 cell of 1 cm; 4 resolve it: quality 4 or more, or "
                  "4 cm");
  expect_none(of_variation(H, "      - {of: young, depth: [0, 4 cm], factor: 3}\n"));
}

// What is said to be enough is: at that quality nothing is said, just below it something is.
static void the_quality_that_is_named_resolves_it(void **state) {
  (void)state;
  for (int i = 1; i <= 37; i++) {
    char variation[200], head[60];
    double size = 0.11 * i, quality = 0;
    snprintf(variation, sizeof variation, "      - {of: young, depth: [0, %g cm], factor: 3}\n",
             size);
    told t = of_variation(H, variation);
    if (t.count == 0) {
      assert_true(size >= 0.99 * 4);
      continue;
    }
    const char *said = strstr(t.all[0].message, "quality ");
    assert_int_equal(sscanf(said, "quality %lf", &quality), 1);
    snprintf(head, sizeof head, H "\nquality: %g", quality);
    expect_none(of_variation(head, variation));
    snprintf(head, sizeof head, H "\nquality: %g", 0.88 * quality);
    assert_int_equal(of_variation(head, variation).count, 1);
  }
}

// Three quarters of what resolves it: from there on a note, below it a warning.
static void a_warning_begins_where_it_matters(void **state) {
  (void)state;
  static const struct {
    const char *to;
    int count;
    firn_log_level level;
  } cases[] = {{"2.9 cm", 1, RATHER}, {"3 cm", 1, HARDLY}, {"3.9 cm", 1, HARDLY}, {"4 cm", 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char variation[200];
    snprintf(variation, sizeof variation, "      - {of: young, depth: [0, %s], factor: 3}\n",
             cases[i].to);
    told t = of_variation(H, variation);
    assert_int_equal(t.count, cases[i].count);
    if (t.count) assert_int_equal(t.all[0].level, cases[i].level);
  }
}

static void crusts_end_where_the_body_does(void **state) {
  (void)state;
  static const struct {
    const char *where;
    const char *size; // NULL: no report
  } cases[] = {
      {"height: [98 cm, 3]", "2 cm has 2 cells"},
      {"height: [98 cm, .inf]", "2 cm has 2 cells"},
      {"height: [-.inf, 98 cm]", "2 cm has 2 cells"}, // what it leaves on top
      {"height: [-3, 1.5 cm]", "1.5 cm has 1.5 cells"},
      {"height: [40 cm, 43 cm]", "3 cm has 3 cells"},
      {"height: [-2 cm, 1 cm], axis: [3, 0, 0]", "3 cm has 3 cells"},
      {"height: [96 cm, .inf]", NULL},
      {"height: [-1, 3]", NULL}, // everywhere
      {"height: [2, 3]", NULL},  // nowhere
      {"height: [10 cm, 20 cm]", NULL},
      {"height: [40 cm, 41 cm], blend: 3 cm", NULL}, // half of each blend still counts
      {"height: [40 cm, 41 cm], blend: 1 cm", "2 cm has 2 cells"},
      {"mask: {box: {center: [0, 1, 0], size: [3, 5 cm, 3]}}", "2.5 cm has 2.5 cells"},
      {"mask: {box: {center: [0, 50 cm, 0], size: [3, 3, 3]}}", NULL},
      {"mask: {half_space: {point: [0, 97 cm, 0], normal: [0, -1, 0]}}", "3 cm has 3 cells"},
      {"mask: {half_space: {point: [0, 90 cm, 0], normal: [0, -1, 0]}}", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char variation[300];
    snprintf(variation, sizeof variation, "      - {of: young, %s, factor: 3}\n", cases[i].where);
    told t = of_variation(H, variation);
    bool good = cases[i].size ? t.count == 1 && strstr(t.all[0].message, cases[i].size)
                              : t.count == 0;
    if (!good) fail_msg("%s: %s", cases[i].where, t.count ? t.all[0].message : "nothing");
  }
}

static void noise_needs_four_cells_a_wave(void **state) {
  (void)state;
  expect_one(of_variation(H, "      - {of: young, amplitude: 50 %, wavelength: 2 cm}\n"), RATHER,
             BAND
             "wavelength: a wave of noise of 2 cm has 2 cells of 1 cm; 4 resolve it: quality 2 "
             "or more, or 4 cm");
  expect_none(
      of_variation(H, "      - {of: young, amplitude: 50 %, wavelength: 4 cm, octaves: 3}\n"));
  expect_none(of_variation(H, "      - {of: young, amplitude: 5 %, wavelength: 2 cm}\n"));
  expect_none(of_variation(H, "      - {of: young, wavelength: 2 cm}\n"));
}

static void what_is_weak_is_not_named(void **state) {
  (void)state;
  expect_none(of_variation(H, "      - {of: young, depth: [0, 1 cm], factor: 1.05}\n"));
  expect_one(of_variation(H, "      - {of: young, depth: [0, 1 cm], offset: 1 kPa}\n"), RATHER,
             BAND "depth: a band of 1 cm has 1 cell of 1 cm; 4 resolve it: quality 4 or more, or "
                  "4 cm");
}

static void bands_that_follow_the_cells_are_resolved(void **state) {
  (void)state;
  const char *shell = "      - {of: young, depth: [0, \"max(2 cm, 4 * ${h})\"], factor: 3}\n"
                      "      - {of: young, amplitude: 50 %, wavelength: \"max(3 cm, 6 * ${h})\"}\n";
  for (int i = 1; i <= 20; i++) {
    char head[60];
    snprintf(head, sizeof head, H "\nquality: %g", 0.1 * i);
    expect_none(of_variation(head, shell));
  }
  // No quality resolves what follows it, directly or by a variable, which is used twice.
  const char *message = BAND "depth: a band of 2 cm has 2 cells of 1 cm; 4 resolve it: 4 cm";
  expect_one(of_variation(H, "      - {of: young, depth: [0, \"2 * ${h}\"], factor: 3}\n"), RATHER,
             message);
  expect_one(
      of_variation(H "\nvariables: {a: \"4 * ${spacing}\", b: \"${a}\"}",
                   "      - {of: young, depth: [0, \"${b}\"], factor: 3}\n"
                   "      - {of: density, depth: [0, \"0.5 * ${b}\"], factor: 3}\n"),
      RATHER,
      "snow[0].variation[1].depth: a band of 1 cm has 1 cell of 1 cm; 4 resolve it: 4 cm (the "
      "worst of 2 bands)");
  // A variable that does not, beside one that does.
  expect_one(of_variation(H "\nvariables: {a: \"4 * ${h}\", b: 2 cm}",
                          "      - {of: young, depth: [0, \"${b}\"], factor: 3}\n"
                          "      - {of: density, depth: [0, \"${a}\"], factor: 3}\n"),
             RATHER,
             BAND "depth: a band of 2 cm has 2 cells of 1 cm; 4 resolve it: quality 2 or more, or "
                  "4 cm");
}

// The width of each solver's kernel, in what its particles or cells are counted by.
static void each_solver_resolves_by_its_own_kernel(void **state) {
  (void)state;
  const char *shell = "      - {of: density, depth: [0, 2 cm], factor: 3}\n",
             *stiff = "      - {of: young, depth: [0, 2 cm], factor: 3}\n";
  expect_one(of_variation(H "\nmpm: {basis: quadratic}", shell), RATHER,
             BAND
             "depth: a band of 2 cm has 2 cells of 1 cm; 3 resolve it: quality 1.5 or more, or "
             "3 cm");
  expect_none(of_variation(H "\nsolver: sph", shell)); // 4 spacings of 5 mm
  expect_one(of_variation("h: 2 cm\nsolver: sph", stiff), RATHER,
             BAND
             "depth: a band of 2 cm has 2 spacings of 1 cm; 4 resolve it: quality 2 or more, or "
             "4 cm");
  expect_one(of_variation(H "\nsolver: flip", shell), RATHER,
             BAND
             "depth: a band of 2 cm has 2 cells of 1 cm; 3 resolve it: quality 1.5 or more, or "
             "3 cm");
  expect_none(of_variation(H "\nsolver: flip", stiff)); // it has no stiffness
}

static void one_message_a_kind_names_the_worst(void **state) {
  (void)state;
  char text[4000] = "firn: 1\n" H "\nsnow:\n";
  size_t length = strlen(text);
  for (int i = 0; i < 44; i++) {
    int n = snprintf(text + length, sizeof text - length,
                     "  - {shape: {sphere: {center: [%d, 0, 0], radius: %d mm}}}\n", i,
                     i == 30 ? 8 : 14);
    length += (size_t)n;
  }
  told t = advice_of(read_scene(text));
  assert_int_equal(t.count, 1);
  if (!strstr(t.all[0].message, "(the worst of ") || t.all[0].level != FIRN_LOG_WARNING)
    fail_msg("%s", t.all[0].message);
}

// Walls of a few cells, where what stands and what falls depends on them, askew to the grid.
static void walls_of_snow_need_four_cells(void **state) {
  (void)state;
  static const struct {
    const char *thick, *has;
    firn_log_level level;
  } cases[] = {{"4 mm", "of 4 mm", RATHER},
               {"2 cm", "of 2 cm", RATHER},
               {"3.2 cm", "of 3.2 cm", HARDLY},
               {"4.05 cm", NULL, 0}};
  static const char *const turns[] = {"0, 0, 0", "20 deg, 50 deg, -35 deg"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int turn = 0; turn < 2; turn++) {
      char text[400];
      snprintf(text, sizeof text,
               "firn: 1\n" H "\nsnow:\n  - shape: {box: {center: [0, 0, 0], size: [50 cm, 40 cm, "
               "%s]}, rotate: [%s], move: [1.37, -0.613, 2.041]}\n",
               cases[i].thick, turns[turn]);
      told t = advice_of(read_scene(text));
      bool good = cases[i].has ? t.count == 1 && strstr(t.all[0].message, cases[i].has) &&
                                     t.all[0].level == cases[i].level
                               : t.count == 0;
      if (!good) fail_msg("%s, %s: %s", cases[i].thick, turns[turn], t.all[0].message);
    }
  // Particles of a size that is one of spacings are meant.
  expect_none(advice_of(read_scene("firn: 1\n" H "\nsnow:\n  - shape: {box: {center: [0, 0, 0], "
                                   "size: [1, 1, \"${spacing}\"]}}\n")));
}

// Scenes that ship with firn are resolved at the quality they are written for.
static void scenes_are_resolved_as_written(void **state) {
  (void)state;
  for (int i = 0; firn_scene_builtin_name(i); i++) {
    const char *name = firn_scene_builtin_name(i);
    firn_scene *scene;
    if (firn_scene_load(context, name, 0, NULL, &scene) != FIRN_OK)
      fail_msg("%s", firn_context_message(context));
    told t = advice_of(scene);
    if (t.count) fail_msg("%s: %s", name, t.all[0].message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shell_says_its_cells_and_what_resolves_it),
      cmocka_unit_test(the_quality_that_is_named_resolves_it),
      cmocka_unit_test(a_warning_begins_where_it_matters),
      cmocka_unit_test(crusts_end_where_the_body_does),
      cmocka_unit_test(noise_needs_four_cells_a_wave),
      cmocka_unit_test(what_is_weak_is_not_named),
      cmocka_unit_test(bands_that_follow_the_cells_are_resolved),
      cmocka_unit_test(each_solver_resolves_by_its_own_kernel),
      cmocka_unit_test(one_message_a_kind_names_the_worst),
      cmocka_unit_test(walls_of_snow_need_four_cells),
      cmocka_unit_test(scenes_are_resolved_as_written),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
