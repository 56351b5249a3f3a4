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
    if (body.flat) memcpy(b->plane[b->site.plane_count++], body.plane, sizeof body.plane);
  }
  b->body[b->count++] = body;
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

static void empty_box(double low[3], double high[3]) {
  for (int a = 0; a < 3; a++) {
    low[a] = (double)INFINITY;
    high[a] = -(double)INFINITY;
  }
}

bool firn_picture_snow_box(const firn_world *world, double low[3], double high[3]) {
  const firn_flow *s = &world->flow;
  empty_box(low, high);
  for (int i = 0; i < s->filled_count; i++) widen(low, high, s->filled[i].lo, s->filled[i].hi);
  for (int i = 0; i < s->emitter_count; i++) {
    const firn_shape *shape = s->emitter[i].fill.shape;
    if (shape && shape->bounded) widen(low, high, shape->lo, shape->hi);
  }
  return low[0] <= high[0];
}

// Where snow is not known (particles of a file), bodies at the beginning tell how large things are;
// and without those, a metre.
static void find_site(firn_picture_bodies *b) {
  firn_wall_site *site = &b->site;
  site->plane = (const double(*)[4])b->plane;
  site->floor = (double)INFINITY;
  bool known = firn_picture_snow_box(&b->sim->world, site->low, site->high);
  if (!known) firn_world_prepare(&b->sim->world, 0);
  for (size_t i = 0; i < b->count; i++) {
    const firn_picture_body *body = &b->body[i];
    double low[3], high[3];
    if (!firn_picture_body_box(b, i, low, high)) continue;
    if (!known) widen(site->low, site->high, low, high);
    if (body->ground) site->floor = fmin(site->floor, low[1]);
  }
  if (!known) firn_world_prepare(&b->sim->world, b->time);
  if (site->low[0] <= site->high[0]) return;
  for (int a = 0; a < 3; a++) {
    site->low[a] = -0.5;
    site->high[a] = 0.5;
  }
}

// ------------------------------------------------------------------------------------------- all

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
  out->plane = firn_alloc(context, room * sizeof *out->plane, "bodies of a picture");
  if (room && (!out->body || !out->plane)) {
    firn_picture_bodies_free(context, out);
    return FIRN_ERROR_MEMORY;
  }
  for (int i = 0; i < world->collider_count; i++)
    for (int k = 0; k < world->collider[i].part_count; k++)
      add_body(out, i, &world->collider[i].part[k], center);
  find_site(out);
  return FIRN_OK;
}

void firn_picture_bodies_free(firn_context *context, firn_picture_bodies *b) {
  firn_free(context, b->body, b->room * sizeof *b->body);
  firn_free(context, b->plane, b->room * sizeof *b->plane);
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
