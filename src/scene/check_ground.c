// SPDX-License-Identifier: Apache-2.0
// Whether anything is there that could stop snow from falling for ever: straight along gravity,
// from points of the snow on.
#include <math.h>
#include <stdio.h>

#include "geometry/shape.h"
#include "scene/check.h"

typedef struct box {
  double lo[3], hi[3];
} box;

// False: it has no end, or is no shape.
static bool bounds_of(const firn_value *item, box *out) {
  const firn_value *shape = firn_value_find(item, "shape");
  return shape && shape->shape && firn_shape_bounds(shape->shape, out->lo, out->hi);
}

static const firn_value *first_of(const firn_scene *scene, const char *list) {
  const firn_value *v = firn_value_find(scene->root, list);
  return v ? v->first : NULL;
}

// The axis that gravity is along; -1: none, or it changes.
static int gravity_axis(const firn_scene *scene, double *sign) {
  const firn_value *gravity = firn_value_find(scene->root, "gravity");
  int axis = -1, along = 0;
  for (int a = 0; a < 3; a++) {
    if (gravity->number[a] == 0) continue;
    axis = a;
    along++;
    *sign = copysign(1, gravity->number[a]);
  }
  return gravity->keys || along != 1 ? -1 : axis;
}

static const firn_shape *shape_of(const firn_value *item) {
  const firn_value *shape = firn_value_find(item, "shape");
  return shape ? shape->shape : NULL;
}

// What may stop snow that falls out of a box.
typedef struct falling {
  const firn_scene *scene;
  const firn_value *snow;
  box from;
  int axis;
  double sign;
} falling;

// Whether the body's box lies beside that of the snow, or above it.
static bool is_beside(const falling *f, const box *body) {
  for (int a = 0; a < 3; a++) {
    bool above = f->sign < 0 ? body->lo[a] > f->from.hi[a] : body->hi[a] < f->from.lo[a];
    bool beside = body->lo[a] > f->from.hi[a] || body->hi[a] < f->from.lo[a];
    if (a == f->axis ? above : beside) return true;
  }
  return false;
}

// Whether a point that falls straight down comes within a cell of the shape: steps of the distance
// never pass the surface. A shape so near for so long, as a wall that it falls along, stops it.
static bool meets(const falling *f, const firn_shape *shape, const double from[3]) {
  enum { STEPS = 400 };
  double lo[3], hi[3], point[3], normal[3], x[3] = {from[0], from[1], from[2]};
  bool bounded = firn_shape_bounds(shape, lo, hi);
  if (firn_shape_half_space(shape, point, normal))
    return f->sign * normal[f->axis] < 0 || firn_shape_look(shape, x, 0, NULL) < f->scene->h;
  for (int i = 0; i < STEPS; i++) {
    double distance = firn_shape_look(shape, x, 0, NULL);
    if (distance < f->scene->h) return true;
    x[f->axis] += f->sign * distance;
    if (fabs(x[f->axis] - from[f->axis]) > 1e6) return false;
    if (bounded && (f->sign < 0 ? x[f->axis] < lo[f->axis] : x[f->axis] > hi[f->axis]))
      return false;
  }
  return true;
}

// A body that moves may be anywhere, and so may one that has no shape of its own.
static bool may_stop(const falling *f, const firn_value *body, const double from[3]) {
  const firn_shape *shape = shape_of(body);
  box b;
  if (firn_scene_moves(body) || !shape || shape->varies) return true;
  if (bounds_of(body, &b) && is_beside(f, &b)) return false;
  return meets(f, shape, from);
}

// Other snow stops it too: that is checked for itself.
static bool is_stopped(const falling *f, const double from[3]) {
  static const char *const lists[] = {"colliders", "snow"};
  for (int l = 0; l < 2; l++)
    for (const firn_value *v = first_of(f->scene, lists[l]); v; v = v->next)
      if (v != f->snow && may_stop(f, v, from)) return true;
  return false;
}

// The part of the snow that nothing may stop, by a lattice of points in it.
static double part_that_falls(const falling *f, const firn_shape *shape) {
  enum { SIDE = 8 };
  int inside = 0, falls = 0;
  for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
    const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
    double x[3];
    for (int a = 0; a < 3; a++)
      x[a] = f->from.lo[a] + (at[a] + 0.5) / SIDE * (f->from.hi[a] - f->from.lo[a]);
    if (firn_shape_look(shape, x, 0, NULL) > 0) continue;
    inside++;
    falls += !is_stopped(f, x);
  }
  return inside ? (double)falls / inside : 0;
}

static double part_of(const firn_scene *scene, const firn_value *body, int axis, double sign) {
  falling f = {.scene = scene, .snow = body, .axis = axis, .sign = sign};
  const firn_shape *shape = shape_of(body);
  if (!bounds_of(body, &f.from)) return 0; // points of a file
  if (firn_scene_moves(body)) return 0;    // nor does it fall straight down
  return part_that_falls(&f, shape);
}

void firn_scene_check_ground(firn_scene *scene) {
  static const char *const lists[] = {"snow", "emitters"};
  const double *period = firn_value_vec3(scene->root, "periodic");
  double sign = 0;
  char place[300], share[32] = "";
  int axis = gravity_axis(scene, &sign);
  bool held = firn_value_find(scene->root, "kill_box") || firn_value_find(scene->root, "window") ||
              first_of(scene, "sinks") || first_of(scene, "forces") || period[0] > 0 ||
              period[1] > 0 || period[2] > 0;
  if (axis < 0 || held) return;
  for (int l = 0; l < 2; l++) {
    int i = 0;
    for (const firn_value *body = first_of(scene, lists[l]); body; body = body->next, i++) {
      double part = part_of(scene, body, axis, sign);
      if (part <= 0.5) continue; // what is below is meant to be met
      share[0] = 0;
      if (part < 1) snprintf(share, sizeof share, "%.0f %% of ", 100 * part);
      firn_note(scene->context, FIRN_LOG_WARNING,
                "%s%s[%d]: nothing lies below %sthis snow: it falls for ever. A collider with the "
                "shape {half_space: {}} is a ground at height 0; a kill_box removes what falls",
                firn_report_place(&scene->report, body->mark, place), lists[l], i, share);
      return; // of one kind, once
    }
  }
}
