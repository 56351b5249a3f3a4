// SPDX-License-Identifier: Apache-2.0
// Noise out of films: a mean over pixels whose surroundings look alike as far as the noise allows to
// tell (non-local means with variances, Rousselle et al. 2012, section 4), and whose albedo, normal
// and depth agree (Rousselle et al. 2013). Done twice: what comes out first tells better what is
// alike.
#include <omp.h>
#include <string.h>

#include "base/isa.h"
#include "base/memory.h"
#include "render/fade.h"
#include "render/film.h"

enum {
  REACH = 8,                 // pixels, how far alike pixels are looked for
  PATCH = 3,                 // pixels, half the surroundings that are compared
  PAD = REACH + PATCH,       // border, so that no loop asks where it is
  BAND = 16,                 // lines that are worked on together
  FEATURES = 8,              // albedo, normal, depth, alpha
  PLANES = 12 + 2 * FEATURES // light, guide, features, and variances of all
};
#define STRENGTH2 0.5f // squared: differences this small, in standard deviations, are noise
#define REST      3.0f // weights follow the noise: more of it is left than they say

typedef struct work {
  firn_context *context;
  int width, height; // of the film
  int wide;          // with the border
  size_t area;       // with the border
  float *planes;     // [PLANES][height + 2 PAD][wide]
  float *light[3], *variance[3], *guide[3], *guide_variance[3];
  float *feature[FEATURES], *spread[FEATURES]; // and the noise of each, squared
  int features;
} work;

static size_t at(const work *w, int x, int y) {
  return (size_t)(y + PAD) * (size_t)w->wide + (size_t)(x + PAD);
}

// The border repeats the edge.
static void pad(const work *w, float *plane) {
  for (int y = 0; y < w->height; y++) {
    for (int x = 1; x <= PAD; x++) {
      plane[at(w, -x, y)] = plane[at(w, 0, y)];
      plane[at(w, w->width - 1 + x, y)] = plane[at(w, w->width - 1, y)];
    }
  }
  const size_t line = (size_t)w->wide * sizeof(float);
  for (int y = 1; y <= PAD; y++) {
    memcpy(plane + at(w, -PAD, -y), plane + at(w, -PAD, 0), line);
    memcpy(plane + at(w, -PAD, w->height - 1 + y), plane + at(w, -PAD, w->height - 1), line);
  }
}

// One number of each pixel, every step floats.
static void load(const work *w, float *plane, const float *from, int step, float scale) {
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      float v = from[((size_t)y * (size_t)w->width + (size_t)x) * (size_t)step];
      plane[at(w, x, y)] = isfinite(v) ? scale * v : 0;
    }
  }
  pad(w, plane);
}

// Features in units of the difference that counts.
static void load_features(work *w, const firn_film *film) {
  int n = 0;
  for (int k = 0; k < 3 && film->albedo; k++) load(w, w->feature[n++], &film->albedo->x + k, 3, 10);
  for (int k = 0; k < 3 && film->normal; k++) load(w, w->feature[n++], &film->normal->x + k, 3, 3);
  load(w, w->feature[n++], film->alpha, 1, 5);
  if (film->depth) { // by its ratio: 5 % farther away is another thing
    float *plane = w->feature[n++];
    for (int y = 0; y < w->height; y++) {
      for (int x = 0; x < w->width; x++) {
        float z = film->depth[(size_t)y * (size_t)w->width + (size_t)x];
        plane[at(w, x, y)] = 20 * logf(fminf(fmaxf(z, 1e-6f), 1e6f));
      }
    }
    pad(w, plane);
  }
  w->features = n;
}

// Variances of a few samples are noisy themselves: their mean over 5 x 5 pixels, in which single
// large ones count as a few times the median. A pixel's own counts at least in full.
static void smooth_variance(const work *w, const float *from, float *to) {
  enum { COUNT = 25 };
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      float sorted[COUNT] = {0}, sum = 0;
      int n = 0;
      for (int j = -2; j <= 2; j++) {
        for (int i = -2; i <= 2; i++) {
          float v = from[at(w, x + i, y + j)];
          int k = n++;
          for (; k > 0 && sorted[k - 1] > v; k--) sorted[k] = sorted[k - 1];
          sorted[k] = v;
        }
      }
      for (n = 0; n < COUNT; n++) sum += fminf(sorted[n], 6 * sorted[COUNT / 2]);
      to[at(w, x, y)] = fmaxf(sum / COUNT, from[at(w, x, y)]);
    }
  }
  pad(w, to);
}

