// SPDX-License-Identifier: Apache-2.0
// A frame into a path-traced picture: particles to density, colliders to surfaces, then light.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "api/picture.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/memory.h"
#include "cache/file.h"
#include "cache/frame.h"
#include "render/cut.h"
#include "render/png.h"
#include "render/trace.h"

typedef struct picture {
  firn_context *context;
  const firn_render_def *def;
  double shutter; // s
  firn_camera_def camera, camera_shut;
  firn_cuts cuts;
  double origin[3]; // m, of the stage
  firn_picture_points points;
  firn_picture_bodies bodies;
  firn_volume *volume;
  firn_surfaces *surfaces;
  firn_lights *lights;
  firn_film film;
  firn_render_stats stats;
} picture;

// ---------------------------------------------------------------------------------------- checks

static firn_status check_rooms(firn_context *context, const firn_render_def *def) {
  const double *const room[] = {def->camera.room, def->camera_shut.room, def->sun.room,
                                def->sky.room,    def->ground.room,      def->bodies.room};
  FIRN_TRY(firn_picture_check_rooms(context, "firn_render_def", sizeof room / sizeof *room, room));
  for (int i = 0; i < def->lamp_count; i++)
    FIRN_TRY(firn_picture_check_rooms(context, "firn_lamp_def", 1,
                                      (const double *const[]){def->lamps[i].room}));
  const firn_picture_looks looks = firn_picture_looks_of(def);
  return firn_picture_check_looks(context, "render", &looks);
}

static firn_status check(firn_context *context, const firn_render_def *def) {
  if (def->width < 1 || def->height < 1 || def->width > 16384 || def->height > 16384)
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "render: size %d x %d: both must be from 1 to 16384", def->width, def->height);
  if (def->samples < 1 || def->bounces < 0 || !(def->noise >= 0))
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "render: %d samples (1 or more), %d bounces and noise %g (0 or more)",
                     def->samples, def->bounces, def->noise);
  if (!(def->shutter >= 0 && def->shutter <= 1) || !isfinite(def->exposure) ||
      !(def->white >= 2000 && def->white <= 25000))
    return firn_fail(
        context, FIRN_ERROR_ARGUMENT,
        "render: shutter %g (0 to 1), exposure %g (finite), white %g K (2000 to 25000)",
        def->shutter, def->exposure, def->white);
  if (def->lamp_count > 0 && !def->lamps)
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "render: %d lamps, but lamps is NULL",
                     def->lamp_count);
  FIRN_TRY(check_rooms(context, def));
  FIRN_TRY(firn_picture_check_snow(context, "render", &def->snow));
  FIRN_TRY(firn_camera_check(context, &def->camera));
  return def->camera_shut.fov > 0 ? firn_camera_check(context, &def->camera_shut) : FIRN_OK;
}

// ----------------------------------------------------------------------------------------- parts

static void place_camera(picture *p) {
  const firn_render_def *def = p->def;
  double aspect = (double)def->width / def->height;
  const firn_picture_points *points = &p->points;
  p->camera = def->camera;
  p->camera_shut = def->camera_shut.fov > 0 ? def->camera_shut : def->camera;
  if (firn_camera_is_fitted(&p->camera))
    firn_camera_fit(&p->camera, points->low, points->high, aspect);
  if (firn_camera_is_fitted(&p->camera_shut))
    firn_camera_fit(&p->camera_shut, points->low, points->high, aspect);
  memcpy(p->origin, p->camera.target, sizeof p->origin);
  p->stats.camera = p->camera;
}

static firn_status make_volume(picture *p) {
  const firn_picture_points *points = &p->points;
  const firn_snow_look_def *snow = &p->def->snow;
  if (!points->any) return FIRN_OK;
  double start = firn_seconds();
  p->stats.voxel = firn_picture_voxel(points, snow);
  FIRN_TRY(firn_picture_volume(points, snow, p->shutter, p->origin, &p->volume));
  firn_volume_cut(p->volume, &p->cuts, p->origin);
  p->stats.voxels = firn_volume_voxels(p->volume);
  p->stats.bytes = firn_volume_bytes(p->volume);
  p->stats.skipped = firn_volume_skipped(p->volume);
  if (p->stats.skipped)
    firn_note(
        p->context, FIRN_LOG_WARNING,
        "render: %zu of %zu particles are left out: they have no finite place or mass, or lie "
        "too far from the others",
        p->stats.skipped, points->count);
  p->stats.seconds_volume = firn_seconds() - start;
  return FIRN_OK;
}

