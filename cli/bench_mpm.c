// SPDX-License-Identifier: Apache-2.0
// The cases of the material point method.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

// ------------------------------------------------------------------------------- explicit steps

static firn_status run_explicit(bench *b, const char *name, const firn_mpm_def *mpm) {
  bench_block block = bench_main_block(b);
  bench_result r;
  firn_status status = bench_explicit(b, name, NULL, mpm, &block, b->quick ? 1 : 5,
                                      b->quick ? 50 : 200, &r);
  if (status == FIRN_OK) bench_print(b, &r);
  return status;
}

static firn_status run_quadratic_apic(bench *b, const char *name) {
  firn_mpm_def mpm = bench_quadratic_apic();
  return run_explicit(b, name, &mpm);
}

static firn_status run_quadratic_flip(bench *b, const char *name) {
  firn_mpm_def mpm = bench_quadratic_apic();
  mpm.transfer = FIRN_TRANSFER_FLIP;
  return run_explicit(b, name, &mpm);
}

static firn_status run_cubic_flip(bench *b, const char *name) {
  firn_mpm_def mpm = bench_cubic_flip();
  return run_explicit(b, name, &mpm);
}

// ------------------------------------------------------------------------- one CR iteration

// Seconds in the solve, over its iterations, beside an explicit cubic step of the same snow.
static firn_status run_cr_iteration(bench *b, const char *name) {
  bench_block block = bench_main_block(b);
  firn_mpm_def mpm = bench_cubic_flip();
  bench_result plain, r;
  firn_status status = bench_explicit(b, name, NULL, &mpm, &block, 1, b->quick ? 20 : 50, &plain);
  if (status != FIRN_OK) return status;

  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  r = bench_result_begin(name, NULL, context);
  firn_sim *sim = NULL;
  mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  mpm.dt_max = 2e-4; // a step that a careful user would take at this h
  status = bench_build(context, &mpm, &block, &sim);
  if (status == FIRN_OK) status = bench_until_yield(sim, 0.3);
  if (status == FIRN_OK) status = bench_time(sim, context, 1, b->quick ? 5 : 20, &r);
  if (status == FIRN_OK) {
    double explicit_step = plain.seconds / plain.steps;
    r.iterations_mean = (double)r.profile.all.iterations / r.steps;
    for (int i = 0; i < r.profile.phases; i++)
      if (strcmp(r.profile.phase[i], "solve") == 0)
        r.seconds_per_iteration = r.profile.seconds[i] / (double)r.profile.all.iterations;
    r.ratio = r.seconds_per_iteration / explicit_step;
    r.ratio_of = "an explicit cubic step";
    bench_print(b, &r);
  }
  return bench_finish(context, sim, name, status);
}

// ------------------------------------------------------------------------------------- scaling

// Blocks of equal height, so that equal steps bring equal shares of yield.
static firn_status scaling_of(bench *b, const char *name, const char *variant,
                              const firn_mpm_def *mpm) {
  static const double sizes[] = {1e5, 3e5, 1e6, 3e6, 8e6};
  double first = 0;
  for (int i = 0; i < (b->quick ? 2 : 5); i++) {
    int height = 24, edge = (int)lround(sqrt(sizes[i] / 8 / height));
    bench_block block = {.cells = {edge, height, edge}, .h = 0.005, .gap = 1, .speed = 8};
    bench_result r;
    // As many particle-steps for every size, within reason.
    int steps = (int)(4e7 / sizes[i]);
    steps = b->quick ? 20 : steps < 20 ? 20 : steps > 200 ? 200 : steps;
    firn_status status = bench_explicit(b, name, variant, mpm, &block, b->quick ? 1 : 5, steps, &r);
    if (status != FIRN_OK) return status;
    if (i == 0) first = r.particle_steps_per_second;
    r.ratio = first / r.particle_steps_per_second;
    r.ratio_of = "the cost of a particle among 1e5";
    bench_print(b, &r);
  }
  return FIRN_OK;
}

static firn_status run_scaling(bench *b, const char *name) {
  firn_mpm_def quadratic = bench_quadratic_apic(), cubic = bench_cubic_flip();
  firn_status status = scaling_of(b, name, "quadratic-apic", &quadratic);
  if (status == FIRN_OK) status = scaling_of(b, name, "cubic-flip", &cubic);
  return status;
}

