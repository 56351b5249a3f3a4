// SPDX-License-Identifier: Apache-2.0
// Solids in closed form.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "geometry/kinds.h"
#include "geometry/sdf.h"
#include "math/vec3.h"

static const double PI = 3.14159265358979323846;

typedef struct bad_place {
  atomic_int state; // 0: none, 1: being written, 2: whole
  firn_bad_place place;
} bad_place;

typedef struct solid {
  firn_shape base;
  double at[3];   // m: middle, or the lower end of the axis
  double axis[3]; // unit vector: outward normal, or the axis of revolution
  double half[3]; // m
  double radius, radius_to, length, rounding;
  firn_sdf_fn sdf;
  firn_velocity_fn velocity; // or NULL
  void *user;
  bad_place bad_own, *bad; // the latter is the way to the former through a const node; NULL: no sdf
} solid;

static const double *from_middle(const solid *s, const double position[3], double r[3]) {
  for (int a = 0; a < 3; a++) r[a] = position[a] - s->at[a];
  return r;
}

static double half_space(const firn_shape *shape, const double position[3], double time,
                         double normal[3]) {
  const solid *s = (const solid *)shape;
  double r[3];
  (void)time;
  return firn_sdf_plane(s->axis, from_middle(s, position, r), normal);
}

static double sphere(const firn_shape *shape, const double position[3], double time,
                     double normal[3]) {
  const solid *s = (const solid *)shape;
  double r[3];
  (void)time;
  return firn_sdf_sphere(s->radius, from_middle(s, position, r), normal);
}

static double box(const firn_shape *shape, const double position[3], double time,
                  double normal[3]) {
  const solid *s = (const solid *)shape;
  double r[3];
  (void)time;
  return firn_sdf_box(s->half, from_middle(s, position, r), normal) - s->rounding;
}

static double ellipsoid(const firn_shape *shape, const double position[3], double time,
                        double normal[3]) {
  const solid *s = (const solid *)shape;
  double r[3];
  (void)time;
  return firn_sdf_ellipsoid(s->half, from_middle(s, position, r), normal);
}

// Bodies of revolution: the distance in the plane through the axis, at rho from it and h along it.
typedef double profile_fn(double rho, double h, double radius, double radius_to, double length,
                          double normal[2]);

static inline double revolved(const firn_shape *shape, const double position[3],
                              profile_fn *profile, double normal[3]) {
  const solid *s = (const solid *)shape;
  double r[3], out[3], n2[2], h;
  double rho = firn_sdf_revolve(s->axis, from_middle(s, position, r), &h, out);
  double d = profile(rho, h, s->radius, s->radius_to, s->length, n2);
  firn_sdf_unrevolve(s->axis, out, n2, normal);
  return d;
}

static double capsule(const firn_shape *shape, const double position[3], double time,
                      double normal[3]) {
  (void)time;
  return revolved(shape, position, firn_sdf_round_cone, normal);
}

static double cone(const firn_shape *shape, const double position[3], double time,
                   double normal[3]) {
  (void)time;
  return revolved(shape, position, firn_sdf_frustum, normal);
}

static inline double ring(double rho, double h, double radius, double tube, double length,
                          double normal[2]) {
  (void)length;
  return firn_sdf_torus(rho, h, radius, tube, normal);
}

static double torus(const firn_shape *shape, const double position[3], double time,
                    double normal[3]) {
  (void)time;
  return revolved(shape, position, ring, normal);
}

static void note_bad(const solid *s, const double position[3], double time, const char *what) {
  int none = 0;
  if (!atomic_compare_exchange_strong(&s->bad->state, &none, 1)) return;
  s->bad->place = (firn_bad_place){{position[0], position[1], position[2], time}, what};
  atomic_store(&s->bad->state, 2);
}

static double user(const firn_shape *shape, const double position[3], double time,
                   double normal[3]) {
  const solid *s = (const solid *)shape;
  double raw[3] = {0, 0, 0};
  double d = s->sdf(s->user, position, time, raw);
  firn_sdf_direction(raw, normal);
  if (!isnan(d)) return d;
  note_bad(s, position, time, "signed distance (sdf) is nan");
  return 1e30; // m: far from everything, and still a number when it is scaled
}

