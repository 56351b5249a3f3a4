// SPDX-License-Identifier: Apache-2.0
#include "world/motion.h"

#include <stdio.h>
#include <string.h>

#include "base/def.h"
#include "math/vec3.h"
#include "world/digest.h"
#include "world/quaternion.h"

static const double TURN = 6.283185307179586476925;

static double length(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static bool is_zero(const double v[3]) {
  return v[0] == 0 && v[1] == 0 && v[2] == 0;
}

// ------------------------------------------------------------------------------------- making

static firn_status check_vector(firn_context *context, const char *what, const char *field,
                                const double v[3]) {
  if (firn_finite3(v)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s (%g %g %g) is not finite", what, field,
                   v[0], v[1], v[2]);
}

static firn_status check_number(firn_context *context, const char *what, const char *field,
                                double v) {
  if (isfinite(v)) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s = %g is not finite", what, field, v);
}

static firn_status unit_axis(firn_context *context, const char *what, const char *field,
                             const double v[3], double out[3]) {
  double l = length(v);
  FIRN_TRY(check_vector(context, what, field, v));
  if (!(l > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s (%g %g %g) has no direction", what,
                     field, v[0], v[1], v[2]);
  }
  for (int a = 0; a < 3; a++) out[a] = v[a] / l;
  return FIRN_OK;
}

static firn_status check(firn_context *context, const firn_motion_def *def, const char *what,
                         firn_motion *out) {
  const firn_oscillation_def *o = &def->oscillation;
  const firn_circle_def *c = &def->circle;
  FIRN_TRY(firn_room_check(context, what, def->room, sizeof def->room / sizeof *def->room));
  FIRN_TRY(check_vector(context, what, "pivot", out->pivot));
  FIRN_TRY(check_vector(context, what, "velocity", def->velocity));
  FIRN_TRY(check_vector(context, what, "spin", def->spin));
  FIRN_TRY(check_vector(context, what, "oscillation.translation", o->translation));
  FIRN_TRY(check_vector(context, what, "oscillation.swing", o->swing));
  FIRN_TRY(check_number(context, what, "oscillation.frequency", o->frequency));
  FIRN_TRY(check_number(context, what, "oscillation.phase", o->phase));
  FIRN_TRY(check_vector(context, what, "circle.arm", c->arm));
  FIRN_TRY(check_number(context, what, "circle.frequency", c->frequency));
  if (!is_zero(c->arm)) {
    FIRN_TRY(unit_axis(context, what, "circle.axis", c->axis, out->circle.axis));
  }
  if (def->angle.count) FIRN_TRY(unit_axis(context, what, "axis", def->axis, out->axis));
  return FIRN_OK;
}

static firn_status make_track(firn_context *context, const firn_track_def *def, int components,
                              const char *what, const char *field, firn_track *out) {
  char name[160];
  snprintf(name, sizeof name, "%s: %s", what, field);
  return firn_track_make(context, def, components, name, out);
}

firn_status firn_motion_make(firn_context *context, const firn_motion_def *def,
                             const double center[3], const char *what, firn_motion *out) {
  memset(out, 0, sizeof *out);
  memcpy(out->pivot, def->has_pivot ? def->pivot : center, sizeof out->pivot);
  memcpy(out->velocity, def->velocity, sizeof out->velocity);
  memcpy(out->spin, def->spin, sizeof out->spin);
  out->oscillation = def->oscillation;
  out->circle = def->circle;
  FIRN_TRY(check(context, def, what, out));
  firn_status status = make_track(context, &def->translation, 3, what, "translation",
                                  &out->translation);
  if (status == FIRN_OK) {
    status = make_track(context, &def->rotation, FIRN_TRACK_ROTATION, what, "rotation",
                        &out->rotation);
  }
  if (status == FIRN_OK) status = make_track(context, &def->angle, 1, what, "angle", &out->angle);
  if (status != FIRN_OK) {
    firn_motion_free(context, out);
    return status;
  }
  out->still = is_zero(out->velocity) && is_zero(out->spin) && !out->translation.count &&
               !out->rotation.count && !out->angle.count && is_zero(out->oscillation.translation) &&
               is_zero(out->oscillation.swing) && is_zero(out->circle.arm);
  return FIRN_OK;
}

void firn_motion_free(firn_context *context, firn_motion *motion) {
  firn_track_free(context, &motion->translation);
  firn_track_free(context, &motion->rotation);
  firn_track_free(context, &motion->angle);
}

// --------------------------------------------------------------------------------------- pose

// How far the pivot has gone, and its velocity.
static void way(const firn_motion *m, double time, double d[3], double v[3]) {
  for (int a = 0; a < 3; a++) {
    d[a] = m->velocity[a] * time;
    v[a] = m->velocity[a];
  }
  if (m->translation.count) {
    double value[3], rate[3];
    firn_track_value(&m->translation, time, value, rate);
    for (int a = 0; a < 3; a++) {
      d[a] += value[a];
      v[a] += rate[a];
    }
  }
  const firn_oscillation_def *o = &m->oscillation;
  if (!is_zero(o->translation)) {
    double rate = TURN * o->frequency, angle = rate * time + o->phase;
    for (int a = 0; a < 3; a++) {
      d[a] += o->translation[a] * sin(angle);
      v[a] += o->translation[a] * rate * cos(angle);
    }
  }
  const firn_circle_def *c = &m->circle;
  if (!is_zero(c->arm)) {
    double rate = TURN * c->frequency, turn[3], q[4], arm[3], along[3];
    for (int a = 0; a < 3; a++) turn[a] = c->axis[a] * rate * time;
    firn_quaternion_exp(turn, q);
    firn_quaternion_rotate(q, c->arm, arm);
    firn_cross(c->axis, arm, along);
    for (int a = 0; a < 3; a++) {
      d[a] += arm[a] - c->arm[a];
      v[a] += rate * along[a];
    }
  }
}

// Adds a turn that comes before (to the right of) those in q; rate is in its own outer frame.
static void turn_first(double q[4], double w[3], const double turn[4], const double rate[3]) {
  double seen[3];
  firn_quaternion_rotate(q, rate, seen);
  for (int a = 0; a < 3; a++) w[a] += seen[a];
  firn_quaternion_multiply(q, turn, q);
}

static void attitude(const firn_motion *m, double time, double q[4], double w[3]) {
  double turn[4], part[3], rate[3];
  for (int a = 0; a < 3; a++) {
    part[a] = m->spin[a] * time;
    w[a] = m->spin[a];
  }
  firn_quaternion_exp(part, q);
  const firn_oscillation_def *o = &m->oscillation;
  if (!is_zero(o->swing)) {
    double speed = TURN * o->frequency, angle = speed * time + o->phase;
    for (int a = 0; a < 3; a++) {
      part[a] = o->swing[a] * sin(angle);
      rate[a] = o->swing[a] * speed * cos(angle);
    }
    firn_quaternion_exp(part, turn);
    turn_first(q, w, turn, rate);
  }
  if (m->rotation.count) {
    firn_track_value(&m->rotation, time, turn, rate);
    turn_first(q, w, turn, rate);
  }
  if (m->angle.count) {
    double angle, speed;
    firn_track_value(&m->angle, time, &angle, &speed);
    for (int a = 0; a < 3; a++) {
      part[a] = m->axis[a] * angle;
      rate[a] = m->axis[a] * speed;
    }
    firn_quaternion_exp(part, turn);
    turn_first(q, w, turn, rate);
  }
}

void firn_motion_pose(const firn_motion *m, double time, const firn_pose *parent, firn_pose *out) {
  double d[3], turned[3];
  if (m->still) {
    if (parent)
      *out = *parent;
    else
      *out = (firn_pose){.q = {0, 0, 0, 1}, .r = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    // The pivot is this body's own: torques are about it.
    firn_pose_turn(out, m->pivot, turned);
    double x[3] = {turned[0] + out->shift[0], turned[1] + out->shift[1], turned[2] + out->shift[2]};
    firn_pose_velocity(out, x, d);
    memcpy(out->velocity, d, sizeof d);
    memcpy(out->pivot, x, sizeof x);
    return;
  }
  way(m, time, d, out->velocity);
  attitude(m, time, out->q, out->spin);
  for (int a = 0; a < 3; a++) out->pivot[a] = m->pivot[a] + d[a];
  if (parent) {
    double v[3], x[3], u[3];
    firn_pose_turn(parent, out->pivot, x);
    for (int a = 0; a < 3; a++) x[a] += parent->shift[a];
    firn_pose_velocity(parent, x, u);
    firn_pose_turn(parent, out->velocity, v);
    for (int a = 0; a < 3; a++) out->velocity[a] = u[a] + v[a];
    firn_pose_turn(parent, out->spin, v);
    for (int a = 0; a < 3; a++) out->spin[a] = parent->spin[a] + v[a];
    firn_quaternion_multiply(parent->q, out->q, out->q);
    memcpy(out->pivot, x, sizeof x);
  }
  firn_quaternion_matrix(out->q, out->r);
  firn_pose_turn(out, m->pivot, turned);
  for (int a = 0; a < 3; a++) out->shift[a] = out->pivot[a] - turned[a];
}

void firn_pose_advance(firn_pose *pose, double dt) {
  double turn[4], part[3], arm[3], turned[3];
  if (dt == 0) return;
  for (int a = 0; a < 3; a++) {
    part[a] = pose->spin[a] * dt;
    arm[a] = pose->shift[a] - pose->pivot[a];
    pose->pivot[a] += pose->velocity[a] * dt;
  }
  firn_quaternion_exp(part, turn);
  firn_quaternion_rotate(turn, arm, turned);
  firn_quaternion_multiply(turn, pose->q, pose->q);
  firn_quaternion_matrix(pose->q, pose->r);
  for (int a = 0; a < 3; a++) pose->shift[a] = pose->pivot[a] + turned[a];
}

// ------------------------------------------------------------------------------------- bounds

bool firn_motion_moves(const firn_motion *m, double t0, double t1) {
  const firn_oscillation_def *o = &m->oscillation;
  if (m->still) return false;
  if (!is_zero(m->velocity) || !is_zero(m->spin)) return true;
  if (o->frequency != 0 && !(is_zero(o->translation) && is_zero(o->swing))) return true;
  if (m->circle.frequency != 0 && !is_zero(m->circle.arm)) return true;
  return firn_track_moves(&m->translation, t0, t1) || firn_track_moves(&m->rotation, t0, t1) ||
         firn_track_moves(&m->angle, t0, t1);
}

double firn_motion_way_bound(const firn_motion *m) {
  if (!is_zero(m->velocity)) return INFINITY;
  return firn_track_size_bound(&m->translation) + length(m->oscillation.translation) +
         2 * length(m->circle.arm);
}

double firn_motion_speed_bound(const firn_motion *m) {
  return length(m->velocity) + firn_track_rate_bound(&m->translation) +
         TURN * fabs(m->oscillation.frequency) * length(m->oscillation.translation) +
         TURN * fabs(m->circle.frequency) * length(m->circle.arm);
}

double firn_motion_spin_bound(const firn_motion *m) {
  return length(m->spin) + firn_track_rate_bound(&m->rotation) + firn_track_rate_bound(&m->angle) +
         TURN * fabs(m->oscillation.frequency) * length(m->oscillation.swing);
}

uint64_t firn_motion_digest(const firn_motion *m, uint64_t digest) {
  const firn_oscillation_def *o = &m->oscillation;
  const firn_circle_def *c = &m->circle;
  double all[] = {m->pivot[0],       m->pivot[1],       m->pivot[2],       m->velocity[0],
                  m->velocity[1],    m->velocity[2],    m->spin[0],        m->spin[1],
                  m->spin[2],        m->axis[0],        m->axis[1],        m->axis[2],
                  o->translation[0], o->translation[1], o->translation[2], o->swing[0],
                  o->swing[1],       o->swing[2],       o->frequency,      o->phase,
                  c->arm[0],         c->arm[1],         c->arm[2],         c->axis[0],
                  c->axis[1],        c->axis[2],        c->frequency};
  digest = firn_digest(digest, all, sizeof all);
  digest = firn_track_digest(&m->translation, digest);
  digest = firn_track_digest(&m->rotation, digest);
  return firn_track_digest(&m->angle, digest);
}
