// SPDX-License-Identifier: Apache-2.0
// A body in the hands of the caller: a place at a time, and velocities that it keeps from then on.
#ifndef FIRN_WORLD_DRIVE_H
#define FIRN_WORLD_DRIVE_H

#include <firn/collider.h>

#include "world/pose.h"

typedef struct firn_drive { // part of a checkpoint
  double time;              // s, that the place is of
  firn_body body;
} firn_drive;

// Where it is at a time; pivot is that of the body as defined.
void firn_drive_pose(const firn_drive *drive, const double pivot[3], double time, firn_pose *out);

#endif