static firn_status run_threads(bench *b, const char *name) {
  firn_mpm_def mpm = bench_quadratic_apic();
  bench_block block = bench_main_block(b);
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  int most = firn_context_threads(context), asked = b->options.threads;
  firn_context_destroy(context);
  firn_status status = FIRN_OK;
  double one = 0;
  for (int threads = 1; threads <= most && status == FIRN_OK; threads *= 2) {
    bench_result r;
    b->options.threads = threads;
    status = bench_explicit(b, name, NULL, &mpm, &block, b->quick ? 1 : 5, b->quick ? 30 : 60, &r);
    if (status != FIRN_OK) break;
    if (threads == 1) one = r.particle_steps_per_second;
    r.ratio = r.particle_steps_per_second / one;
    r.ratio_of = "the speed of one thread";
    r.work = (bench_work){0}; // the machine was measured with all threads
    bench_print(b, &r);
    if (threads < most && 2 * threads > most) threads = most / 2;
  }
  b->options.threads = asked;
  return status;
}

// -------------------------------------------------------------------------------------- domain

// Eight cubes of snow at rest, `pitch` cells apart along each axis.
static firn_status build_pieces(firn_context *context, const firn_mpm_def *mpm, int cells,
                                double pitch, firn_sim **out) {
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.005;
  def.mpm = *mpm;
  firn_sim *sim;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status != FIRN_OK) return status;
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  fill.per_cell = 8;
  status = firn_sim_add_material(sim, &material, &fill.material);
  double half = 0.5 * cells * def.h;
  for (int i = 0; i < 8 && status == FIRN_OK; i++) {
    double center[3] = {half + (i & 1) * pitch * def.h, half + (i >> 1 & 1) * pitch * def.h,
                        half + (i >> 2) * pitch * def.h};
    fill.shape = firn_box(center, (double[3]){half, half, half});
    status = firn_sim_fill(sim, &fill);
  }
  if (status == FIRN_OK)
    *out = sim;
  else
    firn_sim_destroy(sim);
  return status;
}

static firn_status domain_case(const bench *b, const char *name, const char *variant, double pitch,
                               bench_result *r) {
  firn_mpm_def mpm = bench_quadratic_apic();
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  *r = bench_result_begin(name, variant, context);
  firn_sim *sim = NULL;
  firn_status status = build_pieces(context, &mpm, b->quick ? 12 : 24, pitch, &sim);
  for (int i = 0; i < 10 && status == FIRN_OK; i++) status = firn_sim_step(sim, 0, NULL);
  if (status == FIRN_OK) status = bench_time(sim, context, b->quick ? 1 : 5, b->quick ? 20 : 50, r);
  return bench_finish(context, sim, name, status);
}

// The pieces' pitch is a multiple of the blocks' 4 cells, so both layouts have the same blocks.
static firn_status run_domain(bench *b, const char *name) {
  double pitch = b->quick ? 20 : 32;
  bench_result near, far;
  firn_status status = domain_case(b, name, "near", pitch, &near);
  if (status == FIRN_OK) bench_print(b, &near);
  if (status == FIRN_OK) status = domain_case(b, name, "far", 10 * pitch, &far);
  if (status != FIRN_OK) return status;
  far.ratio = near.particle_steps_per_second / far.particle_steps_per_second;
  far.ratio_of = "the cost in a domain ten times smaller along each axis";
  bench_print(b, &far);
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------- memory

static firn_status run_memory(bench *b, const char *name) {
  static const struct {
    const char *variant;
    bool implicit;
  } cases[] = {{"explicit-quadratic-apic", false},
               {"explicit-cubic-flip", false},
               {"implicit-cubic-flip", true}};
  for (int i = 0; i < 3; i++) {
    firn_mpm_def mpm = i == 0 ? bench_quadratic_apic() : bench_cubic_flip();
    if (cases[i].implicit) mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
    bench_block block = bench_main_block(b);
    firn_context *context = cli_context(&b->options);
    if (!context) return FIRN_ERROR_UNSUPPORTED;
    bench_result r = bench_result_begin(name, cases[i].variant, context);
    firn_sim *sim = NULL;
    firn_status status = bench_build(context, &mpm, &block, &sim);
    // Enough steps for contact and for a sort or two.
    int steps = cases[i].implicit ? 8 : 80;
    if (status == FIRN_OK) status = bench_time(sim, context, 1, b->quick ? steps / 4 : steps, &r);
    if (status == FIRN_OK) bench_print(b, &r);
    status = bench_finish(context, sim, name, status);
    if (status != FIRN_OK) return status;
  }
  return FIRN_OK;
}

// ------------------------------------------------------------------------------- semi-implicit

// A ball of Table 2 snow that meets the floor at 5 m/s (case M25).
static firn_status build_ball(firn_context *context, const firn_mpm_def *mpm, double h,
                              firn_sim **out) {
  firn_sim_def def = firn_default_sim_def();
  def.h = h;
  def.mpm = *mpm;
  firn_material_def material = firn_default_material_def();
  firn_fill_def fill = firn_default_fill_def();
  fill.shape = firn_sphere((double[3]){0, 0.1 + h, 0}, 0.1);
  fill.per_cell = 8;
  fill.velocity[1] = -5;
  return bench_place(context, &def, &material, fill, out);
}

// The first 100 steps of 0.5 ms: iterations.
static firn_status implicit_iterations(bench *b, const char *name) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  bench_result r = bench_result_begin(name, "iterations", context);
  firn_mpm_def mpm = bench_cubic_flip();
  mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  mpm.dt = 5e-4;
  mpm.tolerance = 1e-4;
  firn_sim *sim = NULL;
  firn_status status = build_ball(context, &mpm, 0.0125, &sim);
  if (status == FIRN_OK) status = bench_time(sim, context, 1, 100, &r);
  if (status == FIRN_OK) {
    r.iterations_mean = (double)r.profile.all.iterations / r.steps;
    bench_print(b, &r);
  }
  return bench_finish(context, sim, name, status);
}

