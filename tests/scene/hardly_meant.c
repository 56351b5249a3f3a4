// SPDX-License-Identifier: Apache-2.0
// What is read as it stands but is hardly meant is warned of, by whatever reads the scene, and with
// its place.
#include "scene/setup.h"

#define HEAD "firn: 1\nh: 2 cm\n"
#define SNOW "snow:\n  - shape: {box: {center: [0, 50 cm, 0], size: [20 cm, 20 cm, 20 cm]}%s}\n"

typedef struct heard {
  int warnings;
  char last[1024];
} heard;

static void hear(void *user, firn_log_level level, const char *message) {
  heard *h = user;
  if (level != FIRN_LOG_WARNING) return;
  h->warnings++;
  snprintf(h->last, sizeof h->last, "%s", message);
}

// Reads a scene of the snow with a turn and whatever follows; override NULL: none.
static heard warnings_on(const char *turn, const char *rest, const char *override) {
  char text[2000];
  heard h = {0};
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  def.log = hear;
  def.log_user = &h;
  firn_context *own;
  firn_scene *scene = NULL;
  int used = snprintf(text, sizeof text, HEAD SNOW, turn);
  snprintf(text + used, sizeof text - (size_t)used, "%s", rest);
  assert_int_equal(firn_context_create(&def, &own), FIRN_OK);
  const char *const overrides[] = {override};
  firn_status status = firn_scene_read(own, "a.yaml", text, strlen(text), override != NULL,
                                       overrides, &scene);
  if (status != FIRN_OK) fail_msg("%s in\n%s", firn_context_message(own), text);
  firn_scene_destroy(scene);
  firn_context_destroy(own);
  return h;
}

static void expect(heard h, const char *words) {
  if (h.warnings != 1 || !strstr(h.last, words)) fail_msg("%d warnings: %s", h.warnings, h.last);
}

static void expect_none(heard h) {
  if (h.warnings) fail_msg("said %s", h.last);
}

#define GROUND "colliders:\n  - {shape: {half_space: {}}}\n"

static void a_turn_in_degrees_without_a_unit(void **state) {
  (void)state;
  expect(warnings_on(", rotate: [0, 0, 30]", GROUND, NULL),
         "a.yaml:4:87: snow[0].shape.rotate[2]: 30 is in radians, 4.77 turns; for degrees write "
         "'30 deg'");
  expect(warnings_on(", rotate: [-33.3, 0, 0]", GROUND, NULL), "'-33.3 deg'");
  expect(warnings_on("", GROUND, "snow.0.shape.rotate=[0, 90, 0]"), "rotate[1]: 90 is in radians");
  expect(warnings_on(", rotate: [0, 5, 0]", GROUND, NULL), "5 is in radians, 0.796 turns");
  expect(warnings_on(", rotate: [0, -4.5, 0]", GROUND, NULL), "-4.5 is in radians, 0.716 turns");
  // Half a turn or less, a turn or less with more digits, with a unit, worked out, or as the resolved
  // text of a scene has it.
  static const char *const good[] = {"1.57",
                                     "3",
                                     "4.71",
                                     "-6.28",
                                     "30 deg",
                                     "720 deg",
                                     "30 rad",
                                     "4 * 3.14",
                                     "12.566370614359172",
                                     "-6.9813170079773181"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    char turn[100];
    snprintf(turn, sizeof turn, ", rotate: [0, %s, 0]", good[i]);
    expect_none(warnings_on(turn, GROUND, NULL));
  }
  // Other angles may be many turns.
  expect_none(
      warnings_on("",
                  "colliders:\n  - {shape: {half_space: {}}}\n"
                  "  - {shape: {sphere: {center: [2, 2, 2], radius: 10 cm}}, motion: {axis: "
                  "[0, 1, 0], angle: 30}}\n",
                  NULL));
}

