// SPDX-License-Identifier: Apache-2.0
// The colliders of a frame or a simulation as bodies in a picture.
#include <math.h>
#include <string.h>

#include "api/picture.h"
#include "api/scene.h"
#include "base/memory.h"
#include "cache/frame.h"
#include "scene/scene.h"
#include "world/quaternion.h"

#define STEEP 0.4f // up in the normal of a floor, at least

// ----------------------------------------------------------------------------------------- poses

void firn_picture_bodies_place(firn_picture_bodies *b, double time) {
  b->time = time;
  for (int i = 0; i < b->collider_count; i++) firn_collider_prepare(&b->collider[i], time);
  for (size_t i = 0; i < b->count; i++) {
    if (!b->body[i].held) continue;
    firn_pose pose = b->body[i].pose;
    firn_pose_advance(&pose, time - b->frame_time);
    firn_part_place(b->body[i].part, &pose);
  }
}

static firn_pose pose_of(const firn_frame_body *row) {
  firn_pose pose;
  memcpy(pose.q, row->rotation, sizeof pose.q);
  memcpy(pose.shift, row->shift, sizeof pose.shift);
  memcpy(pose.pivot, row->pivot, sizeof pose.pivot);
  memcpy(pose.velocity, row->velocity, sizeof pose.velocity);
  memcpy(pose.spin, row->spin, sizeof pose.spin);
  firn_quaternion_matrix(pose.q, pose.r);
  return pose;
}

// But for what another machine may round otherwise.
static bool are_close(const double *a, const double *b, int n) {
  for (int k = 0; k < n; k++)
    if (!(fabs(a[k] - b[k]) <= 1e-9 * (1 + fabs(a[k])))) return false;
  return true;
}

static bool same_pose(const firn_pose *a, const firn_pose *b) {
  return are_close(a->q, b->q, 4) && are_close(a->shift, b->shift, 3) &&
         are_close(a->velocity, b->velocity, 3) && are_close(a->spin, b->spin, 3);
}

// Holds the parts that are elsewhere in the frame than the keys of the scene say; where both agree,
// the keys tell more: the way while the shutter is open. All are placed for the frame's time. One
// that had been removed has parts without shapes there, and is in no picture.
static void hold(firn_picture_bodies *b, const firn_frame *frame) {
  int foreign = -1;
  size_t count = frame->body_count ? b->count : 0, kept = 0;
  for (size_t i = 0; i < count; i++) {
    firn_picture_body *body = &b->body[kept];
    *body = b->body[i];
    const firn_frame_body *row = frame->body, *end = row + frame->body_count;
    const firn_part *first = b->collider[body->collider].part;
    while (row < end && !(row->collider == body->collider && row->part == body->part - first))
      row++;
    if (row < end && row->shape == 0) continue;
    kept++;
    if (row == end || row->shape != firn_part_digest(body->part)) {
      foreign = body->collider;
      continue;
    }
    body->pose = pose_of(row);
    body->held = !same_pose(&body->part->pose, &body->pose);
  }
  if (count) b->count = kept;
  if (foreign >= 0)
    firn_note(b->context, FIRN_LOG_WARNING,
              "collider '%s' of the scene is not the one that the frame was written with; it is "
              "shown where the scene says",
              b->collider[foreign].name);
}

// ----------------------------------------------------------------------------------------- walls

static void widen(double low[3], double high[3], const double lo[3], const double hi[3]) {
  for (int a = 0; a < 3; a++)
    if (!isfinite(lo[a]) || !isfinite(hi[a])) return;
  for (int a = 0; a < 3; a++) {
    low[a] = fmin(low[a], lo[a]);
    high[a] = fmax(high[a], hi[a]);
  }
}

static void widen_by_shape(firn_wall_site *site, const firn_shape *shape) {
  if (shape && shape->bounded) widen(site->low, site->high, shape->lo, shape->hi);
}

// The box of all that will be filled with snow, or where it comes from.
static void find_snow_of_scene(const firn_scene *scene, firn_wall_site *site) {
  static const char *const keys[] = {"snow", "emitters"};
  for (int k = 0; k < 2; k++) {
    const firn_value *list = firn_value_find(scene->root, keys[k]);
    for (const firn_value *v = list ? list->first : NULL; v; v = v->next) {
      const firn_value *shape = firn_value_find(v, "shape");
      if (shape) widen_by_shape(site, shape->shape);
    }
  }
}

