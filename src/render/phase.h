// SPDX-License-Identifier: Apache-2.0
// The phase function of Henyey and Greenstein 1941. Angles are between the directions of travel before
// and after, so g > 0 goes on forwards.
#ifndef FIRN_RENDER_PHASE_H
#define FIRN_RENDER_PHASE_H

#include "render/ray.h"

// 1/sr, for the cosine of the angle.
static inline float firn_phase_hg(float g, float cosine) {
  float d = 1 + g * g - 2 * g * cosine;
  return 0.0795774715f * (1 - g * g) / (d * sqrtf(d)); // 1 / (4 pi)
}

// A cosine with that density; u in [0, 1).
static inline float firn_phase_hg_cosine(float g, float u) {
  if (fabsf(g) < 1e-3f) return 1 - 2 * u; // less than one part in a thousand off, and no 0 / 0
  float q = (1 - g * g) / (1 - g + 2 * g * u), c = (1 + g * g - q * q) / (2 * g);
  return c > 1 ? 1 : c < -1 ? -1 : c;
}

#endif