// Noise of a feature: half the median of the squared differences to the pixels around, which a clean
// edge leaves at 0 as at least five of the eight lie on the same side; then the mean over 3 x 3.
static void find_spread(const work *w, const float *feature, float *scratch, float *to) {
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      float sorted[9] = {0};
      int n = 0;
      for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
          float d = feature[at(w, x + i, y + j)] - feature[at(w, x, y)];
          int k = n++;
          for (; k > 0 && sorted[k - 1] > d * d; k--) sorted[k] = sorted[k - 1];
          sorted[k] = d * d;
        }
      }
      scratch[at(w, x, y)] = 0.5f * sorted[4] / 0.455f; // median of chi squared; own is the first
    }
  }
  pad(w, scratch);
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      float sum = 0;
      for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) sum += scratch[at(w, x + i, y + j)];
      }
      to[at(w, x, y)] = sum / 9;
    }
  }
  pad(w, to);
}

// Single pixels far brighter than all around them, by no more than noise could make them so, would
// spoil every mean they are part of: they become as bright as the brightest neighbour.
static void clip_sparks(const work *w, int k, float *to) {
  const float *from = w->light[k];
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      float most = 0, own = from[at(w, x, y)];
      for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
          if (i || j) most = fmaxf(most, from[at(w, x + i, y + j)]);
        }
      }
      bool noise = own > most && 4 * w->variance[k][at(w, x, y)] > (own - most) * (own - most);
      to[at(w, x, y)] = noise ? most : own;
    }
  }
  pad(w, to);
}

// Squared difference of the light of pixels and those an offset away, in units of noise.
static void differences(const work *w, size_t first, size_t count, ptrdiff_t offset,
                        float *restrict out) {
  memset(out, 0, count * sizeof *out);
  for (int k = 0; k < 3; k++) {
    const float *restrict c = w->guide[k] + first, *restrict v = w->guide_variance[k] + first;
    for (size_t i = 0; i < count; i++) {
      float d = c[i] - c[(ptrdiff_t)i + offset], a = v[i], b = v[(ptrdiff_t)i + offset];
      out[i] += (d * d - (a + (a < b ? a : b))) / (1e-10f + STRENGTH2 * (a + b));
    }
  }
}

// The same of the features, beyond what their own noise explains.
static void feature_differences(const work *w, size_t first, size_t count, ptrdiff_t offset,
                                float *restrict out) {
  memset(out, 0, count * sizeof *out);
  for (int n = 0; n < w->features; n++) {
    const float *restrict f = w->feature[n] + first, *restrict v = w->spread[n] + first;
    for (size_t i = 0; i < count; i++) {
      float d = f[i] - f[(ptrdiff_t)i + offset], noise = v[i] + v[(ptrdiff_t)i + offset];
      float more = d * d - noise;
      out[i] += more > 0 ? more / (1 + 2 * noise) : 0;
    }
  }
}

typedef struct desk {
  float *raw;     // [BAND + 2 PATCH][wide], differences pixel by pixel
  float *across;  // [BAND + 2 PATCH][wide], summed along lines
  float *feature; // [wide]
  float *sum;     // [8][BAND][width]: light, variance, weight, weight squared
} desk;

static size_t desk_floats(const work *w) {
  return (size_t)w->wide * (2 * (BAND + 2 * PATCH) + 1) + (size_t)(8 * BAND) * (size_t)w->width;
}

static desk desk_of(const work *w, float *memory) {
  const size_t wide = (size_t)w->wide, tall = BAND + 2 * PATCH;
  return (desk){memory, memory + wide * tall, memory + 2 * wide * tall,
                memory + wide * (2 * tall + 1)};
}

static float *sum_of(const work *w, const desk *d, int which, int row) {
  return d->sum + ((size_t)(which * BAND) + (size_t)row) * (size_t)w->width;
}

// Adds the pixels that lie (dx, dy) away from those of lines [top, top + rows).
static void add_offset(const work *w, const desk *d, int top, int rows, int dx, int dy) {
  const ptrdiff_t offset = (ptrdiff_t)dy * w->wide + dx;
  const size_t width = (size_t)w->width, wide = (size_t)w->wide;
  const int tall = rows + 2 * PATCH;
  for (int j = 0; j < tall; j++) {
    float *raw = d->raw + (size_t)j * wide, *restrict across = d->across + (size_t)j * wide;
    differences(w, at(w, -PATCH, top + j - PATCH), width + 2 * PATCH, offset, raw);
    for (size_t x = 0; x < width; x++) {
      float sum = 0;
      for (size_t i = 0; i <= 2 * PATCH; i++) sum += raw[x + i];
      across[x] = sum;
    }
  }
  const float scale = 1.0f / (3 * (2 * PATCH + 1) * (2 * PATCH + 1));
  for (int row = 0; row < rows; row++) {
    const size_t here = at(w, 0, top + row);
    feature_differences(w, here, width, offset, d->feature);
    float *restrict total = d->raw; // no longer needed above this line
    for (size_t x = 0; x < width; x++) {
      float sum = 0;
      for (size_t j = 0; j <= 2 * PATCH; j++) sum += d->across[((size_t)row + j) * wide + x];
      sum *= scale;
      sum = sum > d->feature[x] ? sum : d->feature[x];
      total[x] = firn_fade(sum > 0 ? sum : 0);
    }
    for (int k = 0; k < 3; k++) {
      const float *restrict c = w->light[k] + here, *restrict v = w->variance[k] + here;
      float *restrict light = sum_of(w, d, k, row), *restrict variance = sum_of(w, d, 3 + k, row);
      for (size_t x = 0; x < width; x++) {
        light[x] += total[x] * c[(ptrdiff_t)x + offset];
        variance[x] += total[x] * total[x] * v[(ptrdiff_t)x + offset];
      }
    }
    float *restrict weight = sum_of(w, d, 6, row);
    for (size_t x = 0; x < width; x++) weight[x] += total[x];
  }
}

