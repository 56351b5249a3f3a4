// SPDX-License-Identifier: Apache-2.0
// Colliders that fill a half space: drawn as free-standing slabs near the snow, since a wall without
// end has no edge that would tell the eye where it is. A slab is the same from wherever it is seen, and
// in all frames.
#ifndef FIRN_RENDER_WALLS_H
#define FIRN_RENDER_WALLS_H

#include <stdbool.h>

#include "render/vec.h"

// What a slab's size is taken from; it must depend on neither camera nor frame.
typedef struct firn_wall_site {
  double low[3], high[3];   // m, box of the snow at the beginning
  double floor;             // m, height of ground that is not among plane; infinite: none
  int plane_count;          // half spaces: a steep one ends at those that lie level or slope
  const double (*plane)[4]; // [plane_count]: unit normal n and d, m; solid where dot(n, x) < d
} firn_wall_site;

// Lengths are in metres from an origin of the picture's own.
typedef struct firn_wall {
  firn_v3 axis[3]; // unit vectors: along the wall, up along it, out of it towards the snow
  float middle[3]; // of the slab, along each axis
  float half[3];   // of its edges
} firn_wall;

// The slab for a half space, as plane has it above. False where the eye, from origin [m], is behind
// its surface and would see nothing else.
bool firn_wall_place(const double plane[4], const firn_wall_site *site, const double origin[3],
                     firn_v3 eye, firn_wall *wall);

// Signed distance of a place, m from the same origin, and the outward normal (may be NULL).
float firn_wall_distance(const firn_wall *wall, firn_v3 p, firn_v3 *normal);

#endif
