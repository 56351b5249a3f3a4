// SPDX-License-Identifier: Apache-2.0
// Signed distances of shapes: negative inside, metres.
#ifndef FIRN_GEOMETRY_SHAPE_H
#define FIRN_GEOMETRY_SHAPE_H

#include "base/context.h"

// Distance from position to the shape as it was defined (motion is the collider's business), and
// the outward unit normal, which is not written when normal is NULL.
double firn_shape_distance(const firn_shape_def *shape, const double position[3], double time,
                           double normal[3]);

// Fails with a message that begins with what ("collider 'floor'") when the shape makes no sense.
firn_status firn_shape_check(firn_context *context, const firn_shape_def *shape, const char *what);

// Axis-aligned bounds; false for shapes without any.
bool firn_shape_bounds(const firn_shape_def *shape, double lo[3], double hi[3]);

#endif
