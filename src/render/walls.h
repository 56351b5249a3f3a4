// SPDX-License-Identifier: Apache-2.0
// Colliders that fill a half space: drawn as free-standing slabs near what is looked at, since a
// wall without end has no edge that would tell the eye where it is.
#ifndef FIRN_RENDER_WALLS_H
#define FIRN_RENDER_WALLS_H

#include <stdbool.h>

#include "render/vec.h"

// Lengths are in metres from the middle of the view.
typedef struct firn_wall {
  firn_v3 axis[3]; // unit vectors: along the wall, up along it, out of it towards the snow
  float middle[3]; // of the slab, along each axis
  float half[3];   // of its edges
} firn_wall;

// The slab for the half space where dot(normal, x) < offset, normal of unit length. extent is the
// height of the view. False where it is not to be drawn: too far away, or the eye is behind its
// surface and would see nothing else.
bool firn_wall_place(firn_v3 normal, float offset, float extent, firn_v3 eye, firn_wall *wall);

// Smallest t in [0, most) at which from + t along meets the slab from outside, or infinity; and the
// normal there.
float firn_wall_hit(const firn_wall *wall, firn_v3 from, firn_v3 along, float most,
                    firn_v3 *normal);

#endif
