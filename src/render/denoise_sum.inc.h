// SPDX-License-Identifier: Apache-2.0
// The sums of the denoiser, for the instruction set that includes this. Plain loops that compilers turn
// into vectors: sums are made in the same order at any width, and products are not fused.
#include <string.h>

#include "render/denoise.h"
#include "render/fade.h"

enum { CHUNK = FIRN_DENOISE_CHUNK, BAND = FIRN_DENOISE_BAND, FEATURES = FIRN_DENOISE_FEATURES };

#define MOST_APART 45.0f  // in a patch, of one pixel, summed over the planes that are compared
#define CENTRE     0.025f // of which differences of the pixel itself count beyond that

// Adds the squared difference of pixels and those an offset away, less what noise explains, in units
// of noise (Rousselle et al. 2012, equation 8).
static void add_differences(const firn_denoise_plane *p, size_t first, int count, ptrdiff_t offset,
                            float strength2, float least, float *restrict out) {
  const float *restrict c = p->value + first, *restrict v = p->variance + first;
  const float *restrict e = c + offset, *restrict u = v + offset;
  for (int i = 0; i < count; i++) {
    float d = c[i] - e[i], a = v[i], b = u[i];
    out[i] += (d * d - (a + (a < b ? a : b))) / (least + strength2 * (a + b));
  }
}

// Sums of such differences over patches, of all planes, in d->weight; the lines of d->across are those
// from the first of the patch about the band's first.
static void add_across(const firn_denoiser *w, firn_denoise_desk *d,
                       const firn_denoise_plane *plane, int planes, float least, int left,
                       int columns, int top, int rows, ptrdiff_t offset) {
  const int r = w->patch, n = columns + 2 * r;
  for (int j = 0; j < rows + 2 * r; j++) {
    float *restrict raw = d->raw, *restrict across = d->across[j];
    const size_t first = firn_denoise_at(w, left - r, top + j - r);
    memset(raw, 0, sizeof d->raw);
    for (int k = 0; k < planes; k++)
      add_differences(&plane[k], first, n, offset, w->strength2, least, raw);
    if (j >= r && j < rows + r) memcpy(d->centre[j - r], raw + r, (size_t)columns * sizeof *raw);
    // One pixel tells no more than this, else all around a lone grain would have no likes but other
    // such places, and keep its noise.
    for (int i = 0; i < n; i++) raw[i] = raw[i] < MOST_APART ? raw[i] : MOST_APART;
    memset(across, 0, sizeof d->across[j]);
    for (int i = 0; i <= 2 * r; i++)
      for (int x = 0; x < columns; x++) across[x] += raw[x + i];
  }
}
static void sum_patch(const firn_denoiser *w, firn_denoise_desk *d, int columns, int row) {
  float *restrict weight = d->weight;
  memset(weight, 0, sizeof d->weight);
  for (int j = 0; j <= 2 * w->patch; j++) {
    const float *restrict across = d->across[row + j];
    for (int x = 0; x < columns; x++) weight[x] += across[x];
  }
}

// ---- features, by themselves

static void add_features(const firn_denoiser *w, firn_denoise_desk *d, int left, int columns,
                         int top, int rows, ptrdiff_t offset) {
  const int side = 2 * w->patch + 1;
  const float scale = 1.0f / (float)(4 * side * side); // most features agree at most places
  add_across(w, d, w->feature, w->features, 0.02f, left, columns, top, rows, offset);
  for (int row = 0; row < rows; row++) {
    const size_t here = firn_denoise_at(w, left, top + row);
    float *restrict weight = d->weight, *restrict total = d->sum[0][row];
    sum_patch(w, d, columns, row);
    for (int x = 0; x < columns; x++) {
      float sum = scale * weight[x];
      weight[x] = firn_fade(sum > 0 ? sum : 0);
      total[x] += weight[x];
    }
    for (int n = 0; n < w->features; n++) {
      const float *restrict f = w->feature[n].value + here + offset;
      const float *restrict v = w->feature[n].variance + here + offset;
      float *restrict value = d->sum[1 + n][row];
      float *restrict variance = d->sum[1 + FEATURES + n][row];
      for (int x = 0; x < columns; x++) {
        value[x] += weight[x] * f[x];
        variance[x] += weight[x] * weight[x] * v[x];
      }
    }
  }
}

// ---- light, by light and features

#define FEATURE_STRENGTH 0.3f // the linear function follows features: these need agree only roughly

