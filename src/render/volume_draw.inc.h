// SPDX-License-Identifier: Apache-2.0
// Grains into tiles, for the instruction set that includes this. Rows of a tile run along x; what is
// added is rounded up to whole vectors, with zeros, so that there are no rest loops. Nothing depends on
// the width of a vector: sums are made in the same order, and products are not fused.
#include <string.h>

#include "math/spline.h"
#include "render/volume_grain.h"

enum { SPAN = 2 * 2 * 32 + 8 }; // most nodes a kernel may reach along an axis

typedef float pack __attribute__((vector_size(4 * DRAW_WIDTH)));

static inline void add_row(float *out, const float *row, float factor, int packs) {
  for (int i = 0; i < packs; i++) {
    pack a, b;
    memcpy(&a, out + DRAW_WIDTH * i, sizeof a);
    memcpy(&b, row + DRAW_WIDTH * i, sizeof b);
    a += b * factor;
    memcpy(out + DRAW_WIDTH * i, &a, sizeof a);
  }
}

// Nodes that a kernel of this reach about x touches, and its values there; zeros to the next whole vector.
// Those at its very ends, where it is 0, are not among them: rounding could put one beyond the tile.
static int span(float x, float width, int stride, float *weight, int *first) {
  float reach = 2 * width, step = 1.0f / (float)stride;
  int low = (int)floorf((x - reach) * step) + 1, high = (int)ceilf((x + reach) * step) - 1;
  int n = high - low + 1;
  float scale = 1 / width;
  for (int i = 0; i < n; i++)
    weight[i] = firn_cubic_spline(((float)((low + i) * stride) - x) * scale) * scale;
  for (int i = n; i & (DRAW_WIDTH - 1); i++) weight[i] = 0;
  *first = low;
  return n;
}

// Rows of 1 + strength * noise beside the tile, interpolated to the grain's place so that the pattern
// moves with it smoothly.
static void noise_row(const firn_brush *brush, const firn_grain *g, float strength, int x, int y,
                      int z, int n, float *row) {
  enum { T = FIRN_GRAIN_TILE };
  uint32_t h = firn_scramble(g->seed);
  const int shift[3] = {(int)(h & 31), (int)(h >> 5 & 31), (int)(h >> 10 & 31)};
  const int node[3] = {x, y, z};
  int cell[3];
  float f[3];
  for (int a = 0; a < 3; a++) {
    float whole = floorf(g->at[a]);
    f[a] = 1 - (g->at[a] - whole); // node - at = (node - whole - 1) + f
    cell[a] = (node[a] - (int)whole - 1 + shift[a]) & (T - 1);
  }
  const float *r[4];
  float w[4];
  for (int k = 0; k < 4; k++) {
    int cy = (cell[1] + (k & 1)) & (T - 1), cz = (cell[2] + (k >> 1)) & (T - 1);
    r[k] = brush->noise + (cz * T + cy) * 2 * T;
    w[k] = strength * (k & 1 ? f[1] : 1 - f[1]) * (k >> 1 ? f[2] : 1 - f[2]);
  }
  for (int from = 0; from < n; from += T) { // rows are there twice: no wrapping within a period
    int m = n - from < T ? n - from : T;
    float *out = row + from;
    const float *p = r[0] + cell[0], *q = r[1] + cell[0], *s = r[2] + cell[0], *t = r[3] + cell[0];
    for (int i = 0; i < m; i++)
      out[i] = 1 + (1 - f[0]) * (w[0] * p[i] + w[1] * q[i] + w[2] * s[i] + w[3] * t[i]) +
               f[0] * (w[0] * p[i + 1] + w[1] * q[i + 1] + w[2] * s[i + 1] + w[3] * t[i + 1]);
  }
}

