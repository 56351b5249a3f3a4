// SPDX-License-Identifier: Apache-2.0
// The colliders of a scene as bodies in a picture.
#include <math.h>
#include <string.h>

#include "api/picture.h"
#include "api/scene.h"
#include "base/memory.h"

static void add_body(firn_picture_bodies *b, int collider, const firn_part *part,
                     const double center[3]) {
  if (!(part->radius > 0)) return; // a bare joint
  firn_picture_body body = {.part = part, .collider = collider};
  body.ground = part->shape && part->shape->kind == FIRN_SHAPE_HEIGHT_FIELD;
  if (!isfinite(part->radius)) {
    body.flat = firn_part_plane(part, b->time, center, body.plane);
    body.ground = body.ground || body.flat;
  }
  b->body[b->count++] = body;
}

firn_status firn_picture_bodies_make(firn_context *context, const firn_scene *scene, double time,
                                     const double center[3], firn_picture_bodies *out) {
  *out = (firn_picture_bodies){.time = isfinite(time) ? time : 0};
  if (!scene) return FIRN_OK;
  FIRN_TRY(firn_scene_build_empty(scene, &out->sim));
  firn_world *world = &out->sim->world;
  firn_world_prepare(world, out->time);
  size_t room = 0;
  for (int i = 0; i < world->collider_count; i++) room += (size_t)world->collider[i].part_count;
  out->room = room;
  out->body = firn_alloc(context, room * sizeof *out->body, "bodies of a picture");
  if (room && !out->body) {
    firn_picture_bodies_free(context, out);
    return FIRN_ERROR_MEMORY;
  }
  for (int i = 0; i < world->collider_count; i++)
    for (int k = 0; k < world->collider[i].part_count; k++)
      add_body(out, i, &world->collider[i].part[k], center);
  return FIRN_OK;
}

void firn_picture_bodies_free(firn_context *context, firn_picture_bodies *b) {
  firn_free(context, b->body, b->room * sizeof *b->body);
  firn_sim_destroy(b->sim);
  *b = (firn_picture_bodies){0};
}

double firn_picture_body_distance(const void *user, int body, const double position[3],
                                  double normal[3]) {
  const firn_picture_bodies *b = user;
  const firn_part *part = b->body[body].part;
  return firn_part_sample(part, &part->pose, b->time, position, normal, NULL);
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

firn_look_def firn_picture_look(const firn_picture_body *body, const firn_look_def *ground,
                                const firn_look_def *bodies, int look_count,
                                const firn_look_def *looks) {
  bool own = looks && body->collider < look_count && looks[body->collider].albedo[0] >= 0;
  return own ? looks[body->collider] : body->ground ? *ground : *bodies;
}
