// SPDX-License-Identifier: Apache-2.0
// Noise out of films. Each pixel becomes what a linear function of alpha, normal, albedo and the light
// that comes to it through the snow says that is fitted to pixels nearby: to those whose surroundings look alike as far as the noise allows to tell
// (non-local means with variances, Rousselle et al. 2012, section 4) and whose features agree (Rousselle
// et al. 2013). Features are freed from their own noise first, and light is done twice: what comes out
// first tells better what is alike.
#include "render/denoise.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum {
  PAD = FIRN_DENOISE_PAD,
  BAND = FIRN_DENOISE_BAND,
  CHUNK = FIRN_DENOISE_CHUNK,
  FEATURES = FIRN_DENOISE_FEATURES,
  PLANES = 12 + 2 * FEATURES,
  SCRATCH = 2 * FEATURES // floats a pixel that come out of a pass
};
#define MOST_LIGHT 1e15f // squares of more are not finite

// ---- planes

static size_t at(const firn_denoiser *w, int x, int y) {
  return firn_denoise_at(w, x, y);
}

static void pad(const firn_denoiser *w, float *plane) {
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
static void load(const firn_denoiser *w, float *plane, const float *from, int step, float scale) {
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      float v = from[((size_t)y * (size_t)w->width + (size_t)x) * (size_t)step];
      plane[at(w, x, y)] = isfinite(v) ? scale * fminf(fmaxf(v, -MOST_LIGHT), MOST_LIGHT) : 0;
    }
  }
  pad(w, plane);
}

static void load_light(const firn_denoiser *w, const firn_denoise_plane *plane,
                       const firn_film *film) {
  for (int k = 0; k < 3; k++) {
    load(w, plane[k].value, &film->light->x + k, 3, 1);
    load(w, plane[k].variance, &film->variance->x + k, 3, 1);
  }
}

// The next feature, in units of the difference that counts; the planes are 0 where there is none.
static void load_feature(firn_denoiser *w, const float *from, const float *variance, int step,
                         float scale, bool fitted) {
  const firn_denoise_plane *p = &w->feature[w->features];
  load(w, p->value, from, step, scale);
  if (variance) load(w, p->variance, variance, step, scale * scale);
  if (fitted) w->fit[w->fits++] = w->features;
  w->features++;
}

static void load_features(firn_denoiser *w, const firn_film *film) {
  load_feature(w, film->alpha, film->alpha_variance, 1, 5, true);
  if (!film->depth) return;
  for (int k = 0; k < 3; k++)
    load_feature(w, &film->normal->x + k, &film->normal_variance->x + k, 3, 3, true);
  for (int k = 0; k < 3; k++) // bodies differ in colour; how light goes with it green may tell
    load_feature(w, &film->albedo->x + k, &film->albedo_variance->x + k, 3, 10, k == 1);
  load_feature(w, film->sunlit, film->sunlit_variance, 1, 3, true);
  load_feature(w, film->skylit, film->skylit_variance, 1, 3, true);
  const firn_denoise_plane *p = &w->feature[w->features++];
  for (int y = 0; y < w->height; y++) { // by its ratio: 5 % farther away is another thing
    for (int x = 0; x < w->width; x++) {
      const size_t i = (size_t)y * (size_t)w->width + (size_t)x;
      const float z = fminf(fmaxf(film->depth[i], 1e-6f), 1e6f);
      p->value[at(w, x, y)] = 20 * logf(z);
      p->variance[at(w, x, y)] = fminf(400 * film->depth_variance[i] / (z * z), 1e6f);
    }
  }
  pad(w, p->value);
  pad(w, p->variance);
}

// ---- before

// Variances of a few samples are noisy themselves, and largest where noise made a pixel bright: half
// their own, half the mean over 7 x 7 pixels.
static void smooth_variance(const firn_denoiser *w, const float *from, float *to) {
  enum { SIDE = 3, COUNT = (2 * SIDE + 1) * (2 * SIDE + 1) };
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      float sum = 0;
      for (int j = -SIDE; j <= SIDE; j++) {
        for (int i = -SIDE; i <= SIDE; i++) sum += from[at(w, x + i, y + j)];
      }
      to[at(w, x, y)] = 0.5f * (sum / COUNT + from[at(w, x, y)]);
    }
  }
  pad(w, to);
}

// Single pixels far brighter than all around them, by much more than the noise around them but no more
// than their own could make them so, would spoil every mean they are part of: they become as bright as
// the brightest neighbour, with its noise.
static void clip_sparks(const firn_denoiser *w, firn_denoise_plane *from, float *to) {
  for (int y = 0; y < w->height; y++) {
    for (int x = 0; x < w->width; x++) {
      const size_t here = at(w, x, y);
      float most = 0, own = from->value[here], around = 0;
      for (int j = -1; j <= 1; j++) {
        for (int i = -1; i <= 1; i++) {
          if (!i && !j) continue;
          most = fmaxf(most, from->value[at(w, x + i, y + j)]);
          around += from->variance[at(w, x + i, y + j)] / 8;
        }
      }
      const float above2 = (own - most) * (own - most), variance = from->variance[here];
      const bool spark = own > most && above2 > 9 * around && above2 < 4 * variance;
      to[here] = spark ? most : own;
      if (spark) from->variance[here] = around;
    }
  }
  pad(w, to);
}

