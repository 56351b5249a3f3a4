// SPDX-License-Identifier: Apache-2.0
// A thin-lens camera whose place and lens may change while the shutter is open.
#ifndef FIRN_RENDER_CAMERA_H
#define FIRN_RENDER_CAMERA_H

#include <stdbool.h>

#include "render/ray.h"

typedef struct firn_camera_pose {
  firn_v3 eye, right, up, forward; // m from the stage's origin; unit vectors
} firn_camera_pose;

typedef struct firn_camera {
  firn_camera_pose open, shut; // at shutter time 0 and 1, interpolated between
  float half_height;           // tan(field of view / 2), vertical
  float aperture;              // m, radius of the lens; 0: a pinhole
  float focus;                 // m along forward, where the picture is sharp
  float half_height_change, aperture_change, focus_change; // by which these grow until it shuts
  int width, height;                                       // pixels
} firn_camera;

// The pose at eye that looks at target with up upwards. Where up lies along the view another
// direction takes its place. False when eye and target coincide.
bool firn_camera_aim(firn_v3 eye, firn_v3 target, firn_v3 up, firn_camera_pose *out);

// The ray through pixel (x, y) counted from the top left corner, fractions included; lens in [0,1)^2
// picks the point of the lens, time in [0,1] the moment.
firn_ray firn_camera_ray(const firn_camera *camera, float x, float y, const float lens[2],
                         float time);

#endif
