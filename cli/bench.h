// SPDX-License-Identifier: Apache-2.0
// Benchmarks: measured through the public interface, as a user of the library would see them.
#ifndef FIRN_CLI_BENCH_H
#define FIRN_CLI_BENCH_H

#include "cli.h"
#include "machine.h"

typedef struct bench {
  cli_options options;
  bool json, quick;
  int frames;        // of the paper's scenes; 0: all
  double quality;    // of the paper's scenes; 0: theirs
  const char *state; // folder of what the paper's scenes have come to
  const char *sleep; // of the paper's scenes: "on", "off"; NULL: both
  machine machine;   // of these options; measured once
  int failures;
} bench;

typedef struct bench_case {
  const char *name;
  const char *doc;
  firn_status (*run)(bench *b, const char *name);
} bench_case;

extern const bench_case bench_mpm[]; // ends with a name of NULL
extern const bench_case bench_sparse[];
extern const bench_case bench_sph[];
extern const bench_case bench_flip[];
extern const bench_case bench_cache[];
extern const bench_case bench_paper[];
// Once all cases are done: what was kept of a scene of the paper goes away.
void bench_paper_forget(const bench *b, const char *name);
extern const bench_case bench_render[];
extern const bench_case bench_refine[];

// Work of one particle in one step, as the plain algorithm has it; see docs/cli.md for how it is
// counted. The fraction of the machine's peak is of this work, not of what a program spends on it.
typedef struct bench_work {
  double flops, bytes;
} bench_work;

// What steps took, and how the solver's statistics "seconds_..." divide that among its phases.
enum { BENCH_PHASES = 16 };
typedef struct bench_profile {
  firn_profile all; // total 0: none
  int phases;
  const char *phase[BENCH_PHASES];
  double seconds[BENCH_PHASES];
} bench_profile;
// Since the simulation began; or since `before`, which may be NULL.
bench_profile bench_profile_of(firn_sim *sim, const bench_profile *before);

// A stage of a step, and how much of it that takes.
enum { BENCH_STAGES = 6 };
typedef struct bench_share {
  const char *name;
  double share;
} bench_share;

// One line of output. What is nan or negative is left out.
typedef struct bench_result {
  const char *name;
  const char *variant; // NULL: none
  int threads;
  firn_isa isa;
  double particles, steps, seconds; // seconds of all timed steps together
  double particle_steps_per_second; // median over the windows
  double slowest, quickest;         // window, the same unit
  double bytes_per_particle;        // held after the last step
  double peak_bytes_per_particle;
  double yielded; // fraction of particles
  double iterations_mean;
  double seconds_per_iteration;
  // Sum over steps of the particles awake x (1 + half the iterations), over seconds.
  double step_equivalents_per_second;
  double ns_per_particle_core; // of wall time: seconds x threads over particles and steps
  double ratio;                // what it is of is said by ratio_of
  const char *ratio_of;
  // Of the paper's scenes:
  double frames, steps_per_frame;
  double implicit; // fraction of the steps
  double asleep;   // fraction of the particles, mean over the steps
  double seconds_per_frame, paper_seconds_per_frame, ratio_to_paper;
  const double *frame_seconds; // of each; NULL: not told
  // Of neighbours, in ns of CPU time:
  double ns_per_interaction; // one neighbour in one pass
  double ns_per_particle;
  double neighbours;                          // mean number
  double paths_per_second, events_per_second; // of light
  double particles_per_second;                // of a frame that is written
  // Of flip: stages as Takahashi et al. 2014 name them.
  double cells, viscosity_iterations, residual;
  double seconds_per_step, cpu_seconds_per_step, seconds_per_solve; // median
  double paper_seconds_per_step, fine_particles, fine_seconds_per_step;
  int stage_count;
  bench_share stage[BENCH_STAGES], paper_stage[BENCH_STAGES];
  bench_work work;       // 0: no model
  bench_profile profile; // of the timed steps
} bench_result;

bench_result bench_result_begin(const char *name, const char *variant, const firn_context *context);
void bench_print(bench *b, const bench_result *result);
// How a case ends: says why where it failed, destroys both (sim may be NULL) and returns status.
firn_status bench_finish(firn_context *context, firn_sim *sim, const char *name,
                         firn_status status);

// ------------------------------------------------------------------- building blocks of cases

// A block of cells[0] x cells[1] x cells[2] cells of snow, `gap` cells above the floor y = 0,
// 8 random particles a cell, falling at speed; with material NULL the paper's.
typedef struct bench_block {
  int cells[3];
  double h;     // m
  double gap;   // cells
  double speed; // m/s downwards
  const firn_material_def *material;
} bench_block;

// A simulation with snow of a material, which the fill need not name, above the floor y = 0.
firn_status bench_place(firn_context *context, const firn_sim_def *def,
                        const firn_material_def *material, firn_fill_def fill, firn_sim **out);
firn_status bench_build(firn_context *context, const firn_mpm_def *mpm, const bench_block *block,
                        firn_sim **out);
// Steps until a fraction of the particles has yielded, looking every 20 steps, 2000 steps at most.
firn_status bench_until_yield(firn_sim *sim, double fraction);
// Times windows of steps; fills the result's counts, speeds, shares, bytes and yield.
firn_status bench_time(firn_sim *sim, firn_context *context, int windows, int steps,
                       bench_result *result);

// The block of the main cases: 1.1M particles that hit the floor at 8 m/s.
bench_block bench_main_block(const bench *b);
// A block that hits the floor, timed once 30 % of it have yielded.
firn_status bench_explicit(const bench *b, const char *name, const char *variant,
                           const firn_mpm_def *mpm, const bench_block *block, int windows,
                           int steps, bench_result *result);

// Sorts values[count], the least first, and returns the one in the middle.
double bench_median(double *values, int count);

firn_mpm_def bench_quadratic_apic(void); // explicit
firn_mpm_def bench_cubic_flip(void);     // explicit, as printed
bench_work bench_work_of(const firn_mpm_def *mpm);

#endif