// Light and guide alike, without sparks, their variances without the worst of noise.
static void prepare_light(firn_denoiser *w, const firn_film *film) {
  load_light(w, w->guide, film);
  FIRN_PARALLEL_FOR(w->context, schedule(static))
  for (int k = 0; k < 3; k++) {
    clip_sparks(w, &w->guide[k], w->light[k].value);
    smooth_variance(w, w->guide[k].variance, w->light[k].variance);
    memcpy(w->guide[k].value, w->light[k].value, w->area * sizeof(float));
    memcpy(w->guide[k].variance, w->light[k].variance, w->area * sizeof(float));
  }
}

// ---- passes

typedef struct pass {
  const firn_denoiser *w;
  const firn_denoise_kernel *kernel;
  firn_denoise_desk *desks; // [threads]
  float *features;          // [2 FEATURES][height][width]: values, variances; or NULL
  firn_film *film;          // else light and variance come here
} pass;

static void store(const pass *p, const firn_denoise_desk *d, int left, int columns, int top,
                  int rows) {
  const firn_denoiser *w = p->w;
  const size_t pixels = (size_t)w->width * (size_t)w->height;
  for (int row = 0; row < rows; row++) {
    for (int x = 0; x < columns; x++) {
      const size_t to = (size_t)(top + row) * (size_t)w->width + (size_t)(left + x);
      if (!p->features) {
        firn_denoise_solve(w, d, x, row, &p->film->light[to], &p->film->variance[to]);
        continue;
      }
      const float one = 1 / d->sum[0][row][x];
      for (size_t n = 0; n < (size_t)w->features; n++) {
        p->features[n * pixels + to] = one * d->sum[1 + n][row][x];
        // Weights follow the noise: more of it is left than they say.
        p->features[(FEATURES + n) * pixels + to] = 2 * one * one *
                                                    d->sum[1 + FEATURES + n][row][x];
      }
    }
  }
}

static void run(const pass *p) {
  const firn_denoiser *w = p->w;
  const int across = (w->width + CHUNK - 1) / CHUNK, down = (w->height + BAND - 1) / BAND;
  FIRN_PARALLEL(w->context) {
    firn_denoise_desk *d = &p->desks[omp_get_thread_num()];
#pragma omp for schedule(dynamic)
    for (int i = 0; i < across * down; i++) {
      const int left = i % across * CHUNK, top = i / across * BAND;
      const int columns = w->width - left < CHUNK ? w->width - left : CHUNK;
      const int rows = w->height - top < BAND ? w->height - top : BAND;
      (p->features ? p->kernel->features : p->kernel->light)(w, d, left, columns, top, rows);
      store(p, d, left, columns, top, rows);
    }
  }
}

static const firn_denoise_kernel *kernel_for(firn_isa isa) {
  switch (isa) {
  case FIRN_ISA_AVX512: return &firn_denoise_avx512;
  case FIRN_ISA_AVX2: return &firn_denoise_avx2;
  default: return &firn_denoise_scalar;
  }
}

static void denoise(firn_denoiser *w, firn_denoise_desk *desks, float *scratch, firn_film *film) {
  const size_t pixels = (size_t)w->width * (size_t)w->height;
  pass p = {w, kernel_for(w->context->isa), desks, scratch, film};
  load_features(w, film);
  w->reach = 2;
  w->patch = 1;
  w->strength2 = 1;
  run(&p);
  for (size_t n = 0; n < (size_t)w->features; n++) {
    load(w, w->feature[n].value, scratch + n * pixels, 1, 1);
    load(w, w->feature[n].variance, scratch + (FEATURES + n) * pixels, 1, 1);
  }
  p.features = NULL;
  prepare_light(w, film);
  w->reach = FIRN_DENOISE_REACH;
  w->patch = FIRN_DENOISE_PATCH;
  w->strength2 = 0.5f;
  run(&p);
  load_light(w, w->guide, film);
  // What was smoothed too much has less noise than error.
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < w->area; i++) {
      float *v = &w->guide[k].variance[i];
      *v = fmaxf(*v, 0.1f * w->light[k].variance[i]);
    }
  }
  // With less noise small patches will do, and single grains find their likes.
  w->patch = 1;
  run(&p);
}

firn_status firn_film_denoise(firn_context *context, firn_film *film) {
  firn_denoiser w = {.context = context, .width = film->width, .height = film->height};
  w.wide = film->width + 2 * PAD;
  w.area = (size_t)w.wide * (size_t)(film->height + 2 * PAD);
  const size_t pixels = (size_t)w.width * (size_t)w.height;
  const size_t floats = PLANES * w.area + SCRATCH * pixels;
  const size_t bytes = (size_t)context->threads * sizeof(firn_denoise_desk);
  float *planes = firn_alloc_zero(context, floats * sizeof(float), "the denoiser");
  firn_denoise_desk *desks = planes ? firn_alloc(context, bytes, "the denoiser") : NULL;
  if (desks) {
    firn_denoise_plane all[PLANES / 2];
    for (size_t n = 0; n < PLANES / 2; n++)
      all[n] = (firn_denoise_plane){planes + 2 * n * w.area, planes + (2 * n + 1) * w.area};
    memcpy(w.light, all, sizeof w.light);
    memcpy(w.guide, all + 3, sizeof w.guide);
    memcpy(w.feature, all + 6, sizeof w.feature);
    denoise(&w, desks, planes + PLANES * w.area, film);
    firn_free(context, desks, bytes);
  }
  if (planes) firn_free(context, planes, floats * sizeof(float));
  return desks ? FIRN_OK : FIRN_ERROR_MEMORY;
}
