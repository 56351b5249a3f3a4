// SPDX-License-Identifier: Apache-2.0
// Colliders in the hands of the caller, and how fast any collider may be.
#include "world/drive.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "math/vec3.h"
#include "world/quaternion.h"
#include "world/world.h"

void firn_drive_pose(const firn_drive *drive, const double pivot[3], double time, firn_pose *out) {
  const firn_body *body = &drive->body;
  double turned[3];
  memcpy(out->q, body->rotation, sizeof out->q);
  memcpy(out->pivot, body->pivot, sizeof out->pivot);
  memcpy(out->velocity, body->velocity, sizeof out->velocity);
  memcpy(out->spin, body->spin, sizeof out->spin);
  firn_quaternion_matrix(out->q, out->r);
  firn_pose_turn(out, pivot, turned);
  for (int a = 0; a < 3; a++) out->shift[a] = out->pivot[a] - turned[a];
  firn_pose_advance(out, time - drive->time);
}

// ------------------------------------------------------------------------------------------- speed

static double length(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double between(const double a[3], const double b[3]) {
  const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  return length(d);
}

// 0 times infinity is 0 here: what does not turn does so at any distance.
static double product(double rate, double distance) {
  return rate > 0 ? rate * distance : 0;
}

// The fastest that any point of a part can move: what it does within its parent, plus what each
// parent adds at the distance it has from that one's pivot at most. One that is driven has no parent.
static double part_speed_bound(const firn_collider *collider, int i) {
  const firn_part *part = &collider->part[i];
  if (part->radius < 0) return 0;
  if (part->shape && part->shape->varies) return INFINITY;
  double speed = part->sequence ? part->sequence->speed : 0;
  double reach = part->radius + between(part->center, part->motion.pivot);
  for (;;) {
    const firn_motion *motion = part ? &part->motion : &collider->motion;
    if (part ? part->driven : collider->driven) {
      const firn_body *body = part ? &part->drive.body : &collider->drive.body;
      return speed + length(body->velocity) + product(length(body->spin), reach);
    }
    speed += firn_motion_speed_bound(motion) + product(firn_motion_spin_bound(motion), reach);
    if (!part) return speed;
    part = part->parent < 0 ? NULL : &collider->part[part->parent];
    const firn_motion *next = part ? &part->motion : &collider->motion;
    reach += firn_motion_way_bound(motion) + between(motion->pivot, next->pivot);
  }
}

double firn_collider_find_speed(const firn_collider *collider) {
  double speed = collider->led ? DBL_MIN : 0; // it may move at any time
  for (int i = 0; i < collider->part_count; i++) speed = fmax(speed, part_speed_bound(collider, i));
  return speed;
}

// ----------------------------------------------------------------------------------------- driving

static firn_status check_body(const firn_world *world, const char *what, const firn_body *body,
                              firn_body *out) {
  static const char *const name[] = {"pivot", "velocity", "spin"};
  const double *vector[] = {body->pivot, body->velocity, body->spin}, *q = body->rotation;
  for (int i = 0; i < 3; i++) {
    const double *v = vector[i];
    if (firn_finite3(v)) continue;
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT, "%s: %s (%g %g %g) is not finite", what,
                     name[i], v[0], v[1], v[2]);
  }
  double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(size > 0 && isfinite(size))) {
    return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                     "%s: rotation (%g %g %g %g) is no quaternion of a turn", what, q[0], q[1],
                     q[2], q[3]);
  }
  *out = *body;
  for (int a = 0; a < 4; a++) out->rotation[a] = q[a] / size;
  return FIRN_OK;
}

// m that any point of a body within reach of its pivot is moved by at most. Less than rounding is none.
static double way_to(const firn_pose *from, const firn_body *to, double reach, double h) {
  double back[4], turn[4], angle[3];
  firn_quaternion_conjugate(from->q, back);
  firn_quaternion_multiply(to->rotation, back, turn);
  firn_quaternion_log(turn, angle);
  double rate = length(angle), way = between(from->pivot, to->pivot);
  double far = fmax(length(from->pivot), h) * 1e-12;
  return (way > far ? way : 0) + product(rate > 1e-12 ? rate : 0, reach);
}

// m, from the pivot of what is driven to the farthest point that goes along with it.
static double reach_of(const firn_collider *collider, int driven, const double pivot[3]) {
  double reach = 0;
  for (int i = 0; i < collider->part_count; i++) {
    const firn_part *part = &collider->part[i];
    int above = i;
    while (above >= 0 && above != driven) above = collider->part[above].parent;
    if (above == driven && part->radius >= 0)
      reach = fmax(reach, between(part->middle, pivot) + part->radius);
  }
  return reach;
}

// Notes how far a place was corrected, and what to count with from now on. Returns whether that is more
// than before.
static bool hurry(firn_world *world, firn_collider *collider, double jump, double since,
                  bool rested) {
  firn_driving *d = &collider->driving;
  if (jump > 0.25 * world->h || (jump > 0 && !(since > 0)))
    world->changes++;
  else if (jump > 0)
    d->nudge = fmax(d->nudge, jump / since);
  collider->keyed_speed = collider->speed = firn_collider_find_speed(collider);
  // What wavers a little is not worth telling each time.
  double pace = collider->speed + d->nudge, idle = 0.1 * world->h; // m/s: a cell in ten seconds
  bool faster = pace > d->bound;
  if (faster || pace < d->bound / 4) d->bound = fmax(1.5 * pace, idle);
  return faster || (rested && pace > DBL_MIN);
}

