// SPDX-License-Identifier: Apache-2.0
// A level set while it is made of a mesh.
#ifndef FIRN_GEOMETRY_LEVEL_SET_BUILD_H
#define FIRN_GEOMETRY_LEVEL_SET_BUILD_H

#include "geometry/bvh.h"
#include "geometry/level_set.h"

typedef struct firn_level_set_build {
  firn_level_set *set;
  firn_bvh bvh;
  const double *vertex_velocity; // m/s, [vertex_count][3], or NULL
  double far;                    // m: nodes beyond need not be exact, and are never interpolated
  uint8_t *near;                 // by slot of the table: octants that need exact nodes
  uint32_t *near_hint;           // by slot: a triangle nearby
  size_t room;                   // stored blocks:
  size_t *slot;                  // where in the table each is
  uint32_t *hint;                // a triangle nearby
  uint8_t *exact;                // octants that need exact nodes
} firn_level_set_build;

void firn_level_set_block_of(const firn_level_set *set, size_t slot, int block[3]);
// Of node 0..728 of a block, relative to the middle of the mesh.
firn_vec3 firn_level_set_node(const firn_level_set_build *b, const int block[3], int node);

// Corrects the signs of the nodes of one block; they come in as firn_bvh_behind has it.
void firn_level_set_sign(const firn_level_set_build *b, size_t number);

#endif