static void user_velocity(const firn_shape *shape, const double position[3], double time,
                          double velocity[3]) {
  const solid *s = (const solid *)shape;
  memset(velocity, 0, 3 * sizeof *velocity);
  if (s->velocity) s->velocity(s->user, position, time, velocity);
  if (firn_finite3(velocity)) return;
  note_bad(s, position, time, "velocity (sdf_velocity) is not finite");
  memset(velocity, 0, 3 * sizeof *velocity);
}

const firn_bad_place *firn_solid_bad_place(const firn_shape *shape) {
  const solid *s = (const solid *)shape;
  return s->bad && atomic_load(&s->bad->state) == 2 ? &s->bad->place : NULL;
}

static const firn_shape_ops half_space_ops = {.distance = half_space},
                            sphere_ops = {.distance = sphere}, box_ops = {.distance = box},
                            ellipsoid_ops = {.distance = ellipsoid},
                            capsule_ops = {.distance = capsule}, cone_ops = {.distance = cone},
                            torus_ops = {.distance = torus},
                            user_ops = {.distance = user, .velocity = user_velocity};

bool firn_shape_half_space(const firn_shape *shape, double point[3], double normal[3]) {
  const solid *s = (const solid *)shape;
  if (shape->ops != &half_space_ops) return false;
  memcpy(point, s->at, sizeof s->at);
  memcpy(normal, s->axis, sizeof s->axis);
  return true;
}

bool firn_shape_box(const firn_shape *shape, double center[3], double half[3]) {
  const solid *s = (const solid *)shape;
  if (shape->ops != &box_ops || s->rounding > 0) return false;
  memcpy(center, s->at, sizeof s->at);
  memcpy(half, s->half, sizeof s->half);
  return true;
}

// --------------------------------------------------------------------------------------- making

static void put_bounds(firn_shape *shape, const double center[3], const double half[3]) {
  shape->bounded = true;
  for (int a = 0; a < 3; a++) {
    shape->lo[a] = center[a] - half[a];
    shape->hi[a] = center[a] + half[a];
  }
}

static firn_status make_half_space(firn_context *context, const firn_shape_def *def,
                                   const char *what, solid *s) {
  double length = firn_sdf_direction(def->normal, s->axis);
  if (!(isfinite(length) && length > 0)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: normal (%g %g %g) has no direction", what,
                     def->normal[0], def->normal[1], def->normal[2]);
  }
  s->base.ops = &half_space_ops;
  s->base.volume = INFINITY;
  return FIRN_OK;
}

static void put_ball(solid *s, const double center[3], double radius) {
  const double half[3] = {radius, radius, radius};
  s->base.ops = &sphere_ops;
  s->base.volume = 4 * PI / 3 * radius * radius * radius;
  s->radius = radius;
  memcpy(s->at, center, sizeof s->at);
  put_bounds(&s->base, center, half);
}

static firn_status make_sphere(firn_context *context, const firn_shape_def *def, const char *what,
                               solid *s) {
  FIRN_TRY(firn_shape_check_positive(context, what, "radius", def->radius));
  put_ball(s, def->center, def->radius);
  return FIRN_OK;
}

static firn_status check_half(firn_context *context, const firn_shape_def *def, const char *what) {
  static const char *const field[] = {"half[0]", "half[1]", "half[2]"};
  for (int a = 0; a < 3; a++) {
    FIRN_TRY(firn_shape_check_positive(context, what, field[a], def->half[a]));
  }
  return FIRN_OK;
}

static firn_status make_box(firn_context *context, const firn_shape_def *def, const char *what,
                            solid *s) {
  FIRN_TRY(check_half(context, def, what));
  FIRN_TRY(firn_shape_check_zero_or_more(context, what, "rounding", def->rounding));
  double r = def->rounding;
  for (int a = 0; a < 3; a++) {
    s->half[a] = def->half[a] - r;
    if (s->half[a] >= 0) continue;
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: rounding = %g m must not exceed half[%d] = %g m", what, r, a,
                     def->half[a]);
  }
  s->base.ops = &box_ops;
  s->rounding = r;
  put_bounds(&s->base, def->center, def->half);
  // The inner box grown by r (Steiner): faces, quarter cylinders along the edges, a ball.
  const double *e = s->half;
  s->base.volume = 8 * e[0] * e[1] * e[2] + 8 * r * (e[0] * e[1] + e[1] * e[2] + e[2] * e[0]) +
                   2 * PI * r * r * (e[0] + e[1] + e[2]) + 4 * PI / 3 * r * r * r;
  return FIRN_OK;
}

