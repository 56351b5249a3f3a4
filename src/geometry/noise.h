// SPDX-License-Identifier: Apache-2.0
// Gradient noise (Perlin 2002, with the quintic fade, so second derivatives are continuous): pure
// functions of seed and position, which C and CUDA compile alike.
#ifndef FIRN_GEOMETRY_NOISE_H
#define FIRN_GEOMETRY_NOISE_H

#include <math.h>
#include <stdint.h>

#include "math/real.h"

// Over all choices of the eight gradients and all points, the sum below is at most 1.0363 (near
// (0.5, 0.5, 0.35)) and its slope at most 3.75 (in the middle of a cell, along an axis).
#define FIRN_NOISE_HEIGHT 1.04
#define FIRN_NOISE_SLOPE  (3.75 / FIRN_NOISE_HEIGHT) // of firn_noise3: at most, for 1 of x

FIRN_HD uint64_t firn_noise_hash(uint64_t seed, int64_t i, int64_t j, int64_t k) {
  uint64_t h = seed + 0x9e3779b97f4a7c15u * (uint64_t)i;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u + 0xc2b2ae3d27d4eb4fu * (uint64_t)j;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu + 0x165667b19e3779f9u * (uint64_t)k;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

// One of the 12 edges of a cube; four of them come twice as often, which leaves the mean at 0.
FIRN_HD void firn_noise_gradient(uint64_t hash, double g[3]) {
  int edge = (int)(hash & 15);
  double a = edge & 1 ? -1 : 1, b = edge & 2 ? -1 : 1;
  int zero = edge < 4 ? 2 : edge < 8 ? 1 : edge < 12 ? 0 : edge & 1 ? 2 : 0;
  g[zero] = 0;
  g[zero == 0 ? 1 : 0] = a;
  g[zero == 2 ? 1 : 2] = b;
}

// In [-1, 1], 0 on the lattice of whole numbers, mean 0. gradient (per 1 of x, y, z) may be NULL.
FIRN_HD double firn_noise3(uint64_t seed, double x, double y, double z, double gradient[3]) {
  const double p[3] = {x, y, z};
  int64_t cell[3];
  double t[3], w[2][3], dw[3], sum = 0, slope[3] = {0, 0, 0};
  for (int a = 0; a < 3; a++) {
    // Far out there is nothing between two numbers, and no noise.
    double at = fabs(p[a]) < 1e15 ? p[a] : 0, low = floor(at), f = at - low;
    cell[a] = (int64_t)low;
    t[a] = f;
    w[1][a] = f * f * f * (f * (f * 6 - 15) + 10);
    w[0][a] = 1 - w[1][a];
    dw[a] = 30 * f * f * (f - 1) * (f - 1);
  }
  for (int corner = 0; corner < 8; corner++) {
    const int c[3] = {corner & 1, corner >> 1 & 1, corner >> 2};
    double g[3];
    firn_noise_gradient(firn_noise_hash(seed, cell[0] + c[0], cell[1] + c[1], cell[2] + c[2]), g);
    double dot = g[0] * (t[0] - c[0]) + g[1] * (t[1] - c[1]) + g[2] * (t[2] - c[2]);
    double wx = w[c[0]][0], wy = w[c[1]][1], wz = w[c[2]][2], weight = wx * wy * wz;
    sum += weight * dot;
    slope[0] += weight * g[0] + (c[0] ? dw[0] : -dw[0]) * wy * wz * dot;
    slope[1] += weight * g[1] + wx * (c[1] ? dw[1] : -dw[1]) * wz * dot;
    slope[2] += weight * g[2] + wx * wy * (c[2] ? dw[2] : -dw[2]) * dot;
  }
  if (gradient) {
    for (int a = 0; a < 3; a++) gradient[a] = slope[a] / FIRN_NOISE_HEIGHT;
  }
  return sum / FIRN_NOISE_HEIGHT;
}

// Octaves of it, each twice as fine and half as high as the one before, divided by the sum of
// their heights: in [-1, 1].
FIRN_HD double firn_noise3_octaves(uint64_t seed, int octaves, double x, double y, double z,
                                   double gradient[3]) {
  double sum = 0, height = 1, total = 0, fine = 1, slope[3] = {0, 0, 0};
  for (int o = 0; o < octaves; o++) {
    double g[3];
    sum += height * firn_noise3(seed + (uint64_t)o, x * fine, y * fine, z * fine, gradient ? g : 0);
    for (int a = 0; gradient && a < 3; a++) slope[a] += height * fine * g[a];
    total += height;
    height /= 2;
    fine *= 2;
  }
  if (gradient) {
    for (int a = 0; a < 3; a++) gradient[a] = total > 0 ? slope[a] / total : 0;
  }
  return total > 0 ? sum / total : 0;
}

// At most how long its gradient is: all octaves are equally steep.
FIRN_HD double firn_noise3_octaves_slope(int octaves) {
  return octaves < 1 ? 0 : FIRN_NOISE_SLOPE * octaves / (2 - ldexp(1.0, 1 - octaves));
}

#endif
