// SPDX-License-Identifier: Apache-2.0
// Materials that nothing uses, and laws that are chosen over a file.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"

#define BLOCK                                                                                      \
  "firn: 1\nh: 1 cm\nmaterials:\n  block: {young: 120 kPa, theta_c: 2 %, hardening: 8}\n"          \
  "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 5 cm}}, material: block}]\n"                \
  "gravity: [0, 0, 0]\n" // else nothing holds it

typedef struct {
  int warnings, notes;
  char text[2000]; // all of them
} heard;

static void hear(void *user, firn_log_level level, const char *message) {
  heard *h = user;
  if (level == FIRN_LOG_ERROR) return;
  h->warnings += level == FIRN_LOG_WARNING;
  h->notes += level == FIRN_LOG_INFO;
  size_t used = strlen(h->text);
  snprintf(h->text + used, sizeof h->text - used, "%s\n", message);
}

// Reads with up to two overrides, NULL where there are fewer.
static firn_status read_in(firn_context *context, const char *text, const char *one,
                           const char *two, firn_scene **out) {
  const char *overrides[] = {one, two};
  return firn_scene_read(context, "test.yaml", text, strlen(text), (one != NULL) + (two != NULL),
                         overrides, out);
}

static firn_context *open_hearing(heard *h) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  *h = (heard){0};
  def.threads = 1;
  def.log = hear;
  def.log_user = h;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