// How much the features differ, beyond what their own noise explains.
static void differ(const firn_denoiser *w, size_t first, int columns, ptrdiff_t offset,
                   float *restrict out) {
  memset(out, 0, CHUNK * sizeof *out);
  for (int n = 0; n < w->features; n++) {
    const float *restrict f = w->feature[n].value + first;
    const float *restrict v = w->feature[n].variance + first;
    const float *restrict g = f + offset, *restrict u = v + offset;
    for (int i = 0; i < columns; i++) {
      float d = f[i] - g[i], noise = v[i] + u[i], beyond = d * d - noise;
      beyond = beyond > 0 ? beyond : 0;
      out[i] += beyond / (1 + 2 * noise);
    }
  }
}

static void add_light(const firn_denoiser *w, firn_denoise_desk *d, int row, size_t here,
                      int columns, ptrdiff_t offset) {
  const float *restrict weight = d->weight;
  float *restrict total = d->sum[0][row];
  for (int x = 0; x < columns; x++) total[x] += weight[x];
  for (int k = 0; k < 3; k++) {
    const float *restrict c = w->light[k].value + here + offset;
    const float *restrict v = w->light[k].variance + here + offset;
    float *restrict light = d->sum[1 + k][row], *restrict variance = d->sum[4 + k][row];
    for (int x = 0; x < columns; x++) {
      light[x] += weight[x] * c[x];
      variance[x] += weight[x] * weight[x] * v[x];
    }
  }
  int term = 7;
  for (int m = 0; m < w->fits; m++) {
    const float *restrict f = w->feature[w->fit[m]].value + here, *restrict away = f + offset;
    float *restrict more = d->more, *restrict sum = d->sum[term++][row];
    for (int x = 0; x < columns; x++) {
      more[x] = weight[x] * (away[x] - f[x]);
      sum[x] += more[x];
    }
    for (int n = 0; n <= m; n++) {
      const float *restrict g = w->feature[w->fit[n]].value + here, *restrict b = g + offset;
      float *restrict t = d->sum[term++][row];
      for (int x = 0; x < columns; x++) t[x] += more[x] * (b[x] - g[x]);
    }
    for (int k = 0; k < 3; k++) {
      const float *restrict c = w->light[k].value + here + offset;
      float *restrict t = d->sum[term++][row];
      for (int x = 0; x < columns; x++) t[x] += more[x] * c[x];
    }
  }
}

static void add_lights(const firn_denoiser *w, firn_denoise_desk *d, int left, int columns, int top,
                       int rows, ptrdiff_t offset) {
  const int side = 2 * w->patch + 1;
  const float scale = 1.0f / (float)(3 * side * side);
  add_across(w, d, w->guide, 3, 1e-10f, left, columns, top, rows, offset);
  for (int row = 0; row < rows; row++) {
    const size_t here = firn_denoise_at(w, left, top + row);
    float *restrict weight = d->weight, *restrict apart = d->more;
    const float *restrict centre = d->centre[row];
    sum_patch(w, d, columns, row);
    differ(w, here, columns, offset, apart);
    for (int x = 0; x < columns; x++) {
      float sum = scale * weight[x], other = FEATURE_STRENGTH * apart[x], own = CENTRE * centre[x];
      sum = sum > other ? sum : other;
      sum = sum > own ? sum : own;
      weight[x] = firn_fade(sum > 0 ? sum : 0);
    }
    add_light(w, d, row, here, columns, offset);
  }
}

// ---- all offsets

static void sum_features(const firn_denoiser *w, firn_denoise_desk *d, int left, int columns,
                         int top, int rows) {
  memset(d->sum, 0, (1 + 2 * FEATURES) * sizeof d->sum[0]);
  for (int y = -w->reach; y <= w->reach; y++)
    for (int x = -w->reach; x <= w->reach; x++)
      add_features(w, d, left, columns, top, rows, (ptrdiff_t)y * w->wide + x);
}
static void sum_light(const firn_denoiser *w, firn_denoise_desk *d, int left, int columns, int top,
                      int rows) {
  memset(d->sum, 0, sizeof d->sum);
  for (int y = -w->reach; y <= w->reach; y++)
    for (int x = -w->reach; x <= w->reach; x++)
      add_lights(w, d, left, columns, top, rows, (ptrdiff_t)y * w->wide + x);
}

const firn_denoise_kernel DENOISE_NAME = {sum_features, sum_light};
