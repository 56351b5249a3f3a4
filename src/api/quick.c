// SPDX-License-Identifier: Apache-2.0
// A frame into a quick picture.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "api/picture.h"
#include "api/quick_field.h"
#include "base/memory.h"
#include "cache/frame.h"
#include "math/vec3.h"
#include "render/colormap.h"
#include "render/png.h"
#include "render/points.h"

enum { UNBOUNDED = 12 }; // extents of the view to which things without bounds are shown

// What is drawn of the colliders: bodies and walls, which tell their distance, and floors.
typedef struct thing {
  size_t body;    // of the picture's bodies
  bool is_wall;   // a slab of a steep half space
  firn_wall wall; // from the origin
} thing;

typedef struct quick {
  firn_context *context;
  const firn_quick_def *def;
  firn_camera_def camera;
  firn_picture_points points;
  firn_picture_bodies bodies;
  firn_quick_field field;
  double range[2];
  uint8_t colors[FIRN_COLORS][3];
  // [bodies.count] each:
  thing *thing;
  double (*bound)[4], (*plane)[4];
  firn_v3 *thing_color, *plane_color;
  firn_solids solids;
} quick;

firn_quick_def firn_default_quick_def(void) {
  firn_render_def render = firn_default_render_def();
  render.width = 640;
  render.height = 360;
  return firn_quick_of_render(&render);
}

firn_quick_def firn_quick_of_render(const firn_render_def *def) {
  return (firn_quick_def){.width = def->width,
                          .height = def->height,
                          .camera = def->camera,
                          .sun = def->sun,
                          .map = FIRN_COLORS_DEEP,
                          .bar = true,
                          .ground = def->ground,
                          .bodies = def->bodies,
                          .look_count = def->look_count,
                          .looks = def->looks};
}

// ----------------------------------------------------------------------------------------- bodies

static double wall_distance(const firn_wall *w, const double origin[3], const double position[3],
                            double normal[3]) {
  firn_v3 p = {(float)(position[0] - origin[0]), (float)(position[1] - origin[1]),
               (float)(position[2] - origin[2])};
  float out[3], away = 0, inside = -INFINITY;
  int face = 0;
  for (int k = 0; k < 3; k++) {
    float x = firn_v3_dot(p, w->axis[k]) - w->middle[k], d = fabsf(x) - w->half[k];
    out[k] = copysignf(d > 0 ? d : 0, x);
    away += out[k] * out[k];
    if (d > inside) {
      inside = d;
      face = k;
    }
  }
  away = sqrtf(away);
  if (normal) {
    firn_v3 n = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
      float x = firn_v3_dot(p, w->axis[k]) - w->middle[k];
      float part = away > 0 ? out[k] / away : k == face ? copysignf(1, x) : 0;
      n = firn_v3_add(n, firn_v3_scale(part, w->axis[k]));
    }
    normal[0] = (double)n.x;
    normal[1] = (double)n.y;
    normal[2] = (double)n.z;
  }
  return (double)(away > 0 ? away : inside);
}

static double thing_distance(const void *user, int i, const double position[3], double normal[3]) {
  const quick *q = user;
  const thing *t = &q->thing[i];
  if (t->is_wall) return wall_distance(&t->wall, q->camera.target, position, normal);
  return firn_picture_body_distance(&q->bodies, (int)t->body, position, normal);
}

static firn_v3 color_of(const quick *q, size_t body) {
  const firn_quick_def *def = q->def;
  firn_look_def look = firn_picture_look(&q->bodies.body[body], &def->ground, &def->bodies,
                                         def->look_count, def->looks);
  return (firn_v3){(float)look.albedo[0], (float)look.albedo[1], (float)look.albedo[2]};
}

// Height of what is seen at the target, m.
static double extent_of(const quick *q) {
  double away = 0;
  for (int a = 0; a < 3; a++) away += pow(q->camera.target[a] - q->camera.eye[a], 2);
  return 2 * tan(q->camera.fov / 2) * sqrt(away);
}

