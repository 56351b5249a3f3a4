// SPDX-License-Identifier: Apache-2.0
// A frame or a simulation into a quick picture.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "api/picture.h"
#include "api/preview_field.h"
#include "api/preview_outline.h"
#include "base/def.h"
#include "base/memory.h"
#include "math/vec3.h"
#include "render/colormap.h"
#include "render/png.h"
#include "render/preview.h"

enum { UNBOUNDED = 12 }; // extents of the view to which things without bounds are shown

typedef struct preview {
  firn_context *context;
  const firn_preview_def *def;
  firn_picture_source source;
  const firn_scene *scene; // of a frame, or NULL
  firn_camera_def camera;
  firn_cuts cuts;
  firn_picture_points points;
  firn_picture_bodies bodies;
  firn_preview_field field;
  double range[2];
  uint8_t colors[FIRN_COLORS][3];
  // What is drawn of the bodies, [room] each: solids and walls, which tell their distance, and floors.
  size_t room;
  size_t *thing; // of bodies.body
  double (*bound)[4], (*plane)[4];
  firn_v3 *thing_color, *plane_color;
  firn_solids solids;
} preview;

static firn_preview_def of_render(const firn_render_def *def) {
  return (firn_preview_def){.width = def->width,
                            .height = def->height,
                            .camera = def->camera,
                            .sun = def->sun,
                            .show_ground = true,
                            .ground = (double)NAN,
                            .map = FIRN_COLORS_DEEP,
                            .bar = true,
                            .ground_look = def->ground,
                            .bodies = def->bodies,
                            .look_count = def->look_count,
                            .looks = def->looks,
                            .part_look_count = def->part_look_count,
                            .part_looks = def->part_looks,
                            .cut_count = def->cut_count,
                            .cuts = def->cuts};
}

FIRN_DEFAULTS(preview_def) {
  firn_render_def render = firn_default_render_def();
  firn_preview_def def = of_render(&render);
  def.ground = 0;
  return def;
}

void firn_preview_of_render_sized(const firn_render_def *given, firn_preview_def *out,
                                  size_t size) {
  firn_render_def def = firn_default_render_def();
  firn_preview_def own = default_preview_def();
  if (firn_def_take(NULL, "firn_render_def", given, &def, sizeof def) == FIRN_OK)
    own = of_render(&def);
  firn_def_give(&own, sizeof own, out, size);
}

// ----------------------------------------------------------------------------------------- bodies

static double thing_distance(const void *user, int i, const double position[3], double normal[3]) {
  const preview *p = user;
  const firn_picture_body *body = &p->bodies.body[p->thing[i]];
  const double *o = p->camera.target;
  if (body->kind != FIRN_PICTURE_WALL)
    return firn_picture_body_look(&p->bodies, p->thing[i], position, normal);
  firn_v3 n,
      x = {(float)(position[0] - o[0]), (float)(position[1] - o[1]), (float)(position[2] - o[2])};
  float distance = firn_wall_distance(&body->wall, x, &n);
  const double out[3] = {(double)n.x, (double)n.y, (double)n.z};
  if (normal) memcpy(normal, out, sizeof out);
  return (double)distance;
}

// A hold-out is black: a preview has no alpha.
static firn_v3 color_of(const firn_look_def *look) {
  if (look->mode == FIRN_LOOK_HOLDOUT) return (firn_v3){0, 0, 0};
  return (firn_v3){(float)look->albedo[0], (float)look->albedo[1], (float)look->albedo[2]};
}

// Height of what is seen at the target, m.
static double extent_of(const preview *p) {
  double away = 0;
  for (int a = 0; a < 3; a++) away += pow(p->camera.target[a] - p->camera.eye[a], 2);
  return 2 * tan(p->camera.fov / 2) * sqrt(away);
}

// A sphere around a body. Hills and other things without bounds are shown around what is looked at.
static void bound_body(const preview *p, const firn_picture_body *body, double out[4]) {
  const firn_part *part = body->part;
  const double *o = p->camera.target;
  bool bounded = isfinite(part->radius);
  memcpy(out, bounded ? part->middle : o, sizeof part->middle);
  out[3] = bounded ? part->radius : UNBOUNDED * extent_of(p);
  if (body->kind != FIRN_PICTURE_WALL) return;
  const firn_wall *w = &body->wall;
  firn_v3 middle = {0, 0, 0};
  for (int k = 0; k < 3; k++) middle = firn_v3_add(middle, firn_v3_scale(w->middle[k], w->axis[k]));
  out[0] = o[0] + (double)middle.x;
  out[1] = o[1] + (double)middle.y;
  out[2] = o[2] + (double)middle.z;
  out[3] = sqrt(
      (double)(w->half[0] * w->half[0] + w->half[1] * w->half[1] + w->half[2] * w->half[2]));
}