static firn_status make_ellipsoid(firn_context *context, const firn_shape_def *def,
                                  const char *what, solid *s) {
  FIRN_TRY(check_half(context, def, what));
  s->base.ops = &ellipsoid_ops;
  memcpy(s->half, def->half, sizeof s->half);
  s->base.volume = 4 * PI / 3 * def->half[0] * def->half[1] * def->half[2];
  put_bounds(&s->base, def->center, def->half);
  return FIRN_OK;
}

// The axis of revolution; false if it has no length.
static bool put_axis(const firn_shape_def *def, solid *s) {
  double v[3];
  for (int a = 0; a < 3; a++) {
    v[a] = def->to[a] - def->from[a];
    s->at[a] = def->from[a];
    s->base.center[a] = (def->from[a] + def->to[a]) / 2;
  }
  s->length = firn_sdf_direction(v, s->axis);
  return isfinite(s->length) && s->length > 0;
}

// A ball where one end holds the other.
static void make_ball(const firn_shape_def *def, solid *s) {
  bool first = def->radius >= def->radius_to;
  put_ball(s, first ? def->from : def->to, first ? def->radius : def->radius_to);
}

static firn_status make_capsule(firn_context *context, const firn_shape_def *def, const char *what,
                                solid *s) {
  FIRN_TRY(firn_shape_check_positive(context, what, "radius", def->radius));
  FIRN_TRY(firn_shape_check_positive(context, what, "radius_to", def->radius_to));
  double r0 = s->radius = def->radius, r1 = s->radius_to = def->radius_to;
  if (!put_axis(def, s) || s->length <= fabs(r0 - r1)) {
    make_ball(def, s);
    return FIRN_OK;
  }
  s->base.ops = &capsule_ops;
  s->base.bounded = true;
  for (int a = 0; a < 3; a++) {
    s->base.lo[a] = fmin(def->from[a] - r0, def->to[a] - r1);
    s->base.hi[a] = fmax(def->from[a] + r0, def->to[a] + r1);
  }
  // Between the circles of contact it is a frustum; beyond them, caps of the balls.
  double t = (r0 - r1) / s->length, c2 = 1 - t * t;
  double height = s->length - t * (r0 - r1);
  s->base.volume = PI / 3 * c2 * height * (r0 * r0 + r0 * r1 + r1 * r1) +
                   PI / 3 * r0 * r0 * r0 * (1 + t) * (1 + t) * (2 - t) +
                   PI / 3 * r1 * r1 * r1 * (1 - t) * (1 - t) * (2 + t);
  return FIRN_OK;
}

static firn_status make_cone(firn_context *context, const firn_shape_def *def, const char *what,
                             solid *s) {
  double r0 = def->radius, r1 = def->kind == FIRN_SHAPE_CONE ? def->radius_to : def->radius;
  if (def->kind == FIRN_SHAPE_CONE) {
    FIRN_TRY(firn_shape_check_zero_or_more(context, what, "radius", r0));
    FIRN_TRY(firn_shape_check_zero_or_more(context, what, "radius_to", r1));
    FIRN_TRY(firn_shape_check_positive(context, what, "the larger radius", fmax(r0, r1)));
  } else {
    FIRN_TRY(firn_shape_check_positive(context, what, "radius", r0));
  }
  if (!put_axis(def, s)) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: from and to (%g %g %g) are the same point",
                     what, def->to[0], def->to[1], def->to[2]);
  }
  s->radius = r0;
  s->radius_to = r1;
  s->base.ops = &cone_ops;
  s->base.volume = PI / 3 * s->length * (r0 * r0 + r0 * r1 + r1 * r1);
  s->base.bounded = true;
  for (int a = 0; a < 3; a++) {
    double across = sqrt(fmax(0, 1 - s->axis[a] * s->axis[a])); // reach of a unit disc
    s->base.lo[a] = fmin(def->from[a] - r0 * across, def->to[a] - r1 * across);
    s->base.hi[a] = fmax(def->from[a] + r0 * across, def->to[a] + r1 * across);
  }
  return FIRN_OK;
}

