// SPDX-License-Identifier: Apache-2.0
// Whether anything is there that could stop snow from falling for ever.
#include <math.h>

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
    *sign = gravity->number[a];
  }
  return gravity->keys || along != 1 ? -1 : axis;
}

// Whether snow that falls out of the box may meet the body. One that moves may be anywhere.
static bool may_stop(const firn_value *collider, const box *snow, int axis, double sign) {
  box body;
  if (firn_scene_moves(collider) || !bounds_of(collider, &body)) return true;
  for (int a = 0; a < 3; a++) {
    bool above = sign < 0 ? body.lo[a] > snow->hi[a] : body.hi[a] < snow->lo[a];
    bool beside = body.lo[a] > snow->hi[a] || body.hi[a] < snow->lo[a];
    if (a == axis ? above : beside) return false;
  }
  return true;
}

static bool all_pass(const firn_scene *scene, const firn_value *body, int axis, double sign) {
  const firn_value *collider = first_of(scene, "colliders");
  box snow;
  if (!collider) return true;
  if (!bounds_of(body, &snow)) return false; // points of a file
  if (firn_scene_moves(body)) return false;  // nor does it fall straight down
  for (; collider; collider = collider->next)
    if (may_stop(collider, &snow, axis, sign)) return false;
  return true;
}

void firn_scene_check_ground(firn_scene *scene) {
  static const char *const lists[] = {"snow", "emitters"};
  const double *period = firn_value_vec3(scene->root, "periodic");
  double sign = 0;
  char place[300];
  int axis = gravity_axis(scene, &sign);
  bool held = firn_value_find(scene->root, "kill_box") || firn_value_find(scene->root, "window") ||
              first_of(scene, "sinks") || first_of(scene, "forces") || period[0] > 0 ||
              period[1] > 0 || period[2] > 0;
  if (axis < 0 || held) return;
  for (int l = 0; l < 2; l++) {
    int i = 0;
    for (const firn_value *body = first_of(scene, lists[l]); body; body = body->next, i++) {
      if (!all_pass(scene, body, axis, sign)) continue;
      firn_note(scene->context, FIRN_LOG_WARNING,
                "%s%s[%d]: nothing lies below this snow: it falls for ever. A collider with the "
                "shape {half_space: {}} is a ground at height 0; a kill_box removes what falls",
                firn_report_place(&scene->report, body->mark, place), lists[l], i);
      return; // of one kind, once
    }
  }
}