static void add_floor(preview *p, const double plane[4], const firn_look_def *look) {
  memcpy(p->plane[p->solids.plane_count], plane, 4 * sizeof *plane);
  p->plane_color[p->solids.plane_count++] = color_of(look);
}

static void add_body(preview *p, const firn_picture_looks *looks, size_t i, bool *ground) {
  const firn_preview_def *def = p->def;
  const firn_picture_body *body = &p->bodies.body[i];
  firn_look_def look = firn_picture_look(&p->bodies, i, looks);
  if (body->kind == FIRN_PICTURE_HIDDEN) return;
  bool hidden = look.mode == FIRN_LOOK_HIDDEN;
  // A plane that nobody has made would cut through slopes and hills.
  if (body->ground && body->kind != FIRN_PICTURE_WALL) *ground = true;
  if (body->kind == FIRN_PICTURE_FLOOR) {
    bool level = body->plane[1] > 0.9999;
    if (!hidden && (!level || def->show_ground)) add_floor(p, body->plane, &look);
    return;
  }
  if (hidden) return;
  p->thing[p->solids.count] = i;
  bound_body(p, body, p->bound[p->solids.count]);
  p->thing_color[p->solids.count++] = color_of(&look);
}

static firn_status add_bodies(preview *p) {
  const firn_preview_def *def = p->def;
  size_t n = p->room = p->bodies.count + 1;
  // It is there, or is not to be.
  bool ground = !def->show_ground || isnan(def->ground) ||
                def->ground_look.mode == FIRN_LOOK_HIDDEN;
  p->thing = firn_alloc(p->context, n * sizeof *p->thing, "bodies of a picture");
  p->bound = firn_alloc(p->context, n * sizeof *p->bound, "bodies of a picture");
  p->plane = firn_alloc(p->context, n * sizeof *p->plane, "bodies of a picture");
  p->thing_color = firn_alloc(p->context, n * sizeof *p->thing_color, "bodies of a picture");
  p->plane_color = firn_alloc(p->context, n * sizeof *p->plane_color, "bodies of a picture");
  if (!p->thing || !p->bound || !p->plane || !p->thing_color || !p->plane_color)
    return FIRN_ERROR_MEMORY;
  const firn_picture_looks looks = firn_picture_looks_of_preview(def);
  for (size_t i = 0; i < p->bodies.count; i++) add_body(p, &looks, i, &ground);
  if (!ground) add_floor(p, (const double[]){0, 1, 0, def->ground}, &def->ground_look);
  p->solids.bound = (const double(*)[4])p->bound;
  p->solids.plane = (const double(*)[4])p->plane;
  p->solids.distance = thing_distance;
  p->solids.user = p;
  return FIRN_OK;
}

// -------------------------------------------------------------------------------------------- all

static firn_status check(firn_context *context, const firn_preview_def *def) {
  if (def->width < 1 || def->height < 1 || def->width > 16384 || def->height > 16384)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "preview: size %d x %d: both must be from 1 to 16384", def->width,
                     def->height);
  if (isinf(def->ground) || !isfinite(def->range[0]) || !isfinite(def->range[1]) ||
      def->range[0] > def->range[1])
    return firn_fail(
        context, FIRN_ERROR_ARGUMENT,
        "preview: range %g to %g must be finite and ascending, and ground, %g m, finite",
        def->range[0], def->range[1], def->ground);
  if ((int)def->map < 0 || def->map > FIRN_COLORS_BALANCE)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "preview: there is no colour map %d",
                     (int)def->map);
  const double *const room[] = {def->camera.room, def->sun.room, def->ground_look.room,
                                def->bodies.room};
  FIRN_TRY(firn_picture_check_rooms(context, "firn_preview_def", sizeof room / sizeof *room, room));
  const firn_picture_looks looks = firn_picture_looks_of_preview(def);
  FIRN_TRY(firn_picture_check_looks(context, "preview", &looks));
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

