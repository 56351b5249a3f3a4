// SPDX-License-Identifier: Apache-2.0
// The sections `render` and `preview` of a scene as settings of a picture.
#include <math.h>
#include <string.h>

#include "api/picture.h"
#include "api/scene.h"
#include "base/def.h"
#include "scene/scene.h"

static void copy3(double to[3], const double from[3]) {
  memcpy(to, from, 3 * sizeof to[0]);
}

// About the vertical through the origin, from above counterclockwise.
static void turn(double v[3], double angle) {
  double c = cos(angle), s = sin(angle), x = v[0], z = v[2];
  v[0] = c * x + s * z;
  v[2] = c * z - s * x;
}

// ---------------------------------------------------------------------------------------- camera

// rad that a turntable has turned.
static double turned(const firn_scene *scene, const firn_value *camera, double time) {
  const firn_value *table = firn_value_find(camera, "turntable");
  if (!table) return 0;
  double duration = firn_value_number(table, "duration");
  if (duration == 0) duration = firn_scene_frames(scene) * firn_scene_frame_seconds(scene);
  double part = duration > 0 ? (time - firn_value_number(table, "start")) / duration : 0;
  return 2 * 3.14159265358979323846 * firn_value_number(table, "turns") * fmin(fmax(part, 0), 1);
}

// What preview looks at. Where it fits the snow, so will the picture: eye stays on target.
static void camera_of_preview(const firn_value *preview, firn_camera_def *camera) {
  double extent = firn_value_number(preview, "extent");
  const double *v = firn_value_vec3(preview, "view"), *center = firn_value_vec3(preview, "center");
  copy3(camera->view, v);
  if (extent == 0) return;
  double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double distance = extent / (2 * tan(camera->fov / 2));
  for (int a = 0; a < 3; a++) {
    camera->target[a] = center[a];
    camera->eye[a] = center[a] - distance * v[a] / length;
  }
}

static firn_camera_def camera_at(const firn_scene *scene, const firn_value *v, double time) {
  firn_camera_def camera = {.fov = firn_value_number_at(v, "fov", time),
                            .aperture = firn_value_number_at(v, "aperture", time),
                            .focus = firn_value_number_at(v, "focus", time)};
  firn_value_vec3_at(v, "up", time, camera.up);
  if (firn_value_find(v, "eye")) {
    firn_value_vec3_at(v, "eye", time, camera.eye);
    firn_value_vec3_at(v, "target", time, camera.target);
  } else {
    camera_of_preview(firn_value_find(scene->root, "preview"), &camera);
  }
  double angle = turned(scene, v, time), arm[3];
  if (angle == 0) return camera;
  for (int a = 0; a < 3; a++) arm[a] = camera.eye[a] - camera.target[a];
  turn(arm, angle);
  for (int a = 0; a < 3; a++) camera.eye[a] = camera.target[a] + arm[a];
  turn(camera.view, angle);
  return camera;
}

// ----------------------------------------------------------------------------------------- light

// first: the camera at the beginning, beside which it stands where the scene does not say; where it
// says azimuth or height alone, the other is of that place.
static firn_sun_def sun_at(const firn_value *render, double time, const firn_camera_def *first) {
  const firn_value *v = firn_value_find(render, "sun");
  firn_sun_def sun = {.strength = firn_value_number_at(v, "strength", time),
                      .size = firn_value_number(v, "size")};
  double *d = sun.direction;
  if (firn_value_find(v, "direction"))
    firn_value_vec3_at(v, "direction", time, d);
  else
    firn_sun_beside(first, d);
  bool turned = firn_value_find(v, "azimuth"), lifted = firn_value_find(v, "height");
  if (!turned && !lifted) return sun;
  double azimuth = turned ? firn_value_number_at(v, "azimuth", time) : atan2(d[0], -d[2]),
         height = lifted ? firn_value_number_at(v, "height", time) : atan2(d[1], hypot(d[0], d[2]));
  d[0] = sin(azimuth) * cos(height);
  d[1] = sin(height);
  d[2] = -cos(azimuth) * cos(height);
  return sun;
}

static firn_sky_def sky_of(const firn_value *v) {
  const firn_value *map = firn_value_find(v, "map"), *color = firn_value_find(v, "color");
  firn_sky_def sky = {.kind = map     ? FIRN_SKY_MAP
                              : color ? FIRN_SKY_PLAIN
                                      : FIRN_SKY_MODEL,
                      .color = {1, 1, 1},
                      .map = map ? map->text : NULL,
                      .rotate = firn_value_number(v, "rotate"),
                      .strength = firn_value_number(v, "strength"),
                      .turbidity = firn_value_number(v, "turbidity"),
                      .hidden = firn_value_number(v, "hidden") != 0};
  if (color) copy3(sky.color, color->number);
  return sky;
}

