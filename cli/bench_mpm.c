// SPDX-License-Identifier: Apache-2.0
// The cases of the material point method.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

// Every case gets a context of its own, so that its memory is its own too.
static firn_status open_context(const bench *b, int threads, firn_context **context) {
  cli_options options = b->options;
  if (threads) options.threads = threads;
  *context = cli_context(&options);
  return *context ? FIRN_OK : FIRN_ERROR_UNSUPPORTED;
}

static firn_status close_context(firn_context *context, const char *name, firn_status status) {
  if (status != FIRN_OK && status != FIRN_CANCELLED)
    fprintf(stderr, "firn bench: %s: %s\n", name, firn_context_message(context));
  firn_context_destroy(context);
  return status;
}

// The block of the main cases: 1.1M particles that hit the floor at 8 m/s.
static bench_block main_block(const bench *b) {
  int n = b->quick ? 23 : 52;
  return (bench_block){.cells = {n, n, n}, .h = 0.005, .gap = 1, .speed = 8};
}

// ------------------------------------------------------------------------------- explicit steps

static firn_status explicit_case(bench *b, const char *name, const char *variant,
                                 const firn_mpm_def *mpm, const bench_block *block, int threads,
                                 int windows, int steps, bench_result *result) {
  firn_context *context;
  firn_status status = open_context(b, threads, &context);
  if (status != FIRN_OK) return status;
  *result = bench_result_begin(name, variant, context);
  result->work = bench_work_of(mpm);
  firn_sim *sim = NULL;
  status = bench_build(context, mpm, block, &sim);
  if (status == FIRN_OK) status = bench_until_yield(sim, 0.3);
  if (status == FIRN_OK) status = bench_time(sim, context, windows, steps, result);
  firn_sim_destroy(sim);
  return close_context(context, name, status);
}

static firn_status run_explicit(bench *b, const char *name, const firn_mpm_def *mpm) {
  bench_block block = main_block(b);
  bench_result r;
  firn_status status = explicit_case(b, name, NULL, mpm, &block, 0, b->quick ? 1 : 5,
                                     b->quick ? 50 : 200, &r);
  if (status == FIRN_OK) bench_print(b, &r);
  return status;
}

static firn_status run_quadratic_apic(bench *b, const char *name) {
  firn_mpm_def mpm = bench_quadratic_apic();
  return run_explicit(b, name, &mpm);
}

static firn_status run_cubic_flip(bench *b, const char *name) {
  firn_mpm_def mpm = bench_cubic_flip();
  return run_explicit(b, name, &mpm);
}

// ------------------------------------------------------------------------- one CR iteration

// Seconds in the solve, over its iterations, beside an explicit cubic step of the same snow.
static firn_status run_cr_iteration(bench *b, const char *name) {
  bench_block block = main_block(b);
  firn_mpm_def mpm = bench_cubic_flip();
  bench_result plain, r;
  firn_status status = explicit_case(b, name, NULL, &mpm, &block, 0, 1, b->quick ? 20 : 50, &plain);
  if (status != FIRN_OK) return status;

  firn_context *context;
  status = open_context(b, 0, &context);
  if (status != FIRN_OK) return status;
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
  firn_sim_destroy(sim);
  return close_context(context, name, status);
}

// --------------------------------------------------------------------------------------- spray

// A cloud of at most one particle a block of 4 x 4 x 4 cells, anywhere in it, flying every way;
// one block in `sparsity` has one. Linear congruential numbers will do.
static double next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0;
}

static size_t cloud(size_t want, int sparsity, double h, double *x, double *v) {
  size_t n = (size_t)ceil(cbrt((double)want * sparsity)), count = 0;
  uint32_t state = 12345;
  for (size_t i = 0; i < n * n * n && count < want; i++) {
    if (next_random(&state) * sparsity >= 1) continue;
    const size_t at[3] = {i / (n * n), i / n % n, i % n};
    for (int a = 0; a < 3; a++) {
      x[3 * count + (size_t)a] = 4 * ((double)at[a] + next_random(&state)) * h;
      v[3 * count + (size_t)a] = 10 * (next_random(&state) - 0.5);
    }
    count++;
  }
  return count;
}

