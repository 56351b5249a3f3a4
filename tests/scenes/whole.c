// SPDX-License-Identifier: Apache-2.0
// long
// timeout: 3000
// Every built-in scene, from beginning to end with a few thousand particles, each a case of its own:
// it comes to its end, nothing falls through the ground or is shot away, and no particle is lost.
#include <stdio.h>
#include <string.h>

#include "support/play.h"

enum { PARTICLES = 6000, SCENES = 64 };

// The quality at which a scene has about so many particles.
static void fit_quality(const char *name, char *word, size_t size) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  firn_scene *scene = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(firn_scene_load(context, name, 0, NULL, &scene), FIRN_OK);
  snprintf(word, size, "quality=%.3f", cbrt(PARTICLES / firn_scene_particles(scene)));
  firn_scene_destroy(scene);
  firn_context_destroy(context);
}

static double fastest_collider(const play *p) {
  double most = 0;
  for (int i = 0; i < firn_sim_collider_count(p->sim); i++) {
    firn_collider_state s;
    play_must(p, firn_sim_collider(p->sim, i, &s));
    most = fmax(most, sqrt(s.velocity[0] * s.velocity[0] + s.velocity[1] * s.velocity[1] +
                           s.velocity[2] * s.velocity[2]));
  }
  return most;
}

static void comes_to_its_end(void **state) {
  const char *name = *state;
  char quality[64];
  fit_quality(name, quality, sizeof quality);
  play p = play_builtin(name, quality);
  size_t count = play_count(&p);
  firn_sums first = play_sums(&p);
  double pushed = 0;
  for (int i = 0; i < firn_scene_frames(p.scene); i++) {
    play_advance(&p, firn_scene_frame_seconds(p.scene));
    pushed = fmax(pushed, fastest_collider(&p));
  }
  firn_sums last = play_sums(&p);
  // What the snow may have by its throw and by its fall: of all of it (gravity may be tilted, and
  // the snow have slid far), or of its top to the ground.
  double fall = fmax((first.energy_gravity - last.energy_gravity) / first.mass,
                     9.81 * fmax(first.bounds_max[1], 0));
  double own = sqrt(first.speed_max * first.speed_max + 2 * fmax(fall, 0));
  print_message("%s: %zu particles, mean J_P %.2f\n", name, play_count(&p),
                play_stat(&p, "jp_mean"));
  // A window takes snow away behind the plough and fills it in before it.
  if (strcmp(name, "snowplow") != 0) assert_int_equal(play_count(&p), count);
  assert_between("lowest point, cells", last.bounds_min[1] / firn_sim_h(p.sim), -1, INFINITY);
  // Spray may leave an impact quicker than what hit.
  assert_between("greatest speed over what throws, falls and pushes can give",
                 last.speed_max / (own + pushed), -1, 1.5);
  play_close(&p);
}

int main(int argc, char **argv) {
  struct CMUnitTest tests[SCENES];
  size_t count = 0;
  const char *name;
  for (int i = 0; (name = firn_scene_builtin_name(i)); i++) {
    bool wanted = argc < 2;
    for (int k = 1; k < argc; k++) wanted = wanted || strcmp(argv[k], name) == 0;
    if (!wanted) continue;
    assert_true(count < SCENES);
    tests[count++] = (struct CMUnitTest){
        .name = name, .test_func = comes_to_its_end, .initial_state = (void *)(uintptr_t)name};
  }
  return _cmocka_run_group_tests("whole", tests, count, NULL, NULL);
}