// A band of lines into light and variance, [height][width] of the film.
static void filter_band(const work *w, const desk *d, int top, firn_v3 *light, firn_v3 *variance) {
  const int rows = w->height - top < BAND ? w->height - top : BAND;
  memset(d->sum, 0, (size_t)(8 * BAND) * (size_t)w->width * sizeof(float));
  for (int dy = -REACH; dy <= REACH; dy++) {
    for (int dx = -REACH; dx <= REACH; dx++) add_offset(w, d, top, rows, dx, dy);
  }
  for (int row = 0; row < rows; row++) {
    for (int x = 0; x < w->width; x++) {
      const size_t to = (size_t)(top + row) * (size_t)w->width + (size_t)x;
      const float one = 1 / sum_of(w, d, 6, row)[x]; // a pixel is like itself: at least 1
      const float rest = REST * one * one;
      light[to] = (firn_v3){one * sum_of(w, d, 0, row)[x], one * sum_of(w, d, 1, row)[x],
                            one * sum_of(w, d, 2, row)[x]};
      variance[to] = (firn_v3){rest * sum_of(w, d, 3, row)[x], rest * sum_of(w, d, 4, row)[x],
                               rest * sum_of(w, d, 5, row)[x]};
    }
  }
}

static void filter(const work *w, float *desks, firn_v3 *light, firn_v3 *variance) {
#pragma omp parallel num_threads(w->context->threads)
  {
    unsigned mode = firn_fp_enter();
#pragma omp for schedule(dynamic)
    for (int band = 0; band < (w->height + BAND - 1) / BAND; band++) {
      const desk d = desk_of(w, desks + desk_floats(w) * (size_t)omp_get_thread_num());
      filter_band(w, &d, band * BAND, light, variance);
    }
    firn_fp_leave(mode);
  }
}

static void set_planes(work *w) {
  float *next = w->planes;
  for (int k = 0; k < 3; k++) {
    w->light[k] = next + (size_t)k * w->area;
    w->variance[k] = next + (size_t)(3 + k) * w->area;
    w->guide[k] = next + (size_t)(6 + k) * w->area;
    w->guide_variance[k] = next + (size_t)(9 + k) * w->area;
  }
  for (int n = 0; n < FEATURES; n++) {
    w->feature[n] = next + (size_t)(12 + n) * w->area;
    w->spread[n] = next + (size_t)(12 + FEATURES + n) * w->area;
  }
}

firn_status firn_film_denoise(firn_context *context, firn_film *film) {
  work w = {.context = context, .width = film->width, .height = film->height};
  w.wide = film->width + 2 * PAD;
  w.area = (size_t)w.wide * (size_t)(film->height + 2 * PAD);
  const size_t planes = PLANES * w.area * sizeof(float);
  const size_t desks = desk_floats(&w) * (size_t)context->threads * sizeof(float);
  w.planes = firn_alloc_zero(context, planes, "the denoiser");
  float *memory = w.planes ? firn_alloc(context, desks, "the denoiser") : NULL;
  if (!memory) {
    if (w.planes) firn_free(context, w.planes, planes);
    return FIRN_ERROR_MEMORY;
  }
  set_planes(&w);
  load_features(&w, film);
  for (int n = 0; n < w.features; n++) find_spread(&w, w.feature[n], w.light[0], w.spread[n]);
  for (int k = 0; k < 3; k++) {
    load(&w, w.guide[k], &film->light->x + k, 3, 1);
    load(&w, w.guide_variance[k], &film->variance->x + k, 3, 1);
    memcpy(w.light[k], w.guide[k], w.area * sizeof(float));
    memcpy(w.variance[k], w.guide_variance[k], w.area * sizeof(float));
    clip_sparks(&w, k, w.guide[k]);
    memcpy(w.light[k], w.guide[k], w.area * sizeof(float));
    smooth_variance(&w, w.variance[k], w.guide_variance[k]);
    memcpy(w.variance[k], w.guide_variance[k], w.area * sizeof(float));
  }
  filter(&w, memory, film->light, film->variance);
  for (int k = 0; k < 3; k++) {
    load(&w, w.guide[k], &film->light->x + k, 3, 1);
    load(&w, w.guide_variance[k], &film->variance->x + k, 3, 1);
  }
  filter(&w, memory, film->light, film->variance);
  firn_free(context, memory, desks);
  firn_free(context, w.planes, planes);
  return FIRN_OK;
}