static firn_status build_spray(firn_context *context, const firn_mpm_def *mpm, int sparsity,
                               firn_sim **out) {
  enum { WANT = 100000 };
  firn_sim_def def = firn_default_sim_def();
  def.h = 0.005;
  def.gravity[1] = 0;
  def.mpm = *mpm;
  firn_sim *sim;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status != FIRN_OK) return status;
  firn_material_def material = firn_default_material_def();
  firn_particles_def particles = firn_default_particles_def();
  double *x = malloc(3 * (size_t)WANT * sizeof *x), *v = malloc(3 * (size_t)WANT * sizeof *v);
  if (!x || !v) status = FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) status = firn_sim_add_material(sim, &material, &particles.material);
  if (status == FIRN_OK) {
    particles.count = cloud(WANT, sparsity, def.h, x, v);
    particles.position = x;
    particles.velocity = v;
    status = firn_sim_add_particles(sim, &particles);
  }
  free(x);
  free(v);
  if (status == FIRN_OK)
    *out = sim;
  else
    firn_sim_destroy(sim);
  return status;
}

static firn_status spray_case(bench *b, const char *name, const char *variant,
                              const firn_mpm_def *mpm, int sparsity) {
  bench_block block = main_block(b);
  bench_result dense;
  firn_status status = explicit_case(b, name, NULL, mpm, &block, 0, 1, b->quick ? 30 : 60, &dense);
  if (status != FIRN_OK) return status;
  firn_context *context;
  status = open_context(b, 0, &context);
  if (status != FIRN_OK) return status;
  bench_result r = bench_result_begin(name, variant, context);
  firn_sim *sim = NULL;
  status = build_spray(context, mpm, sparsity, &sim);
  for (int i = 0; i < 10 && status == FIRN_OK; i++) status = firn_sim_step(sim, 0, NULL);
  if (status == FIRN_OK)
    status = bench_time(sim, context, b->quick ? 1 : 5, b->quick ? 30 : 200, &r);
  if (status == FIRN_OK) {
    r.ratio = dense.particle_steps_per_second / r.particle_steps_per_second;
    r.ratio_of = "the cost of a particle in bulk";
    bench_print(b, &r);
  }
  firn_sim_destroy(sim);
  return close_context(context, name, status);
}