static void snow_that_nothing_can_stop(void **state) {
  (void)state;
  const char *words = "a.yaml:4:5: snow[0]: nothing lies below this snow";
  expect(warnings_on("", "", NULL), words);
  expect(warnings_on("", "colliders: []\n", NULL), words);
  // Beside it and above it are not below it.
  expect(warnings_on("", "colliders:\n  - {shape: {box: {center: [1, 0, 0], size: [1, 1, 1]}}}\n",
                     NULL),
         words);
  expect(warnings_on("", "colliders:\n  - {shape: {box: {center: [0, 2, 0], size: [1, 1, 1]}}}\n",
                     NULL),
         words);
  expect(warnings_on("",
                     "gravity: [5, 0, 0]\ncolliders:\n"
                     "  - {shape: {box: {center: [-1, 0.5, 0], size: [1, 1, 1]}}}\n",
                     NULL),
         words);
  // A body whose box is below and whose surface is not; a body below a part; a wall, a ceiling, a
  // slab on its edge beside which the snow falls.
  static const char *const past[] = {
      "colliders:\n  - {shape: {torus: {center: [0, 0, 0], radius: 2, tube: 10 cm}}}\n",
      "colliders:\n  - {shape: {sphere: {center: [0.9, -1, 0.9], radius: 80 cm}}}\n",
      "colliders:\n  - {shape: {half_space: {point: [-3, 0, 0], normal: [1, 0, 0]}}}\n",
      "colliders:\n  - {shape: {half_space: {point: [0, 3, 0], normal: [0, -1, 0]}}}\n",
      ("colliders:\n  - {shape: {box: {center: [0, 0, 0], size: [10 cm, 9, 9]}, "
       "rotate: [0, -45 deg, 0], move: [1.5, -6, 1.5]}}\n")};
  for (size_t i = 0; i < sizeof past / sizeof *past; i++)
    expect(warnings_on("", past[i], NULL), words);
  expect(warnings_on("",
                     "colliders:\n  - {shape: {box: {center: [1.05, -1, 0], size: [2, 1, 9]}}}\n",
                     NULL),
         "a.yaml:4:5: snow[0]: nothing lies below 62 % of this snow");
  static const char *const good[] = {
      GROUND,
      "colliders:\n  - {shape: {half_space: {point: [9, 0, 0], normal: [-3, 1, 0]}}}\n",
      "colliders:\n  - {shape: {sphere: {center: [0.1, -9, 0.2], radius: 50 cm}}}\n",
      "colliders:\n  - {shape: {box: {center: [0.9, -1, 0], size: [2, 1, 9]}}}\n",
      "colliders:\n  - {shape: {box: {center: [0, 0, 0], size: [1, 10 cm, 1]}}}\n",
      ("gravity: [5, 0, 0]\ncolliders:\n"
       "  - {shape: {box: {center: [1, 0.5, 0], size: [1, 1, 1]}}}\n"),
      ("colliders:\n  - {shape: {box: {center: [3, 0, 0], size: [1, 1, 1]}}, motion: {velocity: "
       "[1, "
       "0, 0]}}\n"),
      "gravity: [0, 0, 0]\n",
      "kill_box: {min: [-5, -5, -5], max: [5, 5, 5]}\n",
      "periodic: [64 cm, 64 cm, 64 cm]\n",
      "sinks:\n  - {shape: {box: {center: [0, -1, 0], size: [9, 1, 9]}}}\n"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    expect_none(warnings_on("", good[i], NULL));
}

#define WALL "colliders:\n  - {shape: {box: {center: [3, 0.5, 0], size: [40 cm, 4, 4]}}%s}\n"

// A wall stands beside the snow: snow that is thrown may meet it, and a wall that moves the snow.
static void what_moves_may_meet(void **state) {
  (void)state;
  static const char *const thrown[] = {"snow.0.velocity=[10, 0, 0]",
                                       "snow.0.velocity=[5 * y, 0, 0]",
                                       "snow.0.velocity=[0, 0, 3 * x]", "snow.0.spin=[0, 0, 2]"};
  static const char *const moved[] = {", velocity: [-5, 0, 0]", ", spin: [0, 1, 0]",
                                      ", motion: {velocity: [-5, 0, 0]}", ", load: {mass: 10}"};
  char wall[400], still[400];
  snprintf(still, sizeof still, WALL, "");
  for (int i = 0; i < 4; i++) {
    expect_none(warnings_on("", still, thrown[i]));
    snprintf(wall, sizeof wall, WALL, moved[i]);
    expect_none(warnings_on("", wall, NULL));
  }
  const char *words = "snow[0]: nothing lies below this snow";
  expect(warnings_on("", still, "snow.0.velocity=[0, 0, 0]"), words);
  snprintf(wall, sizeof wall, WALL, ", velocity: [0, 0, 0], spin: [0, 0, 0]");
  expect(warnings_on("", wall, NULL), words);
}

// The same of what an emitter throws; snow of its own lies on a block.
static void what_is_emitted_may_be_thrown(void **state) {
  (void)state;
  static const struct {
    const char *with;
    bool told;
  } cases[] = {{"", true},
               {", velocity: [3, 0, 0]", false},
               {", velocity: {keys: [[0 s, [0, 0, 0]], [1 s, [4, 0, 0]]]}", false},
               {", spin: [0, 9, 0]", false},
               {", spread: 1", false},
               {", spread: 0, velocity: [0, 0, 0]", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char rest[500];
    snprintf(rest, sizeof rest,
             "emitters:\n  - {shape: {box: {center: [2, 2, 2], size: [1, 1, 1]}}, particles: 9%s}\n"
             "colliders:\n  - {shape: {box: {center: [0, 0, 0], size: [1, 10 cm, 1]}}}\n",
             cases[i].with);
    heard h = warnings_on("", rest, NULL);
    if (cases[i].told)
      expect(h, "emitters[0]: nothing lies below this snow");
    else
      expect_none(h);
  }
}

// A scene of one emitter of the keys, over a ground, and with a cubic metre of snow or without.
static heard emitter_warnings(const char *h, const char *keys, bool with_snow) {
  char text[800];
  heard found = {0};
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  def.log = hear;
  def.log_user = &found;
  firn_context *own;
  firn_scene *scene = NULL;
  snprintf(text, sizeof text, "firn: 1\nh: %s\n" GROUND "emitters:\n  - {%s}\n%s", h, keys,
           with_snow ? "snow:\n  - {shape: {box: {center: [0, 9, 0], size: [1, 1, 1]}}}\n" : "");
  assert_int_equal(firn_context_create(&def, &own), FIRN_OK);
  firn_status status = firn_scene_read(own, "a.yaml", text, strlen(text), 0, NULL, &scene);
  if (status != FIRN_OK) fail_msg("%s in\n%s", firn_context_message(own), text);
  firn_scene_destroy(scene);
  firn_context_destroy(own);
  return found;
}

#define BALL(radius) "shape: {sphere: {center: [0, 3, 0], radius: " radius "}}"

static void emitters_that_fill_a_hall_or_nothing(void **state) {
  (void)state;
  // 65 450 m^3 in cells of 0.1 mm: no machine has 84 EB.
  const char *huge = "a.yaml:6:13: emitters[0].shape: it is filled with some 5.24e+17 particles at "
                     "once, more than the memory of this machine holds; a length without a unit";
  expect(emitter_warnings("0.1 mm", BALL("25"), false), huge);
  expect(emitter_warnings("0.1 mm", BALL("25"), true), huge);
  // 113.1 m^3 are 113 times the snow, 7.24 million particles.
  const char *much = "emitters[0].shape: it is filled with some 7.24e+06 particles at once, 113 "
                     "times those of all snow";
  expect(emitter_warnings("5 cm", BALL("3"), true), much);
  const char *small = "a.yaml:6:13: emitters[0].shape: it is 0.5 m wide, less than a cell of 10 m";
  expect(emitter_warnings("10", BALL("25 cm"), false), small);
  static const struct {
    const char *h, *keys;
    bool with_snow;
  } good[] = {
      {"5 cm", BALL("3"), false},                          // all snow comes from it
      {"5 cm", BALL("3") ", max_count: 100000", true},     // stops long before
      {"5 cm", BALL("3") ", volume: 1 m^3/s", true},       // is not kept full
      {"0.1 mm", BALL("25") ", particles: 10 1/s", false}, // likewise
      {"2 cm", BALL("1.3"), true},                         // 9.2 times the snow
      {"20 cm", BALL("3"), true},                          // 113 times, and still few
      {"10", BALL("25 cm") ", particles: 10 1/s", false},  // a nozzle
      {"20 cm", "shape: {box: {center: [0, 3, 0], size: [2, 1 mm, 2]}}, velocity: [0, -1, 0]",
       false}, // thin, but wide
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    expect_none(emitter_warnings(good[i].h, good[i].keys, good[i].with_snow));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_turn_in_degrees_without_a_unit),
      cmocka_unit_test(snow_that_nothing_can_stop),
      cmocka_unit_test(what_moves_may_meet),
      cmocka_unit_test(what_is_emitted_may_be_thrown),
      cmocka_unit_test(emitters_that_fill_a_hall_or_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
