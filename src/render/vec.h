// SPDX-License-Identifier: Apache-2.0
// Three floats: pictures need no more.
#ifndef FIRN_RENDER_VEC_H
#define FIRN_RENDER_VEC_H

#include <math.h>
#include <stdint.h>

#include "base/device.h"

typedef struct firn_v3 {
  float x, y, z;
} firn_v3;

FIRN_HD firn_v3 firn_v3_add(firn_v3 a, firn_v3 b) {
  return (firn_v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
FIRN_HD firn_v3 firn_v3_sub(firn_v3 a, firn_v3 b) {
  return (firn_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
FIRN_HD firn_v3 firn_v3_mul(firn_v3 a, firn_v3 b) {
  return (firn_v3){a.x * b.x, a.y * b.y, a.z * b.z};
}
FIRN_HD firn_v3 firn_v3_scale(float k, firn_v3 a) {
  return (firn_v3){k * a.x, k * a.y, k * a.z};
}
FIRN_HD firn_v3 firn_v3_mix(firn_v3 a, firn_v3 b, float t) {
  return (firn_v3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}
FIRN_HD float firn_v3_dot(firn_v3 a, firn_v3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
FIRN_HD firn_v3 firn_v3_cross(firn_v3 a, firn_v3 b) {
  return (firn_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// a / |a|, or up where a = 0.
FIRN_HD firn_v3 firn_v3_unit(firn_v3 a) {
  float n = sqrtf(firn_v3_dot(a, a));
  return n > 0 ? firn_v3_scale(1 / n, a) : (firn_v3){0, 1, 0};
}

FIRN_HD float firn_clamp01(float x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}
FIRN_HD float firn_smoothstep(float a, float b, float x) {
  float t = firn_clamp01((x - a) / (b - a));
  return t * t * (3 - 2 * t);
}

// A scrambled integer, for variation that does not depend on order.
FIRN_HD uint32_t firn_scramble(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}
// Uniform in [0, 1).
FIRN_HD float firn_noise(uint32_t x) {
  return (float)(firn_scramble(x) >> 8) * 0x1p-24f;
}

#endif
