// SPDX-License-Identifier: Apache-2.0
// What the solver flip costs: a step at the sizes of Takahashi et al. 2014, Fig. 8, its pressure solve alone,
// and its ways between particles and grid.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"

static double stat(firn_sim *sim, const char *name) {
  double value = NAN;
  if (firn_sim_stat(sim, name, &value) != FIRN_OK) return NAN;
  return value;
}

// Of all threads: what work costs on a machine that others use as well.
static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static firn_status add_shape(firn_sim *sim, firn_shape_def shape) {
  firn_collider_def def = firn_default_collider_def();
  def.shape = shape;
  return firn_sim_add_collider(sim, &def, NULL);
}

// The floor y = 0 and walls around a box from 0 on, all of them planes.
static firn_status add_box(firn_sim *sim, double wide, double deep) {
  static const double normal[5][3] = {{0, 1, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}};
  const double point[5][3] = {{0}, {0}, {wide, 0, 0}, {0}, {0, 0, deep}};
  firn_status status = FIRN_OK;
  for (int i = 0; i < 5 && status == FIRN_OK; i++)
    status = add_shape(sim, firn_half_space(point[i], normal[i]));
  return status;
}

// A number in [-1, 1) of three others.
static double noise(const uint32_t of[3], uint32_t salt) {
  uint32_t bits = salt;
  for (int a = 0; a < 3; a++) {
    bits ^= of[a];
    bits *= 0x9e3779b1u;
    bits ^= bits >> 15;
  }
  return (double)(bits >> 8) / 8388608.0 - 1;
}

static void stir(void *user, const double position[3], double *out) {
  (void)user;
  uint32_t of[3];
  for (int a = 0; a < 3; a++) of[a] = (uint32_t)(int32_t)floor(position[a] * 4096);
  for (int a = 0; a < 3; a++) out[a] = 0.1 * noise(of, 0x1234567u * (uint32_t)(a + 1));
}

// ------------------------------------------------------------------------------------- press-ball

// The paper's split of 1.4 s with six threads, of which fine particles are 35 %.
static const double PAPER_SECONDS = 1.4;
static const bench_share paper[] = {
    {"compressibility", 0.07}, {"pressure", 0.14}, {"friction", 0.25},
    {"cohesion", 0.01},        {"fine", 0.35},     {"rest", 0.18}};

// Shares of the paper's stages in those of the solver.
static void sort_by_stage(bench_result *r) {
  static const struct {
    const char *phase, *stage;
  } names[] = {{"crushing", "compressibility"},
               {"pressure", "pressure"},
               {"friction", "friction"},
               {"cohesion", "cohesion"}};
  double left = 1;
  r->stage_count = (int)(sizeof paper / sizeof *paper);
  for (int i = 0; i < r->stage_count; i++) {
    bool fine = strcmp(paper[i].name, "fine") == 0;
    r->stage[i] = (bench_share){paper[i].name,
                                fine ? r->fine_seconds_per_step / r->seconds_per_step : 0};
    if (fine) left -= r->stage[i].share;
    r->paper_stage[i] = paper[i];
  }
  double all = left; // what fine particles leave
  for (int p = 0; p < r->profile.phases; p++) {
    double share = all * r->profile.seconds[p] / r->profile.all.total;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      if (strcmp(names[n].phase, r->profile.phase[p]) != 0) continue;
      for (int i = 0; i < r->stage_count; i++)
        if (strcmp(r->stage[i].name, names[n].stage) == 0) r->stage[i].share += share;
      left -= share;
    }
  }
  r->stage[r->stage_count - 1].share = left;
}

enum { STEPS = 10 };

static firn_status step_scene(const firn_scene *scene, firn_sim *sim) {
  firn_status status = firn_scene_apply(scene, sim);
  return status == FIRN_OK ? firn_sim_step(sim, 0, NULL) : status;
}

// Fine particles, as many for each of the snow's as the paper has.
typedef struct powder {
  firn_fine *fine;
  double *position, *velocity; // of the snow, [count][3]
} powder;
enum { FINE = 18 };

static firn_status read_snow(firn_sim *sim, const powder *p) {
  firn_status status = firn_sim_read(sim, "position", p->position);
  return status == FIRN_OK ? firn_sim_read(sim, "velocity", p->velocity) : status;
}