static void add_wall(quick *q, size_t i) {
  const double *o = q->camera.target;
  thing *t = &q->thing[q->solids.count];
  *t = (thing){.body = i, .is_wall = true, .wall = q->bodies.body[i].wall};
  double *b = q->bound[q->solids.count];
  const firn_wall *w = &t->wall;
  firn_v3 middle = {0, 0, 0};
  for (int k = 0; k < 3; k++) middle = firn_v3_add(middle, firn_v3_scale(w->middle[k], w->axis[k]));
  b[0] = o[0] + (double)middle.x;
  b[1] = o[1] + (double)middle.y;
  b[2] = o[2] + (double)middle.z;
  b[3] = sqrt(
      (double)(w->half[0] * w->half[0] + w->half[1] * w->half[1] + w->half[2] * w->half[2]));
  q->thing_color[q->solids.count++] = color_of(q, i);
}

static void add_body(quick *q, size_t i) {
  const firn_picture_body *body = &q->bodies.body[i];
  if (body->kind == FIRN_PICTURE_HIDDEN) return;
  if (body->kind == FIRN_PICTURE_FLOOR) {
    memcpy(q->plane[q->solids.plane_count], body->plane, sizeof body->plane);
    q->plane_color[q->solids.plane_count++] = color_of(q, i);
  } else if (body->kind == FIRN_PICTURE_WALL) {
    add_wall(q, i);
  } else {
    // Hills and other things without bounds are shown around what is looked at.
    bool bounded = isfinite(body->part->radius);
    double *b = q->bound[q->solids.count];
    q->thing[q->solids.count] = (thing){.body = i};
    memcpy(b, bounded ? body->part->middle : q->camera.target, sizeof body->part->middle);
    b[3] = bounded ? body->part->radius : UNBOUNDED * extent_of(q);
    q->thing_color[q->solids.count++] = color_of(q, i);
  }
}

static firn_status add_bodies(quick *q) {
  size_t n = q->bodies.count;
  if (!n) return FIRN_OK;
  q->thing = firn_alloc(q->context, n * sizeof *q->thing, "bodies of a picture");
  q->bound = firn_alloc(q->context, n * sizeof *q->bound, "bodies of a picture");
  q->plane = firn_alloc(q->context, n * sizeof *q->plane, "bodies of a picture");
  q->thing_color = firn_alloc(q->context, n * sizeof *q->thing_color, "bodies of a picture");
  q->plane_color = firn_alloc(q->context, n * sizeof *q->plane_color, "bodies of a picture");
  if (!q->thing || !q->bound || !q->plane || !q->thing_color || !q->plane_color)
    return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < n; i++) add_body(q, i);
  q->solids.bound = (const double(*)[4])q->bound;
  q->solids.plane = (const double(*)[4])q->plane;
  q->solids.distance = thing_distance;
  q->solids.user = q;
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------------- all

static firn_status check(firn_context *context, const firn_quick_def *def) {
  if (def->width < 1 || def->height < 1 || def->width > 8192 || def->height > 8192)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "preview: size %d x %d: both must be from 1 to 8192", def->width, def->height);
  if (!firn_finite3(def->cut_point) || !firn_finite3(def->cut_normal) || !isfinite(def->range[0]) ||
      !isfinite(def->range[1]) || def->range[0] > def->range[1])
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "preview: range %g to %g must be finite and ascending, and the cut finite",
                     def->range[0], def->range[1]);
  if ((int)def->map < 0 || def->map > FIRN_COLORS_BALANCE)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "preview: there is no colour map %d",
                     (int)def->map);
  return firn_camera_check(context, &def->camera);
}

// A field that is the same everywhere but for rounding would show that in all colours.
static void widen(double range[2]) {
  double size = fmax(fabs(range[0]), fabs(range[1]));
  if (range[1] - range[0] > 1e-6 * size && size > 1e-30) return;
  double pad = size > 1e-30 ? 0.05 * size : 1;
  range[1] += pad;
  if (size > 1e-30) range[0] -= pad;
}

static firn_status gather(quick *q, firn_frame *frame, const firn_scene *scene) {
  const firn_quick_def *def = q->def;
  double aspect = (double)def->width / def->height;
  FIRN_TRY(firn_picture_points_read(frame, 0, &q->points));
  q->camera = def->camera;
  if (firn_camera_is_fitted(&q->camera))
    firn_camera_fit(&q->camera, q->points.low, q->points.high, aspect);
  firn_picture_note_view(frame, &q->points, &q->camera, NULL, aspect);
  FIRN_TRY(
      firn_picture_bodies_of_frame(frame, scene, firn_frame_time(frame), &q->camera, &q->bodies));
  FIRN_TRY(add_bodies(q));
  if (!def->color) return FIRN_OK;
  FIRN_TRY(firn_quick_field_read(frame, def->color, &q->field));
  firn_colormap_table(def->map, q->colors);
  bool given = def->range[1] > def->range[0];
  memcpy(q->range, given ? def->range : q->field.range, sizeof q->range);
  if (!given) widen(q->range);
  float low = (float)q->range[0], scale = (float)(1 / (q->range[1] - q->range[0]));
  for (size_t i = 0; i < q->field.count; i++) q->field.value[i] = (q->field.value[i] - low) * scale;
  return FIRN_OK;
}

