// SPDX-License-Identifier: Apache-2.0
// The world: what there is, without a word on how it moves.
#ifndef FIRN_WORLD_WORLD_H
#define FIRN_WORLD_WORLD_H

#include "material/law.h"
#include "world/collider.h"
#include "world/particles.h"

// Names of the optional fields that vary the material from particle to particle. They exist only
// once some particle asks for them; the table of materials serves all others.
enum {
  FIRN_VARY_MU,     // Pa, Lame's parameters before hardening
  FIRN_VARY_LAMBDA, // Pa
  FIRN_VARY_LO,     // -theta_c
  FIRN_VARY_HI,     // theta_s
  FIRN_VARY_XI,
  FIRN_VARY_COUNT
};

typedef struct firn_world {
  firn_context *context;
  double h;          // m
  double gravity[3]; // m/s^2
  uint64_t seed;
  double time; // s
  firn_particles particles;
  firn_material_row *material; // [material_count]
  int material_count;
  firn_collider *collider; // [collider_count]
  int collider_count;
  int vary[FIRN_VARY_COUNT]; // field indices, -1 while absent
  uint64_t changes; // raised whenever gravity or a collider is changed from outside
} firn_world;

firn_status firn_world_init(firn_world *world, firn_context *context, const firn_sim_def *def);
void firn_world_free(firn_world *world);
firn_status firn_world_add_material(firn_world *world, const firn_material_def *def, int *id);
firn_status firn_world_add_collider(firn_world *world, const firn_collider_def *def, int *id);
firn_status firn_world_add_particles(firn_world *world, const firn_particles_def *def);
firn_status firn_world_fill(firn_world *world, const firn_fill_def *def);

// The fields above, made when first needed and filled from the table of materials.
firn_status firn_world_vary(firn_world *world);

#endif
