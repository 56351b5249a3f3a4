// SPDX-License-Identifier: Apache-2.0
// timeout: 60
// From a scene to a simulation: what the file says is what is simulated.
#include "scene/setup.h"

#include <math.h>

#include "api/scene.h"
#include "solver/mpm/mpm.h"

#define BALL "snow: [{shape: {sphere: {center: [0, 0, 0], radius: 5 cm}}}]\n"
static const char minimal[] = "firn: 1\nh: 1 cm\n" BALL;

static void snow_is_where_and_how_the_scene_says(void **state) {
  (void)state;
  firn_scene *scene = read_scene(
      "firn: 1\n"
      "spacing: 5 mm\n"
      "gravity: [0, 0, 0]\n"
      "materials: {heavy: {density: 800}}\n"
      "snow:\n"
      "  - shape: {box: {center: [1, 2, 3], size: [8 cm, 4 cm, 12 cm]}}\n"
      "    velocity: [1, 2, 3]\n"
      "    spin: [0, 0, 2 rad/s]\n"
      "    seeding: lattice\n");
  firn_sim *sim = build(scene);
  assert_int_equal(firn_sim_count(sim), 8 * 4 * 12 * 8);
  assert_true(fabs(firn_sim_h(sim) - 0.01) < 1e-15);
  firn_sums sums;
  assert_int_equal(firn_sim_sums(sim, &sums), FIRN_OK);
  // Masses are float in one precision: 3072 of them, each off by half an ulp at most.
  double mass = 800 * 0.08 * 0.04 * 0.12;
  assert_true(fabs(sums.mass / mass - 1) < 1e-6);
  for (int a = 0; a < 3; a++) {
    assert_true(fabs(sums.center[a] - (a + 1)) < 1e-6);
    assert_true(fabs(sums.momentum[a] - (a + 1) * mass) < 1e-5 * mass);
  }
  // Outermost particles lie a quarter of a cell inside the faces.
  assert_true(fabs(sums.bounds_max[2] - (3 + 0.06 - 0.0025)) < 1e-6);
  // Spin about z at the box's middle: the top of the box moves to -x by 2 rad/s times its height.
  double *v = malloc(3 * firn_sim_count(sim) * sizeof *v);
  double *x = malloc(3 * firn_sim_count(sim) * sizeof *x);
  assert_non_null(v);
  assert_non_null(x);
  assert_int_equal(firn_sim_read(sim, "velocity", v), FIRN_OK);
  assert_int_equal(firn_sim_read(sim, "position", x), FIRN_OK);
  for (size_t i = 0; i < firn_sim_count(sim); i++) {
    assert_true(fabs(v[3 * i] - (1 - 2 * (x[3 * i + 1] - 2))) < 1e-5);
    assert_true(fabs(v[3 * i + 1] - (2 + 2 * (x[3 * i] - 1))) < 1e-5);
  }
  free(v);
  free(x);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

static void quality_scales_the_particles_by_its_cube(void **state) {
  (void)state;
  static const char *const half[] = {"quality=0.5"};
  firn_scene *one = read_scene(minimal), *two = read_with(minimal, 1, half);
  firn_sim *a = build(one), *b = build(two);
  assert_true(firn_sim_h(b) == 2 * firn_sim_h(a));
  // About 4190 particles: the surface of a ball of 5 (2.5) cells is uneven by a few per cent.
  double ratio = (double)firn_sim_count(a) / (double)firn_sim_count(b);
  assert_true(ratio > 7 && ratio < 9);
  double predicted = firn_scene_particles(one), count = (double)firn_sim_count(a);
  assert_true(fabs(count / predicted - 1) < 0.05);
  firn_sim_destroy(a);
  firn_sim_destroy(b);
  firn_scene_destroy(one);
  firn_scene_destroy(two);
}

static void an_empty_build_has_no_particles(void **state) {
  (void)state;
  firn_scene *scene = read_scene(minimal);
  firn_sim *sim;
  assert_int_equal(firn_scene_build_empty(scene, &sim), FIRN_OK);
  assert_int_equal(firn_sim_count(sim), 0);
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
}

// A file that says nothing of the solver means what a C program gets that says nothing.
static void defaults_are_those_of_the_library(void **state) {
  (void)state;
  firn_scene *scene = read_scene(minimal);
  firn_mpm_def read, def = firn_default_mpm_def();
  memset(&read, 0x55, sizeof read);
  firn_value_fill(firn_value_find(scene->root, "mpm"), 0, &read);
  assert_true(read.reference_h == scene->h); // at quality 1 what 0 means
  read.reference_h = 0;
  for (int i = 0; i < firn_mpm_settings.count; i++) {
    const firn_schema_row *row = &firn_mpm_settings.rows[i];
    assert_true(row->size > 0 && row->initial);
    if (memcmp((char *)&read + row->offset, (char *)&def + row->offset, row->size) != 0)
      fail_msg("mpm.%s is another in a scene", row->key);
  }
  assert_true(def.flip == 0.95 && def.dt_max == 0 && def.krylov == FIRN_KRYLOV_CR && def.sleep);

  firn_sim_def sim = firn_default_sim_def();
  for (int a = 0; a < 3; a++)
    assert_true(firn_value_vec3(scene->root, "gravity")[a] == sim.gravity[a]);
  assert_true(firn_value_number(scene->root, "seed") == (double)sim.seed);
  firn_preview_def shown = firn_scene_preview(scene, 0), preview = firn_default_preview_def();
  assert_int_equal(shown.width, preview.width);
  assert_int_equal(shown.height, preview.height);
  assert_int_equal(shown.show_ground, preview.show_ground);
  assert_true(shown.ground == preview.ground);
  // The camera is placed by the snow.
  assert_memory_equal(shown.camera.eye, shown.camera.target, sizeof shown.camera.eye);
  firn_camera_fit(&preview.camera, (double[3]){0}, (double[3]){1, 1, 1}, 1);
  for (int a = 0; a < 3; a++) assert_true(shown.camera.view[a] == preview.camera.view[a]);
  firn_scene_destroy(scene);
}

// What the schema lets through the solver takes, and what it stops the solver would refuse.
static void ranges_are_those_of_the_solver(void **state) {
  (void)state;
  for (int i = 0; i < firn_mpm_settings.count; i++) {
    const firn_schema_row *row = &firn_mpm_settings.rows[i];
    if (!row->range) continue;
    firn_interval in = firn_interval_parse(row->range);
    const double ends[] = {in.least, in.most};
    for (int e = 0; e < 2; e++) {
      if (!isfinite(ends[e])) continue;
      char set[100], widen[] = "mpm.dt_max=1", lower[] = "mpm.dt_min=1e-15";
      snprintf(set, sizeof set, "mpm.%s=%.17g", row->key, ends[e]);
      const char *overrides[] = {widen, lower, set};
      firn_scene *scene = read_with(minimal, 3, overrides);
      firn_sim *sim = build(scene);
      firn_sim_destroy(sim);
      firn_scene_destroy(scene);
    }
  }
}

static void choices_reach_the_solver(void **state) {
  (void)state;
  // Nothing reads a def back from a simulation; what shows is that cg without psd is refused by
  // the reader and that every choice of every switch builds and steps.
  for (int i = 0; i < firn_mpm_settings.count; i++) {
    const firn_schema_row *row = &firn_mpm_settings.rows[i];
    if (row->type != FIRN_TYPE_ENUM && row->type != FIRN_TYPE_BOOL) continue;
    char choices[100];
    snprintf(choices, sizeof choices, "%s", row->choices ? row->choices : "true|false");
    for (char *save = NULL, *word = strtok_r(choices, "|", &save); word;
         word = strtok_r(NULL, "|", &save)) {
      char set[100];
      snprintf(set, sizeof set, "mpm.%s=%s", row->key, word);
      const char *overrides[] = {"quality=0.4", "mpm.hessian=psd", set};
      firn_scene *scene = read_with(minimal, 3, overrides);
      firn_sim *sim = build(scene);
      if (firn_sim_step(sim, 1e-4, NULL) != FIRN_OK)
        fail_msg("%s: %s", set, firn_context_message(context));
      firn_sim_destroy(sim);
      firn_scene_destroy(scene);
    }
  }
}

// Fails the n-th allocation, then all that follow.
typedef struct {
  long left;
} rationed;

static void *resize_rationed(void *user, void *p, size_t old_size, size_t size) {
  rationed *r = user;
  if (size == 0) {
    free(p);
    return NULL;
  }
  if (r->left-- <= 0) return NULL;
  void *fresh = aligned_alloc(64, (size + 63) / 64 * 64);
  if (fresh && p) {
    memcpy(fresh, p, old_size < size ? old_size : size);
    free(p);
  }
  return fresh;
}

static void reading_survives_the_lack_of_memory(void **state) {
  (void)state;
  const char *wrong = "firn: 1\nh: x\nmpm: {flip: 2, bla: 3}\n" BALL;
  for (int which = 0; which < 2; which++) {
    const char *text = which ? wrong : minimal;
    long n = 1;
    for (; n < 1000; n++) {
      rationed ration = {n};
      firn_context_def def = firn_default_context_def();
      def.threads = 1;
      def.resize = resize_rationed;
      def.resize_user = &ration;
      firn_context *small;
      if (firn_context_create(&def, &small) != FIRN_OK) continue;
      firn_scene *scene = NULL;
      firn_status status = firn_scene_read(small, "x", text, strlen(text), 0, NULL, &scene);
      assert_true(status == FIRN_ERROR_MEMORY || status == (which ? FIRN_ERROR_SCENE : FIRN_OK));
      assert_int_equal(scene == NULL, status == FIRN_ERROR_MEMORY);
      firn_scene_destroy(scene);
      assert_int_equal(firn_context_bytes(small), 0);
      firn_context_destroy(small);
      if (status != FIRN_ERROR_MEMORY) break;
    }
    assert_true(n > 1 && n < 1000); // some failed, and in the end one did not
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(snow_is_where_and_how_the_scene_says),
      cmocka_unit_test(quality_scales_the_particles_by_its_cube),
      cmocka_unit_test(an_empty_build_has_no_particles),
      cmocka_unit_test(defaults_are_those_of_the_library),
      cmocka_unit_test(ranges_are_those_of_the_solver),
      cmocka_unit_test(choices_reach_the_solver),
      cmocka_unit_test(reading_survives_the_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
