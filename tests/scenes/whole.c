// SPDX-License-Identifier: Apache-2.0
// long
// timeout: 1800
// processors: 2
// Every built-in scene, from beginning to end with a few thousand particles: it comes to its end,
// nothing falls through the ground or is shot away, and no particle is lost.
#include <stdio.h>
#include <string.h>

#include "support/play.h"

static double full_count(const char *name) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  firn_scene *scene = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(firn_scene_load(context, name, 0, NULL, &scene), FIRN_OK);
  double count = firn_scene_particles(scene);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return count;
}

static void scenes_come_to_their_end(void **state) {
  (void)state;
  const char *name;
  for (int i = 0; (name = firn_scene_builtin_name(i)); i++) {
    char word[64];
    snprintf(word, sizeof word, "quality=%.3f", cbrt(6000 / full_count(name)));
    play p = play_builtin(name, word);
    size_t count = play_count(&p);
    play_advance(&p, firn_scene_frames(p.scene) * firn_scene_frame_seconds(p.scene));
    firn_sums sums = play_sums(&p);
    print_message("%s: %zu particles, mean J_P %.2f, at most %.2f m/s in the end\n", name,
                  play_count(&p), play_stat(&p, "jp_mean"), sums.speed_max);
    if (strcmp(name, "snowplow") != 0) assert_int_equal(play_count(&p), count);
    double h = firn_sim_h(p.sim);
    assert_between("lowest point, cells", sums.bounds_min[1] / h, -1, INFINITY);
    // The plough still goes at 4 m/s, the block on the slope has slid for a second.
    assert_between("greatest speed, m/s", sums.speed_max, -1, 10);
    play_close(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scenes_come_to_their_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
