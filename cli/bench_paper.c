// SPDX-License-Identifier: Apache-2.0
// The scenes of Stomakhin et al. 2013 beside Table 3, whole and frame by frame. A run may be cut off at any
// moment, and goes on when it is called again.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_state.h"

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

// A run of a scene with sleep or without.
typedef struct paper_run {
  const char *name;
  firn_scene *scene;
  firn_sim *sim;
  int last; // frames to be done
  bench_state state;
  bench_tally tally;
  bench_tally kept;     // what phases had taken before this process
  bench_profile before; // of the simulation, when this process began
} paper_run;

static firn_status take_step(paper_run *r, double limit) {
  firn_step step;
  double *sum = r->tally.sum, start = cli_seconds();
  firn_status status = firn_scene_apply(r->scene, r->sim);
  if (status == FIRN_OK) status = firn_sim_step(r->sim, limit, &step);
  if (status != FIRN_OK) return status;
  double seconds = cli_seconds() - start, count = (double)firn_sim_count(r->sim);
  sum[SUM_STEPS]++;
  sum[SUM_IMPLICIT] += step.implicit;
  sum[SUM_ITERATIONS] += step.iterations;
  sum[SUM_ASLEEP] += (double)step.asleep / count;
  sum[SUM_PARTICLE_STEPS] += count;
  sum[SUM_EQUIVALENTS] += (count - (double)step.asleep) * (1 + 0.5 * step.iterations);
  sum[SUM_SECONDS] += seconds;
  sum[SUM_FRAME_STEPS]++;
  sum[SUM_FRAME_SECONDS] += seconds;
  return FIRN_OK;
}

// What the library has counted, of this process and those before.
static void count_phases(paper_run *r, firn_context *context) {
  bench_tally *t = &r->tally;
  bench_profile p = bench_profile_of(r->sim, &r->before);
  t->phases = p.phases;
  for (int i = 0; i < p.phases; i++) t->phase[i] = r->kept.phase[i] + p.seconds[i];
  t->sum[SUM_TOTAL] = r->kept.sum[SUM_TOTAL] + p.all.total;
  t->sum[SUM_PEAK] = fmax(r->kept.sum[SUM_PEAK], (double)firn_context_peak_bytes(context));
}

static firn_status save(paper_run *r, firn_context *context) {
  count_phases(r, context);
  return bench_state_save(&r->state, r->sim, &r->tally);
}

static firn_status run_frames(paper_run *r, firn_context *context) {
  bench_tally *t = &r->tally;
  while (t->frames < r->last) {
    double target = (t->frames + 1) * firn_scene_frame_seconds(r->scene);
    while (firn_sim_time(r->sim) < target - 1e-9) {
      firn_status status = take_step(r, target - firn_sim_time(r->sim));
      if (status == FIRN_OK && (bench_state_due(&r->state) || cli_interrupted()))
        status = save(r, context);
      if (status != FIRN_OK) return status;
      if (cli_interrupted()) return FIRN_CANCELLED;
    }
    t->frame_seconds[t->frames++] = t->sum[SUM_FRAME_SECONDS];
    t->sum[SUM_FRAME_STEPS] = t->sum[SUM_FRAME_SECONDS] = 0;
  }
  return save(r, context); // done: should a later scene be cut off, this one is only told again
}

// From the beginning, or from what was kept.
static firn_status begin(paper_run *r, const bench *b, firn_context *context) {
  int frames = firn_scene_frames(r->scene);
  r->last = b->frames > 0 && b->frames < frames ? b->frames : frames;
  r->tally.frame_seconds = calloc((size_t)frames, sizeof *r->tally.frame_seconds);
  if (!r->tally.frame_seconds) return FIRN_ERROR_MEMORY;
  firn_status status;
  if (bench_state_read(&r->state, r->name, r->last, &r->tally)) {
    char path[sizeof r->state.path + 16];
    bench_state_checkpoint(&r->state, path, sizeof path);
    status = firn_scene_build_empty(r->scene, &r->sim);
    if (status == FIRN_OK) status = firn_sim_load(r->sim, path);
  } else {
    status = firn_scene_build(r->scene, &r->sim);
  }
  if (status != FIRN_OK) return status;
  r->kept = r->tally;
  r->before = bench_profile_of(r->sim, NULL);
  count_phases(r, context);
  return FIRN_OK;
}

