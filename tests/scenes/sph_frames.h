// SPDX-License-Identifier: Apache-2.0
// The first two frames of every built-in scene under sph, each a case of its own, and what must hold for
// all of them. Those of sand and fluids are left out, whose laws sph does not know.
#ifndef FIRN_TESTS_SCENES_SPH_FRAMES_H
#define FIRN_TESTS_SCENES_SPH_FRAMES_H

#include <stdio.h>
#include <string.h>

#include "api/sim.h"
#include "support/play.h"

// What the scenes of a program have in common. The scene that ships has `quality` 1.
static const double QUALITY = 0.2;
static double most_particles; // 0: as many as there are at that quality

// Spacings by which the deepest particle lies inside a collider.
static double deepest(const play *p) {
  const firn_world *world = &p->sim->world;
  double *x = play_read(p, "position"), deep = 0;
  for (size_t i = 0; i < play_count(p); i++)
    for (int c = 0; c < world->collider_count; c++)
      deep = fmax(deep, -firn_collider_sample(&world->collider[c], x + 3 * i, NULL, NULL));
  free(x);
  return deep / (firn_sim_h(p->sim) / 2);
}

static void all_is_finite(const play *p) {
  firn_field_info info;
  for (int i = 0; i < firn_sim_field_count(p->sim); i++) {
    play_must(p, firn_sim_field(p->sim, i, &info));
    double *x = play_read(p, info.name);
    for (size_t k = 0; k < play_count(p) * (size_t)info.components; k++)
      if (!isfinite(x[k])) fail_msg("%s of particle %zu is %g", info.name, k, x[k]);
    free(x);
  }
}

static double quality_of(const char *name) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  firn_scene *scene = NULL;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  assert_int_equal(firn_scene_load(context, name, 0, NULL, &scene), FIRN_OK);
  double full = firn_scene_particles(scene);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return most_particles > 0 ? fmin(QUALITY, cbrt(most_particles / fmax(1, full))) : QUALITY;
}

static void begins_well_under_sph(void **state) {
  const char *name = *state;
  char word[64];
  snprintf(word, sizeof word, "quality=%.3f", quality_of(name));
  play p = play_builtin(name, "solver=sph", word);
  firn_sums first = play_sums(&p);
  double least = 0, end = 2 * firn_scene_frame_seconds(p.scene);
  while (end - firn_sim_time(p.sim) > 1e-9 * end) {
    play_step(&p, end - firn_sim_time(p.sim));
    assert_true(play_stat(&p, "unconverged") == 0);
    least = fmin(least, play_sums(&p).energy_lost);
  }
  all_is_finite(&p);
  firn_sums last = play_sums(&p);
  const firn_flow *flow = &p.sim->world.flow;
  bool flows = flow->emitter_count || flow->sink_count || flow->killing || flow->windowed;
  if (!flows) assert_between("mass", last.mass / first.mass, 1 - 1e-12, 1 + 1e-12);
  assert_between("deepest in a collider, spacings", deepest(&p), -1, 1);
  // Hardening by the density is not the law of an energy: a spring that stiffens gives back more. Where
  // snow has still to fall, there is nothing to compare with; where pressures keep a volume that samples
  // have taken a share of, they throw snow off them.
  double all = first.energy_kinetic + first.energy_elastic;
  all += 9.81 * first.mass * (first.bounds_max[1] - first.bounds_min[1]);
  bool throws = strcmp(name, "compression-iisph") == 0;
  if (throws || !(all > 0)) least = 0, all = 1;
  assert_between("energy from nowhere, of what there was", -least / all, -1, 1e-3);
  play_close(&p);
}

// Scenes of materials that sph does not know.
static bool is_foreign(const char *name) {
  static const char *const foreign[] = {"sand-column",         "dam-break",
                                        "press-cube-granular", "press-cube-viscous",
                                        "press-cube-fluid",    "powder-on-ball"};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (strcmp(name, foreign[i]) == 0) return true;
  return false;
}

// Those that are named, or all.
static int play_scenes(const char *group, int argc, char **argv) {
  enum { SCENES = 64 };
  struct CMUnitTest tests[SCENES];
  size_t count = 0;
  const char *name;
  for (int i = 0; (name = firn_scene_builtin_name(i)); i++) {
    bool wanted = argc < 2 && !is_foreign(name);
    for (int k = 1; k < argc; k++) wanted = wanted || strcmp(argv[k], name) == 0;
    if (!wanted) continue;
    assert_true(count < SCENES);
    tests[count++] = (struct CMUnitTest){
        .name = name, .test_func = begins_well_under_sph, .initial_state = (void *)(uintptr_t)name};
  }
  return _cmocka_run_group_tests(group, tests, count, NULL, NULL);
}

#endif
