// SPDX-License-Identifier: Apache-2.0
// The scenes of Stomakhin et al. 2013 beside Table 3, whole and frame by frame.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

// Table 3: minutes a frame on a Xeon X5550 of 8 cores at 2.67 GHz.
typedef struct paper_row {
  const char *scene;
  double particles, minutes;
} paper_row;

static const paper_row table[] = {
    {"snowball-drop", 3.0e5, 5.2},     {"snowball-smash", 3.0e5, 7.3},
    {"double-smash", 6.0e5, 13.3},     {"snowplow", 3.9e6, 2.1},
    {"rolling-snowball", 7.2e6, 35.7}, {"siggraph", 7.5e5, 4.7},
    {"the-end", 5.8e5, 3.8},           {"castle", 1.6e6, 6.0},
    {"walking", 3.0e6, 15.7},          {"digging", 3.1e6, 25.8},
};

// What was counted over the frames of a run.
typedef struct tally {
  int frames;
  double steps, implicit_steps, iterations, asleep; // asleep: sum of fractions
  double seconds;
} tally;

static firn_status run_frame(const firn_scene *scene, firn_sim *sim, int frame, tally *t) {
  double target = (frame + 1) * firn_scene_frame_seconds(scene), start = cli_seconds();
  while (firn_sim_time(sim) < target - 1e-9) {
    firn_step step;
    firn_status status = firn_scene_apply(scene, sim);
    if (status == FIRN_OK) status = firn_sim_step(sim, target - firn_sim_time(sim), &step);
    if (status != FIRN_OK) return status;
    if (cli_interrupted()) return FIRN_CANCELLED;
    t->steps++;
    t->implicit_steps += step.implicit;
    t->iterations += step.iterations;
    t->asleep += (double)step.asleep / (double)firn_sim_count(sim);
  }
  t->seconds += cli_seconds() - start;
  t->frames++;
  return FIRN_OK;
}

static firn_status run_frames(const bench *b, const firn_scene *scene, firn_sim *sim, tally *t) {
  int frames = firn_scene_frames(scene);
  if (b->frames > 0 && b->frames < frames) frames = b->frames;
  firn_status status = FIRN_OK;
  for (int f = 0; f < frames && status == FIRN_OK; f++) status = run_frame(scene, sim, f, t);
  return status;
}

static firn_status run_variant(bench *b, const char *name, const paper_row *row, bool sleep) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  char quality[64], rest[64];
  snprintf(quality, sizeof quality, "quality=%.17g", b->quality);
  snprintf(rest, sizeof rest, "mpm.sleep=%s", sleep ? "true" : "false");
  const char *overrides[] = {rest, quality};
  firn_scene *scene = NULL;
  firn_sim *sim = NULL;
  tally t = {0};
  bench_result r = bench_result_begin(name, sleep ? "sleep" : "awake", context);
  firn_status status = firn_scene_load(context, row->scene, b->quality > 0 ? 2 : 1, overrides,
                                       &scene);
  if (status == FIRN_OK) status = firn_scene_build(scene, &sim);
  if (status == FIRN_OK) status = run_frames(b, scene, sim, &t);
  if (t.frames > 0 && (status == FIRN_OK || status == FIRN_CANCELLED)) {
    r.profile = bench_profile_of(sim, NULL);
    r.particles = (double)firn_sim_count(sim);
    r.steps = t.steps;
    r.seconds = t.seconds;
    r.particle_steps_per_second = (double)r.profile.all.particle_steps / t.seconds;
    r.bytes_per_particle = (double)firn_context_bytes(context) / r.particles;
    r.peak_bytes_per_particle = (double)firn_context_peak_bytes(context) / r.particles;
    r.frames = t.frames;
    r.steps_per_frame = t.steps / t.frames;
    r.implicit = t.implicit_steps / t.steps;
    r.iterations_mean = t.implicit_steps > 0 ? t.iterations / t.implicit_steps : 0;
    r.asleep = t.asleep / t.steps;
    r.seconds_per_frame = t.seconds / t.frames;
    // Fewer particles are no feat: only the paper's number is held against the paper's time.
    if (fabs(r.particles / row->particles - 1) <= 0.1) {
      r.paper_seconds_per_frame = 60 * row->minutes;
      r.ratio_to_paper = r.paper_seconds_per_frame / r.seconds_per_frame;
    }
    bench_print(b, &r);
  } else if (status != FIRN_CANCELLED) {
    fprintf(stderr, "firn bench: %s: %s\n", name, firn_context_message(context));
  }
  firn_sim_destroy(sim);
  firn_scene_destroy(scene);
  firn_context_destroy(context);
  return status;
}

static firn_status run_paper(bench *b, const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    if (strcmp(name + strlen("paper/"), table[i].scene) != 0) continue;
    bool on = !b->sleep || strcmp(b->sleep, "on") == 0;
    bool off = !b->sleep || strcmp(b->sleep, "off") == 0;
    firn_status status = on ? run_variant(b, name, &table[i], true) : FIRN_OK;
    return off && status == FIRN_OK ? run_variant(b, name, &table[i], false) : status;
  }
  return FIRN_ERROR_ARGUMENT;
}

const bench_case bench_paper[] = {
    {"paper/snowball-drop", "0.3M particles, Figure 4", run_paper},
    {"paper/snowball-smash", "0.3M, Figure 2", run_paper},
    {"paper/double-smash", "0.6M, Figure 3", run_paper},
    {"paper/snowplow", "3.9M, Figure 10", run_paper},
    {"paper/rolling-snowball", "7.2M, Figure 1", run_paper},
    {"paper/siggraph", "0.75M, Figure 5", run_paper},
    {"paper/the-end", "0.58M, Figure 12", run_paper},
    {"paper/castle", "1.6M, Figure 6", run_paper},
    {"paper/walking", "3.0M, Figure 9", run_paper},
    {"paper/digging", "3.1M, Figure 11", run_paper},
    {NULL, NULL, NULL},
};
