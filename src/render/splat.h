// SPDX-License-Identifier: Apache-2.0
// Spheres into a depth buffer. Pixels are dealt out in square tiles, each drawn by one thread in
// the order of the particles, so the result does not depend on the number of threads.
#ifndef FIRN_RENDER_SPLAT_H
#define FIRN_RENDER_SPLAT_H

#include "base/context.h"
#include "render/vec.h"

// Where points land: right and up span the picture, forward is the depth axis.
typedef struct firn_lens {
  firn_v3 eye, right, up, forward; // unit vectors
  float scale; // pixels per metre: at depth 1 with perspective, anywhere without
  bool perspective;
  int width, height; // pixels
} firn_lens;

typedef struct firn_depths {
  int width, height;
  float *depth;    // m along forward, [height][width]; infinity where nothing is
  uint32_t *index; // the sphere seen, [height][width]; NULL when not wanted
} firn_depths;

enum { FIRN_NO_SPHERE = 0xffffffff };

// Depths from the front. Spheres behind the eye are left out; those smaller than min_pixels in
// radius are drawn at that size, so that spray does not flicker.
firn_status firn_splat(firn_context *context, const firn_lens *lens, size_t count,
                       const firn_v3 *center, const float *radius, float min_pixels,
                       bool want_index, firn_depths *out);
void firn_depths_free(firn_context *context, firn_depths *depths);

// Pixel coordinates and depth of a point; false when it is behind the eye.
static inline bool firn_lens_project(const firn_lens *lens, firn_v3 p, float *x, float *y,
                                     float *depth, float *scale) {
  firn_v3 d = firn_v3_sub(p, lens->eye);
  *depth = firn_v3_dot(d, lens->forward);
  if (lens->perspective && *depth < 1e-6f) return false;
  *scale = lens->perspective ? lens->scale / *depth : lens->scale;
  *x = 0.5f * (float)lens->width + *scale * firn_v3_dot(d, lens->right);
  *y = 0.5f * (float)lens->height - *scale * firn_v3_dot(d, lens->up);
  return true;
}

#endif