// The same simulated time with one integrator.
static firn_status ball_seconds(bench *b, const char *name, const char *variant,
                                firn_integrator integrator, double h, double duration,
                                bench_result *r) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  *r = bench_result_begin(name, variant, context);
  firn_mpm_def mpm = bench_cubic_flip();
  mpm.integrator = integrator;
  firn_sim *sim = NULL;
  firn_status status = build_ball(context, &mpm, h, &sim);
  double start = cli_seconds();
  if (status == FIRN_OK) status = firn_sim_advance(sim, duration, NULL, NULL);
  if (status == FIRN_OK) {
    r->seconds = cli_seconds() - start;
    r->profile = bench_profile_of(sim, NULL);
    r->particles = (double)firn_sim_count(sim);
    r->steps = (double)r->profile.all.steps;
    r->iterations_mean = (double)r->profile.all.iterations / r->steps;
  }
  return bench_finish(context, sim, name, status);
}

static firn_status run_implicit(bench *b, const char *name) {
  static const struct {
    const char *variant;
    firn_integrator integrator;
  } cases[] = {{"ball-explicit", FIRN_INTEGRATOR_EXPLICIT},
               {"ball-implicit", FIRN_INTEGRATOR_IMPLICIT},
               {"ball-auto", FIRN_INTEGRATOR_AUTO}};
  firn_status status = implicit_iterations(b, name);
  double h = b->quick ? 0.0125 : 0.0075, duration = 0.05, plain = 0;
  for (int i = 0; i < 3 && status == FIRN_OK; i++) {
    bench_result r;
    status = ball_seconds(b, name, cases[i].variant, cases[i].integrator, h, duration, &r);
    if (status != FIRN_OK) break;
    if (i == 0) plain = r.seconds;
    r.ratio = r.seconds / plain;
    r.ratio_of = "the time of the explicit run";
    bench_print(b, &r);
  }
  return status;
}

const bench_case bench_mpm[] = {
    {"mpm/explicit-quadratic-apic", "1.1M particles hit the floor", run_quadratic_apic},
    {"mpm/explicit-quadratic-flip", "the same with the transfer of the paper", run_quadratic_flip},
    {"mpm/explicit-cubic-flip", "the same, as printed in the paper", run_cubic_flip},
    {"mpm/cr-iteration", "one iteration of the semi-implicit solve", run_cr_iteration},
    {"mpm/scaling", "1e5 to 8e6 particles", run_scaling},
    {"mpm/threads", "one thread, two, and so on", run_threads},
    {"mpm/domain", "the same snow in a domain ten times larger along each axis", run_domain},
    {"mpm/memory", "bytes a particle", run_memory},
    {"mpm/implicit", "iterations of the ball drop; explicit, implicit and auto", run_implicit},
    {NULL, NULL, NULL},
};
