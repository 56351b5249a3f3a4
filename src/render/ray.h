// SPDX-License-Identifier: Apache-2.0
// Rays and random numbers of the path tracer. Lengths are metres from the origin of the stage, so that
// floats do even far from the world's origin. Colours are linear Rec. 709 in firn_v3.
#ifndef FIRN_RENDER_RAY_H
#define FIRN_RENDER_RAY_H

#include "render/vec.h"

typedef struct firn_ray {
  firn_v3 from;
  firn_v3 along; // unit vector
  float time;    // in the shutter, 0 when it opens, 1 when it shuts
} firn_ray;

FIRN_HD firn_v3 firn_ray_at(const firn_ray *ray, float t) {
  return firn_v3_add(ray->from, firn_v3_scale(t, ray->along));
}

// Two unit vectors square to n and to each other (Duff et al. 2017).
FIRN_HD void firn_axes_about(firn_v3 n, firn_v3 *a, firn_v3 *b) {
  float sign = copysignf(1.0f, n.z), p = -1.0f / (sign + n.z), q = n.x * n.y * p;
  *a = (firn_v3){1.0f + sign * n.x * n.x * p, sign * q, -sign * n.x};
  *b = (firn_v3){q, sign + n.y * n.y * p, -n.y};
}

#endif
