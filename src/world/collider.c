// SPDX-License-Identifier: Apache-2.0
#include "world/collider.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/isa.h"

void firn_part_place(firn_part *part, const firn_pose *pose) {
  part->pose = *pose;
  firn_pose_turn(pose, part->center, part->middle);
  for (int a = 0; a < 3; a++) part->middle[a] += pose->shift[a];
}

// The pose of the whole goes along with its load. What is under one is never taken for standing still.
static void go_along(firn_collider *collider, double time) {
  const firn_load *load = &collider->load;
  firn_pose *pose = &collider->pose;
  double speed, way = firn_load_way(load, time, &speed);
  for (int a = 0; a < 3; a++) {
    pose->shift[a] += way * load->axis[a];
    pose->pivot[a] += way * load->axis[a];
    pose->velocity[a] += speed * load->axis[a];
  }
  collider->speed = collider->keyed_speed + fmax(fabs(speed), DBL_MIN);
}

void firn_collider_prepare(firn_collider *collider, double time) {
  FIRN_FP_SCOPE; // a step takes the poses over from whoever asked before it
  if (collider->driven)
    firn_drive_pose(&collider->drive, collider->motion.pivot, time, &collider->pose);
  else
    firn_motion_pose(&collider->motion, time, NULL, &collider->pose);
  if (collider->load.mass > 0) go_along(collider, time);
  for (int i = 0; i < collider->part_count; i++) {
    firn_part *part = &collider->part[i];
    const firn_pose *parent = part->parent < 0 ? &collider->pose
                                               : &collider->part[part->parent].pose;
    firn_pose pose;
    if (part->driven)
      firn_drive_pose(&part->drive, part->motion.pivot, time, &pose);
    else
      firn_motion_pose(&part->motion, time, parent, &pose);
    firn_part_place(part, &pose);
  }
  collider->prepared = time;
}

double firn_part_sample(const firn_part *part, const firn_pose *pose, double time,
                        const double position[3], double normal[3], double velocity[3]) {
  double body[3], own[3], distance;
  firn_pose_into(pose, position, body);
  if (part->sequence) {
    double own_velocity[3];
    distance = firn_sequence_sample(part->sequence, body, time, normal ? own : NULL,
                                    velocity ? own_velocity : NULL);
    if (velocity) {
      double rigid[3];
      firn_pose_velocity(pose, position, rigid);
      firn_pose_turn(pose, own_velocity, velocity);
      for (int a = 0; a < 3; a++) velocity[a] += rigid[a];
    }
  } else {
    distance = firn_shape_sample(part->shape, body, time, normal ? own : NULL);
    if (velocity) firn_pose_velocity(pose, position, velocity);
    if (velocity && part->shape->varies) {
      double own_velocity[3], seen[3];
      firn_shape_velocity(part->shape, body, time, own_velocity);
      firn_pose_turn(pose, own_velocity, seen);
      for (int a = 0; a < 3; a++) velocity[a] += seen[a];
    }
  }
  if (normal) firn_pose_turn(pose, own, normal);
  return distance;
}

// No point of the part is nearer than this.
static double sphere_distance(const firn_part *part, const double middle[3], const double x[3]) {
  double d2 = 0;
  for (int a = 0; a < 3; a++) d2 += (x[a] - middle[a]) * (x[a] - middle[a]);
  return sqrt(d2) - part->radius;
}

double firn_collider_sample_near(const firn_collider *collider, uint64_t near,
                                 const double position[3], double normal[3], double velocity[3]) {
  double best = INFINITY, n[3] = {0}, v[3] = {0};
  if (collider->absent) return best;
  for (int i = 0; i < collider->part_count; i++) {
    const firn_part *part = &collider->part[i];
    if (!(part->bit & near) || part->radius < 0) continue;
    bool first = isinf(best);
    if (!first && sphere_distance(part, part->middle, position) >= best) continue;
    double distance = firn_part_sample(part, &part->pose, collider->prepared, position,
                                       normal ? n : NULL, velocity ? v : NULL);
    if (!(distance < best) && !first) continue;
    best = distance;
    if (normal) memcpy(normal, n, sizeof n);
    if (velocity) memcpy(velocity, v, sizeof v);
  }
  return best;
}

bool firn_collider_clears(const firn_collider *collider, uint64_t near, const double position[3],
                          double margin) {
  for (int i = 0; i < collider->part_count && !collider->absent; i++) {
    const firn_part *part = &collider->part[i];
    double body[3];
    if (!(part->bit & near) || part->radius < 0) continue;
    if (part->sequence || !firn_shape_unmoved(part->shape)->ops->look) return false;
    firn_pose_into(&part->pose, position, body);
    if (!(firn_shape_look(part->shape, body, collider->prepared, NULL) > margin)) return false;
  }
  return true;
}

double firn_collider_sample(const firn_collider *collider, const double position[3],
                            double normal[3], double velocity[3]) {
  return firn_collider_sample_near(collider, UINT64_MAX, position, normal, velocity);
}

static bool drive_moves(const firn_drive *drive) {
  const double *v = drive->body.velocity, *w = drive->body.spin;
  return v[0] != 0 || v[1] != 0 || v[2] != 0 || w[0] != 0 || w[1] != 0 || w[2] != 0;
}

bool firn_collider_holds(const firn_collider *collider, const double position[3], double depth) {
  if (collider->absent) return false;
  for (int i = 0; i < collider->part_count; i++) {
    const firn_part *part = &collider->part[i];
    if (part->radius < 0 || sphere_distance(part, part->middle, position) > 0) continue;
    if (firn_part_sample(part, &part->pose, collider->prepared, position, NULL, NULL) < -depth)
      return true;
  }
  return false;
}

bool firn_collider_moves(const firn_collider *collider, double t0, double t1) {
  if (collider->removed) return false;
  if (collider->varies || collider->load.mass > 0 || collider->driving.nudge > 0) return true;
  if (collider->driven ? drive_moves(&collider->drive)
                       : firn_motion_moves(&collider->motion, t0, t1))
    return true;
  for (int i = 0; i < collider->part_count; i++) {
    const firn_part *part = &collider->part[i];
    if (part->driven ? drive_moves(&part->drive) : firn_motion_moves(&part->motion, t0, t1))
      return true;
    if (part->sequence && firn_sequence_moves(part->sequence, t0, t1)) return true;
  }
  return false;
}

double firn_collider_speed_bound(const firn_collider *collider, double ahead) {
  if (collider->load.mass == 0) return collider->speed;
  return collider->keyed_speed + firn_load_speed_bound(&collider->load, ahead);
}

double firn_collider_speed_ahead(const firn_collider *collider, double ahead) {
  return fmax(collider->driving.bound, firn_collider_speed_bound(collider, ahead));
}

bool firn_part_plane(const firn_part *part, double time, const double center[3], double plane[4]) {
  const double apart = 10; // m
  double normal[3], d = firn_part_sample(part, &part->pose, time, center, plane, NULL);
  plane[3] = -d;
  for (int k = 0; k < 3; k++) plane[3] += plane[k] * center[k];
  for (int i = 0; i < 6; i++) {
    double x[3] = {center[0], center[1], center[2]}, off = 0;
    x[i / 2] += i % 2 ? apart : -apart;
    double there = firn_part_sample(part, &part->pose, time, x, normal, NULL);
    for (int k = 0; k < 3; k++) off += (normal[k] - plane[k]) * (normal[k] - plane[k]);
    if (off > 1e-12 || fabs(there - (d + (x[i / 2] - center[i / 2]) * plane[i / 2])) > 1e-6 * apart)
      return false;
  }
  return true;
}