static firn_status draw(quick *q, uint8_t *rgb) {
  const firn_quick_def *def = q->def;
  double sun[3], cut = sqrt(pow(def->cut_normal[0], 2) + pow(def->cut_normal[1], 2) +
                            pow(def->cut_normal[2], 2));
  memcpy(sun, def->sun.direction, sizeof sun);
  if (!(sun[0] != 0 || sun[1] != 0 || sun[2] != 0)) firn_sun_beside(&q->camera, sun);
  firn_points_shot points = {
      .width = def->width,
      .height = def->height,
      .camera = firn_camera_pose_of(&q->camera, q->camera.target),
      .half_height = (float)tan(q->camera.fov / 2),
      .sun = firn_v3_unit((firn_v3){(float)sun[0], (float)sun[1], (float)sun[2]}),
      .count = q->points.count,
      .position = q->points.position,
      .spacing = (float)q->points.spacing,
      .value = q->field.value,
      .colors = (const uint8_t(*)[3])q->colors,
      .cut = cut > 0,
      .solids = q->thing ? &q->solids : NULL,
      .body_color = q->thing_color,
      .plane_color = q->plane_color};
  memcpy(points.origin, q->camera.target, sizeof points.origin);
  memcpy(points.low, q->points.low, sizeof points.low);
  memcpy(points.high, q->points.high, sizeof points.high);
  for (int a = 0; cut > 0 && a < 3; a++) {
    points.cut_plane[a] = def->cut_normal[a] / cut;
    points.cut_plane[3] += points.cut_plane[a] * def->cut_point[a];
  }
  FIRN_TRY(firn_points_render(q->context, &points, rgb));
  if (!def->color || !def->bar) return FIRN_OK;
  return firn_points_bar(q->context, points.colors, q->range, def->color, q->field.unit, def->width,
                         def->height, rgb);
}

static void free_quick(quick *q) {
  size_t n = q->bodies.count;
  if (q->field.context) firn_quick_field_free(&q->field);
  firn_free(q->context, q->thing, n * sizeof *q->thing);
  firn_free(q->context, q->bound, n * sizeof *q->bound);
  firn_free(q->context, q->plane, n * sizeof *q->plane);
  firn_free(q->context, q->thing_color, n * sizeof *q->thing_color);
  firn_free(q->context, q->plane_color, n * sizeof *q->plane_color);
  firn_picture_bodies_free(&q->bodies);
  if (q->points.context) firn_picture_points_free(&q->points);
}

firn_status firn_frame_quick_pixels(firn_frame *frame, const firn_scene *scene,
                                    const firn_quick_def *def, uint8_t *rgb) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!def || !rgb) return firn_fail_null(frame->context, "firn_frame_quick_pixels");
  FIRN_TRY(check(frame->context, def));
  quick q = {.context = frame->context, .def = def};
  firn_status status = gather(&q, frame, scene);
  if (status == FIRN_OK) status = draw(&q, rgb);
  free_quick(&q);
  return status;
}

firn_status firn_frame_quick(firn_frame *frame, const firn_scene *scene, const firn_quick_def *def,
                             const char *path) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  firn_context *context = frame->context;
  if (!def || !path) return firn_fail_null(context, "firn_frame_quick");
  size_t length = strlen(path);
  if (length < 5 || strcasecmp(path + length - 4, ".png") != 0)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "preview: %s does not end in .png", path);
  FIRN_TRY(check(context, def));
  size_t bytes = 3 * (size_t)def->width * (size_t)def->height;
  uint8_t *rgb = firn_alloc(context, bytes, "a picture");
  if (!rgb) return FIRN_ERROR_MEMORY;
  firn_status status = firn_frame_quick_pixels(frame, scene, def, rgb);
  if (status == FIRN_OK) status = firn_png_write(context, path, def->width, def->height, rgb);
  firn_free(context, rgb, bytes);
  return status;
}
