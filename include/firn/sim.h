// SPDX-License-Identifier: Apache-2.0
// Simulations: create, step, read.
#ifndef FIRN_SIM_H
#define FIRN_SIM_H

#include <firn/material.h>
#include <firn/mpm.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_sim firn_sim;

typedef struct firn_sim_def {
  size_t size;         // of this struct: firn_default_sim_def() knows
  double h;            // m, grid spacing
  double gravity[3];   // m/s^2
  bool periodic[3];    // wrap around this axis ...
  int period_cells[3]; // ... after this many cells, a multiple of 4
  uint64_t seed;       // of every random number
  const char *solver;  // "mpm", "sph" or "flip"
  firn_mpm_def mpm;    // what solver mpm takes where settings is NULL
  // Settings of the solver, a struct firn_<solver>_def; others than mpm take their defaults for NULL.
  const void *settings;
} firn_sim_def;

FIRN_API void firn_sim_def_init(firn_sim_def *def, size_t size, size_t mpm_size);
static inline firn_sim_def firn_default_sim_def(void) {
  firn_sim_def def;
  firn_sim_def_init(&def, sizeof def, sizeof def.mpm);
  return def;
}
FIRN_API firn_status firn_sim_create(firn_context *context, const firn_sim_def *def,
                                     firn_sim **out);
FIRN_API void firn_sim_destroy(firn_sim *sim);

FIRN_API firn_status firn_sim_add_material(firn_sim *sim, const firn_material_def *def, int *id);

// ------------------------------------------------------------------------------------ stepping

// What a step of any solver is; the rest of what it has to tell are statistics, below.
typedef struct firn_step {
  double dt;      // s
  bool implicit;  // a linear system was solved
  int iterations; // which took so many; where there are several, on the mean over their particles
  size_t asleep;  // particles that were left out, being at rest
  // What kept it from being longer: a setting of the solver, perhaps with what it is about in brackets
  // ("mpm.cfl (the speed of snow)"), or other words. Never freed; NULL where nothing was stepped.
  const char *bound;
} firn_step;

// One step of at most limit seconds (limit <= 0: as long as the solver likes). out may be NULL.
FIRN_API firn_status firn_sim_step_sized(firn_sim *sim, double limit, firn_step *out, size_t size);
static inline firn_status firn_sim_step(firn_sim *sim, double limit, firn_step *out) {
  return firn_sim_step_sized(sim, limit, out, sizeof *out);
}
// Called between two steps. Return false to stop; the state stays whole. It may do with the simulation
// what a program may do between steps: read fields and sums, add snow, colliders and forces, set poses and
// whatever else can be set, write frames and checkpoints. What it may not do is to step, load or destroy
// it, which fails and changes nothing. Functions that are called within a step, as those of forces and
// shapes are, may do none of this.
typedef bool (*firn_progress_fn)(void *user, firn_sim *sim, const firn_step *step);
// As many steps as it takes to move time by exactly duration.
FIRN_API firn_status firn_sim_advance(firn_sim *sim, double duration, firn_progress_fn progress,
                                      void *user);

// What all steps since creation took. Seconds by phase are statistics of the solver.
typedef struct firn_profile {
  double total; // s, of wall time
  uint64_t steps, particle_steps, iterations;
} firn_profile;
FIRN_API void firn_sim_profile_sized(const firn_sim *sim, firn_profile *out, size_t size);
static inline void firn_sim_profile(const firn_sim *sim, firn_profile *out) {
  firn_sim_profile_sized(sim, out, sizeof *out);
}

// ------------------------------------------------------------------------------------- reading

FIRN_API double firn_sim_time(const firn_sim *sim);
FIRN_API size_t firn_sim_count(const firn_sim *sim);
FIRN_API double firn_sim_h(const firn_sim *sim);

