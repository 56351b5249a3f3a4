// SPDX-License-Identifier: Apache-2.0
// Outlines of shapes in a quick picture: of what is not there yet, or is no body.
#ifndef FIRN_API_PREVIEW_OUTLINE_H
#define FIRN_API_PREVIEW_OUTLINE_H

#include "geometry/shape.h"
#include "render/camera.h"

typedef struct firn_outline_def {
  int width, height;       // pixels
  firn_camera_pose camera; // from origin
  double origin[3];        // m
  float half_height;       // tan(field of view / 2)
  const uint8_t *color;    // [3]
} firn_outline_def;

// Draws the outline of a shape at a time [s] over rgb, [height][width][3], through what stands
// before it. Nothing is drawn of a shape without bounds.
firn_status firn_preview_outline(firn_context *context, const firn_outline_def *def,
                                 const firn_shape *shape, double time, uint8_t *rgb);

#endif
