// SPDX-License-Identifier: Apache-2.0
// Where a rigid body is, and how it moves there.
#ifndef FIRN_WORLD_POSE_H
#define FIRN_WORLD_POSE_H

#include "base/device.h"

// A point X of the body as defined is at R X + shift, and moves with velocity + spin x (x - pivot).
typedef struct firn_pose {
  double q[4]; // x, y, z, w
  double r[9]; // the same as a matrix, row-major
  double shift[3];
  double pivot[3];    // m, where it is now
  double velocity[3]; // m/s, there
  double spin[3];     // rad/s
} firn_pose;

FIRN_HD void firn_pose_velocity(const firn_pose *pose, const double x[3], double out[3]) {
  double r[3] = {x[0] - pose->pivot[0], x[1] - pose->pivot[1], x[2] - pose->pivot[2]};
  const double *w = pose->spin;
  out[0] = pose->velocity[0] + w[1] * r[2] - w[2] * r[1];
  out[1] = pose->velocity[1] + w[2] * r[0] - w[0] * r[2];
  out[2] = pose->velocity[2] + w[0] * r[1] - w[1] * r[0];
}

// From the world into the body as defined.
FIRN_HD void firn_pose_into(const firn_pose *pose, const double x[3], double out[3]) {
  const double *r = pose->r;
  double d[3] = {x[0] - pose->shift[0], x[1] - pose->shift[1], x[2] - pose->shift[2]};
  for (int a = 0; a < 3; a++) out[a] = r[a] * d[0] + r[3 + a] * d[1] + r[6 + a] * d[2];
}

// A direction or, with shift added, a point, from the body into the world; out is not v.
FIRN_HD void firn_pose_turn(const firn_pose *pose, const double v[3], double out[3]) {
  const double *r = pose->r;
  for (int a = 0; a < 3; a++) out[a] = r[3 * a] * v[0] + r[3 * a + 1] * v[1] + r[3 * a + 2] * v[2];
}

#endif