static firn_status make_lights(picture *p) {
  firn_sun_def sun = p->def->sun;
  if (sun.direction[0] == 0 && sun.direction[1] == 0 && sun.direction[2] == 0)
    firn_sun_beside(&p->camera, sun.direction);
  return firn_lights_create(p->context, &sun, &p->def->sky, p->def->lamp_count, p->def->lamps,
                            p->origin, &p->lights);
}

// m from the eye, where the picture is sharp.
static double focus_of(const firn_camera_def *c) {
  double away = 0;
  for (int a = 0; a < 3; a++) away += pow(c->target[a] - c->eye[a], 2);
  return c->focus > 0 ? c->focus : sqrt(away);
}

static firn_camera lens_of(const picture *p) {
  const firn_camera_def *c = &p->camera, *shut = &p->camera_shut;
  const double half = tan(c->fov / 2), focus = focus_of(c);
  return (firn_camera){.open = firn_camera_pose_of(c, p->origin),
                       .shut = firn_camera_pose_of(shut, p->origin),
                       .half_height = (float)half,
                       .half_height_change = (float)(tan(shut->fov / 2) - half),
                       .aperture = (float)c->aperture,
                       .aperture_change = (float)(shut->aperture - c->aperture),
                       .focus = (float)focus,
                       .focus_change = (float)(focus_of(shut) - focus),
                       .width = p->def->width,
                       .height = p->def->height};
}

static firn_status trace(picture *p) {
  const firn_render_def *def = p->def;
  const firn_snow_look_def *snow = &def->snow;
  firn_camera camera = lens_of(p);
  firn_studio studio = {
      .volume = p->volume,
      .medium = {.extinction = (float)snow->extinction,
                 .albedo = {(float)snow->albedo[0], (float)snow->albedo[1], (float)snow->albedo[2]},
                 .g = (float)snow->g,
                 .similarity = (float)snow->similarity},
      .surfaces = p->surfaces,
      .lights = p->lights,
      .camera = &camera};
  firn_trace_def settings = {.samples = def->samples,
                             .seed = def->seed,
                             .bounces = def->bounces,
                             .hide_sky = def->sky.hidden,
                             .noise = def->noise,
                             .progress = def->progress,
                             .user = def->progress_user};
  firn_trace_stats stats = {0};
  firn_status status = firn_trace(p->context, &studio, &settings, &p->film, &stats);
  p->stats.paths = stats.paths;
  p->stats.events = stats.events;
  p->stats.truncated = stats.truncated;
  p->stats.not_finite = stats.not_finite;
  p->stats.seconds_trace = stats.seconds;
  return status;
}

// ------------------------------------------------------------------------------------------- all

enum { GATHERED = 4 }; // things that a picture is made of

static firn_status gather(picture *p, firn_frame *frame, const firn_scene *scene, bool planes) {
  const firn_render_def *def = p->def;
  double start = firn_seconds(), time = firn_frame_time(frame);
  unsigned wants = FIRN_PICTURE_MASS | FIRN_PICTURE_SIZE |
                   (def->snow.detail > 0 || def->snow.adapt > 0 ? FIRN_PICTURE_ID : 0) |
                   (def->shutter > 0 || planes ? FIRN_PICTURE_VELOCITY : 0);
  firn_picture_source source = firn_picture_of_frame(frame);
  firn_doing(p->context, 0, GATHERED, "picture: reading %zu particles", firn_frame_count(frame));
  FIRN_TRY(firn_picture_points_read(&source, wants, &p->points));
  p->stats.particles = p->points.count;
  p->stats.seconds_read = firn_seconds() - start;
  p->shutter = def->shutter * (scene ? firn_scene_frame_seconds(scene) : 1.0 / 24);
  place_camera(p);
  firn_picture_note_view(&source, &p->points, &p->camera, &p->camera_shut,
                         (double)def->width / def->height);
  firn_doing(p->context, 1, GATHERED, "picture: surfaces of bodies");
  FIRN_TRY(
      firn_picture_bodies_of_frame(frame, scene, time - p->shutter / 2, &p->camera, &p->bodies));
  FIRN_TRY(firn_picture_surfaces(p->context, &p->bodies, def, &p->camera, p->shutter, p->origin,
                                 &p->surfaces));
  firn_doing(p->context, 2, GATHERED, "picture: density of the snow");
  FIRN_TRY(make_volume(p));
  firn_doing(p->context, 3, GATHERED, "picture: sky and lamps");
  return make_lights(p);
}