static void close_hearing(firn_context *context, firn_scene *scene) {
  firn_scene_destroy(scene);
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static void a_misspelt_material_of_an_override_is_refused(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  assert_int_equal(read_in(context, BLOCK, "materials.blck.hardening=5", NULL, &scene),
                   FIRN_ERROR_SCENE);
  assert_int_equal(firn_scene_error_count(scene), 1);
  const char *message = firn_scene_error_get(scene, 0)->message;
  assert_non_null(strstr(message, "--set materials.blck.hardening=5: materials.blck: "));
  assert_non_null(strstr(message, "did you mean 'block'?"));
  close_hearing(context, scene);
}

static void an_override_may_bring_a_material_that_another_uses(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  assert_int_equal(
      read_in(context, BLOCK, "materials.new.young=90 kPa", "snow.0.material=new", &scene),
      FIRN_OK);
  assert_int_equal(h.warnings, 1); // now of the other one
  assert_non_null(strstr(h.text, "test.yaml:4:10: materials.block: no snow is made of this"));
  close_hearing(context, scene);
}

static void a_material_of_a_file_that_nothing_uses_is_told(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  const char *text = "firn: 1\nh: 1 cm\nmaterials:\n  block: {young: 1e5}\n  blck: {young: 1e5}\n"
                     "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 5 cm}}, material: "
                     "block}]\ngravity: [0, 0, 0]\n";
  assert_int_equal(read_in(context, text, NULL, NULL, &scene), FIRN_OK);
  assert_string_equal(h.text,
                      "test.yaml:5:9: materials.blck: no snow is made of this material; did "
                      "you mean 'block'?\n");
  close_hearing(context, scene);
}

static void materials_in_use_and_of_included_files_are_not_told(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  assert_int_equal(read_in(context, BLOCK, NULL, NULL, &scene), FIRN_OK);
  firn_scene_destroy(scene);
  const char *text = "firn: 1\ninclude: wedge-reference\nset: {snow.0.material: icy}\n";
  assert_int_equal(read_in(context, text, NULL, NULL, &scene), FIRN_OK);
  assert_string_equal(h.text, "");
  close_hearing(context, scene);
}

static void a_law_set_over_a_file_leaves_the_numbers_of_the_former_one_out(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  assert_int_equal(read_in(context, BLOCK, "materials.block.law=sand", NULL, &scene), FIRN_OK);
  assert_int_equal(h.notes, 2);
  assert_non_null(strstr(h.text,
                         "test.yaml:4:36: materials.block.theta_c is left out: it belongs to "
                         "law snow, not to sand"));
  const char *resolved = firn_scene_resolved_text(scene);
  assert_null(strstr(resolved, "theta_c"));
  assert_non_null(strstr(resolved, "young: 120000")); // which both have
  assert_non_null(strstr(resolved, "preset: \"sand\""));
  assert_non_null(strstr(resolved, "density: 1600")); // of sand
  close_hearing(context, scene);
}

static void a_law_set_over_a_preset_of_another_takes_its_own(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  const char *text = "firn: 1\nh: 1 cm\nmaterials: {a: {preset: powder}}\n"
                     "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 5 cm}}}]\n";
  assert_int_equal(read_in(context, text, "materials.a.law=sand", NULL, &scene), FIRN_OK);
  assert_non_null(strstr(firn_scene_resolved_text(scene), "preset: \"sand\""));
  firn_scene_destroy(scene);
  // One of the same law stays.
  assert_int_equal(read_in(context, text, "materials.a.law=snow", NULL, &scene), FIRN_OK);
  assert_non_null(strstr(firn_scene_resolved_text(scene), "preset: \"powder\""));
  close_hearing(context, scene);
}

static void bounds_on_what_was_torn_are_of_sand_too(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  const char *text = "firn: 1\nh: 1 cm\nmaterials: {a: {law: sand, jp_range: [0, 1]}}\n"
                     "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 5 cm}}}]\n";
  assert_int_equal(read_in(context, text, NULL, NULL, &scene), FIRN_OK);
  assert_non_null(strstr(firn_scene_resolved_text(scene), "jp_range: [0, 1]"));
  firn_scene_destroy(scene);
  assert_int_equal(
      read_in(context, text, "materials.a={law: elastic, jp_range: [0, 1]}", NULL, &scene),
      FIRN_ERROR_SCENE);
  assert_non_null(strstr(firn_scene_error_get(scene, 0)->message, "belongs to law: snow|sand"));
  close_hearing(context, scene);
}

static void a_number_of_another_law_in_the_same_breath_is_an_error(void **state) {
  (void)state;
  heard h;
  firn_scene *scene;
  firn_context *context = open_hearing(&h);
  assert_int_equal(
      read_in(context, BLOCK, "materials.block.law=sand", "materials.block.theta_s=1 %", &scene),
      FIRN_ERROR_SCENE);
  assert_non_null(strstr(firn_scene_error_get(scene, 0)->message, "it belongs to law: snow"));
  close_hearing(context, scene);
}

// The material of the body or emitter of a name, as the resolved scene has it.
static void expect_material(firn_context *context, const char *text, const char *name,
                            const char *material) {
  firn_scene *scene;
  if (read_in(context, text, NULL, NULL, &scene) != FIRN_OK)
    fail_msg("%s", firn_context_message(context));
  char expected[80];
  snprintf(expected, sizeof expected, "name: \"%s\"", name);
  const char *body = strstr(firn_scene_resolved_text(scene), expected);
  assert_non_null(body);
  const char *said = strstr(body, "material: ");
  snprintf(expected, sizeof expected, "material: %s\n", material);
  if (!said || strncmp(said, expected, strlen(expected)) != 0)
    fail_msg("%s is not of %s: %.200s", name, material, body);
  firn_scene_destroy(scene);
}

#define BALL  "shape: {sphere: {center: [0, 0, 0], radius: 5 cm}}"
#define SPOUT BALL ", velocity: [0, -2 m/s, 0]"

static void a_body_that_names_no_material_is_of_snow_whatever_others_are_of(void **state) {
  (void)state;
  heard h;
  firn_context *context = open_hearing(&h);
  expect_material(context,
                  "firn: 1\nh: 1 cm\nsnow:\n- {name: a, material: powder, " BALL "}\n"
                  "- {name: b, " BALL "}\n",
                  "b", "snow");
  expect_material(context,
                  "firn: 1\nh: 1 cm\nsnow:\n- {name: b, " BALL "}\n"
                  "- {name: a, material: powder, " BALL "}\n",
                  "b", "snow");
  expect_material(context,
                  "firn: 1\nh: 1 cm\nsnow: [{name: a, material: wet, " BALL "}]\n"
                  "emitters: [{name: e, " SPOUT "}]\n",
                  "e", "snow");
  expect_material(context,
                  "firn: 1\nh: 1 cm\nemitters:\n- {name: d, material: wet, " SPOUT "}\n"
                  "- {name: e, " SPOUT "}\n",
                  "e", "snow");
  close_hearing(context, NULL);
}

static void a_body_that_names_no_material_is_of_the_only_one_of_the_file(void **state) {
  (void)state;
  heard h;
  firn_context *context = open_hearing(&h);
  const char *text = "firn: 1\nh: 1 cm\nmaterials: {x: {density: 300}}\nsnow:\n"
                     "- {name: a, material: wet, " BALL "}\n- {name: b, " BALL "}\n"
                     "emitters:\n- {name: d, material: powder, " SPOUT "}\n- {name: e, " SPOUT
                     "}\n";
  expect_material(context, text, "b", "x");
  expect_material(context, text, "e", "x");
  expect_material(context,
                  "firn: 1\nh: 1 cm\nmaterials: {x: {density: 300}, y: {density: 200}}\nsnow:\n"
                  "- {name: a, material: x, " BALL "}\n- {name: b, " BALL "}\n",
                  "b", "snow"); // which of two nobody knows
  close_hearing(context, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_misspelt_material_of_an_override_is_refused),
      cmocka_unit_test(an_override_may_bring_a_material_that_another_uses),
      cmocka_unit_test(a_material_of_a_file_that_nothing_uses_is_told),
      cmocka_unit_test(materials_in_use_and_of_included_files_are_not_told),
      cmocka_unit_test(a_law_set_over_a_file_leaves_the_numbers_of_the_former_one_out),
      cmocka_unit_test(a_law_set_over_a_preset_of_another_takes_its_own),
      cmocka_unit_test(bounds_on_what_was_torn_are_of_sand_too),
      cmocka_unit_test(a_number_of_another_law_in_the_same_breath_is_an_error),
      cmocka_unit_test(a_body_that_names_no_material_is_of_snow_whatever_others_are_of),
      cmocka_unit_test(a_body_that_names_no_material_is_of_the_only_one_of_the_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
