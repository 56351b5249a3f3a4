// SPDX-License-Identifier: Apache-2.0
// Colliders as samples of their surfaces, near the snow only (Gissler et al. 2020, section 3.3). A
// sample stands for the volume V_b = phi / sum W over the samples of its body: so snow that touches a
// wall sees about as much of it as it would see of snow. Colliders that stand still are one body, others one
// each.
//
// Samples lie `depth` spacings below the surface. With half a spacing, a layer of snow whose volume ends
// at the surface is one spacing away from them, which is what V_b assumes; 0 has them on it, as printed.
#ifndef FIRN_SOLVER_SPH_BOUNDARY_H
#define FIRN_SOLVER_SPH_BOUNDARY_H

#include "solver/sph/cells.h"
#include "world/world.h"

typedef struct sph_boundary {
  size_t count, capacity;
  double *point;       // [count][3] m
  firn_real *place;    // [count][3] cells, from the corner of the sample's block
  firn_real *volume;   // [count] V_b, spacings^3
  firn_real *velocity; // [count][3] m/s
  firn_real *normal;   // [count][3] out of the collider
  uint16_t *owner;     // [count] collider
  sph_cells cells;
  struct sph_body *body; // [body_count]: the parts of all colliders
  size_t body_count;
  bool made;       // the bodies are those of the world's colliders
  uint64_t digest; // of what the samples were made for
  size_t room;     // of the arrays below, in samples
  firn_buffer points, places, volumes, velocities, normals, owners, cell_points, keys[2], bodies;
} sph_boundary;

// What samples are made of.
typedef struct sph_boundary_def {
  double spacing; // m
  double phi;
  double depth; // spacings below the surface
} sph_boundary_def;

void sph_boundary_free(sph_boundary *boundary, firn_context *context);

// Lays samples around the blocks of sorted particles, for colliders as they have been prepared. Does
// nothing where that would change nothing.
firn_status sph_boundary_update(sph_boundary *boundary, const firn_world *world,
                                const sph_boundary_def *def);

// sum W over a plane's samples: W(0) + 4 W(1) + 4 W(sqrt 2).
double sph_boundary_plane_sum(void);

#endif
