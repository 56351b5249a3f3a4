// SPDX-License-Identifier: Apache-2.0
// What all shapes have in common: being made, held, asked and released.
#include "geometry/shape.h"

#include <math.h>
#include <string.h>

#include "base/def.h"
#include "geometry/kinds.h"
#include "geometry/sdf.h"

firn_shape *firn_shape_new(firn_context *context, firn_shape_kind kind, const firn_shape_ops *ops,
                           size_t size) {
  firn_shape *shape = firn_alloc_zero(context, size, "shape");
  if (!shape) return NULL;
  shape->context = context;
  shape->ops = ops;
  shape->references = 1;
  shape->kind = kind;
  shape->size = size;
  shape->volume = -1;
  shape->digest = 0xcbf29ce484222325u;
  firn_shape_digest_add(shape, &kind, sizeof kind);
  return shape;
}

// FNV-1a, 64 bits.
void firn_shape_digest_add(firn_shape *shape, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; i < size; i++) {
    shape->digest = (shape->digest ^ byte[i]) * 0x100000001b3u;
  }
}

firn_shape *firn_shape_retain(const firn_shape *shape) {
  firn_shape *held = (firn_shape *)shape; // the count is not part of what must not change
  if (held) firn_hold(&held->references);
  return held;
}

void firn_shape_release(const firn_shape *shape) {
  firn_shape *held = (firn_shape *)shape;
  if (!held || !firn_let_go(&held->references)) return;
  if (held->ops->release) held->ops->release(held);
  firn_free(held->context, held, held->size);
}

static firn_status hold(firn_context *context, const firn_shape_def *def, const char *what,
                        firn_shape **out) {
  FIRN_TRY(firn_shape_check_child(context, def->shape, what, "shape"));
  *out = firn_shape_retain(def->shape);
  return FIRN_OK;
}

firn_status firn_shape_check_child(firn_context *context, const firn_shape *child, const char *what,
                                   const char *field) {
  if (!child) return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s is NULL", what, field);
  if (child->context == context) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %s belongs to another context", what, field);
}

firn_status firn_shape_make(firn_context *context, const firn_shape_def *def, const char *what,
                            firn_shape **out) {
  *out = NULL;
  FIRN_TRY(firn_room_check(context, what, def->room, sizeof def->room / sizeof *def->room));
  switch (def->kind) {
  case FIRN_SHAPE_HANDLE: return hold(context, def, what, out);
  case FIRN_SHAPE_HALF_SPACE:
  case FIRN_SHAPE_SPHERE:
  case FIRN_SHAPE_BOX:
  case FIRN_SHAPE_SDF:
  case FIRN_SHAPE_ELLIPSOID:
  case FIRN_SHAPE_CAPSULE:
  case FIRN_SHAPE_CYLINDER:
  case FIRN_SHAPE_CONE:
  case FIRN_SHAPE_TORUS: return firn_solid_make(context, def, what, out);
  case FIRN_SHAPE_PRISM:
  case FIRN_SHAPE_POLYGON:
  case FIRN_SHAPE_PATH:
  case FIRN_SHAPE_TEXT: return firn_extrusion_make(context, def, what, out);
  case FIRN_SHAPE_HEIGHT_FIELD: return firn_height_field_make(context, def, what, out);
  case FIRN_SHAPE_UNION:
  case FIRN_SHAPE_INTERSECTION:
  case FIRN_SHAPE_DIFFERENCE:
  case FIRN_SHAPE_SMOOTH_UNION: return firn_combined_make(context, def, what, out);
  case FIRN_SHAPE_TRANSFORM:
  case FIRN_SHAPE_SHELL:
  case FIRN_SHAPE_OFFSET:
  case FIRN_SHAPE_DISPLACE: return firn_modified_make(context, def, what, out);
  case FIRN_SHAPE_REPEAT:
  case FIRN_SHAPE_MIRROR: return firn_pattern_make(context, def, what, out);
  case FIRN_SHAPE_MESH: return firn_mesh_make_shape(context, def, what, out);
  }
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: shape kind %d does not exist", what,
                   (int)def->kind);
}

