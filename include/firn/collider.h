// SPDX-License-Identifier: Apache-2.0
// Colliders: what the snow meets.
#ifndef FIRN_COLLIDER_H
#define FIRN_COLLIDER_H

#include <firn/shape.h>
#include <firn/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct firn_collider_def {
  const char *name; // for messages and colliders.csv; copied
  firn_shape_def shape;
  double friction;    // Coulomb's mu
  bool sticky;        // hold what touches, whatever the direction
  double velocity[3]; // m/s
  double spin[3];     // rad/s about the shape's center
} firn_collider_def;

FIRN_API firn_collider_def firn_default_collider_def(void);
FIRN_API firn_status firn_sim_add_collider(firn_sim *sim, const firn_collider_def *def, int *id);

#ifdef __cplusplus
}
#endif

#endif
