// SPDX-License-Identifier: Apache-2.0
// Shapes: where snow is, and what it meets.
#ifndef FIRN_SHAPE_H
#define FIRN_SHAPE_H

#include <firn/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// Signed distance to a user's surface, metres, negative inside; gradient (need not be a unit
// vector) to normal. Must change by at most 1 m per m, or thin contact may be missed. Called by
// several threads at once, and must give the same answer each time.
typedef double (*firn_sdf_fn)(void *user, const double position[3], double time, double normal[3]);

typedef enum firn_shape_kind {
  FIRN_SHAPE_HALF_SPACE, // the side that normal points away from
  FIRN_SHAPE_SPHERE,
  FIRN_SHAPE_BOX,
  FIRN_SHAPE_SDF
} firn_shape_kind;

typedef struct firn_shape_def {
  firn_shape_kind kind;
  double center[3]; // m: a point of the plane, or the middle of the sphere or box
  double normal[3]; // half space: outward normal, any length but zero
  double radius;    // m, sphere
  double half[3];   // m, box: half its edges
  firn_sdf_fn sdf;  // FIRN_SHAPE_SDF
  void *sdf_user;
} firn_shape_def;

FIRN_API firn_shape_def firn_half_space(const double point[3], const double normal[3]);
FIRN_API firn_shape_def firn_sphere(const double center[3], double radius);
FIRN_API firn_shape_def firn_box(const double center[3], const double half[3]);

#ifdef __cplusplus
}
#endif

#endif