static void tell(bench *b, const paper_run *run, const paper_row *row, bench_result r,
                 const firn_context *context) {
  const bench_tally *t = &run->tally;
  r.profile = run->before; // for its names
  r.profile.all.total = t->sum[SUM_TOTAL];
  for (int i = 0; i < t->phases; i++) r.profile.seconds[i] = t->phase[i];
  r.particles = (double)firn_sim_count(run->sim);
  r.steps = t->sum[SUM_STEPS];
  r.seconds = t->sum[SUM_SECONDS];
  r.particle_steps_per_second = t->sum[SUM_PARTICLE_STEPS] / r.seconds;
  r.step_equivalents_per_second = t->sum[SUM_EQUIVALENTS] / r.seconds;
  r.bytes_per_particle = (double)firn_context_bytes(context) / r.particles;
  r.peak_bytes_per_particle = t->sum[SUM_PEAK] / r.particles;
  r.frames = t->frames;
  r.frame_seconds = t->frame_seconds;
  r.seconds_per_frame = (r.seconds - t->sum[SUM_FRAME_SECONDS]) / r.frames;
  r.steps_per_frame = (r.steps - t->sum[SUM_FRAME_STEPS]) / r.frames;
  r.implicit = t->sum[SUM_IMPLICIT] / r.steps;
  r.iterations_mean = r.implicit > 0 ? t->sum[SUM_ITERATIONS] / t->sum[SUM_IMPLICIT] : 0;
  r.asleep = t->sum[SUM_ASLEEP] / r.steps;
  // Fewer particles are no feat: only the paper's number is held against the paper's time.
  if (fabs(r.particles / row->particles - 1) <= 0.1) {
    r.paper_seconds_per_frame = 60 * row->minutes;
    r.ratio_to_paper = r.paper_seconds_per_frame / r.seconds_per_frame;
  }
  bench_print(b, &r);
}

static const char *const variants[] = {"awake", "sleep"}; // by whether snow may sleep

static firn_status run_variant(bench *b, const char *name, const paper_row *row, bool sleep) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  char quality[64];
  snprintf(quality, sizeof quality, "quality=%.17g", b->quality);
  const char *overrides[] = {sleep ? "mpm.sleep=true" : "mpm.sleep=false", quality};
  paper_run run = {.name = name, .state = bench_state_of(b, row->scene, variants[sleep], context)};
  firn_status status = firn_scene_load(context, row->scene, b->quality > 0 ? 2 : 1, overrides,
                                       &run.scene);
  if (status == FIRN_OK) status = begin(&run, b, context);
  if (status == FIRN_OK) status = run_frames(&run, context);
  if (run.tally.frames > 0 && (status == FIRN_OK || status == FIRN_CANCELLED))
    tell(b, &run, row, bench_result_begin(name, variants[sleep], context), context);
  if (status == FIRN_CANCELLED)
    fprintf(stderr, "firn bench: %s: stopped after frame %d; the same command goes on from there\n",
            name, run.tally.frames);
  free(run.tally.frame_seconds);
  firn_scene_destroy(run.scene);
  return bench_finish(context, run.sim, name, status);
}

static const paper_row *row_of(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (strcmp(name + strlen("paper/"), table[i].scene) == 0) return &table[i];
  return NULL;
}

static bool has_variant(const bench *b, bool sleep) {
  return !b->sleep || strcmp(b->sleep, sleep ? "on" : "off") == 0;
}

static firn_status run_paper(bench *b, const char *name) {
  const paper_row *row = row_of(name);
  if (!row) return FIRN_ERROR_ARGUMENT;
  firn_status status = FIRN_OK;
  if (has_variant(b, true)) status = run_variant(b, name, row, true);
  if (status == FIRN_OK && has_variant(b, false)) status = run_variant(b, name, row, false);
  return status;
}

void bench_paper_forget(const bench *b, const char *name) {
  for (int sleep = 0; sleep < 2; sleep++)
    if (has_variant(b, sleep)) bench_state_remove(b, name + strlen("paper/"), variants[sleep]);
  rmdir(b->state); // where it is empty
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