static void find_snow_of_world(const firn_world *world, firn_wall_site *site) {
  const firn_flow *s = &world->flow;
  for (int i = 0; i < s->filled_count; i++)
    widen(site->low, site->high, s->filled[i].lo, s->filled[i].hi);
  for (int i = 0; i < s->emitter_count; i++) widen_by_shape(site, s->emitter[i].fill.shape);
}

// Where snow is not known (particles of a file), bodies at the beginning tell how large things are;
// and without those, a metre.
static void find_site(firn_picture_bodies *b) {
  firn_wall_site *site = &b->site;
  site->plane = (const double(*)[4])b->plane;
  site->floor = (double)INFINITY;
  bool known = site->low[0] <= site->high[0];
  for (int i = 0; i < b->collider_count && !known; i++) firn_collider_prepare(&b->collider[i], 0);
  for (size_t i = 0; i < b->count; i++) {
    const firn_picture_body *body = &b->body[i];
    double low[3], high[3];
    if (!firn_picture_body_box(b, i, low, high)) continue;
    if (!known) widen(site->low, site->high, low, high);
    if (body->ground) site->floor = fmin(site->floor, low[1]);
  }
  if (!known) firn_picture_bodies_place(b, b->time);
  if (site->low[0] <= site->high[0]) return;
  for (int a = 0; a < 3; a++) {
    site->low[a] = -0.5;
    site->high[a] = 0.5;
  }
}

// ------------------------------------------------------------------------------------------- all

static firn_status list_parts(firn_picture_bodies *b) {
  size_t room = 0;
  for (int i = 0; i < b->collider_count; i++) room += (size_t)b->collider[i].part_count;
  b->room = room;
  b->body = firn_alloc_zero(b->context, room * sizeof *b->body, "bodies of a picture");
  b->plane = firn_alloc(b->context, room * sizeof *b->plane, "bodies of a picture");
  if (room && (!b->body || !b->plane)) return FIRN_ERROR_MEMORY;
  for (int i = 0; i < b->collider_count; i++)
    for (int k = 0; k < b->collider[i].part_count; k++) {
      firn_part *part = &b->collider[i].part[k];
      if (part->radius > 0 && !b->collider[i].absent) // no bare joint
        b->body[b->count++] = (firn_picture_body){.part = part, .collider = i};
    }
  for (int a = 0; a < 3; a++) {
    b->site.low[a] = (double)INFINITY;
    b->site.high[a] = -(double)INFINITY;
  }
  return FIRN_OK;
}

// What kind each body is, once all are placed and the snow is known.
static void find_kinds(firn_picture_bodies *b, const firn_camera_def *camera) {
  firn_v3 eye = firn_camera_pose_of(camera, camera->target).eye;
  for (size_t i = 0; i < b->count; i++) {
    firn_picture_body *body = &b->body[i];
    const firn_part *part = body->part;
    body->ground = part->shape && firn_shape_unmoved(part->shape)->kind == FIRN_SHAPE_HEIGHT_FIELD;
    if (isfinite(part->radius)) continue;
    if (!firn_part_plane(part, b->time, camera->target, body->plane)) continue;
    body->ground = true;
    body->kind = (float)body->plane[1] > STEEP ? FIRN_PICTURE_FLOOR : FIRN_PICTURE_WALL;
    memcpy(b->plane[b->site.plane_count++], body->plane, sizeof body->plane);
  }
  find_site(b);
  for (size_t i = 0; i < b->count; i++) {
    firn_picture_body *body = &b->body[i];
    if (body->kind == FIRN_PICTURE_WALL &&
        !firn_wall_place(body->plane, &b->site, camera->target, eye, &body->wall))
      body->kind = FIRN_PICTURE_HIDDEN;
  }
}

static firn_status make_colliders(const firn_scene *scene, firn_picture_bodies *b) {
  firn_arena arena = {.context = b->context};
  firn_collider_def *def;
  int count;
  firn_status status = firn_scene_collider_defs(scene, &arena, &count, &def);
  if (status == FIRN_OK) {
    b->collider = firn_alloc(b->context, (size_t)count * sizeof *b->collider, "colliders");
    if (count && !b->collider) status = FIRN_ERROR_MEMORY;
    b->collider_room = b->collider ? (size_t)count : 0;
  }
  for (int i = 0; status == FIRN_OK && i < count; i++) {
    status = firn_collider_make(b->context, &def[i], i, 0, &b->collider[i]);
    if (status == FIRN_OK) b->collider_count++;
  }
  firn_arena_free(&arena);
  return status;
}