static void widen_by(const firn_shape *shape, bool *any, double low[3], double high[3]) {
  double lo[3], hi[3];
  if (!firn_shape_bounds(shape, lo, hi)) return;
  for (int a = 0; a < 3; a++) {
    low[a] = *any ? fmin(low[a], lo[a]) : lo[a];
    high[a] = *any ? fmax(high[a], hi[a]) : hi[a];
  }
  *any = true;
}

// To the snow, and to where it will come from if that is shown.
static void fit_camera(preview *p, double aspect) {
  double low[3], high[3];
  bool any = p->points.any;
  memcpy(low, p->points.low, sizeof low);
  memcpy(high, p->points.high, sizeof high);
  const firn_flow *flow = p->source.sim ? &p->source.sim->world.flow : NULL;
  for (int i = 0; flow && p->def->sources && i < flow->emitter_count; i++)
    widen_by(flow->emitter[i].fill.shape, &any, low, high);
  for (int i = 0; flow && p->def->sources && i < flow->fill_count; i++)
    if (flow->fill[i].time > 0) widen_by(flow->fill[i].shape, &any, low, high);
  firn_camera_fit(&p->camera, low, high, aspect);
}

static firn_status gather(preview *p) {
  const firn_preview_def *def = p->def;
  double aspect = (double)def->width / def->height;
  if (p->source.frame) firn_doing(p->context, 0, 0, "preview: reading the frame");
  FIRN_TRY(firn_picture_points_read(&p->source, FIRN_PICTURE_SPACING, &p->points));
  p->camera = def->camera;
  if (firn_camera_is_fitted(&p->camera)) fit_camera(p, aspect);
  if (p->source.frame) {
    firn_frame *frame = p->source.frame;
    firn_picture_note_view(&p->source, &p->points, &p->camera, NULL, aspect);
    FIRN_TRY(firn_picture_bodies_of_frame(frame, p->scene, frame->time, &p->camera, &p->bodies));
  } else {
    FIRN_TRY(firn_picture_bodies_of_sim(p->source.sim, &p->camera, &p->bodies));
  }
  FIRN_TRY(add_bodies(p));
  if (!def->color) return FIRN_OK;
  FIRN_TRY(firn_preview_field_read(&p->source, def->color, &p->field));
  firn_colormap_table(def->map, p->colors);
  bool given = def->range[1] > def->range[0];
  memcpy(p->range, given ? def->range : p->field.range, sizeof p->range);
  if (!given) widen(p->range);
  float low = (float)p->range[0], scale = (float)(1 / (p->range[1] - p->range[0]));
  for (size_t i = 0; i < p->field.count; i++) p->field.value[i] = (p->field.value[i] - low) * scale;
  return FIRN_OK;
}

// Where snow comes from, or will be laid.
static firn_status draw_sources(const preview *p, const firn_preview_shot *shot, uint8_t *rgb) {
  static const uint8_t at_work[3] = {255, 140, 30}, idle[3] = {150, 160, 170};
  const firn_world *world = &p->source.sim->world;
  const firn_flow *flow = &world->flow;
  firn_outline_def line = {.width = shot->width,
                           .height = shot->height,
                           .camera = shot->camera,
                           .half_height = shot->half_height};
  memcpy(line.origin, shot->origin, sizeof line.origin);
  for (int i = 0; i < flow->emitter_count; i++) {
    const firn_emitter *e = &flow->emitter[i];
    line.color = world->time >= e->start && world->time < e->stop ? at_work : idle;
    FIRN_TRY(firn_preview_outline(p->context, &line, e->fill.shape, world->time, rgb));
  }
  for (int i = 0; i < flow->fill_count; i++) {
    const firn_fill *fill = &flow->fill[i];
    if (!(fill->time > 0)) continue; // of a window: some of it is there
    line.color = world->time >= fill->time ? at_work : idle;
    FIRN_TRY(firn_preview_outline(p->context, &line, fill->shape, world->time, rgb));
  }
  return FIRN_OK;
}