firn_status firn_world_drive(firn_world *world, int id, int part, const firn_body *body,
                             bool *faster) {
  firn_collider *collider;
  char what[FIRN_NAME_SIZE + 48];
  *faster = false;
  FIRN_TRY(firn_world_find_collider(world, id, &collider));
  FIRN_TRY(firn_collider_check_part(world, collider, part));
  if (part < 0)
    snprintf(what, sizeof what, "collider '%s'", collider->name);
  else
    snprintf(what, sizeof what, "collider '%s': part %d", collider->name, part);
  if (collider->load.mass > 0) {
    return firn_fail(world->context, FIRN_ERROR_STATE,
                     "%s: it moves under a load of %g kg, and cannot be driven as well", what,
                     collider->load.mass);
  }
  firn_drive next = {.time = world->time};
  FIRN_TRY(check_body(world, what, body, &next.body));
  firn_world_prepare(world, world->time);

  firn_part *p = part < 0 ? NULL : &collider->part[part];
  bool *driven = p ? &p->driven : &collider->driven;
  firn_drive *drive = p ? &p->drive : &collider->drive;
  const firn_pose *pose = p ? &p->pose : &collider->pose;
  double reach = reach_of(collider, part, pose->pivot);
  double jump = way_to(pose, &next.body, reach, world->h), since = world->time - drive->time;
  bool rested = !firn_collider_moves(collider, world->time, world->time);
  if (!*driven) { // what was found of it while it stood, or went its way, is void
    world->changes++;
    jump = since = 0;
  }
  *drive = next;
  *driven = collider->led = true;
  *faster = hurry(world, collider, jump, since, rested);
  firn_collider_prepare(collider, world->time);
  return FIRN_OK;
}

firn_status firn_collider_check_part(const firn_world *world, const firn_collider *collider,
                                     int part) {
  int count = collider->jointed ? collider->part_count : 0;
  if (part >= -1 && part < count) return FIRN_OK;
  return firn_fail(world->context, FIRN_ERROR_ARGUMENT,
                   "collider '%s': part %d does not exist; it has %d, and the whole is -1",
                   collider->name, part, count);
}

// ------------------------------------------------------------------------------------- checkpoints

static bool is_good(const firn_drive *drive) {
  const double *q = drive->body.rotation;
  return isfinite(drive->time) && firn_finite3(drive->body.pivot) &&
         firn_finite3(drive->body.velocity) && firn_finite3(drive->body.spin) &&
         fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-9;
}

// The whole first, then its parts.
typedef struct drive_row {
  uint64_t driven;
  firn_drive drive;
} drive_row;

typedef struct driving_state {
  uint64_t led;
  firn_driving driving;
} driving_state;

static void pack(const firn_collider *collider, drive_row *row) {
  row[0] = (drive_row){collider->driven, collider->drive};
  for (int i = 0; i < collider->part_count; i++)
    row[i + 1] = (drive_row){collider->part[i].driven, collider->part[i].drive};
}

// false: it does not make sense.
static bool unpack(firn_collider *collider, const drive_row *row) {
  for (int i = 0; i <= collider->part_count; i++)
    if (row[i].driven && !is_good(&row[i].drive)) return false;
  collider->driven = row[0].driven != 0;
  collider->drive = row[0].drive;
  for (int i = 0; i < collider->part_count; i++) {
    collider->part[i].driven = row[i + 1].driven != 0;
    collider->part[i].drive = row[i + 1].drive;
  }
  return true;
}

// Whoever drove it did so after what is loaded now.
static void let_go(firn_collider *collider) {
  collider->driven = false;
  for (int i = 0; i < collider->part_count; i++) collider->part[i].driven = false;
}

static firn_status visit_rows(firn_world *world, int c, bool load,
                              const firn_state_visitor *visitor) {
  firn_collider *collider = &world->collider[c];
  size_t size = (size_t)(collider->part_count + 1) * sizeof(drive_row);
  char name[32];
  drive_row *row = firn_alloc_zero(world->context, size, "drives");
  if (!row) return FIRN_ERROR_MEMORY;
  pack(collider, row);
  snprintf(name, sizeof name, "drive_%d", c);
  firn_status status = visitor->blob(visitor->user, name, row, size);
  if (load && status == FIRN_OK && !unpack(collider, row)) {
    status = firn_fail(world->context, FIRN_ERROR_FORMAT,
                       "the checkpoint is damaged: %s does not make sense", name);
  }
  firn_free(world->context, row, size);
  return status;
}

firn_status firn_drive_visit(firn_world *world, int c, bool load,
                             const firn_state_visitor *visitor) {
  firn_collider *collider = &world->collider[c];
  driving_state s = {collider->led, collider->driving};
  char name[32];
  snprintf(name, sizeof name, "driving_%d", c);
  FIRN_TRY(visitor->blob(visitor->user, name, &s, sizeof s));
  if (s.led) FIRN_TRY(visit_rows(world, c, load, visitor));
  if (!load) return FIRN_OK;
  if (!(s.driving.nudge >= 0 && s.driving.bound >= 0)) {
    return firn_fail(world->context, FIRN_ERROR_FORMAT,
                     "the checkpoint is damaged: %s does not make sense", name);
  }
  bool was_led = collider->led;
  collider->led = s.led != 0;
  collider->driving = s.driving;
  if (!collider->led && !was_led) return FIRN_OK;
  if (!collider->led) let_go(collider);
  collider->keyed_speed = collider->speed = firn_collider_find_speed(collider);
  collider->prepared = (double)NAN; // for another place
  return FIRN_OK;
}
