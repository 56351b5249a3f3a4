// SPDX-License-Identifier: Apache-2.0
// One area light: a rectangle that shines to its front, or a sphere that shines outwards. From behind
// and from within they are not there.
#ifndef FIRN_RENDER_LAMP_H
#define FIRN_RENDER_LAMP_H

#include <firn/render.h>

#include "base/context.h"
#include "render/ray.h"

typedef struct firn_lamp {
  firn_lamp_kind kind;
  firn_v3 center;  // m from the stage's origin
  firn_v3 x, y, z; // unit vectors along the edges and the way the light leaves
  float half[2];   // m, half the edges
  float radius;    // m
  firn_v3 radiance;
  float power; // luminance times area
} firn_lamp;

// index is for messages.
firn_status firn_lamp_init(firn_context *context, const firn_lamp_def *def, int index,
                           const double origin[3], firn_lamp *out);

// About the luminance times the solid angle seen from there; 0 where it cannot be seen.
float firn_lamp_weight(const firn_lamp *lamp, firn_v3 from);
// A direction to it, uniform in solid angle, with its density in 1/sr. u is uniform in [0,1)^2.
bool firn_lamp_sample(const firn_lamp *lamp, firn_v3 from, const float u[2], firn_v3 *along,
                      float *pdf);
// The same density for a direction; 0 where the lamp does not lie that way.
float firn_lamp_pdf(const firn_lamp *lamp, firn_v3 from, firn_v3 along);
// Distance at which a ray meets it, or infinity.
float firn_lamp_hit(const firn_lamp *lamp, firn_v3 from, firn_v3 along);

#endif
