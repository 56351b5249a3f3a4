// SPDX-License-Identifier: Apache-2.0
// Rigid motion: where a body is at a time, and how every point of it moves.
#ifndef FIRN_WORLD_MOTION_H
#define FIRN_WORLD_MOTION_H

#include "world/pose.h"
#include "world/track.h"

typedef struct firn_motion {
  double pivot[3]; // m
  double velocity[3], spin[3];
  firn_track translation, rotation, angle;
  double axis[3]; // of angle, unit length
  firn_oscillation_def oscillation;
  firn_circle_def circle; // axis has unit length
  bool still;             // none of the above: the body stays where it was defined
} firn_motion;

// center is the pivot of a def that has none. Messages begin with what ("collider 'plough'").
firn_status firn_motion_make(firn_context *context, const firn_motion_def *def,
                             const double center[3], const char *what, firn_motion *out);
void firn_motion_free(firn_context *context, firn_motion *motion);

// The pose at a time of a body that moves relative to parent, or to the world where it is NULL.
void firn_motion_pose(const firn_motion *motion, double time, const firn_pose *parent,
                      firn_pose *out);

// Goes on as it moves, for a short while: it keeps velocity and spin.
void firn_pose_advance(firn_pose *pose, double dt);

// Whether it moves relative to its parent between two times.
bool firn_motion_moves(const firn_motion *motion, double t0, double t1);
// Bounds for all time, relative to the parent: of the pivot's way from its place [m], its speed
// [m/s], and the rate of turning [rad/s].
double firn_motion_way_bound(const firn_motion *motion);
double firn_motion_speed_bound(const firn_motion *motion);
double firn_motion_spin_bound(const firn_motion *motion);

uint64_t firn_motion_digest(const firn_motion *motion, uint64_t digest);

#endif
