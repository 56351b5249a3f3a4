// SPDX-License-Identifier: Apache-2.0
// What snow collides with: a shape, its motion, and its surface.
#ifndef FIRN_WORLD_COLLIDER_H
#define FIRN_WORLD_COLLIDER_H

#include "geometry/shape.h"

enum { FIRN_NAME_SIZE = 64 };

typedef struct firn_collider {
  char name[FIRN_NAME_SIZE];
  firn_shape *shape; // at time 0; held
  double friction;
  bool sticky;
  double velocity[3]; // m/s
  double spin[3];     // rad/s about the shape's center, which moves with velocity
} firn_collider;

firn_status firn_collider_make(firn_context *context, const firn_collider_def *def, int index,
                               firn_collider *out);
void firn_collider_free(firn_collider *collider);

// Signed distance at a point and time, with the outward unit normal and the velocity of the
// surface there. normal and velocity may be NULL.
double firn_collider_sample(const firn_collider *collider, const double position[3], double time,
                            double normal[3], double velocity[3]);

#endif