static firn_status take(picture *p, firn_frame *frame, const firn_scene *scene, bool planes) {
  double start = firn_seconds();
  FIRN_TRY(firn_cuts_make(p->context, "render", p->def->cut_count, p->def->cuts, &p->cuts));
  FIRN_TRY(gather(p, frame, scene, planes));
  FIRN_TRY(firn_film_create(p->context, p->def->width, p->def->height, planes || p->def->denoise,
                            &p->film));
  FIRN_TRY(trace(p));
  if (p->def->denoise) firn_doing(p->context, 0, 0, "picture: taking noise away");
  if (p->def->denoise) FIRN_TRY(firn_film_denoise(p->context, &p->film));
  p->stats.seconds = firn_seconds() - start;
  return FIRN_OK;
}

static void free_picture(picture *p) {
  firn_film_free(p->context, &p->film);
  firn_lights_free(p->lights);
  firn_surfaces_free(p->surfaces);
  firn_volume_free(p->volume);
  firn_picture_bodies_free(&p->bodies);
  if (p->points.context) firn_picture_points_free(&p->points);
}

static void develop(const picture *p, uint8_t *rgb) {
  firn_develop how = {.exposure = (float)p->def->exposure,
                      .white = (float)p->def->white,
                      .tone = p->def->filmic ? FIRN_TONE_FILMIC : FIRN_TONE_LINEAR};
  firn_film_develop(&p->film, &how, rgb);
}

static firn_status write_png(const picture *p, const char *path) {
  size_t bytes = 3 * (size_t)p->def->width * (size_t)p->def->height;
  uint8_t *rgb = firn_alloc(p->context, bytes, "a picture");
  if (!rgb) return FIRN_ERROR_MEMORY;
  develop(p, rgb);
  firn_status status = firn_png_write(p->context, path, p->def->width, p->def->height, rgb);
  firn_free(p->context, rgb, bytes);
  return status;
}

static bool ends_with(const char *path, const char *end) {
  size_t a = strlen(path), b = strlen(end);
  return a > b && strcasecmp(path + a - b, end) == 0;
}

firn_status firn_frame_render_sized(firn_frame *frame, const firn_scene *scene,
                                    const firn_render_def *given, const char *path,
                                    firn_render_stats *stats, size_t stats_size) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  firn_context *context = frame->context;
  if (!given || !path) return firn_fail_null(context, "firn_frame_render");
  FIRN_TAKE(context, render_def, given, own);
  const firn_render_def *def = &own;
  bool exr = ends_with(path, ".exr");
  if (!exr && !ends_with(path, ".png"))
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "render: %s ends in neither .png nor .exr",
                     path);
  FIRN_TRY(check(context, def));
  // On a full disk it fails now and not after the work. No picture but a plain one packs better.
  FIRN_TRY(firn_file_try(context, path, (size_t)def->width * (size_t)def->height / 8));
  picture p = {.context = context, .def = def};
  firn_status status = take(&p, frame, scene, exr && def->planes);
  if (status == FIRN_OK)
    status = exr ? firn_film_write_exr(context, path, &p.film, !def->planes) : write_png(&p, path);
  if (stats) firn_fill_out(&p.stats, sizeof p.stats, stats, stats_size);
  free_picture(&p);
  return status;
}

firn_status firn_frame_render_pixels_sized(firn_frame *frame, const firn_scene *scene,
                                           const firn_render_def *given, uint8_t *rgb, float *light,
                                           firn_render_stats *stats, size_t stats_size) {
  if (!frame) return FIRN_ERROR_ARGUMENT;
  if (!given) return firn_fail_null(frame->context, "firn_frame_render_pixels");
  FIRN_TAKE(frame->context, render_def, given, own);
  const firn_render_def *def = &own;
  FIRN_TRY(check(frame->context, def));
  picture p = {.context = frame->context, .def = def};
  firn_status status = take(&p, frame, scene, false);
  size_t pixels = (size_t)def->width * (size_t)def->height;
  if (status == FIRN_OK && rgb) develop(&p, rgb);
  if (status == FIRN_OK && light) memcpy(light, p.film.light, pixels * sizeof *p.film.light);
  if (stats) firn_fill_out(&p.stats, sizeof p.stats, stats, stats_size);
  free_picture(&p);
  return status;
}