// Fields by name: "position", "velocity", "mass", "volume", "id", "material", "strain_rate", and the
// solver's own; under mpm "jp", "strain", "density", "stress", "affine", and what the material of a
// particle is: "young", "poisson", "theta_c", "theta_s", "hardening", "friction_angle", "cohesion",
// "stiffening"; under sph "jp", "strain", "density", "pressure", "stress", "stiffening" and those of the
// material. docs/fields.md has a definition of each. Six components are xx yy zz xy xz yz, nine a
// matrix row by row.
typedef struct firn_field_info {
  const char *name;
  const char *unit; // "1" for a plain number
  int components;
  bool writable;
  bool on_request; // frames hold it only where asked to
  const char *doc; // one line; NULL for a field of a frame
} firn_field_info;
FIRN_API int firn_sim_field_count(const firn_sim *sim);
FIRN_API firn_status firn_sim_field_sized(const firn_sim *sim, int i, firn_field_info *out,
                                          size_t size);
static inline firn_status firn_sim_field(const firn_sim *sim, int i, firn_field_info *out) {
  return firn_sim_field_sized(sim, i, out, sizeof *out);
}
// out and in are [count][components], in the order in which particles were added.
FIRN_API firn_status firn_sim_read(firn_sim *sim, const char *field, double *out);
FIRN_API firn_status firn_sim_write(firn_sim *sim, const char *field, const double *in);

// Sums over all particles, accumulated in double.
typedef struct firn_sums {
  double mass;           // kg
  double center[3];      // m
  double momentum[3];    // kg m/s
  double angular[3];     // kg m^2/s about the origin, affine part included
  double energy_kinetic; // J
  double energy_elastic; // J; 0 where the solver's snow stores none
  double energy_gravity; // J, zero at height 0
  // J that are gone: what came in with particles, by gravity, colliders and writing, less these three.
  // nan where it cannot be told: a collider without forces moves, or gravity acts along a period.
  double energy_lost;
  double speed_max;     // m/s
  double bounds_min[3]; // m
  double bounds_max[3];
  double temperature_min, temperature_mean,
      temperature_max; // K; nan where nothing has a temperature
} firn_sums;
FIRN_API firn_status firn_sim_sums_sized(firn_sim *sim, firn_sums *out, size_t size);
static inline firn_status firn_sim_sums(firn_sim *sim, firn_sums *out) {
  return firn_sim_sums_sized(sim, out, sizeof *out);
}

// Statistics: what only the solver at hand can tell, by name. Under mpm "jp_min", "jp_mean",
// "density_max", "yielded", "energy_plastic"; of the last step "redone", "indefinite", "sorted", "laid";
// since creation "sorts" and, by phase, "seconds_sort", "seconds_scatter", "seconds_grid", "seconds_solve" and
// "seconds_gather". Under sph "jp_min", "jp_mean", "density_max", "energy_plastic"; of the last step "neighbours_mean",
// "pressure_iterations", "shear_iterations", "fell_back", "unconverged", "samples"; since creation
// "seconds_search", "seconds_state", "seconds_pressure", "seconds_shear" and "seconds_move". Under flip
// "density_max", "durability_mean", "durability_min"; of the last step "pressure_iterations",
// "viscosity_iterations", "unconverged", "pressure_residual", "cells", "cells_closed", "cells_plastic",
// "clusters"; since creation "seconds_transfer", "seconds_solids", "seconds_pressure", "seconds_crushing",
// "seconds_friction", "seconds_cohesion" and "seconds_move".
typedef struct firn_stat_info {
  const char *name;
  const char *unit; // "1" for a plain number
  const char *doc;  // one line
} firn_stat_info;
FIRN_API int firn_sim_stat_count(const firn_sim *sim);
FIRN_API firn_status firn_sim_stat_info_sized(const firn_sim *sim, int i, firn_stat_info *out,
                                              size_t size);
static inline firn_status firn_sim_stat_info(const firn_sim *sim, int i, firn_stat_info *out) {
  return firn_sim_stat_info_sized(sim, i, out, sizeof *out);
}
FIRN_API firn_status firn_sim_stat(firn_sim *sim, const char *name, double *out);
// All of them, [firn_sim_stat_count], and the sums, in one pass over the particles. Either may be
// NULL.
FIRN_API firn_status firn_sim_measure_sized(firn_sim *sim, firn_sums *sums, double *stats,
                                            size_t sums_size);
static inline firn_status firn_sim_measure(firn_sim *sim, firn_sums *sums, double *stats) {
  return firn_sim_measure_sized(sim, sums, stats, sizeof *sums);
}
// One that any solver has, by name: what a column of stats.csv means. NULL: none has it.
FIRN_API const firn_stat_info *firn_stat_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif
