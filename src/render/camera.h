// SPDX-License-Identifier: Apache-2.0
// A thin-lens camera whose place and lens may change while the shutter is open.
#ifndef FIRN_RENDER_CAMERA_H
#define FIRN_RENDER_CAMERA_H

#include "base/context.h"
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

bool firn_camera_is_fitted(const firn_camera_def *camera); // to be placed by the snow
// Fails when a number is not finite, or when it has nowhere to look.
firn_status firn_camera_check(firn_context *context, const firn_camera_def *camera);
// Seen from origin [m]. Where up lies along the view another direction takes its place.
firn_camera_pose firn_camera_pose_of(const firn_camera_def *camera, const double origin[3]);
// Whether a ball of this radius [m] around any of position[count][3] reaches into the pyramid that it
// sees; aspect is width over height.
bool firn_camera_sees(const firn_camera_def *camera, double aspect, size_t count,
                      const double *position, double radius);
// Towards a sun that stands to the left and a little behind what is looked at: light from the side
// shows what snow is like.
void firn_sun_beside(const firn_camera_def *camera, double direction[3]);

// The ray through pixel (x, y) counted from the top left corner, fractions included; lens in [0,1)^2
// picks the point of the lens, time in [0,1] the moment.
firn_ray firn_camera_ray(const firn_camera *camera, float x, float y, const float lens[2],
                         float time);

#endif
