// SPDX-License-Identifier: Apache-2.0
// long
// timeout: 3000
// Every built-in scene, from beginning to end with a few thousand particles, each a case of its own:
// it comes to its end, nothing falls through the ground or is shot away, and no particle is lost.
#include <stdio.h>
#include <string.h>

#include "api/sim.h"
#include "support/play.h"

enum { PARTICLES = 6000, SCENES = 64 };

// The quality at which a scene that begins without particles comes to have few.
static double quality_of_fall(const char *name) {
  return strcmp(name, "car-snowfall") == 0 ? 0.06 : 0.5;
}

// The quality at which a scene has about so many particles.
static void fit_quality(const char *name, char *word, size_t size) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  firn_scene *scene = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(firn_scene_load(context, name, 0, NULL, &scene), FIRN_OK);
  double full = firn_scene_particles(scene);
  snprintf(word, size, "quality=%.3f", full > 0 ? cbrt(PARTICLES / full) : quality_of_fall(name));
  firn_scene_destroy(scene);
  firn_context_destroy(context);
}

// Of the surfaces beside which snow lies: turning ones push with more than their pivot's velocity.
static double fastest_push(const play *p) {
  const firn_world *world = &p->sim->world;
  double *x = play_read(p, "position"), most = 0;
  for (size_t i = 0; i < play_count(p); i++) {
    for (int c = 0; c < world->collider_count; c++) {
      double v[3] = {0}, n[3];
      if (firn_collider_sample(&world->collider[c], x + 3 * i, n, v) > 2 * firn_sim_h(p->sim))
        continue;
      most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
  }
  free(x);
  return most;
}

// What emitters throw with.
static double thrown(const firn_flow *flow) {
  double most = 0;
  for (int i = 0; i < flow->emitter_count; i++) {
    const double *v = flow->emitter[i].fill.velocity;
    double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    most = fmax(most, speed + flow->emitter[i].spread);
  }
  return most;
}

static void comes_to_its_end(void **state) {
  const char *name = *state;
  char quality[64];
  fit_quality(name, quality, sizeof quality);
  play p = play_builtin(name, quality);
  const firn_flow *flow = &p.sim->world.flow;
  bool flows = flow->emitter_count || flow->sink_count || flow->killing || flow->windowed;
  size_t count = play_count(&p);
  firn_sums first = play_sums(&p), last = first;
  double pushed = 0, top = 0;
  for (int i = 0; i < firn_scene_frames(p.scene); i++) {
    play_advance(&p, firn_scene_frame_seconds(p.scene));
    last = play_sums(&p);
    pushed = fmax(pushed, fastest_push(&p));
    if (flows && last.mass > 0) top = fmax(top, last.bounds_max[1]);
  }
  // What the snow may have by its throw and by its fall: of all of it (gravity may be tilted, and
  // the snow have slid far), or of its top to the ground. Where more comes later, its top is the highest that was seen;
  // else what is shot up must not excuse itself.
  double fall = 9.81 * fmax(top, fmax(first.mass > 0 ? first.bounds_max[1] : 0, 0));
  if (!flows) fall = fmax(fall, (first.energy_gravity - last.energy_gravity) / first.mass);
  double throw_ = fmax(first.speed_max, thrown(flow)), own = sqrt(throw_ * throw_ + 2 * fall);
  print_message("%s: %zu particles\n", name, play_count(&p));
  if (flows)
    assert_true(play_count(&p) > 0);
  else
    assert_int_equal(play_count(&p), count);
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
