// SPDX-License-Identifier: Apache-2.0
// What a neighbour costs the solver sph: in the sweeps of its pressure, in the products of its shear, and
// in being found. In CPU time of all threads, so that a busy machine does not matter much.
#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { STEPS = 5, SWEEPS = 6 };
static const double SPACING = 0.01; // m

static double next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / 16777216.0 - 0.5;
}

// A block of n^3 particles, moved at random by up to a quarter of `pitch`, spacings between them; then as
// many velocities of up to half a metre a second.
static double *jittered(int n, double pitch) {
  size_t count = (size_t)n * (size_t)n * (size_t)n, k = 0;
  double *x = malloc(6 * count * sizeof *x);
  uint32_t state = 1;
  for (int i = 0; x && i < n; i++)
    for (int j = 0; j < n; j++)
      for (int m = 0; m < n; m++, k++) {
        const int at[3] = {i, j, m};
        for (size_t a = 0; a < 3; a++) {
          x[3 * k + a] = SPACING * pitch * (at[a] + 0.5 + 0.5 * next_random(&state));
          x[3 * (count + k) + a] = next_random(&state);
        }
      }
  return x;
}

// In steps so short that hardly anything moves. To be timed, both solves go on until they have made SWEEPS
// iterations.
static firn_status build(firn_context *context, int n, double pitch, bool timed, firn_sim **out) {
  firn_sim_def def = firn_default_sim_def();
  firn_sph_def sph = firn_default_sph_def();
  sph.dt = 1e-5;
  if (timed) {
    sph.pressure_tolerance = 1e-12;
    sph.shear_tolerance = 1e-14;
    sph.pressure_iterations = sph.shear_iterations = SWEEPS;
  }
  def.h = 2 * SPACING;
  def.gravity[1] = 0;
  def.solver = "sph";
  def.settings = &sph;
  firn_sim *sim;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status != FIRN_OK) return status;
  firn_material_def material = firn_default_material_def();
  firn_particles_def particles = firn_default_particles_def();
  double *x = jittered(n, pitch);
  if (!x) status = FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) status = firn_sim_add_material(sim, &material, &particles.material);
  if (status == FIRN_OK) {
    particles.count = (size_t)n * (size_t)n * (size_t)n;
    particles.position = x;
    particles.velocity = x + 3 * particles.count;
    particles.per_cell = 8;
    status = firn_sim_add_particles(sim, &particles);
  }
  free(x);
  if (status == FIRN_OK)
    *out = sim;
  else
    firn_sim_destroy(sim);
  return status;
}

static double stat(firn_sim *sim, const char *name) {
  double value = NAN;
  if (firn_sim_stat(sim, name, &value) != FIRN_OK) return NAN;
  return value;
}

// What is measured: CPU seconds by a statistic of the solver, over how often by another, or once a step.
typedef struct measure {
  const char *seconds, *times; // times NULL: once a step
  double passes;               // over all neighbours; 0: told by particle
} measure;

static firn_status run(bench *b, const char *name, const char *variant, double pitch, measure of) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  bench_result r = bench_result_begin(name, variant, context);
  firn_sim *sim = NULL;
  double each[STEPS];
  int n = b->quick ? 24 : 100;
  // What a step with the solves of every day takes; timed ones do not converge, and fall back on BiCGSTAB.
  firn_status status = build(context, n, pitch, false, &sim);
  if (status == FIRN_OK) status = firn_sim_step(sim, 0, NULL);
  double bytes = (double)firn_context_bytes(context),
         peak = (double)firn_context_peak_bytes(context);
  firn_sim_destroy(sim);
  sim = NULL;
  if (status == FIRN_OK) status = build(context, n, pitch, true, &sim);
  if (status == FIRN_OK) status = firn_sim_step(sim, 0, NULL); // has to find room first
  r.seconds = 0;
  for (int k = 0; k < STEPS && status == FIRN_OK && !cli_interrupted(); k++) {
    double seconds = stat(sim, of.seconds), times = of.times ? stat(sim, of.times) : 0;
    status = firn_sim_step(sim, 0, NULL);
    seconds = stat(sim, of.seconds) - seconds;
    times = of.times ? stat(sim, of.times) - times : 1;
    r.seconds += seconds;
    each[k] = 1e9 * seconds / times;
  }
  if (cli_interrupted()) status = FIRN_CANCELLED;
  if (status == FIRN_OK) {
    r.particles = (double)firn_sim_count(sim);
    r.steps = STEPS;
    r.neighbours = stat(sim, "neighbours_mean");
    double median = bench_median(each, STEPS) / r.particles;
    if (of.passes > 0)
      r.ns_per_interaction = median / of.passes / r.neighbours;
    else
      r.ns_per_particle = median;
    r.bytes_per_particle = bytes / r.particles;
    r.peak_bytes_per_particle = peak / r.particles;
    bench_print(b, &r);
  }
  return bench_finish(context, sim, name, status);
}

// At rest, and packed to twice the density.
static firn_status run_both(bench *b, const char *name, measure of) {
  firn_status status = run(b, name, "rest", 1, of);
  return status == FIRN_OK ? run(b, name, "packed", 0.794, of) : status;
}

static firn_status run_sweep(bench *b, const char *name) {
  return run_both(b, name, (measure){"cpu_sweeps", "pressure_sweeps", 2});
}

static firn_status run_shear(bench *b, const char *name) {
  return run_both(b, name, (measure){"cpu_products", "shear_products", 2});
}

static firn_status run_search(bench *b, const char *name) {
  return run_both(b, name, (measure){"cpu_search", NULL, 0});
}

const bench_case bench_sph[] = {
    {"sph/pressure-sweep", "a sweep of the pressure: what a neighbour costs", run_sweep},
    {"sph/shear-operator", "a product of the solve for shear", run_shear},
    {"sph/search", "sorting, neighbours, densities and lists", run_search},
    {NULL, NULL, NULL},
};
