// SPDX-License-Identifier: Apache-2.0
#include "world/collider.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

firn_collider_def firn_default_collider_def(void) {
  return (firn_collider_def){
      .shape = {.kind = FIRN_SHAPE_HALF_SPACE, .normal = {0, 1, 0}},
      .friction = 0.5,
  };
}

firn_status firn_collider_make(firn_context *context, const firn_collider_def *def, int index,
                               firn_collider *out) {
  char what[FIRN_NAME_SIZE + 16];
  *out = (firn_collider){.friction = def->friction, .sticky = def->sticky};
  if (def->name) {
    snprintf(out->name, sizeof out->name, "%s", def->name);
  } else {
    snprintf(out->name, sizeof out->name, "%d", index);
  }
  snprintf(what, sizeof what, "collider '%s'", out->name);
  if (!(def->friction >= 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: friction %g must be 0 or more", what,
                     def->friction);
  }
  for (int a = 0; a < 3; a++) {
    if (!isfinite(def->velocity[a]) || !isfinite(def->spin[a])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: velocity (%g %g %g) and spin (%g %g %g) must be finite", what,
                       def->velocity[0], def->velocity[1], def->velocity[2], def->spin[0],
                       def->spin[1], def->spin[2]);
    }
    out->velocity[a] = def->velocity[a];
    out->spin[a] = def->spin[a];
  }
  return firn_shape_make(context, &def->shape, what, &out->shape);
}

void firn_collider_free(firn_collider *collider) {
  firn_shape_release(collider->shape);
  collider->shape = NULL;
}

static void cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// Rotates v by angle about the unit axis k (Rodrigues).
static void rotate(const double k[3], double angle, double v[3]) {
  double kv[3], dot = k[0] * v[0] + k[1] * v[1] + k[2] * v[2], c = cos(angle), s = sin(angle);
  cross(k, v, kv);
  for (int a = 0; a < 3; a++) v[a] = c * v[a] + s * kv[a] + (1 - c) * dot * k[a];
}

double firn_collider_sample(const firn_collider *collider, const double position[3], double time,
                            double normal[3], double velocity[3]) {
  double r[3], body[3], rate = 0;
  for (int a = 0; a < 3; a++) {
    r[a] = position[a] - collider->shape->center[a] - collider->velocity[a] * time;
    body[a] = r[a];
    rate += collider->spin[a] * collider->spin[a];
  }
  rate = sqrt(rate);
  double axis[3] = {0, 0, 0};
  if (rate > 0) {
    for (int a = 0; a < 3; a++) axis[a] = collider->spin[a] / rate;
    rotate(axis, -rate * time, body);
  }
  for (int a = 0; a < 3; a++) body[a] += collider->shape->center[a];
  double distance = firn_shape_sample(collider->shape, body, time, normal);
  if (normal && rate > 0) rotate(axis, rate * time, normal);
  if (velocity) {
    cross(collider->spin, r, velocity);
    for (int a = 0; a < 3; a++) velocity[a] += collider->velocity[a];
  }
  return distance;
}
