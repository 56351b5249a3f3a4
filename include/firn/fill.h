// SPDX-License-Identifier: Apache-2.0
// Snow: shapes filled with particles, and particles one by one.
#ifndef FIRN_FILL_H
#define FIRN_FILL_H

#include <firn/shape.h>
#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum firn_seeding {
  FIRN_SEEDING_RANDOM,   // uniform in each cell, as in the paper
  FIRN_SEEDING_JITTERED, // one in each of per_cell equal parts of a cell, at random within it
  FIRN_SEEDING_LATTICE   // at the middle of each part; per_cell must be a cube: 1, 8, 27, ...
} firn_seeding;

// Fills a shape with snow.
typedef struct firn_fill_def {
  firn_shape_def shape;
  int material;
  firn_seeding seeding;
  double per_cell;    // particles a cell
  double velocity[3]; // m/s
  double spin[3];     // rad/s about the shape's center
} firn_fill_def;

FIRN_API firn_fill_def firn_default_fill_def(void);
FIRN_API firn_status firn_sim_fill(firn_sim *sim, const firn_fill_def *def);

// Adds particles one by one. Arrays are [count] or [count][3]; a NULL array takes its default.
// The last five vary the material from particle to particle.
typedef struct firn_particles_def {
  size_t count;
  const double *position; // m, [count][3], required
  const double *velocity; // m/s, [count][3], 0
  const double *mass;     // kg, [count], density h^3 / per_cell
  const double *volume;   // m^3, [count]; 0 or NULL: by the solver's volume rule
  int material;
  double per_cell;
  const double *young; // Pa, [count]
  const double *poisson;
  const double *theta_c;
  const double *theta_s;
  const double *hardening;
} firn_particles_def;

FIRN_API firn_particles_def firn_default_particles_def(void);
FIRN_API firn_status firn_sim_add_particles(firn_sim *sim, const firn_particles_def *def);

#ifdef __cplusplus
}
#endif

#endif