static firn_status run_spray(bench *b, const char *name) {
  firn_mpm_def quadratic = bench_quadratic_apic(), cubic = bench_cubic_flip();
  firn_status status = spray_case(b, name, "quadratic-apic", &quadratic, 10);
  if (status == FIRN_OK) status = spray_case(b, name, "cubic-flip", &cubic, 10);
  if (status == FIRN_OK) status = spray_case(b, name, "quadratic-apic-crowded", &quadratic, 1);
  if (status == FIRN_OK) status = spray_case(b, name, "cubic-flip-crowded", &cubic, 1);
  return status;
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
    firn_status status = explicit_case(b, name, variant, mpm, &block, 0, b->quick ? 1 : 5, steps,
                                       &r);
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
  bench_block block = main_block(b);
  firn_context *context;
  firn_status status = open_context(b, 0, &context);
  if (status != FIRN_OK) return status;
  int most = firn_context_threads(context);
  firn_context_destroy(context);
  double one = 0;
  for (int threads = 1; threads <= most; threads *= 2) {
    bench_result r;
    status = explicit_case(b, name, NULL, &mpm, &block, threads, b->quick ? 1 : 5,
                           b->quick ? 30 : 60, &r);
    if (status != FIRN_OK) return status;
    if (threads == 1) one = r.particle_steps_per_second;
    r.ratio = r.particle_steps_per_second / one;
    r.ratio_of = "the speed of one thread";
    r.work = (bench_work){0}; // the machine was measured with all threads
    bench_print(b, &r);
    if (threads < most && 2 * threads > most) threads = most / 2;
  }
  return FIRN_OK;
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
  firn_context *context;
  firn_status status = open_context(b, 0, &context);
  if (status != FIRN_OK) return status;
  *r = bench_result_begin(name, variant, context);
  firn_sim *sim = NULL;
  status = build_pieces(context, &mpm, b->quick ? 12 : 24, pitch, &sim);
  for (int i = 0; i < 10 && status == FIRN_OK; i++) status = firn_sim_step(sim, 0, NULL);
  if (status == FIRN_OK) status = bench_time(sim, context, b->quick ? 1 : 5, b->quick ? 20 : 50, r);
  firn_sim_destroy(sim);
  return close_context(context, name, status);
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
    bench_block block = main_block(b);
    firn_context *context;
    firn_status status = open_context(b, 0, &context);
    if (status != FIRN_OK) return status;
    bench_result r = bench_result_begin(name, cases[i].variant, context);
    firn_sim *sim = NULL;
    status = bench_build(context, &mpm, &block, &sim);
    // Enough steps for contact and for a sort or two.
    int steps = cases[i].implicit ? 8 : 80;
    if (status == FIRN_OK) status = bench_time(sim, context, 1, b->quick ? steps / 4 : steps, &r);
    if (status == FIRN_OK) bench_print(b, &r);
    firn_sim_destroy(sim);
    status = close_context(context, name, status);
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
  firn_context *context;
  firn_status status = open_context(b, 0, &context);
  if (status != FIRN_OK) return status;
  bench_result r = bench_result_begin(name, "iterations", context);
  firn_mpm_def mpm = bench_cubic_flip();
  mpm.integrator = FIRN_INTEGRATOR_IMPLICIT;
  mpm.dt = 5e-4;
  mpm.tolerance = 1e-4;
  firn_sim *sim = NULL;
  status = build_ball(context, &mpm, 0.0125, &sim);
  if (status == FIRN_OK) status = bench_time(sim, context, 1, 100, &r);
  if (status == FIRN_OK) {
    r.iterations_mean = (double)r.profile.all.iterations / r.steps;
    bench_print(b, &r);
  }
  firn_sim_destroy(sim);
  return close_context(context, name, status);
}

// The same simulated time with one integrator.
static firn_status ball_seconds(bench *b, const char *name, const char *variant,
                                firn_integrator integrator, double h, double duration,
                                bench_result *r) {
  firn_context *context;
  firn_status status = open_context(b, 0, &context);
  if (status != FIRN_OK) return status;
  *r = bench_result_begin(name, variant, context);
  firn_mpm_def mpm = bench_cubic_flip();
  mpm.integrator = integrator;
  firn_sim *sim = NULL;
  status = build_ball(context, &mpm, h, &sim);
  double start = cli_seconds();
  if (status == FIRN_OK) status = firn_sim_advance(sim, duration, NULL, NULL);
  if (status == FIRN_OK) {
    r->seconds = cli_seconds() - start;
    r->profile = bench_profile_of(sim, NULL);
    r->particles = (double)firn_sim_count(sim);
    r->steps = (double)r->profile.all.steps;
    r->iterations_mean = (double)r->profile.all.iterations / r->steps;
  }
  firn_sim_destroy(sim);
  return close_context(context, name, status);
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
    {"mpm/explicit-cubic-flip", "the same, as printed in the paper", run_cubic_flip},
    {"mpm/cr-iteration", "one iteration of the semi-implicit solve", run_cr_iteration},
    {"mpm/spray", "1e5 particles, one in a block of cells", run_spray},
    {"mpm/scaling", "1e5 to 8e6 particles", run_scaling},
    {"mpm/threads", "one thread, two, and so on", run_threads},
    {"mpm/domain", "the same snow in a domain ten times larger along each axis", run_domain},
    {"mpm/memory", "bytes a particle", run_memory},
    {"mpm/implicit", "iterations of the ball drop; explicit, implicit and auto", run_implicit},
    {NULL, NULL, NULL},
};
