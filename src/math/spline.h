// SPDX-License-Identifier: Apache-2.0
// The cubic B-spline at any distance, in floats: for pictures and exports. Solvers have bspline.h.
#ifndef FIRN_MATH_SPLINE_H
#define FIRN_MATH_SPLINE_H

#include <math.h>

#include "base/device.h"

// N(x) of Stomakhin et al. 2013, section 4.1; x in cells, 0 from 2 on.
FIRN_HD float firn_cubic_spline(float x) {
  float a = fabsf(x), far = 2 - a;
  if (a < 1) return (0.5f * a - 1) * a * a + 2.0f / 3;
  return far > 0 ? far * far * far * (1.0f / 6) : 0;
}

#endif