// Strewn around the snow's particles, whose motion they have.
static firn_status strew(firn_context *context, firn_sim *sim, double h, powder *p) {
  firn_fine_def def = firn_default_fine_def();
  def.cell = h;
  size_t count = firn_sim_count(sim), reals = 3 * count;
  p->position = malloc(reals * sizeof *p->position);
  p->velocity = malloc(reals * sizeof *p->velocity);
  double *x = malloc(FINE * reals * sizeof *x), *v = malloc(FINE * reals * sizeof *v);
  firn_status status = FIRN_ERROR_MEMORY;
  if (p->position && p->velocity && x && v) status = read_snow(sim, p);
  for (size_t i = 0; i < FINE * count && status == FIRN_OK; i++) {
    for (size_t a = 0; a < 3; a++) {
      const uint32_t of[3] = {(uint32_t)i, (uint32_t)a, 1};
      x[3 * i + a] = p->position[3 * (i / FINE) + a] + h / 4 * noise(of, 7);
      v[3 * i + a] = p->velocity[3 * (i / FINE) + a];
    }
  }
  if (status == FIRN_OK) status = firn_fine_create(context, &def, &p->fine);
  if (status == FIRN_OK) status = firn_fine_set(p->fine, FINE * count, x, v);
  free(x);
  free(v);
  return status;
}

static firn_status carry(firn_sim *sim, const powder *p, double dt, double *seconds) {
  firn_fine_step_def step = {.size = sizeof step,
                             .dt = dt,
                             .gravity = {0, -9.81, 0},
                             .count = firn_sim_count(sim),
                             .position = p->position,
                             .velocity = p->velocity,
                             .sim = sim};
  firn_status status = read_snow(sim, p);
  double start = cli_seconds();
  if (status == FIRN_OK) status = firn_fine_step(p->fine, &step);
  *seconds = cli_seconds() - start;
  return status;
}

// Steps until a time, then times some.
static firn_status time_steps(bench *b, const char *name, const char *variant,
                              const firn_scene *scene, firn_sim *sim, firn_context *context,
                              double until) {
  bench_result r = bench_result_begin(name, variant, context);
  double each[STEPS], cpu[STEPS], fine[STEPS], first, h = b->quick ? 0.05 : 0.02;
  powder p = {0};
  firn_status status = FIRN_OK;
  while (firn_sim_time(sim) < until && status == FIRN_OK && !cli_interrupted())
    status = step_scene(scene, sim);
  if (status == FIRN_OK) status = strew(context, sim, h, &p);
  if (status == FIRN_OK) status = carry(sim, &p, 1e-6, &first); // finds room
  bench_profile before = bench_profile_of(sim, NULL);
  r.seconds = r.iterations_mean = r.viscosity_iterations = 0;
  for (int i = 0; i < STEPS && status == FIRN_OK && !cli_interrupted(); i++) {
    double start = cli_seconds(), begin = cpu_seconds();
    status = step_scene(scene, sim);
    each[i] = cli_seconds() - start;
    cpu[i] = cpu_seconds() - begin;
    fine[i] = 0;
    if (status == FIRN_OK) status = carry(sim, &p, 5e-3, &fine[i]);
    r.seconds += each[i] + fine[i];
    r.iterations_mean += stat(sim, "pressure_iterations") / STEPS;
    r.viscosity_iterations += stat(sim, "viscosity_iterations") / STEPS;
  }
  if (status == FIRN_OK) r.fine_particles = (double)firn_fine_count(p.fine);
  firn_fine_destroy(p.fine);
  free(p.position);
  free(p.velocity);
  if (cli_interrupted()) return FIRN_CANCELLED;
  if (status != FIRN_OK) return status;
  r.particles = (double)firn_sim_count(sim);
  r.cells = stat(sim, "cells");
  r.steps = STEPS;
  r.fine_seconds_per_step = bench_median(fine, STEPS);
  r.seconds_per_step = bench_median(each, STEPS) + r.fine_seconds_per_step;
  r.cpu_seconds_per_step = bench_median(cpu, STEPS);
  r.particle_steps_per_second = r.particles / r.seconds_per_step;
  if (!b->quick) {
    r.paper_seconds_per_step = PAPER_SECONDS;
    r.ratio_to_paper = PAPER_SECONDS / r.seconds_per_step;
  }
  r.profile = bench_profile_of(sim, &before);
  r.bytes_per_particle = (double)firn_context_bytes(context) / r.particles;
  r.peak_bytes_per_particle = (double)firn_context_peak_bytes(context) / r.particles;
  sort_by_stage(&r);
  bench_print(b, &r);
  return FIRN_OK;
}

