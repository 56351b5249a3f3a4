// SPDX-License-Identifier: Apache-2.0
// exp(-x) for loops that compilers are to turn into vectors.
#ifndef FIRN_RENDER_FADE_H
#define FIRN_RENDER_FADE_H

#include <math.h>
#include <stdint.h>

#include "base/device.h"

// x >= 0; within 2e-7 of the exact value relatively, 0 and smaller powers than exp(-80) alike.
FIRN_HD float firn_fade(float x) {
  const float y = (x < 80.0f ? x : 80.0f) * 1.44269504f;
  const int whole = (int)y;
  const float f = -(y - (float)whole) * 0.693147181f; // in (-ln 2, 0]
  const float p =
      1 + f * (1 + f * (0.5f + f * (1 / 6.0f + f * (1 / 24.0f + f * (1 / 120.0f + f / 720.0f)))));
  const union {
    int32_t i;
    float f;
  } power = {(127 - whole) << 23};
  return p * power.f;
}

#endif