static firn_status make_torus(firn_context *context, const firn_shape_def *def, const char *what,
                              solid *s) {
  FIRN_TRY(firn_shape_check_positive(context, what, "radius", def->radius));
  FIRN_TRY(firn_shape_check_positive(context, what, "tube", def->tube));
  if (def->tube > def->radius) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: tube = %g m must not exceed radius = %g m",
                     what, def->tube, def->radius);
  }
  FIRN_TRY(firn_shape_check_finite3(context, what, "normal", def->normal));
  firn_sdf_direction(def->normal, s->axis);
  s->radius = def->radius;
  s->radius_to = def->tube;
  s->base.ops = &torus_ops;
  s->base.convex = false;
  s->base.volume = 2 * PI * PI * def->radius * def->tube * def->tube;
  double half[3];
  for (int a = 0; a < 3; a++) {
    half[a] = def->radius * sqrt(fmax(0, 1 - s->axis[a] * s->axis[a])) + def->tube;
  }
  put_bounds(&s->base, def->center, half);
  return FIRN_OK;
}

static firn_status make_user(firn_context *context, const firn_shape_def *def, const char *what,
                             solid *s) {
  if (!def->sdf) return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: sdf is NULL", what);
  s->sdf = def->sdf;
  s->user = def->sdf_user;
  s->velocity = def->sdf_velocity;
  atomic_init(&s->bad_own.state, 0);
  s->bad = &s->bad_own;
  s->base.ops = &user_ops;
  s->base.convex = false;
  s->base.exact = false;
  s->base.varies = true;
  s->base.volume = INFINITY;
  return FIRN_OK;
}

static firn_status make(firn_context *context, const firn_shape_def *def, const char *what,
                        solid *s) {
  FIRN_TRY(firn_shape_check_finite3(context, what, "center", def->center));
  FIRN_TRY(firn_shape_check_finite3(context, what, "from", def->from));
  FIRN_TRY(firn_shape_check_finite3(context, what, "to", def->to));
  memcpy(s->at, def->center, sizeof s->at);
  memcpy(s->base.center, def->center, sizeof s->base.center);
  s->base.convex = true;
  s->base.exact = true;
  switch (def->kind) {
  case FIRN_SHAPE_HALF_SPACE: return make_half_space(context, def, what, s);
  case FIRN_SHAPE_SPHERE: return make_sphere(context, def, what, s);
  case FIRN_SHAPE_BOX: return make_box(context, def, what, s);
  case FIRN_SHAPE_ELLIPSOID: return make_ellipsoid(context, def, what, s);
  case FIRN_SHAPE_CAPSULE: return make_capsule(context, def, what, s);
  case FIRN_SHAPE_CYLINDER:
  case FIRN_SHAPE_CONE: return make_cone(context, def, what, s);
  case FIRN_SHAPE_TORUS: return make_torus(context, def, what, s);
  default: return make_user(context, def, what, s);
  }
}

firn_status firn_solid_make(firn_context *context, const firn_shape_def *def, const char *what,
                            firn_shape **out) {
  solid *s = (solid *)firn_shape_new(context, def->kind, &user_ops, sizeof *s);
  if (!s) return FIRN_ERROR_MEMORY;
  firn_status status = make(context, def, what, s);
  if (status != FIRN_OK) {
    firn_shape_release(&s->base);
    return status;
  }
  // Not the user's pointers, which differ from run to run.
  firn_shape_digest_add(&s->base, s->at, sizeof s->at);
  firn_shape_digest_add(&s->base, s->axis, sizeof s->axis);
  firn_shape_digest_add(&s->base, s->half, sizeof s->half);
  const double sizes[4] = {s->radius, s->radius_to, s->length, s->rounding};
  firn_shape_digest_add(&s->base, sizes, sizeof sizes);
  *out = &s->base;
  return FIRN_OK;
}
