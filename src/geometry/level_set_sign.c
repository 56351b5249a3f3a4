// SPDX-License-Identifier: Apache-2.0
// Which nodes of a block are inside.
//
// The side of the nearest triangle, which is known already, is wrong where pieces of the mesh overlap
// or cross. The winding number is right but dear. So: two neighbouring nodes are on one side of the
// surface if their distances add up to more than the voxel between them, since the balls around them
// hold no surface. That groups the nodes of a block, mostly into two groups, and each is asked for
// its winding number once, at the node furthest from the surface. A few nodes very near the surface
// stay alone. They go by the side of the nearest triangle, unless that was wrong for some node of the
// block; then they are asked as well.
#include <math.h>

#include "geometry/level_set_build.h"

enum { NODES = FIRN_LEVEL_SET_NODES, BLOCK = FIRN_LEVEL_SET_BLOCK };

static int root_of(int16_t *parent, int i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];
    i = parent[i];
  }
  return i;
}

static void group(const firn_real *value, double voxel, int16_t *parent) {
  const int step[3] = {1, NODES, NODES * NODES};
  double reach = voxel * (1 + 1e-6);
  for (int i = 0; i < BLOCK; i++) parent[i] = (int16_t)i;
  for (int i = 0; i < BLOCK; i++) {
    const int at[3] = {i % NODES, i / NODES % NODES, i / NODES / NODES};
    for (int a = 0; a < 3; a++) {
      if (at[a] == NODES - 1) continue;
      int j = i + step[a];
      if (!(fabs((double)value[i]) + fabs((double)value[j]) > reach)) continue;
      int p = root_of(parent, i), q = root_of(parent, j);
      if (p < q) parent[q] = (int16_t)p;
      if (q < p) parent[p] = (int16_t)q;
    }
  }
}

void firn_level_set_sign(const firn_level_set_build *b, size_t number) {
  enum { ALONE = -1, OUT = 0, IN = 1 };
  firn_real *value = b->set->value + number * BLOCK;
  int16_t parent[BLOCK], furthest[BLOCK];
  int8_t side[BLOCK]; // of groups, by root
  int block[3];
  firn_level_set_block_of(b->set, b->slot[number], block);
  group(value, b->set->voxel, parent);

  for (int i = 0; i < BLOCK; i++) furthest[i] = (int16_t)i;
  for (int i = 0; i < BLOCK; i++) {
    int r = root_of(parent, i);
    if (fabs((double)value[i]) > fabs((double)value[furthest[r]])) furthest[r] = (int16_t)i;
  }
  for (int i = 0; i < BLOCK; i++) {
    side[i] = ALONE;
    if (parent[i] != i || fabs((double)value[furthest[i]]) < 0.5 * b->set->voxel) continue;
    side[i] = firn_bvh_inside(&b->bvh, firn_level_set_node(b, block, furthest[i])) ? IN : OUT;
  }

  // Nodes that are not exact have no sign yet.
  bool doubt = false;
  for (int i = 0; i < BLOCK; i++) {
    int8_t s = side[root_of(parent, i)];
    if (s == ALONE) continue;
    bool behind = signbit(value[i]);
    doubt = doubt || (behind != (s == IN) && fabs((double)value[i]) < b->far);
    value[i] = FIRN_R(copysign((double)value[i], s == IN ? -1 : 1));
  }
  if (!doubt) return;
  for (int i = 0; i < BLOCK; i++) {
    if (side[root_of(parent, i)] != ALONE) continue;
    bool inside = firn_bvh_inside(&b->bvh, firn_level_set_node(b, block, i));
    value[i] = FIRN_R(copysign((double)value[i], inside ? -1 : 1));
  }
}
