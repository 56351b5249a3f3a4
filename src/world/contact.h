// SPDX-License-Identifier: Apache-2.0
// The collision law of Stomakhin et al. 2013, section 8. Grid nodes and particles share it;
// solver/mpm/kernels_plane.h is its twin for rows of nodes.
#ifndef FIRN_WORLD_CONTACT_H
#define FIRN_WORLD_CONTACT_H

#include <math.h>
#include <stdbool.h>

#include "base/device.h"

typedef enum firn_contact { FIRN_CONTACT_NONE, FIRN_CONTACT_SLIP, FIRN_CONTACT_STICK } firn_contact;

// Section 8: collides velocity v [m/s] with a surface of unit normal n that moves with v_co. friction is
// Coulomb's mu and may be infinite; sticky surfaces hold whatever touches them.
FIRN_HD firn_contact firn_contact_resolve(double v[3], const double v_co[3], const double n[3],
                                          double friction, bool sticky) {
  if (sticky) {
    for (int a = 0; a < 3; a++) v[a] = v_co[a];
    return FIRN_CONTACT_STICK;
  }
  double rel[3], v_n = 0, t2 = 0;
  for (int a = 0; a < 3; a++) {
    rel[a] = v[a] - v_co[a];
    v_n += rel[a] * n[a];
  }
  if (v_n >= 0) return FIRN_CONTACT_NONE; // separating
  for (int a = 0; a < 3; a++) {
    rel[a] -= v_n * n[a];
    t2 += rel[a] * rel[a];
  }
  double v_t = sqrt(t2);
  // Without friction nothing is ever held along the surface, not even what rests on it: the solve
  // would take the node's tangential motion for fixed.
  if (friction > 0 && v_t <= -friction * v_n) {
    for (int a = 0; a < 3; a++) v[a] = v_co[a];
    return FIRN_CONTACT_STICK;
  }
  double scale = friction > 0 ? 1 + friction * v_n / v_t : 1;
  for (int a = 0; a < 3; a++) v[a] = v_co[a] + scale * rel[a];
  return FIRN_CONTACT_SLIP;
}

#endif
