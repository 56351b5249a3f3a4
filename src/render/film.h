// SPDX-License-Identifier: Apache-2.0
// What a rendering gathers: light and the other things a compositor asks for, one pixel beside the
// other, linear and not yet tone mapped.
#ifndef FIRN_RENDER_FILM_H
#define FIRN_RENDER_FILM_H

#include "base/context.h"
#include "render/vec.h"

// Every plane is [height][width]; rows from the top. Means over the samples of a pixel.
typedef struct firn_film {
  int width, height;
  firn_v3 *light;    // radiance
  float *alpha;      // share of samples that met snow or a surface
  firn_v3 *variance; // of the mean, each channel; 0 with one sample
  // What the first event of a path met; NULL when not wanted.
  float *depth;      // m along the ray, infinity where nothing is
  float *density;    // kg/m3 at the event, 0 off the snow
  firn_v3 *velocity; // m/s
  firn_v3 *albedo;
  firn_v3 *normal; // of the surface, or against the density's gradient
  // How much of the light from the sun, and from right above, comes to that event through the snow, by a
  // coarse march: not for measuring, but close-by pixels differ in light as they do in these.
  float *sunlit, *skylit;
  // Variances of these means, as that of light; a denoiser asks how far they can be trusted.
  float *alpha_variance, *depth_variance, *sunlit_variance, *skylit_variance;
  firn_v3 *albedo_variance, *normal_variance;
} firn_film;

// All planes 0, depth infinity.
firn_status firn_film_create(firn_context *context, int width, int height, bool aovs,
                             firn_film *out);
void firn_film_free(firn_context *context, firn_film *film);

// From light to sRGB bytes: exposure in stops, white in kelvin (6504: as it is), then a filmic curve.
typedef enum firn_tone { FIRN_TONE_FILMIC, FIRN_TONE_LINEAR } firn_tone;
typedef struct firn_develop {
  float exposure; // stops
  float white;    // K, in [1700, 25000]
  firn_tone tone;
} firn_develop;
// rgb is [height][width][3].
void firn_film_develop(const firn_film *film, const firn_develop *develop, uint8_t *rgb);

// OpenEXR with all planes that are there, 32-bit float (16 for light and alpha where half is set):
// R G B A, Z, density, velocity.X/Y/Z, albedo.R/G/B, N.X/Y/Z, variance.R/G/B. The file appears whole
// or not at all.
firn_status firn_film_write_exr(firn_context *context, const char *path, const firn_film *film,
                                bool half);

// Replaces light by what is left of it without noise: a mean over nearby pixels that look alike in
// light, given its variance, and in albedo, normal and depth where the film has them. Variance
// becomes an estimate of what is left. Needs more than one sample a pixel.
firn_status firn_film_denoise(firn_context *context, firn_film *film);

#endif
