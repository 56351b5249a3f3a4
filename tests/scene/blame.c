// SPDX-License-Identifier: Apache-2.0
// Numbers that are only found to be bad when a simulation is built of them: the message says where in
// the file they stand, and in a table of points, where in that.
#include "scene/setup.h"

#include <sys/stat.h>
#include <unistd.h>

#define BALL "{sphere: {center: [0, 1, 0], radius: 5 cm}}"

// The message of what cannot be built.
static const char *refusal(const char *text) {
  firn_scene *scene = read_scene(text);
  firn_sim *sim = NULL;
  assert_int_equal(firn_scene_build(scene, &sim), FIRN_ERROR_SCENE);
  assert_null(sim);
  firn_scene_destroy(scene);
  return firn_context_message(context);
}

static void expect(const char *text, const char *begins, const char *holds) {
  const char *message = refusal(text);
  if (strncmp(message, begins, strlen(begins)) != 0 || !strstr(message, holds))
    fail_msg("expected '%s ... %s', found '%s'", begins, holds, message);
}

static void a_number_too_large_for_the_working_precision_has_its_place(void **state) {
  (void)state;
#ifdef FIRN_DOUBLE
  skip(); // 1e300 is a number like any other
#endif
  expect("firn: 1\nh: 1 cm\nsnow:\n  - shape: " BALL "\n    velocity: [1e300, 0, 0]\n",
         "test.yaml:5:15: snow[0].velocity: ", "1e+300");
  expect("firn: 1\nh: 1 cm\nsnow:\n  - shape: " BALL "\n    spin: [0, 1e300, 0]\n",
         "test.yaml:5:11: snow[0].spin: ", "1e+300");
  expect("firn: 1\nh: 1 cm\nsnow: [{shape: " BALL "}]\nemitters:\n  - shape: " BALL
         "\n    velocity: [1e300, 0, 0]\n",
         "test.yaml:6:15: emitters[0].velocity: ", "1e+300");
  expect("firn: 1\nh: 1 cm\ngravity: [0, -1e300, 0]\nsnow: [{shape: " BALL "}]\n",
         "test.yaml:3:10: gravity: ", "-1e+300");
  expect("firn: 1\nh: 1 cm\nmaterials: {m: {young: 1e300}}\nsnow: [{shape: " BALL "}]\n",
         "test.yaml:3:24: materials.m.young: ", "1e+300");
}

static void a_number_that_a_variation_makes_is_its_own(void **state) {
  (void)state;
  expect("firn: 1\nh: 1 cm\nsnow:\n  - shape: " BALL
         "\n    variation:\n      - {of: [packing], factor: 0.5}\n"
         "      - {of: [young], factor: 0}\n",
         "test.yaml:7:14: snow[0].variation[1].of: ", "young = 0 must lie in (0, inf) Pa");
}

static void what_lies_beyond_the_domain_has_its_place(void **state) {
  (void)state;
  expect("firn: 1\nh: 1 cm\nsnow:\n  - shape: " BALL
         "\n  - shape: {box: {center: [1e9, 0, 0], size: [1, 1, 1]}}\n",
         "test.yaml:5:12: snow[1].shape: ", "beyond the addressable domain");
}

static void snow_without_a_particle_has_its_place(void **state) {
  (void)state;
  expect("firn: 1\nh: 1 cm\nsnow:\n  - shape: {box: {center: [0, 0, 0], size: [1e-9, 1, 1]}}\n",
         "test.yaml:4:12: snow[0].shape: ", "holds no particle");
}

static void an_emitter_that_cannot_be_hit_has_its_place(void **state) {
  (void)state;
  expect("firn: 1\nh: 1 cm\nsnow: [{shape: " BALL "}]\nemitters:\n"
         "  - {mass: 1, shape: {torus: {center: [0, 1, 0], radius: 10 cm, tube: 0.1 mm}}}\n",
         "test.yaml:5:22: emitters[0].shape: ", "too thin");
}

static void a_vortex_without_a_direction_has_its_place(void **state) {
  (void)state;
  expect("firn: 1\nh: 1 cm\nsnow: [{shape: " BALL
         "}]\nforces:\n  - uniform: {acceleration: [0, 1, 0]}\n"
         "  - vortex: {strength: 1, axis: [0, 0, 0]}\n",
         "test.yaml:6:33: forces[1].vortex.axis: ", "no direction");
}

static void a_window_along_a_period_has_its_place(void **state) {
  (void)state;
  expect("firn: 1\nh: 1 cm\nperiodic: [40 cm, 0, 0]\nsnow: [{shape: " BALL "}]\n"
         "window: {min: [0, 0, 0], max: [1, 1, 1]}\n",
         "test.yaml:5:9: window: ", "cannot bound x");
}

static void a_point_that_cannot_be_has_its_line_in_the_table(void **state) {
  (void)state;
  static const struct {
    const char *table, *line, *why;
  } cases[] = {
      {"x,y,z\n0,0.1,0\n\n# far\n1e9,0.1,0\n", ":5: ", "1e+09 m"},
      {"0,0,0,1\n0,0,1,0\n", ":2: ", "mass = 0 kg must be positive"},
      {"1e99,0,0\n", ":1: ", "1e+99 m"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char path[] = "/tmp/firn-blame-XXXXXX.csv", scene[300], begins[200];
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    size_t size = strlen(cases[i].table);
    assert_int_equal(write(fd, cases[i].table, size), (ssize_t)size);
    close(fd);
    snprintf(scene, sizeof scene, "firn: 1\nh: 1 cm\nsnow:\n  - points: {file: %s}\n", path);
    snprintf(begins, sizeof begins, "test.yaml:4:20: snow[0].points.file: %s%s", path,
             cases[i].line);
    expect(scene, begins, cases[i].why);
    unlink(path);
  }
}

// The table's folder has the name of a key that stands before it.
static void a_name_in_a_path_is_no_key(void **state) {
  (void)state;
  char root[] = "/tmp/firn-blame-XXXXXX", folder[60], path[80], scene[300];
  assert_non_null(mkdtemp(root));
  snprintf(folder, sizeof folder, "%s/velocity", root);
  snprintf(path, sizeof path, "%s/p.csv", folder);
  assert_int_equal(mkdir(folder, 0700), 0);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("x,y,z\n1e9,0.1,0\n", file);
  assert_int_equal(fclose(file), 0);
  snprintf(scene, sizeof scene,
           "firn: 1\nh: 1 cm\nsnow:\n  - velocity: [0, 1, 0]\n    points: {file: %s}\n", path);
  expect(scene, "test.yaml:5:20: snow[0].points.file: ", "p.csv:2: ");
  unlink(path);
  rmdir(folder);
  rmdir(root);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_number_too_large_for_the_working_precision_has_its_place),
      cmocka_unit_test(a_number_that_a_variation_makes_is_its_own),
      cmocka_unit_test(what_lies_beyond_the_domain_has_its_place),
      cmocka_unit_test(snow_without_a_particle_has_its_place),
      cmocka_unit_test(an_emitter_that_cannot_be_hit_has_its_place),
      cmocka_unit_test(a_vortex_without_a_direction_has_its_place),
      cmocka_unit_test(a_window_along_a_period_has_its_place),
      cmocka_unit_test(a_point_that_cannot_be_has_its_line_in_the_table),
      cmocka_unit_test(a_name_in_a_path_is_no_key),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