// The scene press-ball: as the ball comes to the snow, while it presses, while it stands in it, and when it has
// gone.
static firn_status run_press(bench *b, const char *name) {
  static const struct {
    const char *variant;
    double until; // s
  } moments[] = {{"begin", 0.005}, {"pressing", 0.09}, {"pressed", 0.25}, {"after", 0.5}};
  const char *smaller = "quality=0.4";
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  firn_scene *scene = NULL;
  firn_sim *sim = NULL;
  firn_status status = firn_scene_load(context, "press-ball", b->quick, &smaller, &scene);
  if (status == FIRN_OK) status = firn_scene_build(scene, &sim);
  for (size_t i = 0; i < sizeof moments / sizeof *moments && status == FIRN_OK; i++)
    status = time_steps(b, name, moments[i].variant, scene, sim, context, moments[i].until);
  firn_scene_destroy(scene);
  return bench_finish(context, sim, name, status);
}

// --------------------------------------------------------------------------------------- pressure

// Water in part of a box from 0 to 1 in x and to `high`, one particle in each cell, stirred at random or at rest.
static firn_status pour(firn_sim *sim, int material, const double x[2], double high, bool stirred) {
  firn_fill_def fill = firn_default_fill_def();
  const double middle[3] = {(x[0] + x[1]) / 2, high / 2, 0.5};
  const double half[3] = {(x[1] - x[0]) / 2, high / 2, 0.5};
  fill.shape = firn_box(middle, half);
  fill.material = material;
  fill.seeding = FIRN_SEEDING_LATTICE;
  fill.per_cell = 1;
  if (stirred) fill.velocity_at = stir;
  return firn_sim_fill(sim, &fill);
}

// A pool of edge^3 cells that is stirred, with a ball in it; or two pools of different heights, on both sides of
// a wall of one cell that leaves a gap of four above the floor, so that one flows into the other.
static firn_status build_pool(firn_context *context, int edge, bool wall, firn_sim **out) {
  firn_sim_def def = firn_default_sim_def();
  firn_flip_def flip = firn_default_flip_def();
  flip.dt = 1e-5;
  flip.keep_volume = false;
  def.h = 1.0 / edge;
  def.seed = 1;
  def.solver = "flip";
  def.settings = &flip;
  firn_sim *sim;
  firn_status status = firn_sim_create(context, &def, &sim);
  if (status != FIRN_OK) return status;
  firn_material_def water;
  const double at[3] = {0.62, 0.22, 0.5}, side = edge / 2 * def.h, gap = 4 * def.h;
  const double all[2] = {0, 1}, left[2] = {0, side}, right[2] = {side + def.h, 1};
  int material = 0;
  status = firn_material_preset(context, "water", &water);
  if (status == FIRN_OK) status = firn_sim_add_material(sim, &water, &material);
  if (status == FIRN_OK) status = add_box(sim, 1, 1);
  if (status == FIRN_OK && !wall) status = pour(sim, material, all, 1, true);
  if (status == FIRN_OK && !wall) status = add_shape(sim, firn_sphere(at, 0.15));
  if (status == FIRN_OK && wall) status = pour(sim, material, left, 1, false);
  if (status == FIRN_OK && wall) status = pour(sim, material, right, 0.5, false);
  if (status == FIRN_OK && wall) {
    const double in[3] = {side + def.h / 2, 1 + gap, 0.5}, size[3] = {def.h / 2, 1, 1};
    status = add_shape(sim, firn_box(in, size));
  }
  if (status == FIRN_OK)
    *out = sim;
  else
    firn_sim_destroy(sim);
  return status;
}

enum { SOLVES = 3 };

static firn_status run_pool(bench *b, const char *name, const char *variant, int edge, bool wall) {
  firn_context *context = cli_context(&b->options);
  if (!context) return FIRN_ERROR_UNSUPPORTED;
  bench_result r = bench_result_begin(name, variant, context);
  firn_sim *sim = NULL;
  double each[SOLVES];
  firn_status status = build_pool(context, edge, wall, &sim);
  // One that has to find room first. Behind a wall only the first is of water at rest.
  int solves = wall ? 1 : SOLVES;
  if (status == FIRN_OK && !wall) status = firn_sim_step(sim, 0, NULL);
  r.seconds = r.iterations_mean = r.residual = 0;
  for (int i = 0; i < solves && status == FIRN_OK && !cli_interrupted(); i++) {
    double start = stat(sim, "projection_seconds");
    status = firn_sim_step(sim, 0, NULL);
    each[i] = stat(sim, "projection_seconds") - start;
    r.seconds += each[i];
    r.iterations_mean += stat(sim, "pressure_iterations") / solves;
    r.residual = fmax(r.residual, stat(sim, "pressure_residual"));
  }
  if (cli_interrupted()) status = FIRN_CANCELLED;
  if (status == FIRN_OK) {
    r.cells = stat(sim, "cells");
    r.seconds_per_solve = bench_median(each, solves);
    bench_print(b, &r);
  }
  return bench_finish(context, sim, name, status);
}

