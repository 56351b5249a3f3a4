// SPDX-License-Identifier: Apache-2.0
// Shapes made of one other: moved, hollowed, grown, roughened.
#include <math.h>
#include <string.h>

#include "geometry/kinds.h"
#include "geometry/noise.h"
#include "geometry/sdf.h"

typedef struct modified {
  firn_shape base;
  firn_shape *child;
  double translation[3]; // m
  double turn[3][3];     // rotation matrix
  double scale;
  double inward, outward; // m: shell; outward is also the offset
  double amplitude, wavelength, steepness;
  int octaves;
  uint64_t seed;
} modified;

static void release(firn_shape *shape) {
  firn_shape_release(((modified *)shape)->child);
}

static const firn_shape *child(const firn_shape *shape, int i) {
  return i ? NULL : ((const modified *)shape)->child;
}

// Into the space of the child.
static void into(const modified *m, const double x[3], double p[3]) {
  double r[3];
  for (int a = 0; a < 3; a++) r[a] = (x[a] - m->translation[a]) / m->scale;
  for (int a = 0; a < 3; a++) {
    p[a] = m->turn[0][a] * r[0] + m->turn[1][a] * r[1] + m->turn[2][a] * r[2];
  }
}

static double transform(const firn_shape *shape, const double x[3], double time,
                        double gradient[3]) {
  const modified *m = (const modified *)shape;
  double p[3], n[3];
  into(m, x, p);
  double d = firn_shape_ask(m->child, p, time, n);
  for (int a = 0; a < 3; a++) gradient[a] = firn_sdf_dot(m->turn[a], n);
  return d * m->scale;
}

static void transform_velocity(const firn_shape *shape, const double x[3], double time,
                               double velocity[3]) {
  const modified *m = (const modified *)shape;
  double p[3], v[3];
  into(m, x, p);
  firn_shape_velocity(m->child, p, time, v);
  for (int a = 0; a < 3; a++) velocity[a] = m->scale * firn_sdf_dot(m->turn[a], v);
}

// What is made of a surface moves along with it.
static void child_velocity(const firn_shape *shape, const double x[3], double time,
                           double velocity[3]) {
  firn_shape_velocity(((const modified *)shape)->child, x, time, velocity);
}

static double transform_look(const firn_shape *shape, const double x[3], double time,
                             double gradient[3]) {
  const modified *m = (const modified *)shape;
  double p[3], n[3];
  into(m, x, p);
  double d = firn_shape_look(m->child, p, time, n);
  for (int a = 0; a < 3; a++) gradient[a] = firn_sdf_dot(m->turn[a], n);
  return d * m->scale;
}

static double shell(const firn_shape *shape, const double x[3], double time, double gradient[3]) {
  const modified *m = (const modified *)shape;
  double d = firn_shape_ask_tight(m->child, x, time, gradient);
  double outer = d - m->outward, inner = -d - m->inward;
  if (outer >= inner) return outer;
  for (int a = 0; a < 3; a++) gradient[a] = -gradient[a];
  return inner;
}

static double offset(const firn_shape *shape, const double x[3], double time, double gradient[3]) {
  const modified *m = (const modified *)shape;
  return firn_shape_ask_tight(m->child, x, time, gradient) - m->outward;
}

// (d + a noise) / s, where s is how steep the sum may be; away from the surface, where this is a poor
// bound, d - a (or d + a inside) is a better one, and the noise need not be known.
static double displace(const firn_shape *shape, const double x[3], double time,
                       double gradient[3]) {
  const modified *m = (const modified *)shape;
  double g[3], a = m->amplitude, s = m->steepness, l = m->wavelength;
  double d = firn_shape_ask_tight(m->child, x, time, gradient);
  double nearer = d > 0 ? fmax(d - a, 0) : fmin(d + a, 0);
  if (fabs(nearer) >= (fabs(d) + a) / s) return nearer;
  double noise = firn_noise3_octaves(m->seed, m->octaves, x[0] / l, x[1] / l, x[2] / l, g);
  double value = (d + a * noise) / s;
  if (fabs(nearer) > fabs(value)) return nearer;
  for (int i = 0; i < 3; i++) g[i] = (gradient[i] + a / l * g[i]) / s;
  if (firn_sdf_length(g) > 1e-9) memcpy(gradient, g, sizeof g);
  return value;
}

static const firn_shape_ops transform_ops = {.distance = transform,
                                             .release = release,
                                             .child = child,
                                             .velocity = transform_velocity,
                                             .look = transform_look},
                            shell_ops = {.distance = shell,
                                         .release = release,
                                         .child = child,
                                         .velocity = child_velocity},
                            offset_ops = {.distance = offset,
                                          .release = release,
                                          .child = child,
                                          .velocity = child_velocity},
                            displace_ops = {.distance = displace,
                                            .release = release,
                                            .child = child,
                                            .velocity = child_velocity};

const firn_shape *firn_shape_moved(const firn_shape *shape, double turn[3][3],
                                   double translation[3], double *scale) {
  const modified *m = (const modified *)shape;
  if (shape->ops != &transform_ops) return NULL;
  memcpy(turn, m->turn, sizeof m->turn);
  memcpy(translation, m->translation, sizeof m->translation);
  *scale = m->scale;
  return m->child;
}

// --------------------------------------------------------------------------------------- making

