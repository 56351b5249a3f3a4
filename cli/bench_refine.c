// SPDX-License-Identifier: Apache-2.0
// Fine particles: how many a second are carried by snow, without files.
#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { PER = 20 }; // fine particles of each of the snow's

// A cube of snow at 8 particles a cell that turns, and slides over the floor.
typedef struct state {
  size_t snow, fine;
  double *position, *velocity;           // of the snow, [snow][3]
  double *fine_position, *fine_velocity; // [fine][3]
} state;

static double noise(uint64_t i) {
  i = (i + 1) * 0x9E3779B97F4A7C15u;
  i ^= i >> 31;
  i *= 0xBF58476D1CE4E5B9u;
  i ^= i >> 29;
  return (double)(i >> 11) * 0x1p-53;
}

static void flow_at(const double x[3], double v[3]) {
  v[0] = 1 - 2 * x[1];
  v[1] = 0;
  v[2] = 0.5 * x[0];
}

static bool make(state *s, int cells, double h) {
  int edge = 2 * cells;
  s->snow = (size_t)edge * (size_t)edge * (size_t)edge;
  s->fine = s->snow * PER;
  s->position = malloc(3 * s->snow * sizeof *s->position);
  s->velocity = malloc(3 * s->snow * sizeof *s->velocity);
  s->fine_position = malloc(3 * s->fine * sizeof *s->fine_position);
  s->fine_velocity = malloc(3 * s->fine * sizeof *s->fine_velocity);
  if (!s->position || !s->velocity || !s->fine_position || !s->fine_velocity) return false;
  for (size_t i = 0; i < s->snow; i++) {
    size_t n = (size_t)edge;
    const size_t at[3] = {i / n / n, i / n % n, i % n};
    for (size_t a = 0; a < 3; a++) s->position[3 * i + a] = ((double)at[a] + 0.5) * h / 2;
    flow_at(&s->position[3 * i], &s->velocity[3 * i]);
    for (size_t k = i * PER; k < (i + 1) * PER; k++) {
      for (size_t a = 0; a < 3; a++)
        s->fine_position[3 * k + a] = ((double)at[a] + noise(3 * k + a)) * h / 2;
      flow_at(&s->fine_position[3 * k], &s->fine_velocity[3 * k]);
    }
  }
  return true;
}

static void free_state(state *s) {
  free(s->position);
  free(s->velocity);
  free(s->fine_position);
  free(s->fine_velocity);
}

// The snow moves on by itself.
static void move(state *s, double dt) {
  for (size_t i = 0; i < s->snow; i++) {
    for (size_t a = 0; a < 3; a++) s->position[3 * i + a] += dt * s->velocity[3 * i + a];
    flow_at(&s->position[3 * i], &s->velocity[3 * i]);
  }
}

static firn_status time_steps(firn_context *context, state *s, double h, firn_sim *sim,
                              bench_result *r) {
  enum { STEPS = 7 };
  firn_fine_def def = firn_default_fine_def();
  def.cell = h;
  firn_fine *fine;
  firn_status status = firn_fine_create(context, &def, &fine);
  if (status == FIRN_OK) status = firn_fine_set(fine, s->fine, s->fine_position, s->fine_velocity);
  firn_fine_step_def step = {.size = sizeof step,
                             .dt = 5e-3,
                             .gravity = {0, -9.81, 0},
                             .count = s->snow,
                             .position = s->position,
                             .velocity = s->velocity,
                             .sim = sim};
  double rate[STEPS];
  r->seconds = 0;
  for (int i = -1; i < STEPS && status == FIRN_OK; i++) {
    double start = cli_seconds();
    status = firn_fine_step(fine, &step);
    double seconds = cli_seconds() - start;
    move(s, step.dt);
    if (i < 0) continue; // memory is new
    r->seconds += seconds;
    rate[i] = (double)s->fine / seconds;
  }
  r->particles = (double)s->fine;
  r->steps = STEPS;
  if (status == FIRN_OK) {
    r->particle_steps_per_second = bench_median(rate, STEPS);
    r->slowest = rate[0];
    r->quickest = rate[STEPS - 1];
    r->bytes_per_particle = (double)firn_context_bytes(context) / r->particles;
    r->peak_bytes_per_particle = (double)firn_context_peak_bytes(context) / r->particles;
  }
  firn_fine_destroy(fine);
  return status;
}

static firn_status run(bench *b, const char *name) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_ARGUMENT;
  const double h = 0.02;
  state s = {0};
  bench_result r = bench_result_begin(name, NULL, context);
  firn_sim_def def = firn_default_sim_def();
  firn_collider_def floor = firn_default_collider_def();
  firn_sim *sim = NULL;
  def.h = h;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status == FIRN_OK) status = firn_sim_add_collider(sim, &floor, NULL);
  if (status == FIRN_OK && !make(&s, b->quick ? 20 : 50, h)) status = FIRN_ERROR_MEMORY;
  if (status == FIRN_OK) status = time_steps(context, &s, h, sim, &r);
  if (status == FIRN_OK) bench_print(b, &r);
  free_state(&s);
  return bench_finish(context, sim, name, status);
}

const bench_case bench_refine[] = {
    {"refine/carry", "20 million fine particles carried by a million: steps without files", run},
    {NULL, NULL, NULL},
};
