// SPDX-License-Identifier: Apache-2.0
// Bodies in a picture beside the snow: whatever tells its distance, and half spaces. Rays walk along
// the former from distance to distance (Hart 1996, sphere tracing).
#ifndef FIRN_RENDER_SOLIDS_H
#define FIRN_RENDER_SOLIDS_H

#include <stdbool.h>

#include "render/vec.h"

// Distance in metres, or less, and the outward normal (may be NULL).
typedef double (*firn_solid_fn)(const void *user, int body, const double position[3],
                                double normal[3]);

typedef struct firn_solids {
  int count;
  const double (*bound)[4]; // m, [count]: a sphere around each body, middle and radius
  firn_solid_fn distance;
  const void *user;
  int plane_count;
  const double (*plane)[4]; // [plane_count]: unit normal n and d, m; solid where dot(n, x) < d
} firn_solids;

// Smallest t in [0, most) at which from + t along meets a body, or infinity. from is in metres from
// origin; along need not be a unit vector. Half spaces are left out. A body that from lies in is passed over: it would only hide
// everything else.
float firn_solids_hit(const firn_solids *solids, const double origin[3], firn_v3 from,
                      firn_v3 along, float most, int *body);

#endif
