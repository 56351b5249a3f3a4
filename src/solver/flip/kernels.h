// SPDX-License-Identifier: Apache-2.0
// What a step asks of its inner loops. Each instruction set fills one table; the plain one is the oracle
// for the others, which agree with it to rounding.
#ifndef FIRN_SOLVER_FLIP_KERNELS_H
#define FIRN_SOLVER_FLIP_KERNELS_H

#include "solver/flip/flip.h"
#include "solver/flip/transfer.h"

typedef struct flip_flow flip_flow; // viscosity.h

typedef struct flip_kernels {
  // Adds up the particles of a block in its arena, [FLIP_ARENA_CHANNELS][FLIP_TILE_CELLS]. Returns the cells
  // that hold some, a bit each.
  uint64_t (*scatter)(const flip *s, size_t b, firn_real *arena);
  // Velocities back to the particles of a block, and their motion; blend is the share of FLIP.
  flip_tally (*move)(const flip *s, size_t b, double blend);
  // Stresses of a velocity in block g; and what they do to its faces that are asked for, with their inertia.
  // All instruction sets give the same bits.
  void (*stress)(const flip_flow *f, firn_real *const u[3], size_t g);
  void (*force)(const flip_flow *f, firn_real *const u[3], size_t g, firn_real *const out[3]);
} flip_kernels;

// transfer.c
uint64_t flip_scatter_scalar(const flip *s, size_t b, firn_real *arena);

// advect.c
flip_tally flip_move_scalar(const flip *s, size_t b, double blend);
// Colliders that particles of a block may come close to, a bit each as of flip_solid_distance.
uint64_t flip_colliders_near(const flip *s, size_t b);
// Moves a particle out of what it is closer to than it may be, by the way that its distance grows;
// or back to where it came from, if that leads nowhere.
void flip_push_out(const flip *s, size_t b, uint64_t near, const firn_real from[3], firn_real x[3]);

// riders.c: how particles in a rigid cell move, from x in cells from the corner of their block,
// but for what the second pressure does. Each map is of three rows, and then what is added to them.
typedef struct flip_ride {
  firn_real way[12];     // cells that x grows by
  firn_real speed[12];   // m/s
  firn_real gradient[9]; // 1/s, of the velocity
} flip_ride;
// Returns false if the cell is not rigid.
bool flip_ride_of(const flip *s, size_t b, int cell, flip_ride *out);

// viscosity.c
void flip_stress_scalar(const flip_flow *f, firn_real *const u[3], size_t g);
void flip_force_scalar(const flip_flow *f, firn_real *const u[3], size_t g,
                       firn_real *const out[3]);

// In float alone.
#ifndef FIRN_DOUBLE
void flip_stress_avx2(const flip_flow *f, float *const u[3], size_t g);
void flip_force_avx2(const flip_flow *f, float *const u[3], size_t g, float *const out[3]);
uint64_t flip_scatter_avx2(const flip *s, size_t b, float *arena);
uint64_t flip_scatter_avx512(const flip *s, size_t b, float *arena);
flip_tally flip_move_avx2(const flip *s, size_t b, double blend);
#endif

// kernels.c: the table for a context.
const flip_kernels *flip_choose_kernels(const firn_context *context);

#endif