static firn_status run_poisson(bench *b, const char *name) {
  firn_status status = run_pool(b, name, b->quick ? "16^3" : "64^3", b->quick ? 16 : 64, false);
  return b->quick || status != FIRN_OK ? status : run_pool(b, name, "128^3", 128, false);
}
static firn_status run_poisson_large(bench *b, const char *name) {
  return b->quick ? FIRN_OK : run_pool(b, name, "256^3", 256, false);
}
static firn_status run_poisson_wall(bench *b, const char *name) {
  firn_status status = run_pool(b, name, b->quick ? "16^3" : "64^3", b->quick ? 16 : 64, true);
  return b->quick || status != FIRN_OK ? status : run_pool(b, name, "128^3", 128, true);
}

// -------------------------------------------------------------------------------------- transfers

// Snow that falls, under one kernel: what its particles cost on their way to the grid, or back.
static firn_status run_transfer(bench *b, const char *name, const char *of) {
  static const char *const kernels[] = {"sph", "bspline"};
  firn_status status = FIRN_OK;
  for (int k = 0; k < 2 && status == FIRN_OK; k++) {
    firn_context *context = cli_context(&b->options);
    if (!context) return FIRN_ERROR_UNSUPPORTED;
    bench_result r = bench_result_begin(name, kernels[k], context);
    firn_sim_def def = firn_default_sim_def();
    firn_flip_def flip = firn_default_flip_def();
    flip.kernel = k ? FIRN_FLIP_KERNEL_BSPLINE : FIRN_FLIP_KERNEL_SPH;
    flip.dt = 1e-3;
    flip.clusters = false;
    def.h = 0.02;
    def.seed = 1;
    def.solver = "flip";
    def.settings = &flip;
    firn_material_def snow = firn_default_material_def();
    firn_fill_def fill = firn_default_fill_def();
    double edge = def.h * (b->quick ? 12 : 32);
    const double center[3] = {0, edge, 0}, half[3] = {edge / 2, edge / 2, edge / 2};
    fill.shape = firn_box(center, half);
    fill.seeding = FIRN_SEEDING_JITTERED;
    firn_sim *sim = NULL;
    double each[STEPS];
    status = bench_place(context, &def, &snow, fill, &sim);
    if (status == FIRN_OK) status = firn_sim_step(sim, 0, NULL);
    r.seconds = 0;
    for (int i = 0; i < STEPS && status == FIRN_OK && !cli_interrupted(); i++) {
      double start = stat(sim, of);
      status = firn_sim_step(sim, 0, NULL);
      each[i] = stat(sim, of) - start;
      r.seconds += each[i];
    }
    if (cli_interrupted()) status = FIRN_CANCELLED;
    if (status == FIRN_OK) {
      r.particles = (double)firn_sim_count(sim);
      r.steps = STEPS;
      r.ns_per_particle = 1e9 * bench_median(each, STEPS) / r.particles;
      bench_print(b, &r);
    }
    status = bench_finish(context, sim, name, status);
  }
  return status;
}

static firn_status run_to_grid(bench *b, const char *name) {
  return run_transfer(b, name, "cpu_to_grid");
}
static firn_status run_back(bench *b, const char *name) {
  return run_transfer(b, name, "cpu_back");
}

const bench_case bench_flip[] = {
    {"flip/press-ball", "a step at the sizes of Takahashi et al. 2014, Fig. 8", run_press},
    {"flip/poisson", "a pressure solve of 64^3 and of 128^3 cells", run_poisson},
    {"flip/poisson-wall", "the same with a wall of one cell across", run_poisson_wall},
    {"flip/poisson-large", "the same of 256^3 cells, which takes 12 GB", run_poisson_large},
    {"flip/to-grid", "from particles to the grid", run_to_grid},
    {"flip/back", "velocities back, and motion", run_back},
    {NULL, NULL, NULL},
};