static firn_status make_transform(firn_context *context, const firn_shape_def *def,
                                  const char *what, modified *m) {
  const double *q = def->rotation;
  double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  FIRN_TRY(firn_shape_check_finite3(context, what, "translation", def->translation));
  if (!isfinite(length)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: rotation (%g %g %g %g) is not finite", what,
                     q[0], q[1], q[2], q[3]);
  }
  if (!(isfinite(def->scale) && def->scale >= 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: scale = %g must be positive", what,
                     def->scale);
  }
  double x = 0, y = 0, z = 0, w = 1;
  if (length > 0) x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
  const double turn[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
      {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
      {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
  };
  const firn_shape *child = m->child;
  memcpy(m->turn, turn, sizeof m->turn);
  memcpy(m->translation, def->translation, sizeof m->translation);
  m->scale = def->scale > 0 ? def->scale : 1;
  m->base.ops = &transform_ops;
  m->base.convex = child->convex;
  m->base.exact = child->exact;
  m->base.bounded = child->bounded;
  if (child->volume >= 0) m->base.volume = child->volume * m->scale * m->scale * m->scale;
  for (int a = 0; a < 3; a++) {
    double middle = 0, half = 0, center = 0;
    for (int b = 0; b < 3; b++) {
      middle += turn[a][b] * (child->lo[b] + child->hi[b]) / 2;
      half += fabs(turn[a][b]) * (child->hi[b] - child->lo[b]) / 2;
      center += turn[a][b] * child->center[b];
    }
    m->base.lo[a] = m->translation[a] + m->scale * (middle - half);
    m->base.hi[a] = m->translation[a] + m->scale * (middle + half);
    m->base.center[a] = m->translation[a] + m->scale * center;
  }
  return FIRN_OK;
}

static firn_status make_shell(firn_context *context, const firn_shape_def *def, const char *what,
                              modified *m) {
  FIRN_TRY(firn_shape_check_zero_or_more(context, what, "inward", def->inward));
  FIRN_TRY(firn_shape_check_zero_or_more(context, what, "outward", def->outward));
  FIRN_TRY(
      firn_shape_check_positive(context, what, "inward + outward", def->inward + def->outward));
  m->inward = def->inward;
  m->outward = def->outward;
  m->base.ops = &shell_ops;
  firn_shape_grow_bounds(&m->base, m->child, m->outward);
  firn_shape_put_center(&m->base, m->child);
  return FIRN_OK;
}

static firn_status make_offset(firn_context *context, const firn_shape_def *def, const char *what,
                               modified *m) {
  if (!isfinite(def->offset)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: offset = %g m is not finite", what,
                     def->offset);
  }
  m->outward = def->offset;
  m->base.ops = &offset_ops;
  m->base.convex = m->child->convex;
  firn_shape_grow_bounds(&m->base, m->child, m->outward);
  for (int a = 0; a < 3 && m->base.bounded; a++) {
    if (m->base.lo[a] < m->base.hi[a]) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: offset = %g m leaves nothing of a shape %g m wide", what, def->offset,
                     m->child->hi[a] - m->child->lo[a]);
  }
  firn_shape_put_center(&m->base, m->child);
  return FIRN_OK;
}

static firn_status make_displaced(firn_context *context, const firn_shape_def *def,
                                  const char *what, modified *m) {
  FIRN_TRY(firn_shape_check_zero_or_more(context, what, "amplitude", def->amplitude));
  FIRN_TRY(firn_shape_check_positive(context, what, "wavelength", def->wavelength));
  FIRN_TRY(firn_shape_check_octaves(context, what, def->octaves));
  m->amplitude = def->amplitude;
  m->wavelength = def->wavelength;
  m->octaves = def->octaves ? def->octaves : 1;
  m->seed = def->seed;
  m->steepness = 1 + m->amplitude / m->wavelength * firn_noise3_octaves_slope(m->octaves);
  m->base.ops = &displace_ops;
  firn_shape_grow_bounds(&m->base, m->child, m->amplitude);
  firn_shape_put_center(&m->base, m->child);
  return FIRN_OK;
}

static firn_status make(firn_context *context, const firn_shape_def *def, const char *what,
                        modified *m) {
  switch (def->kind) {
  case FIRN_SHAPE_TRANSFORM: return make_transform(context, def, what, m);
  case FIRN_SHAPE_SHELL: return make_shell(context, def, what, m);
  case FIRN_SHAPE_OFFSET: return make_offset(context, def, what, m);
  default: return make_displaced(context, def, what, m);
  }
}

firn_status firn_modified_make(firn_context *context, const firn_shape_def *def, const char *what,
                               firn_shape **out) {
  FIRN_TRY(firn_shape_check_child(context, def->shape, what, "shape"));
  modified *m = (modified *)firn_shape_new(context, def->kind, &offset_ops, sizeof *m);
  if (!m) return FIRN_ERROR_MEMORY;
  m->child = firn_shape_retain(def->shape);
  m->base.varies = m->child->varies;
  firn_status status = make(context, def, what, m);
  if (status != FIRN_OK) {
    firn_shape_release(&m->base);
    return status;
  }
  firn_shape_digest_add(&m->base, &m->child->digest, sizeof m->child->digest);
  firn_shape_digest_add(&m->base, m->translation, sizeof m->translation);
  firn_shape_digest_add(&m->base, m->turn, sizeof m->turn);
  const double sizes[] = {m->scale,     m->inward,     m->outward,
                          m->amplitude, m->wavelength, (double)m->octaves};
  firn_shape_digest_add(&m->base, sizes, sizeof sizes);
  firn_shape_digest_add(&m->base, &m->seed, sizeof m->seed);
  *out = &m->base;
  return FIRN_OK;
}