firn_status firn_shape_create(firn_context *context, const firn_shape_def *def, firn_shape **out) {
  if (!context || !def || !out) return firn_fail_null(context, "firn_shape_create");
  return firn_shape_make(context, def, "shape", out);
}

double firn_shape_sample(const firn_shape *shape, const double position[3], double time,
                         double normal[3]) {
  double gradient[3], d = firn_shape_ask(shape, position, time, gradient);
  if (!normal) return d;
  if (shape->exact) {
    memcpy(normal, gradient, sizeof gradient);
  } else {
    firn_sdf_direction(gradient, normal);
  }
  return d;
}

void firn_shape_velocity(const firn_shape *shape, const double position[3], double time,
                         double velocity[3]) {
  if (shape->varies && shape->ops->velocity) {
    shape->ops->velocity(shape, position, time, velocity);
  } else {
    memset(velocity, 0, 3 * sizeof *velocity);
  }
}

double firn_shape_look(const firn_shape *shape, const double position[3], double time,
                       double normal[3]) {
  if (!shape->ops->look) return firn_shape_sample(shape, position, time, normal);
  double gradient[3], d = shape->ops->look(shape, position, time, gradient);
  if (normal) firn_sdf_direction(gradient, normal);
  return d;
}

const firn_shape *firn_shape_unmoved(const firn_shape *shape) {
  double turn[3][3], translation[3], scale;
  const firn_shape *child;
  while ((child = firn_shape_moved(shape, turn, translation, &scale))) shape = child;
  return shape;
}

static const firn_bad_place *find_bad_place(const firn_shape *shape) {
  if (!shape->varies) return NULL; // no user's function in it
  if (shape->kind == FIRN_SHAPE_SDF) return firn_solid_bad_place(shape);
  const firn_bad_place *bad = NULL;
  const firn_shape *child;
  for (int i = 0; shape->ops->child && !bad && (child = shape->ops->child(shape, i)); i++)
    bad = find_bad_place(child);
  return bad;
}

firn_status firn_shape_check_answers(firn_context *context, const firn_shape *shape,
                                     const char *what) {
  const firn_bad_place *bad = find_bad_place(shape);
  if (!bad) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_NONFINITE, "%s: its %s at (%g %g %g) m, at %g s", what,
                   bad->what, bad->at[0], bad->at[1], bad->at[2], bad->at[3]);
}

double firn_shape_ask_tight(const firn_shape *shape, const double position[3], double time,
                            double gradient[3]) {
  double d = firn_shape_ask(shape, position, time, gradient);
  if (shape->exact || !shape->bounded) return d;
  double middle[3], half[3], n[3];
  for (int a = 0; a < 3; a++) {
    half[a] = (shape->hi[a] - shape->lo[a]) / 2;
    middle[a] = position[a] - (shape->hi[a] + shape->lo[a]) / 2;
  }
  double outside = firn_sdf_box(half, middle, n);
  if (!(outside > 0 && outside > d)) return d;
  memcpy(gradient, n, sizeof n);
  return outside;
}

double firn_shape_distance(const firn_shape *shape, const double position[3], double normal[3]) {
  return firn_shape_sample(shape, position, 0, normal);
}

bool firn_shape_bounds(const firn_shape *shape, double lo[3], double hi[3]) {
  for (int a = 0; a < 3; a++) {
    lo[a] = shape->bounded ? shape->lo[a] : -(double)INFINITY;
    hi[a] = shape->bounded ? shape->hi[a] : (double)INFINITY;
  }
  return shape->bounded;
}

void firn_shape_grow_bounds(firn_shape *shape, const firn_shape *child, double by) {
  shape->bounded = child->bounded;
  for (int a = 0; a < 3; a++) {
    shape->lo[a] = child->lo[a] - by;
    shape->hi[a] = child->hi[a] + by;
  }
}

void firn_shape_put_center(firn_shape *shape, const firn_shape *child) {
  for (int a = 0; a < 3; a++) {
    shape->center[a] = shape->bounded ? (shape->lo[a] + shape->hi[a]) / 2 : child->center[a];
  }
}