static firn_snow_look_def snow_of(const firn_value *v) {
  firn_snow_look_def snow;
  firn_snow_look_preset(firn_value_text(v, "look"), &snow);
  if (firn_value_find(v, "extinction")) snow.extinction = firn_value_number(v, "extinction");
  if (firn_value_find(v, "albedo")) copy3(snow.albedo, firn_value_vec3(v, "albedo"));
  if (firn_value_find(v, "g")) snow.g = firn_value_number(v, "g");
  snow.voxel = firn_value_number(v, "voxel");
  snow.kernel = firn_value_number(v, "kernel");
  snow.anisotropy = firn_value_number(v, "anisotropy");
  snow.adapt = firn_value_number(v, "adapt");
  snow.detail = firn_value_number(v, "detail");
  snow.similarity = firn_value_number(v, "similarity");
  return snow;
}

// ------------------------------------------------------------------------------------------- all

static firn_status render_def_of(const firn_scene *scene, double time, firn_render_def *out) {
  const firn_value *v = firn_value_find(scene->root, "render");
  *out = firn_default_render_def();
  if (scene->report.count || !v)
    return firn_fail(scene->context, FIRN_ERROR_SCENE, "%s has %d errors", scene->file,
                     scene->report.count);
  const firn_value *camera = firn_value_find(v, "camera"), *size = firn_value_find(v, "size");
  out->width = (int)size->number[0];
  out->height = (int)size->number[1];
  out->samples = (int)firn_value_number(v, "samples");
  out->noise = firn_value_number(v, "noise");
  out->bounces = (int)firn_value_number(v, "bounces");
  out->seed = (uint64_t)firn_value_number(v, "seed");
  out->shutter = firn_value_number(v, "shutter");
  double half = 0.5 * out->shutter * firn_scene_frame_seconds(scene);
  out->camera = camera_at(scene, camera, time - half);
  out->camera_shut = camera_at(scene, camera, time + half);
  firn_camera_def first = camera_at(scene, camera, 0);
  out->sun = sun_at(v, time, &first);
  out->sky = sky_of(firn_value_find(v, "sky"));
  out->lamp_count = scene->lamp_count;
  out->lamps = scene->lamps;
  out->snow = snow_of(firn_value_find(v, "snow"));
  out->ground = firn_scene_look(firn_value_find(v, "ground"));
  out->bodies = firn_scene_look(firn_value_find(v, "bodies"));
  out->look_count = scene->look_count;
  out->looks = scene->looks;
  out->part_look_count = scene->part_look_count;
  out->part_looks = scene->part_looks;
  out->exposure = firn_value_number_at(v, "exposure", time);
  out->white = firn_value_number(v, "white");
  out->filmic = firn_value_number(v, "filmic") != 0;
  out->denoise = firn_value_number(v, "denoise") != 0;
  out->planes = firn_value_number(v, "planes") != 0;
  return FIRN_OK;
}

firn_status firn_scene_render_def_sized(const firn_scene *scene, double time, firn_render_def *out,
                                        size_t size) {
  firn_render_def own;
  if (!scene || !out) return FIRN_ERROR_ARGUMENT;
  firn_status status = render_def_of(scene, time, &own);
  firn_def_give(&own, sizeof own, out, size);
  return status;
}

static firn_preview_def preview_of(const firn_scene *scene, double time) {
  firn_preview_def def = firn_default_preview_def();
  const firn_value *v = firn_value_find(scene->root, "preview"),
                   *render = firn_value_find(scene->root, "render");
  if (!v || !render || scene->report.count) return def;
  def.width = (int)firn_value_number(v, "width");
  def.height = (int)firn_value_number(v, "height");
  const firn_value *camera = firn_value_find(render, "camera");
  firn_camera_def first = camera_at(scene, camera, 0);
  def.camera = camera_at(scene, camera, time);
  def.sun = sun_at(render, time, &first);
  def.ground = firn_value_number(v, "ground");
  def.show_ground = firn_value_number(v, "show_ground") != 0;
  def.ground_look = firn_scene_look(firn_value_find(render, "ground"));
  def.bodies = firn_scene_look(firn_value_find(render, "bodies"));
  def.look_count = scene->look_count;
  def.looks = scene->looks;
  def.part_look_count = scene->part_look_count;
  def.part_looks = scene->part_looks;
  return def;
}

void firn_scene_preview_sized(const firn_scene *scene, double time, firn_preview_def *out,
                              size_t size) {
  const firn_preview_def own = preview_of(scene, time);
  firn_def_give(&own, sizeof own, out, size);
}
