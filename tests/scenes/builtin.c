// SPDX-License-Identifier: Apache-2.0
// labels: slow
// timeout: 120
// long in double
// The scenes that ship with firn: they have the particles of Table 3 of Stomakhin et al. 2013, or of Table 1
// of Gissler et al. 2020 or of Takahashi et al. 2014, at full quality, and begin well at a low one.
#include <stdio.h>
#include <string.h>

#include "support/play.h"

static const struct {
  const char *name;
  double particles; // 0: the paper has no such scene, or not all of them are there at the beginning
} scenes[] = {
    {"snowball-drop", 3.0e5},
    {"snowball-smash", 3.0e5},
    {"snowball-smash-sticky", 3.0e5},
    {"double-smash", 6.0e5},
    {"snowplow", 3.9e6},
    {"rolling-snowball", 7.2e6},
    {"siggraph", 7.5e5},
    {"the-end", 5.8e5},
    {"castle", 1.6e6},
    {"walking", 3.0e6},
    {"digging", 3.1e6},
    {"snow-angel", 9.42e6},
    {"city-street", 0},
    {"shovel", 5.37e6},
    {"shovel-split-2", 5.37e6},
    {"shovel-combined", 5.37e6},
    {"shovel-combined-2", 5.37e6},
    {"wedge-reference", 0},
    {"wedge-lower-hardening", 0},
    {"wedge-lower-young", 0},
    {"wedge-lower-theta-c", 0},
    {"wedge-lower-theta-s", 0},
    {"wedge-lower-both", 0},
    {"sand-column", 0},
    {"demo", 0},
    {"loose-and-dense", 0},
    {"column", 0},
    {"incline", 0},
    {"compression", 0},
    {"compression-140", 0},
    {"compression-iisph", 0},
    {"oven", 8.78e5}, // Table 1 of Gissler et al. 2020
    {"snowballs", 1.22e5},
    {"tire", 5.5e6},
    {"tire-slippery", 5.5e6},
    {"density-comparison", 0},
    {"density-comparison-tracked", 0},
    {"single-particles", 2028},
    {"car-snowfall", 0},
    {"press-cube", 0},
    {"press-cube-granular", 0},
    {"press-cube-viscous", 0},
    {"press-cube-fluid", 0},
    {"dam-break", 0},
    {"durability-pair", 2.83e4}, // Table 1 of Takahashi et al. 2014
    {"powder-on-ball", 1.42e4},
    {"bunny-drop", 6.48e4},
    {"press-ball", 2.241e5},
    {"ball-on-box", 3.3e4},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

// More snow comes, on what is too thin for few particles.
static bool falls(const char *name) {
  return strcmp(name, "city-street") == 0;
}

static double expected_particles(const char *name) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  firn_scene *scene = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  if (firn_scene_load(context, name, 0, NULL, &scene) != FIRN_OK) {
    const firn_scene_error *e = scene ? firn_scene_error_get(scene, 0) : NULL;
    fail_msg("%s: %s", name, e ? e->message : firn_context_message(context));
  }
  double count = firn_scene_particles(scene);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return count;
}

static void scenes_have_the_particles_of_the_papers(void **state) {
  (void)state;
  for (int i = 0; i < SCENES; i++) {
    double count = expected_particles(scenes[i].name);
    if (scenes[i].particles > 0)
      assert_between(scenes[i].name, count / scenes[i].particles, 0.9, 1.1);
  }
}

static void every_built_in_scene_is_tested_here(void **state) {
  (void)state;
  int count = 0;
  for (; firn_scene_builtin_name(count); count++) {
    const char *name = firn_scene_builtin_name(count);
    bool found = false;
    for (int i = 0; i < SCENES; i++) found = found || strcmp(name, scenes[i].name) == 0;
    if (!found) fail_msg("scene '%s' is not in the list above", name);
    assert_true(strlen(firn_scene_builtin_doc(count)) > 10);
  }
  assert_int_equal(count, SCENES);
}

// At which some flakes come down within ten frames.
static double quality_of_snowfall(const char *name) {
  return strcmp(name, "car-snowfall") == 0 ? 0.15 : 0.7;
}

// A few frames with few particles: all of them stay, finite and above ground.
static void scenes_begin_well_at_low_quality(void **state) {
  (void)state;
  for (int i = 0; i < SCENES; i++) {
    double full = expected_particles(scenes[i].name);
    bool empty = full == 0; // snow is still to fall
    double quality = empty ? quality_of_snowfall(scenes[i].name) : cbrt(3000 / full);
    char word[64];
    snprintf(word, sizeof word, "quality=%.3f", quality);
    play p = play_builtin(scenes[i].name, word);
    size_t count = play_count(&p);
    // Thin shapes on a coarse lattice: the count is right on average only.
    bool falling = empty || falls(scenes[i].name);
    if (!falling) assert_between(scenes[i].name, (double)count / 3000, 0.8, 1.25);
    play_advance(&p, (empty ? 10 : 2) * firn_scene_frame_seconds(p.scene));
    if (falling)
      assert_true(play_count(&p) > count);
    else if (strcmp(scenes[i].name, "snowplow") != 0)
      assert_int_equal(play_count(&p), count);
    firn_sums sums = play_sums(&p);
    assert_true(isfinite(sums.energy_kinetic) && isfinite(sums.energy_elastic));
    // Nothing has sunk in by a cell, nor been shot away: 20 m/s is twice the quickest snowball.
    double h = firn_sim_h(p.sim);
    assert_between("lowest point, cells", sums.bounds_min[1] / h, -1, INFINITY);
    assert_between("greatest speed, m/s", sums.speed_max, -1, 20);
    play_close(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scenes_have_the_particles_of_the_papers),
      cmocka_unit_test(every_built_in_scene_is_tested_here),
      cmocka_unit_test(scenes_begin_well_at_low_quality),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
