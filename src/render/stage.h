// SPDX-License-Identifier: Apache-2.0
// What the preview shades: camera, light, and what was built from the particles.
#ifndef FIRN_RENDER_STAGE_H
#define FIRN_RENDER_STAGE_H

#include "render/density.h"
#include "render/solids.h"
#include "render/splat.h"
#include "render/walls.h"

enum { FIRN_PREVIEW_SUPERSAMPLING = 2 }; // samples along each axis of a pixel

// Lengths are metres from the middle of the view, so that floats do even far from the origin.
typedef struct firn_stage {
  size_t count;
  firn_v3 *center; // [count], particles
  size_t grain_count;
  firn_v3 *grain;    // [grain_count], what is drawn of them
  float *radius;     // [grain_count]
  float spacing;     // of particles
  firn_v3 low, high; // box of the bulk of the particles
  float extent;      // height of what is seen at the middle
  firn_lens camera;  // of samples, not pixels
  firn_lens sun;     // its forward is the way light travels
  bool ground_shown;
  float ground; // height
  firn_depths seen, lit;
  firn_density density;
  const firn_solids *solids; // or NULL
  int wall_count;
  firn_wall *wall;  // [wall_count]
  double middle[3]; // m, of the view
} firn_stage;

// Light of one pixel, linear.
firn_v3 firn_stage_shade(const firn_stage *stage, int x, int y);

#endif
