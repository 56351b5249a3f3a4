// SPDX-License-Identifier: Apache-2.0
// Rigid motion: where a body is at a time, and how every point of it moves.
#ifndef FIRN_WORLD_MOTION_H
#define FIRN_WORLD_MOTION_H

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

// A point X of the body as defined is at R X + shift, and moves with velocity + spin x (x - pivot).
typedef struct firn_pose {
  double q[4]; // x, y, z, w
  double r[9]; // the same as a matrix, row-major
  double shift[3];
  double pivot[3];    // m, where it is now
  double velocity[3]; // m/s, there
  double spin[3];     // rad/s
} firn_pose;

// center is the pivot of a def that has none. Messages begin with what ("collider 'plough'").
firn_status firn_motion_make(firn_context *context, const firn_motion_def *def,
                             const double center[3], const char *what, firn_motion *out);
void firn_motion_free(firn_context *context, firn_motion *motion);

// The pose at a time of a body that moves relative to parent, or to the world where it is NULL.
void firn_motion_pose(const firn_motion *motion, double time, const firn_pose *parent,
                      firn_pose *out);

// Goes on as it moves, for a short while: it keeps velocity and spin.
void firn_pose_advance(firn_pose *pose, double dt);

static inline void firn_pose_velocity(const firn_pose *pose, const double x[3], double out[3]) {
  double r[3] = {x[0] - pose->pivot[0], x[1] - pose->pivot[1], x[2] - pose->pivot[2]};
  const double *w = pose->spin;
  out[0] = pose->velocity[0] + w[1] * r[2] - w[2] * r[1];
  out[1] = pose->velocity[1] + w[2] * r[0] - w[0] * r[2];
  out[2] = pose->velocity[2] + w[0] * r[1] - w[1] * r[0];
}

// From the world into the body as defined.
static inline void firn_pose_into(const firn_pose *pose, const double x[3], double out[3]) {
  const double *r = pose->r;
  double d[3] = {x[0] - pose->shift[0], x[1] - pose->shift[1], x[2] - pose->shift[2]};
  for (int a = 0; a < 3; a++) out[a] = r[a] * d[0] + r[3 + a] * d[1] + r[6 + a] * d[2];
}

// A direction or, with shift added, a point, from the body into the world; out is not v.
static inline void firn_pose_turn(const firn_pose *pose, const double v[3], double out[3]) {
  const double *r = pose->r;
  for (int a = 0; a < 3; a++) out[a] = r[3 * a] * v[0] + r[3 * a + 1] * v[1] + r[3 * a + 2] * v[2];
}

// Whether it moves relative to its parent between two times.
bool firn_motion_moves(const firn_motion *motion, double t0, double t1);
// Bounds for all time, relative to the parent: of the pivot's way from its place [m], its speed
// [m/s], and the rate of turning [rad/s].
double firn_motion_way_bound(const firn_motion *motion);
double firn_motion_speed_bound(const firn_motion *motion);
double firn_motion_spin_bound(const firn_motion *motion);

uint64_t firn_motion_digest(const firn_motion *motion, uint64_t digest);

#endif
