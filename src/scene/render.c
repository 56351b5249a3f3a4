// SPDX-License-Identifier: Apache-2.0
// The section `render`: what must fit together, and what its settings point to.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/check.h"
#include "scene/making.h"

#define FAIL(scene, mark, path, ...) firn_report_add(&(scene)->report, mark, path, __VA_ARGS__)

// ---------------------------------------------------------------------------------------- checks

static void camera_check(firn_scene *scene, const firn_value *camera) {
  const firn_value *eye = firn_value_find(camera, "eye"),
                   *target = firn_value_find(camera, "target");
  firn_scene_check_direction(scene, camera, "up", "render.camera");
  if (firn_value_good(eye) && !target)
    FAIL(scene, eye->mark, "render.camera.eye", "needs a target to look at");
  if (firn_value_good(target) && !eye)
    FAIL(scene, target->mark, "render.camera.target",
         "needs an eye to look from; without both, the camera looks at what preview looks at");
  if (!eye || !target || !firn_value_good(eye) || !firn_value_good(target)) return;
  if (eye->keys || target->keys) return;
  if (memcmp(eye->number, target->number, sizeof eye->number) == 0)
    FAIL(scene, eye->mark, "render.camera.eye", "stands where the target is");
}

// Takes a key out of a record, as if nobody had said it.
static void forget(firn_value *record, const firn_value *value) {
  firn_value **link = &record->first, *last = NULL;
  while (*link) {
    if (*link == value)
      *link = value->next;
    else
      last = *link, link = &last->next;
  }
  record->last = last;
}

// An angle that a direction had, in place of it.
static void add_angle(firn_scene *scene, firn_value *sun, const char *key, double angle) {
  firn_value *v = firn_value_add(&scene->arena, sun, firn_schema_find(sun->row->record, key));
  if (v) v->number[0] = angle;
}

// azimuth or height, set from outside, beside a direction that the file gives: the sun goes where both
// say, and the direction is told by two angles from here on.
static void turn_sun(firn_scene *scene, firn_value *sun, const firn_value *direction,
                     const firn_value *azimuth, const firn_value *height) {
  const double *d = direction->number;
  if (direction->keys && !(azimuth && height)) {
    const firn_value *given = azimuth ? azimuth : height;
    FAIL(scene, given->mark, azimuth ? "render.sun.azimuth" : "render.sun.height",
         "the sun's direction changes with time here; give azimuth and height, or a direction");
    return;
  }
  if (!azimuth) add_angle(scene, sun, "azimuth", atan2(d[0], -d[2]));
  if (!height) add_angle(scene, sun, "height", atan2(d[1], hypot(d[0], d[2])));
  forget(sun, direction);
}

static void sun_check(firn_scene *scene, firn_value *sun) {
  const firn_value *direction = firn_value_find(sun, "direction"),
                   *azimuth = firn_value_find(sun, "azimuth"),
                   *height = firn_value_find(sun, "height");
  firn_scene_check_direction(scene, sun, "direction", "render.sun");
  const firn_value *angle = azimuth ? azimuth : height;
  if (!firn_value_good(direction) || !angle) return;
  int angles = angle->mark.level;
  if (azimuth && height && height->mark.level > angles) angles = height->mark.level;
  if (angles > direction->mark.level) {
    turn_sun(scene, sun, direction, azimuth, height);
  } else if (angles < direction->mark.level) {
    if (azimuth) forget(sun, azimuth);
    if (height) forget(sun, height);
  } else {
    FAIL(scene, angle->mark, azimuth ? "render.sun.azimuth" : "render.sun.height",
         "the sun has a direction already; give either that, or azimuth and height");
  }
}

static void size_check(firn_scene *scene, const firn_value *render) {
  const firn_value *size = firn_value_find(render, "size");
  if (!firn_value_good(size)) return;
  for (int i = 0; i < 2; i++)
    if (size->number[i] != floor(size->number[i])) {
      FAIL(scene, size->mark, "render.size", "expected whole numbers of pixels, got %g",
           size->number[i]);
      return;
    }
}

void firn_scene_check_render(firn_scene *scene) {
  const firn_value *render = firn_value_find(scene->root, "render"),
                   *lamps = firn_value_find(render, "lamps");
  firn_value *sun = firn_value_find(render, "sun");
  size_check(scene, render);
  camera_check(scene, firn_value_find(render, "camera"));
  if (sun) sun_check(scene, sun);
  char path[40];
  int i = 0;
  for (const firn_value *l = lamps ? lamps->first : NULL; l; l = l->next) {
    snprintf(path, sizeof path, "render.lamps[%d]", i++);
    firn_scene_check_direction(scene, l, "facing", path);
  }
  firn_scene_check_looks(scene);
}

// ---------------------------------------------------------------------------------------- making

static int item_count(const firn_value *list) {
  int n = 0;
  for (const firn_value *v = list ? list->first : NULL; v; v = v->next) n++;
  return n;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = a[j] * b[k] - a[k] * b[j];
  }
}

static void to_length(double v[3], double length) {
  double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  for (int i = 0; i < 3; i++) v[i] *= length / n;
}

// A panel's width lies level; it shines along edge[0] x edge[1].
static void panel_edges(const firn_value *v, firn_lamp_def *lamp) {
  double facing[3], level[3], other[3];
  memcpy(facing, firn_value_vec3(v, "facing"), sizeof facing);
  to_length(facing, 1);
  const double up[3] = {0, 1, 0}, aside[3] = {0, 0, 1};
  cross(fabs(facing[1]) > 0.999 ? aside : up, facing, level);
  cross(facing, level, other);
  const double *size = firn_value_vec3(v, "size");
  to_length(level, size[0]);
  to_length(other, size[1]);
  memcpy(lamp->edge[0], level, sizeof level);
  memcpy(lamp->edge[1], other, sizeof other);
}

static firn_lamp_def lamp_of(const firn_value *v) {
  firn_lamp_def lamp = {.kind = FIRN_LAMP_SPHERE};
  memcpy(lamp.center, firn_value_vec3(v, "center"), sizeof lamp.center);
  memcpy(lamp.radiance, firn_value_vec3(v, "radiance"), sizeof lamp.radiance);
  lamp.radius = firn_value_number(v, "radius");
  if (!firn_value_find(v, "size")) return lamp;
  lamp.kind = FIRN_LAMP_RECTANGLE;
  panel_edges(v, &lamp);
  return lamp;
}

void firn_scene_make_render(firn_scene *scene) {
  const firn_value *lamps = firn_value_find(firn_value_find(scene->root, "render"), "lamps");
  int lamp_count = item_count(lamps);
  firn_lamp_def *lamp = firn_arena_alloc(&scene->arena, sizeof *lamp * (size_t)(lamp_count + 1));
  firn_scene_make_looks(scene);
  if (!lamp) return;
  scene->lamps = lamp;
  scene->lamp_count = lamp_count;
  if (lamps)
    for (const firn_value *v = lamps->first; v; v = v->next) *lamp++ = lamp_of(v);
}
