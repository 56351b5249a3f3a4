// SPDX-License-Identifier: Apache-2.0
// Noise for grains, and who draws them.
#include "base/isa.h"
#include "render/volume_grain.h"

const firn_grain_painter *firn_grain_painter_get(firn_isa isa) {
  if (isa == FIRN_ISA_AUTO) isa = firn_isa_best();
  if (!firn_isa_available(isa)) return &firn_grain_painter_scalar;
  switch (isa) {
#if defined(__x86_64__)
  case FIRN_ISA_AVX512: return &firn_grain_painter_avx512;
  case FIRN_ISA_AVX2: return &firn_grain_painter_avx2;
#endif
  default: return &firn_grain_painter_scalar;
  }
}

// Gradient noise (Perlin 2002) that repeats after a tile.
static float gradient(int x, int y, int z, int period, float dx, float dy, float dz) {
  uint32_t h = firn_scramble(
      (uint32_t)(((z % period) * period + y % period) * period + x % period) + 0x9e3779b9u);
  float u = h & 8 ? dx : dy, v = h & 4 ? dz : h & 8 ? dy : dx;
  return (h & 1 ? u : -u) + (h & 2 ? v : -v);
}

void firn_grain_noise(float size, float *noise) {
  enum { T = FIRN_GRAIN_TILE };
  int period = (int)lrintf(T / size);
  period = period < 2 ? 2 : period > T / 2 ? T / 2 : period;
  double square = 0;
  for (int z = 0; z < T; z++)
    for (int y = 0; y < T; y++)
      for (int x = 0; x < T; x++) {
        // Half a step off the lattice, where this noise is 0.
        float p[3] = {(float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f}, fade[3], f[3], sum = 0;
        int i[3];
        for (int a = 0; a < 3; a++) {
          p[a] *= (float)period / T;
          i[a] = (int)p[a];
          f[a] = p[a] - (float)i[a];
          fade[a] = f[a] * f[a] * f[a] * (f[a] * (f[a] * 6 - 15) + 10);
        }
        for (int k = 0; k < 8; k++) {
          int a = k & 1, b = k >> 1 & 1, c = k >> 2;
          float w = (a ? fade[0] : 1 - fade[0]) * (b ? fade[1] : 1 - fade[1]) *
                    (c ? fade[2] : 1 - fade[2]);
          sum += w * gradient(i[0] + a, i[1] + b, i[2] + c, period, f[0] - (float)a,
                              f[1] - (float)b, f[2] - (float)c);
        }
        float *row = noise + (z * T + y) * 2 * T;
        row[x] = row[x + T] = sum;
        square += (double)sum * (double)sum;
      }
  float scale = square > 0 ? (float)(1 / sqrt(square / (T * T * T))) : 0;
  for (int i = 0; i < T * T * 2 * T; i++) noise[i] *= scale;
}
