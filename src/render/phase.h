// SPDX-License-Identifier: Apache-2.0
// The phase function of Henyey and Greenstein 1941, in lanes. Angles are between the directions of
// travel before and after, so g > 0 goes on forwards.
#ifndef FIRN_RENDER_PHASE_H
#define FIRN_RENDER_PHASE_H

#include "math/lane.h"

#define FIRN_PHASE_EVEN FIRN_R(0.0795774715) // 1/sr, 1 / (4 pi): all directions alike

// 1/sr, for the cosine of the angle.
FIRN_HD_INLINE lane firn_phase_hg(firn_real g, lane cosine) {
  lane d = lane_fnma(lane_set1(2 * g), cosine, lane_set1(1 + g * g));
  return lane_set1(FIRN_PHASE_EVEN * (1 - g * g)) / (d * lane_sqrt(d));
}

// A cosine with that density; u in [0, 1].
FIRN_HD_INLINE lane firn_phase_hg_cosine(firn_real g, lane u) {
  lane flat = lane_fnma(lane_set1(2), u, lane_set1(1));
  // Less than one part in a thousand off, and no 0 / 0.
  if (firn_abs(g) < FIRN_R(1e-3)) return flat;
  lane q = lane_set1(1 - g * g) / lane_fma(lane_set1(2 * g), u, lane_set1(1 - g));
  lane c = lane_fnma(q, q, lane_set1(1 + g * g)) * lane_set1(FIRN_R(0.5) / g);
  return lane_min(lane_set1(1), lane_max(lane_set1(-1), c));
}

#endif
