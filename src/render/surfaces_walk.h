// SPDX-License-Identifier: Apache-2.0
// Rays against half spaces and against whatever tells its distance, within a box.
#ifndef FIRN_RENDER_SURFACES_WALK_H
#define FIRN_RENDER_SURFACES_WALK_H

#include <stdbool.h>

#include "render/ray.h"
#include "render/solids.h"

typedef struct firn_walker {
  firn_solid_fn distance; // NULL: the plane
  const void *user;
  int body;
  double plane[4];          // m from the stage's origin
  double origin[3];         // m, of the stage
  double low[3], high[3];   // m from the stage's origin
  double near;              // m, this close is a hit
  double shift[3], turn[3]; // m, rad about pivot: motion from opening to shutting
  double pivot[3];          // m from the stage's origin
  bool moves;
} firn_walker;

// Box that holds it all the time.
void firn_walker_bounds(const firn_walker *w, double low[3], double high[3]);

// The nearest hit in (0, most): its t and the outward normal. A body that the ray starts in is left
// first.
bool firn_walker_hit(const firn_walker *w, const firn_ray *ray, double most, double *t,
                     firn_v3 *normal);

#endif
