// SPDX-License-Identifier: Apache-2.0
#include "render/film.h"

#include "base/memory.h"
#include "render/tone.h"

enum { MOST_SIDE = 65536 };

typedef struct plane {
  void **at;
  size_t size; // bytes a pixel
  bool extra;  // only with aovs
} plane;

enum { PLANES = 16 };
static void planes_of(firn_film *film, plane out[PLANES]) {
  const plane all[PLANES] = {
      {(void **)&film->light, sizeof(firn_v3), false},
      {(void **)&film->alpha, sizeof(float), false},
      {(void **)&film->variance, sizeof(firn_v3), false},
      {(void **)&film->depth, sizeof(float), true},
      {(void **)&film->density, sizeof(float), true},
      {(void **)&film->velocity, sizeof(firn_v3), true},
      {(void **)&film->albedo, sizeof(firn_v3), true},
      {(void **)&film->normal, sizeof(firn_v3), true},
      {(void **)&film->alpha_variance, sizeof(float), true},
      {(void **)&film->depth_variance, sizeof(float), true},
      {(void **)&film->sunlit, sizeof(float), true},
      {(void **)&film->skylit, sizeof(float), true},
      {(void **)&film->sunlit_variance, sizeof(float), true},
      {(void **)&film->skylit_variance, sizeof(float), true},
      {(void **)&film->albedo_variance, sizeof(firn_v3), true},
      {(void **)&film->normal_variance, sizeof(firn_v3), true},
  };
  for (int i = 0; i < PLANES; i++) out[i] = all[i];
}

firn_status firn_film_create(firn_context *context, int width, int height, bool aovs,
                             firn_film *out) {
  *out = (firn_film){.width = width, .height = height};
  if (width < 1 || height < 1 || width > MOST_SIDE || height > MOST_SIDE) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "a picture of %d x %d pixels: each side must be in [1, %d]", width, height,
                     MOST_SIDE);
  }
  size_t pixels = (size_t)width * (size_t)height;
  plane all[PLANES];
  planes_of(out, all);
  for (int i = 0; i < PLANES; i++) {
    if (all[i].extra && !aovs) continue;
    *all[i].at = firn_alloc_zero(context, pixels * all[i].size, "the planes of a picture");
    if (!*all[i].at) {
      firn_film_free(context, out);
      return FIRN_ERROR_MEMORY;
    }
  }
  if (aovs) {
    for (size_t i = 0; i < pixels; i++) out->depth[i] = INFINITY;
  }
  return FIRN_OK;
}

void firn_film_free(firn_context *context, firn_film *film) {
  size_t pixels = (size_t)film->width * (size_t)film->height;
  plane all[PLANES];
  planes_of(film, all);
  for (int i = 0; i < PLANES; i++) {
    if (*all[i].at) firn_free(context, *all[i].at, pixels * all[i].size);
    *all[i].at = NULL;
  }
}

// Numbers that are none are black, and do not spread to the other channels.
static float light_of(float x) {
  return isnan(x) ? 0 : x;
}

void firn_film_develop(const firn_film *film, const firn_develop *develop, uint8_t *rgb) {
  firn_balance balance = firn_balance_to(develop->white);
  const float gain = exp2f(develop->exposure);
  size_t pixels = (size_t)film->width * (size_t)film->height;
  for (size_t i = 0; i < pixels; i++) {
    firn_v3 c = film->light[i];
    c = (firn_v3){light_of(c.x), light_of(c.y), light_of(c.z)};
    c = firn_balance_apply(&balance, firn_v3_scale(gain, c));
    const float channel[3] = {c.x, c.y, c.z};
    for (int k = 0; k < 3; k++) {
      float y = develop->tone == FIRN_TONE_FILMIC ? firn_tone_filmic(channel[k]) : channel[k];
      rgb[3 * i + (size_t)k] = firn_srgb_byte(y);
    }
  }
}
