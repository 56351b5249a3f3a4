// SPDX-License-Identifier: Apache-2.0
#include "geometry/shape.h"

#include <math.h>
#include <string.h>

firn_shape_def firn_half_space(const double point[3], const double normal[3]) {
  firn_shape_def shape = {.kind = FIRN_SHAPE_HALF_SPACE};
  memcpy(shape.center, point, sizeof shape.center);
  memcpy(shape.normal, normal, sizeof shape.normal);
  return shape;
}

firn_shape_def firn_sphere(const double center[3], double radius) {
  firn_shape_def shape = {.kind = FIRN_SHAPE_SPHERE, .radius = radius};
  memcpy(shape.center, center, sizeof shape.center);
  return shape;
}

firn_shape_def firn_box(const double center[3], const double half[3]) {
  firn_shape_def shape = {.kind = FIRN_SHAPE_BOX};
  memcpy(shape.center, center, sizeof shape.center);
  memcpy(shape.half, half, sizeof shape.half);
  return shape;
}

static double length(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// A unit vector along v; straight up where v has no direction, such as the middle of a sphere.
static void direction(const double v[3], double out[3]) {
  double l = length(v);
  for (int a = 0; a < 3; a++) out[a] = l > 0 ? v[a] / l : a == 1;
}

static double box_distance(const double half[3], const double r[3], double normal[3]) {
  double q[3], outside[3], deepest = -INFINITY;
  int axis = 0;
  for (int a = 0; a < 3; a++) {
    q[a] = fabs(r[a]) - half[a];
    outside[a] = q[a] > 0 ? copysign(q[a], r[a]) : 0;
    if (q[a] > deepest) {
      deepest = q[a];
      axis = a;
    }
  }
  bool inside = deepest <= 0;
  if (normal) {
    if (inside) {
      for (int a = 0; a < 3; a++) normal[a] = a == axis ? copysign(1, r[a]) : 0;
    } else {
      direction(outside, normal);
    }
  }
  return inside ? deepest : length(outside);
}

double firn_shape_distance(const firn_shape_def *shape, const double position[3], double time,
                           double normal[3]) {
  double r[3], gradient[3] = {0, 1, 0}, distance = INFINITY;
  for (int a = 0; a < 3; a++) r[a] = position[a] - shape->center[a];
  switch (shape->kind) {
  case FIRN_SHAPE_HALF_SPACE:
    direction(shape->normal, gradient);
    distance = r[0] * gradient[0] + r[1] * gradient[1] + r[2] * gradient[2];
    break;
  case FIRN_SHAPE_SPHERE:
    direction(r, gradient);
    distance = length(r) - shape->radius;
    break;
  case FIRN_SHAPE_BOX: distance = box_distance(shape->half, r, gradient); break;
  case FIRN_SHAPE_SDF: {
    double raw[3] = {0, 0, 0};
    distance = shape->sdf(shape->sdf_user, position, time, raw);
    direction(raw, gradient);
    break;
  }
  }
  if (normal) memcpy(normal, gradient, sizeof gradient);
  return distance;
}

static bool finite3(const double v[3]) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

firn_status firn_shape_check(firn_context *context, const firn_shape_def *shape, const char *what) {
  if (!finite3(shape->center)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: center (%g %g %g) is not finite", what,
                     shape->center[0], shape->center[1], shape->center[2]);
  }
  switch (shape->kind) {
  case FIRN_SHAPE_HALF_SPACE:
    if (finite3(shape->normal) && length(shape->normal) > 0) return FIRN_OK;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: normal (%g %g %g) has no direction", what,
                     shape->normal[0], shape->normal[1], shape->normal[2]);
  case FIRN_SHAPE_SPHERE:
    if (isfinite(shape->radius) && shape->radius > 0) return FIRN_OK;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: radius %g m must be positive", what,
                     shape->radius);
  case FIRN_SHAPE_BOX:
    for (int a = 0; a < 3; a++) {
      if (isfinite(shape->half[a]) && shape->half[a] > 0) continue;
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: half[%d] = %g m must be positive", what,
                       a, shape->half[a]);
    }
    return FIRN_OK;
  case FIRN_SHAPE_SDF:
    if (shape->sdf) return FIRN_OK;
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: sdf is NULL", what);
  }
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: shape kind %d does not exist", what,
                   (int)shape->kind);
}

bool firn_shape_bounds(const firn_shape_def *shape, double lo[3], double hi[3]) {
  for (int a = 0; a < 3; a++) {
    double half = shape->kind == FIRN_SHAPE_SPHERE ? shape->radius : shape->half[a];
    lo[a] = shape->center[a] - half;
    hi[a] = shape->center[a] + half;
  }
  return shape->kind == FIRN_SHAPE_SPHERE || shape->kind == FIRN_SHAPE_BOX;
}