static firn_status draw(preview *p, uint8_t *rgb) {
  const firn_preview_def *def = p->def;
  double sun[3];
  memcpy(sun, def->sun.direction, sizeof sun);
  if (!(sun[0] != 0 || sun[1] != 0 || sun[2] != 0)) firn_sun_beside(&p->camera, sun);
  firn_preview_shot shot = {
      .width = def->width,
      .height = def->height,
      .camera = firn_camera_pose_of(&p->camera, p->camera.target),
      .half_height = (float)tan(p->camera.fov / 2),
      .sun = firn_v3_unit((firn_v3){(float)sun[0], (float)sun[1], (float)sun[2]}),
      .count = p->points.count,
      .position = p->points.position,
      .spacing = (float)p->points.spacing,
      .value = p->field.value,
      .colors = (const uint8_t(*)[3])p->colors,
      .cuts = &p->cuts,
      .solids = &p->solids,
      .body_color = p->thing_color,
      .plane_color = p->plane_color};
  memcpy(shot.origin, p->camera.target, sizeof shot.origin);
  memcpy(shot.low, p->points.low, sizeof shot.low);
  memcpy(shot.high, p->points.high, sizeof shot.high);
  FIRN_TRY(firn_preview_render(p->context, &shot, rgb));
  if (def->sources && p->source.sim) FIRN_TRY(draw_sources(p, &shot, rgb));
  if (!def->color || !def->bar) return FIRN_OK;
  return firn_preview_bar(p->context, shot.colors, p->range, def->color, p->field.unit, def->width,
                          def->height, rgb);
}

static void free_preview(preview *p) {
  size_t n = p->room;
  if (p->field.context) firn_preview_field_free(&p->field);
  firn_free(p->context, p->thing, n * sizeof *p->thing);
  firn_free(p->context, p->bound, n * sizeof *p->bound);
  firn_free(p->context, p->plane, n * sizeof *p->plane);
  firn_free(p->context, p->thing_color, n * sizeof *p->thing_color);
  firn_free(p->context, p->plane_color, n * sizeof *p->plane_color);
  if (p->bodies.context) firn_picture_bodies_free(&p->bodies);
  if (p->points.context) firn_picture_points_free(&p->points);
}

static firn_status take(const firn_picture_source *source, const firn_scene *scene,
                        const firn_preview_def *def, uint8_t *rgb) {
  FIRN_TRY(check(source->context, def));
  preview p = {.context = source->context, .def = def, .source = *source, .scene = scene};
  firn_status status = firn_cuts_make(p.context, "preview", def->cut_count, def->cuts, &p.cuts);
  if (status == FIRN_OK) status = gather(&p);
  if (status == FIRN_OK) status = draw(&p, rgb);
  free_preview(&p);
  return status;
}

static firn_status write(const firn_picture_source *source, const firn_scene *scene,
                         const firn_preview_def *def, const char *path) {
  firn_context *context = source->context;
  size_t length = strlen(path);
  if (length < 5 || strcasecmp(path + length - 4, ".png") != 0)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "preview: %s does not end in .png", path);
  FIRN_TRY(check(context, def));
  size_t bytes = 3 * (size_t)def->width * (size_t)def->height;
  uint8_t *rgb = firn_alloc(context, bytes, "a picture");
  if (!rgb) return FIRN_ERROR_MEMORY;
  firn_status status = take(source, scene, def, rgb);
  if (status == FIRN_OK) status = firn_png_write(context, path, def->width, def->height, rgb);
  firn_free(context, rgb, bytes);
  return status;
}

firn_status firn_sim_preview(firn_sim *sim, const firn_preview_def *given, const char *path) {
  FIRN_TRY(firn_sim_between_steps(sim, __func__));
  if (!given || !path) return firn_fail_null(sim->world.context, "firn_sim_preview");
  FIRN_TAKE(sim->world.context, preview_def, given, own);
  const firn_preview_def *def = &own;
  firn_picture_source source = firn_picture_of_sim(sim);
  return write(&source, NULL, def, path);
}

firn_status firn_frame_preview(firn_frame *frame, const firn_scene *scene,
                               const firn_preview_def *given, const char *path) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!given || !path) return firn_fail_null(frame->context, "firn_frame_preview");
  FIRN_TAKE(frame->context, preview_def, given, own);
  const firn_preview_def *def = &own;
  firn_picture_source source = firn_picture_of_frame(frame);
  return write(&source, scene, def, path);
}

firn_status firn_frame_preview_pixels(firn_frame *frame, const firn_scene *scene,
                                      const firn_preview_def *given, uint8_t *rgb) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!given || !rgb) return firn_fail_null(frame->context, "firn_frame_preview_pixels");
  FIRN_TAKE(frame->context, preview_def, given, own);
  const firn_preview_def *def = &own;
  firn_picture_source source = firn_picture_of_frame(frame);
  return take(&source, scene, def, rgb);
}