// Those that are not there at the frame's time are in no picture of it.
static void find_present(const firn_scene *scene, firn_picture_bodies *b) {
  const firn_value *v = firn_value_find(scene->root, "colliders")->first;
  for (int i = 0; v && i < b->collider_count; v = v->next, i++)
    b->collider[i].absent = firn_value_number_at(v, "present", b->frame_time) == 0;
}

static firn_status gather(const firn_frame *frame, const firn_scene *scene, double time,
                          const firn_camera_def *camera, firn_picture_bodies *b) {
  if (scene->report.count)
    return firn_fail(b->context, FIRN_ERROR_SCENE, "%s has %d errors", scene->file,
                     scene->report.count);
  FIRN_TRY(make_colliders(scene, b));
  find_present(scene, b);
  FIRN_TRY(list_parts(b));
  firn_picture_bodies_place(b, b->frame_time);
  hold(b, frame);
  firn_picture_bodies_place(b, isfinite(time) ? time : 0);
  find_snow_of_scene(scene, &b->site);
  find_kinds(b, camera);
  return FIRN_OK;
}

firn_status firn_picture_bodies_of_frame(const firn_frame *frame, const firn_scene *scene,
                                         double time, const firn_camera_def *camera,
                                         firn_picture_bodies *out) {
  double frame_time = isfinite(frame->time) ? frame->time : 0;
  *out = (firn_picture_bodies){.context = frame->context, .own = true, .frame_time = frame_time};
  firn_status status = scene ? gather(frame, scene, time, camera, out) : FIRN_OK;
  if (status != FIRN_OK) firn_picture_bodies_free(out);
  return status;
}

firn_status firn_picture_bodies_of_sim(firn_sim *sim, const firn_camera_def *camera,
                                       firn_picture_bodies *out) {
  firn_world *world = &sim->world;
  *out = (firn_picture_bodies){.context = world->context,
                               .collider_count = world->collider_count,
                               .collider = world->collider,
                               .frame_time = world->time,
                               .time = world->time};
  firn_status status = list_parts(out);
  if (status == FIRN_OK) {
    find_snow_of_world(world, &out->site);
    find_kinds(out, camera);
  } else {
    firn_picture_bodies_free(out);
  }
  return status;
}

void firn_picture_bodies_free(firn_picture_bodies *b) {
  firn_free(b->context, b->body, b->room * sizeof *b->body);
  firn_free(b->context, b->plane, b->room * sizeof *b->plane);
  for (int i = 0; b->own && i < b->collider_count; i++) firn_collider_free(&b->collider[i]);
  if (b->own) firn_free(b->context, b->collider, b->collider_room * sizeof *b->collider);
  *b = (firn_picture_bodies){0};
}

double firn_picture_body_distance(const void *user, int body, const double position[3],
                                  double normal[3]) {
  const firn_picture_bodies *b = user;
  const firn_part *part = b->body[body].part;
  return firn_part_sample(part, &part->pose, b->time, position, normal, NULL);
}

double firn_picture_body_look(const firn_picture_bodies *b, size_t body, const double position[3],
                              double normal[3]) {
  const firn_part *part = b->body[body].part;
  if (!part->shape) return firn_picture_body_distance(b, (int)body, position, normal);
  double own[3], n[3];
  firn_pose_into(&part->pose, position, own);
  double distance = firn_shape_look(part->shape, own, b->time, normal ? n : NULL);
  if (normal) firn_pose_turn(&part->pose, n, normal);
  return distance;
}

bool firn_picture_body_box(const firn_picture_bodies *b, size_t i, double low[3], double high[3]) {
  const firn_part *part = b->body[i].part;
  if (!isfinite(part->radius)) return false;
  const firn_shape *shape = part->shape;
  const double *lo = shape ? shape->lo : part->sequence->lo,
               *hi = shape ? shape->hi : part->sequence->hi;
  bool boxed = !shape || shape->bounded;
  for (int a = 0; a < 3; a++) {
    low[a] = part->middle[a] - part->radius;
    high[a] = part->middle[a] + part->radius;
    if (!boxed) continue;
    // The box of the turned box; where the sphere is tighter, that.
    double middle = part->pose.shift[a], half = 0;
    for (int k = 0; k < 3; k++) {
      double r = part->pose.r[3 * a + k];
      middle += r * 0.5 * (lo[k] + hi[k]);
      half += fabs(r) * 0.5 * (hi[k] - lo[k]);
    }
    low[a] = fmax(low[a], middle - half);
    high[a] = fmin(high[a], middle + half);
  }
  return true;
}
