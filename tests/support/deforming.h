// SPDX-License-Identifier: Apache-2.0
// Colliders that deform, made from a formula.
#ifndef FIRN_TESTS_SUPPORT_DEFORMING_H
#define FIRN_TESTS_SUPPORT_DEFORMING_H

#include <firn/firn.h>

typedef struct deforming_body {
  int keys;
  const double *times; // [keys], s
  int nodes;           // of its cube, along each axis
  double voxel, least; // m: between nodes, and the coordinates of the first one
  // The distance of x from the surface, m, at this time, and the velocity of the body there.
  double (*at)(double time, const double x[3], double velocity[3]);
} deforming_body;

firn_sequence *deforming_sequence(firn_context *context, const deforming_body *body);

#endif
