// SPDX-License-Identifier: Apache-2.0
// Between the parts of the denoiser.
#ifndef FIRN_RENDER_DENOISE_H
#define FIRN_RENDER_DENOISE_H

#include "render/film.h"

enum {
  FIRN_DENOISE_REACH = 8, // pixels, how far alike pixels are looked for at most
  FIRN_DENOISE_PATCH = 3, // pixels, half the surroundings that are compared, at most
  FIRN_DENOISE_PAD = FIRN_DENOISE_REACH + FIRN_DENOISE_PATCH, // border, so no loop asks where it is
  FIRN_DENOISE_BAND = 16,                                     // lines and
  FIRN_DENOISE_CHUNK = 128,                                   // columns that are worked on together
  FIRN_DENOISE_FEATURES = 10,
  FIRN_DENOISE_FIT = 7, // features that light is a linear function of, at most
  // Sums: weight, light, variance; and of each feature that is fitted its difference, the products of
  // that with those of the ones up to it, and with light.
  FIRN_DENOISE_TERMS = 7 + 4 * FIRN_DENOISE_FIT + FIRN_DENOISE_FIT * (FIRN_DENOISE_FIT + 1) / 2,
};

// Planes are [height + 2 PAD][wide]; the border repeats the edge.
typedef struct firn_denoise_plane {
  float *value, *variance;
} firn_denoise_plane;

typedef struct firn_denoiser {
  firn_context *context;
  int width, height; // of the film
  int wide;          // with the border
  size_t area;       // with the border
  firn_denoise_plane light[3], guide[3];
  firn_denoise_plane feature[FIRN_DENOISE_FEATURES]; // in units of the difference that counts
  int features;
  int fit[FIRN_DENOISE_FIT]; // which of them light is a linear function of
  int fits;
  // The pass at hand.
  int reach, patch;
  float strength2; // squared: differences this small, in standard deviations, are noise
} firn_denoiser;

// What a thread works with.
typedef struct firn_denoise_desk {
  float raw[FIRN_DENOISE_CHUNK + 2 * FIRN_DENOISE_PATCH]; // differences of pixels of a line
  // The same, summed along the lines of patches.
  float across[FIRN_DENOISE_BAND + 2 * FIRN_DENOISE_PATCH][FIRN_DENOISE_CHUNK];
  float centre[FIRN_DENOISE_BAND][FIRN_DENOISE_CHUNK]; // differences of the pixels themselves
  float weight[FIRN_DENOISE_CHUNK], more[FIRN_DENOISE_CHUNK];
  float sum[FIRN_DENOISE_TERMS][FIRN_DENOISE_BAND][FIRN_DENOISE_CHUNK];
} firn_denoise_desk;

static inline size_t firn_denoise_at(const firn_denoiser *w, int x, int y) {
  return (size_t)(y + FIRN_DENOISE_PAD) * (size_t)w->wide + (size_t)(x + FIRN_DENOISE_PAD);
}

// Sums over all pixels within reach, for rows x columns of them from (left, top). features: means of
// the features, sum[0] weights, sum[1 + n] values, sum[1 + FEATURES + n] variances. light: TERMS. The
// same bytes from every instruction set.
typedef struct firn_denoise_kernel {
  void (*features)(const firn_denoiser *w, firn_denoise_desk *d, int left, int columns, int top,
                   int rows);
  void (*light)(const firn_denoiser *w, firn_denoise_desk *d, int left, int columns, int top,
                int rows);
} firn_denoise_kernel;
extern const firn_denoise_kernel firn_denoise_scalar, firn_denoise_avx2, firn_denoise_avx512;

// From the sums of light at (column, row) of a desk: the value there of the linear function, and an
// estimate of its variance.
void firn_denoise_solve(const firn_denoiser *w, const firn_denoise_desk *d, int column, int row,
                        firn_v3 *light, firn_v3 *variance);

#endif
