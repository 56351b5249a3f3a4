// SPDX-License-Identifier: Apache-2.0
// Scenes that build on others: include, set, and what wins over what.
#define _GNU_SOURCE // mkdtemp
#include <firn/firn.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scene/scene.h"

static firn_context *context;
static char folder[64];

static void write_file(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static int setup(void **state) {
  (void)state;
  firn_context_def def = firn_default_context_def();
  def.threads = 1;
  strcpy(folder, "/tmp/firn-include-XXXXXX");
  if (!mkdtemp(folder)) return 1;
  char deeper[100];
  snprintf(deeper, sizeof deeper, "%s/deeper", folder);
  if (mkdir(deeper, 0777) != 0) return 1;
  return firn_context_create(&def, &context) != FIRN_OK;
}

static int teardown(void **state) {
  (void)state;
  size_t held = firn_context_bytes(context);
  firn_context_destroy(context);
  char command[120];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return held != 0 || system(command) != 0; // NOLINT(cert-env33-c)
}

static firn_scene *load(const char *name, int count, const char *const *overrides) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  firn_scene *scene = NULL;
  if (firn_scene_load(context, path, count, overrides, &scene) != FIRN_OK)
    fail_msg("%s", firn_context_message(context));
  return scene;
}

static const char base[] = "firn: 1\n"
                           "title: base\n"
                           "spacing: 2 cm\n"
                           "variables: {speed: 1 m/s, R: 10 cm}\n"
                           "mpm: {flip: 0.5, basis: quadratic}\n"
                           "snow:\n"
                           "  - name: ball\n"
                           "    shape: {sphere: {center: [0, 0, 0], radius: \"${R}\"}}\n"
                           "    velocity: [\"${speed}\", 0, 0]\n"
                           "colliders:\n"
                           "  - {name: wall, shape: {half_space: {}}, friction: 0.3}\n";

static void what_includes_wins_over_what_is_included(void **state) {
  (void)state;
  write_file("base.yaml", base);
  write_file("variant.yaml",
             "firn: 1\n"
             "include: base.yaml\n"
             "h: 5 cm\n" // in place of spacing
             "variables: {speed: 3 m/s}\n"
             "mpm: {flip: 0.7}\n"
             "set:\n"
             "  colliders.wall.sticky: true\n"
             "  snow.ball.shape: {box: {center: [0, 0, 0], size: [1, 1, 1]}}\n");
  firn_scene *scene = load("variant.yaml", 0, NULL);
  assert_true(scene->h == 5 * 1e-2);
  const firn_value *mpm = firn_value_find(scene->root, "mpm");
  assert_true(firn_value_number(mpm, "flip") == 0.7);
  assert_true(firn_value_is(mpm, "basis", "quadratic")); // maps are merged
  assert_string_equal(firn_value_text(scene->root, "title"), "base");
  const firn_value *body = firn_value_find(scene->root, "snow")->first;
  assert_true(firn_value_vec3(body, "velocity")[0] == 3);
  assert_non_null(firn_value_find(firn_value_find(body, "shape"), "box"));
  const firn_value *wall = firn_value_find(scene->root, "colliders")->first;
  assert_true(firn_value_number(wall, "sticky") == 1);
  assert_true(firn_value_number(wall, "friction") == 0.3);
  firn_scene_destroy(scene);
}

static void overrides_win_over_everything(void **state) {
  (void)state;
  write_file("base.yaml", base);
  write_file("variant.yaml",
             "firn: 1\ninclude: base.yaml\nset: {mpm.flip: 0.7, variables.R: 20 cm}\n");
  static const char *const overrides[] = {"mpm.flip=0.8", "variables.speed=5 m/s",
                                          "variables.R=30 cm", "h=1 cm"};
  firn_scene *scene = load("variant.yaml", 4, overrides);
  assert_true(scene->h == 1 * 1e-2);
  assert_true(firn_value_number(firn_value_find(scene->root, "mpm"), "flip") == 0.8);
  const firn_value *body = firn_value_find(scene->root, "snow")->first;
  assert_true(firn_value_vec3(body, "velocity")[0] == 5);
  const firn_value *sphere = firn_value_find(firn_value_find(body, "shape"), "sphere");
  assert_true(firn_value_number(sphere, "radius") == 30 * 1e-2);
  firn_scene_destroy(scene);
}

static void lists_are_replaced_and_later_includes_win(void **state) {
  (void)state;
  write_file("base.yaml", base);
  write_file("deeper/soft.yaml", "firn: 1\ninclude: ../more.yaml\nmpm: {beta: 0.5}\nfps: 10\n");
  write_file("more.yaml",
             "mpm: {beta: 0.25, cfl: 0.3}\nh: 7 cm\nfps: 20\n"); // a version is not needed
  write_file("both.yaml", "firn: 1\ninclude: [base.yaml, deeper/soft.yaml]\n"
                          "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 1}}}]\n");
  firn_scene *scene = load("both.yaml", 0, NULL);
  const firn_value *mpm = firn_value_find(scene->root, "mpm");
  assert_true(firn_value_number(mpm, "beta") == 0.5); // soft beats more
  assert_true(firn_value_number(mpm, "cfl") == 0.3);  // which it includes
  assert_true(firn_value_number(mpm, "flip") == 0.5); // base
  assert_true(firn_value_number(scene->root, "fps") == 10);
  assert_true(scene->h == 7 * 1e-2); // later than base's spacing
  const firn_value *snow = firn_value_find(scene->root, "snow");
  assert_true(snow->first && !snow->first->next);
  assert_null(firn_value_find(snow->first, "name"));
  firn_scene_destroy(scene);
}

static void built_in_scenes_can_be_included(void **state) {
  (void)state;
  write_file("slow.yaml", "firn: 1\ninclude: snowball-drop\ntitle: slower\nquality: 0.25\n");
  firn_scene *scene = load("slow.yaml", 0, NULL);
  assert_string_equal(firn_value_text(scene->root, "title"), "slower");
  firn_sim *sim = NULL;
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_OK);
  assert_true(firn_sim_count(sim) > 1000);
  firn_sim_destroy(sim);
  // Resolved, it stands alone.
  const char *text = firn_scene_resolved_text(scene);
  assert_null(strstr(text, "include"));
  firn_scene *again = NULL;
  assert_int_equal(firn_scene_read(context, "x.yaml", text, strlen(text), 0, NULL, &again),
                   FIRN_OK);
  assert_string_equal(firn_scene_resolved_text(again), text);
  firn_scene_destroy(again);
  firn_scene_destroy(scene);
}

static void files_are_looked_for_beside_the_file_that_names_them(void **state) {
  (void)state;
  write_file("deeper/points.csv", "x,y,z\n0,0,0\n0.5,0,0\n");
  write_file("deeper/cloud.yaml", "firn: 1\nsnow: [{points: {file: points.csv}}]\n");
  write_file("uses.yaml", "firn: 1\ninclude: deeper/cloud.yaml\nh: 1 cm\n");
  firn_scene *scene = load("uses.yaml", 0, NULL);
  firn_sim *sim = NULL;
  if (firn_scene_build(scene, &sim) != FIRN_OK) fail_msg("%s", firn_context_message(context));
  assert_int_equal(firn_sim_count(sim), 2);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_includes_wins_over_what_is_included),
      cmocka_unit_test(overrides_win_over_everything),
      cmocka_unit_test(lists_are_replaced_and_later_includes_win),
      cmocka_unit_test(built_in_scenes_can_be_included),
      cmocka_unit_test(files_are_looked_for_beside_the_file_that_names_them),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
