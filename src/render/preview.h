// SPDX-License-Identifier: Apache-2.0
// previews of particles: balls into a depth buffer, which is then smoothed and lit. Everything
// after the first pass costs by the pixel, not by the particle.
#ifndef FIRN_RENDER_PREVIEW_H
#define FIRN_RENDER_PREVIEW_H

#include "base/context.h"
#include "render/camera.h"
#include "render/cut.h"
#include "render/solids.h"

// Lengths are metres from the origin of the stage.
typedef struct firn_preview_shot {
  int width, height;
  firn_camera_pose camera;
  float half_height; // tan(field of view / 2)
  firn_v3 sun;       // unit vector towards it
  size_t count;
  const double *position;     // m, world, [count][3]; not finite: left out
  float spacing;              // m, between them in bulk
  double origin[3];           // m, world
  double low[3], high[3];     // m, world: box of their bulk, which casts shadows
  const float *value;         // [count], 0 to 1 over the range of colours, or beyond; NULL: snow
  const uint8_t (*colors)[3]; // [FIRN_COLORS], with value
  const firn_cuts *cuts;      // what is left out, world; NULL: nothing
  const firn_solids *solids;  // bodies and planes, or NULL
  const firn_v3 *body_color;  // linear, [solids->count]
  const firn_v3 *plane_color; // linear, [solids->plane_count]
} firn_preview_shot;

// rgb is [height][width][3], sRGB. The bytes do not depend on the number of threads.
firn_status firn_preview_render(firn_context *context, const firn_preview_shot *def, uint8_t *rgb);

// ------------------------------------------------------------------------------------------ parts

// The nearest ball at each sample.
typedef struct firn_preview_buffer {
  int width, height;
  int stride;      // samples from row to row: width, and a few more that are drawn over
  float *depth;    // m along forward, [height][stride]; infinity: none
  uint32_t *index; // of the particle, [height][stride]; NULL: not wanted
} firn_preview_buffer;
enum { FIRN_PREVIEW_PADDING = 4 };

// Where points land.
typedef struct firn_preview_view {
  firn_camera_pose pose;
  float scale; // samples per metre, at depth 1 with perspective
  bool perspective;
  int grains;       // balls that stand for a particle
  float spread;     // m, within which they lie; with 1 it lies where the particle is
  float radius;     // m, of a ball, on average
  float min_radius; // samples
} firn_preview_view;

firn_status firn_preview_draw(firn_context *context, const firn_preview_shot *def,
                              const firn_preview_view *view, const firn_preview_buffer *buffer);

// The colour bar: what colours mean, along the right edge.
firn_status firn_preview_bar(firn_context *context, const uint8_t (*colors)[3],
                             const double range[2], const char *name, const char *unit, int width,
                             int height, uint8_t *rgb);

#endif