static void draw(const firn_brush *brush, const firn_grain *g, float *tile) {
  float wx[SPAN], wy[SPAN], wz[SPAN];
  int x0, y0, z0, edge = brush->edge, shift = 8 * brush->reach;
  float kernel = brush->kernel * g->size;
  int nx = span(g->at[0], kernel, 1, wx, &x0);
  int ny = span(g->at[1], kernel, 1, wy, &y0);
  int nz = span(g->at[2], kernel, 1, wz, &z0);
  float mass = g->mass / brush->volume;
  int packs = (nx + DRAW_WIDTH - 1) / DRAW_WIDTH;
  for (int z = 0; z < nz; z++)
    for (int y = 0; y < ny; y++) {
      float *out = tile + ((z0 + z + shift) * edge + y0 + y + shift) * edge + x0 + shift;
      float factor = mass * wz[z] * wy[y];
      if (!brush->noise) {
        add_row(out, wx, factor, packs);
        continue;
      }
      float row[SPAN];
      noise_row(brush, g, brush->strength, x0, y0 + y, z0 + z, DRAW_WIDTH * packs, row);
      for (int i = 0; i < DRAW_WIDTH * packs; i++) row[i] *= wx[i];
      add_row(out, row, factor, packs);
    }
}

// The radial cubic spline of Monaghan and Lattanzio 1985: it reaches as far, and turns with G.
static void draw_shaped(const firn_brush *brush, const firn_grain *g, const firn_grain_shape *s,
                        float *tile) {
  int low[3], high[3], edge = brush->edge, shift = 8 * brush->reach;
  for (int a = 0; a < 3; a++) {
    low[a] = (int)floorf(g->at[a] - s->reach[a]) + 1; // without the ends, as in span
    high[a] = (int)ceilf(g->at[a] + s->reach[a]) - 1;
  }
  float factor = g->mass / brush->volume * s->det * 0.0795774715f; // 1 / (4 pi)
  const float *G = s->g;
  // |G r|^2 = C + 2 B x + A x^2 along a row, which is inside between two roots.
  float A = G[0] * G[0] + G[3] * G[3] + G[4] * G[4], x0 = (float)low[0] - g->at[0];
  for (int z = low[2]; z <= high[2]; z++)
    for (int y = low[1]; y <= high[1]; y++) {
      float dy = (float)y - g->at[1], dz = (float)z - g->at[2];
      // G r along the row: c + x d.
      float c0 = G[3] * dy + G[4] * dz, c1 = G[1] * dy + G[5] * dz, c2 = G[5] * dy + G[2] * dz;
      float B = G[0] * c0 + G[3] * c1 + G[4] * c2, C = c0 * c0 + c1 * c1 + c2 * c2;
      float inside = B * B - A * (C - 4);
      if (!(inside > 0)) continue;
      float half = sqrtf(inside) / A, middle = g->at[0] - B / A;
      int first = (int)floorf(middle - half), last = (int)ceilf(middle + half);
      first = first < low[0] ? low[0] : first;
      last = last > high[0] ? high[0] : last;
      int n = last - first + 1, skip = first - low[0];
      float *out = tile + ((z + shift) * edge + y + shift) * edge + first + shift;
      float row[SPAN];
      for (int i = 0; i < n; i++) {
        float x = x0 + (float)(skip + i);
        float a = c0 + G[0] * x, b = c1 + G[3] * x, c = c2 + G[4] * x;
        float q = sqrtf(a * a + b * b + c * c), far = 2 - q, near = 1 - q;
        far = far > 0 ? far : 0;
        near = near > 0 ? near : 0;
        row[i] = factor * (far * far * far - 4 * near * near * near);
      }
      if (brush->noise && s->detail > 0) {
        float noise[SPAN];
        noise_row(brush, g, s->detail * brush->strength, first, y, z, n, noise);
        for (int i = 0; i < n; i++) row[i] *= noise[i];
      }
      for (int i = 0; i < n; i++) out[i] += row[i];
    }
}

static void draw_motion(const firn_brush *brush, const firn_grain *g, float *tile) {
  float w[3][SPAN];
  int first[3], n[3], edge = brush->edge / 4, shift = 2 * brush->reach;
  for (int a = 0; a < 3; a++) n[a] = span(g->at[a], brush->motion, 4, w[a], &first[a]);
  for (int z = 0; z < n[2]; z++)
    for (int y = 0; y < n[1]; y++)
      for (int x = 0; x < n[0]; x++) {
        float m = g->mass * w[0][x] * w[1][y] * w[2][z];
        float *out = tile + (((first[2] + z + shift) * edge + first[1] + y + shift) * edge +
                             first[0] + x + shift) *
                                4;
        out[0] += m;
        for (int c = 0; c < 3; c++) out[1 + c] += m * g->velocity[c];
      }
}

const firn_grain_painter DRAW_NAME = {draw, draw_shaped, draw_motion};
