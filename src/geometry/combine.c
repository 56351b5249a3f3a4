// SPDX-License-Identifier: Apache-2.0
// Shapes made of several: least and greatest of their distances.
//
// A child far away costs a look at its bounds. To leave it out must not change the answer, so a
// child's distance counts as no less than that to its bounds (firn_shape_ask_tight), whether it
// is looked at or not.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geometry/kinds.h"
#include "geometry/sdf.h"

typedef struct combined {
  firn_shape base;
  double smoothing; // m
  int count;
  firn_shape *child[]; // [count]
} combined;

static void release(firn_shape *shape) {
  combined *c = (combined *)shape;
  for (int i = 0; i < c->count; i++) firn_shape_release(c->child[i]);
}

static const firn_shape *child(const firn_shape *shape, int i) {
  const combined *c = (const combined *)shape;
  return i < c->count ? c->child[i] : NULL;
}

// Square of the distance to the bounds of a shape; 0 inside them or without any.
static double square_apart(const firn_shape *shape, const double x[3]) {
  double sum = 0;
  if (!shape->bounded) return 0;
  for (int a = 0; a < 3; a++) {
    double over = x[a] < shape->lo[a] ? shape->lo[a] - x[a] : x[a] - shape->hi[a];
    if (over > 0) sum += over * over;
  }
  return sum;
}

// Whether a child so far away has at least this distance. The margin is for the rounding of both.
static bool at_least(double square, double distance) {
  return square > 0 && (distance <= 0 || square >= distance * distance * (1 + 1e-12));
}

static double unite(const firn_shape *shape, const double x[3], double time, double gradient[3]) {
  const combined *c = (const combined *)shape;
  // The child with the nearest bounds first, then most others need no more than a look.
  int first = 0;
  double least = square_apart(c->child[0], x), n[3];
  for (int i = 1; i < c->count && least > 0; i++) {
    double square = square_apart(c->child[i], x);
    if (square >= least) continue;
    least = square;
    first = i;
  }
  double best = firn_shape_ask_tight(c->child[first], x, time, gradient);
  for (int i = 0; i < c->count; i++) {
    if (i == first || at_least(square_apart(c->child[i], x), best)) continue;
    double d = firn_shape_ask_tight(c->child[i], x, time, n);
    if (!(d < best)) continue;
    best = d;
    memcpy(gradient, n, sizeof n);
  }
  return best;
}

static double intersect(const firn_shape *shape, const double x[3], double time,
                        double gradient[3]) {
  const combined *c = (const combined *)shape;
  double best = firn_shape_ask(c->child[0], x, time, gradient), n[3];
  for (int i = 1; i < c->count; i++) {
    double d = firn_shape_ask(c->child[i], x, time, n);
    if (!(d > best)) continue;
    best = d;
    memcpy(gradient, n, sizeof n);
  }
  return best;
}

static double subtract(const firn_shape *shape, const double x[3], double time,
                       double gradient[3]) {
  const combined *c = (const combined *)shape;
  double best = firn_shape_ask(c->child[0], x, time, gradient), n[3];
  for (int i = 1; i < c->count; i++) {
    if (at_least(square_apart(c->child[i], x), -best)) continue;
    double d = -firn_shape_ask_tight(c->child[i], x, time, n);
    if (!(d > best)) continue;
    best = d;
    for (int a = 0; a < 3; a++) gradient[a] = -n[a];
  }
  return best;
}

// min(a, b) - h^2 k / 4 with h = max(0, 1 - |a - b| / k), one child after the other. Its gradient
// is a mean of theirs, so it changes by no more than 1 m per m.
static double blend(const firn_shape *shape, const double x[3], double time, double gradient[3]) {
  const combined *c = (const combined *)shape;
  double k = c->smoothing, n[3], fallback[3];
  double value = firn_shape_ask_tight(c->child[0], x, time, gradient), nearest = value;
  memcpy(fallback, gradient, sizeof fallback);
  for (int i = 1; i < c->count; i++) {
    if (at_least(square_apart(c->child[i], x), value + k)) continue;
    double d = firn_shape_ask_tight(c->child[i], x, time, n);
    double h = 1 - fabs(value - d) / k, share = h > 0 ? h / 2 : 0;
    double own = d < value ? 1 - share : share;
    for (int a = 0; a < 3; a++) gradient[a] = (1 - own) * gradient[a] + own * n[a];
    if (d < nearest) {
      nearest = d;
      memcpy(fallback, n, sizeof n);
    }
    value = fmin(value, d) - (h > 0 ? h * h * k / 4 : 0);
  }
  // Halfway between two faces the gradients may cancel.
  double length = firn_sdf_length(gradient);
  if (!(length > 1e-9)) memcpy(gradient, fallback, sizeof fallback);
  return value;
}

// That of the child whose surface it is there: the one of least distance or, where children cut one
// another, of the greatest. In a fillet the nearer one's.
static void velocity_of(const firn_shape *shape, const double x[3], double time,
                        double velocity[3]) {
  const combined *c = (const combined *)shape;
  bool unites = shape->kind == FIRN_SHAPE_UNION || shape->kind == FIRN_SHAPE_SMOOTH_UNION;
  int leader = 0;
  double best = INFINITY, n[3];
  for (int i = 0; i < c->count; i++) {
    bool cuts = shape->kind == FIRN_SHAPE_DIFFERENCE && i > 0;
    double d = firn_shape_ask_tight(c->child[i], x, time, n);
    if (!unites && !cuts) d = -d;
    if (!(d < best)) continue;
    best = d;
    leader = i;
  }
  firn_shape_velocity(c->child[leader], x, time, velocity);
}

static const firn_shape_ops
    union_ops = {.distance = unite, .release = release, .child = child, .velocity = velocity_of},
    intersection_ops = {.distance = intersect,
                        .release = release,
                        .child = child,
                        .velocity = velocity_of},
    difference_ops = {.distance = subtract,
                      .release = release,
                      .child = child,
                      .velocity = velocity_of},
    blend_ops = {.distance = blend, .release = release, .child = child, .velocity = velocity_of};

// --------------------------------------------------------------------------------------- making

// Unites the bounds of the children; one without any leaves none.
static void unite_bounds(combined *c) {
  c->base.bounded = true;
  for (int i = 0; i < c->count; i++) {
    const firn_shape *child = c->child[i];
    c->base.bounded &= child->bounded;
    for (int a = 0; a < 3; a++) {
      c->base.lo[a] = i ? fmin(c->base.lo[a], child->lo[a]) : child->lo[a];
      c->base.hi[a] = i ? fmax(c->base.hi[a], child->hi[a]) : child->hi[a];
    }
  }
}

// Intersects them; false if nothing is left.
static bool intersect_bounds(combined *c) {
  bool some = true;
  for (int i = 0; i < c->count; i++) {
    const firn_shape *child = c->child[i];
    if (!child->bounded) continue;
    for (int a = 0; a < 3; a++) {
      c->base.lo[a] = c->base.bounded ? fmax(c->base.lo[a], child->lo[a]) : child->lo[a];
      c->base.hi[a] = c->base.bounded ? fmin(c->base.hi[a], child->hi[a]) : child->hi[a];
      some &= c->base.lo[a] <= c->base.hi[a];
    }
    c->base.bounded = true;
  }
  return some;
}

static firn_status finish(firn_context *context, const firn_shape_def *def, const char *what,
                          combined *c) {
  firn_shape *base = &c->base;
  switch (def->kind) {
  case FIRN_SHAPE_UNION:
    base->ops = &union_ops;
    unite_bounds(c);
    break;
  case FIRN_SHAPE_SMOOTH_UNION:
    FIRN_TRY(firn_shape_check_positive(context, what, "smoothing", def->smoothing));
    c->smoothing = def->smoothing;
    base->ops = &blend_ops;
    unite_bounds(c);
    // Each child after the first may lower the distance by a quarter of k.
    firn_shape_grow_bounds(base, base, c->smoothing / 4 * (c->count - 1));
    break;
  case FIRN_SHAPE_INTERSECTION:
    base->ops = &intersection_ops;
    base->convex = true;
    for (int i = 0; i < c->count; i++) base->convex &= c->child[i]->convex;
    if (intersect_bounds(c)) break;
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: the shapes of the intersection do not meet: nothing is left", what);
  default:
    base->ops = &difference_ops;
    firn_shape_grow_bounds(base, c->child[0], 0);
    break;
  }
  for (int i = 0; i < c->count; i++) base->varies |= c->child[i]->varies;
  firn_shape_put_center(base, c->child[0]);
  return FIRN_OK;
}

firn_status firn_combined_make(firn_context *context, const firn_shape_def *def, const char *what,
                               firn_shape **out) {
  static const char *const names[] = {"union", "intersection", "difference", "smooth union"};
  char field[32];
  if (def->child_count < 1 || !def->children) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: the %s has no shapes", what,
                     names[def->kind - FIRN_SHAPE_UNION]);
  }
  for (int i = 0; i < def->child_count; i++) {
    snprintf(field, sizeof field, "children[%d]", i);
    FIRN_TRY(firn_shape_check_child(context, def->children[i], what, field));
  }
  size_t count = (size_t)def->child_count;
  combined *c = (combined *)firn_shape_new(context, def->kind, &union_ops,
                                           sizeof *c + count * sizeof *c->child);
  if (!c) return FIRN_ERROR_MEMORY;
  for (size_t i = 0; i < count; i++) {
    c->child[i] = firn_shape_retain(def->children[i]);
    firn_shape_digest_add(&c->base, &c->child[i]->digest, sizeof c->child[i]->digest);
  }
  c->count = def->child_count;
  firn_status status = finish(context, def, what, c);
  if (status != FIRN_OK) {
    firn_shape_release(&c->base);
    return status;
  }
  firn_shape_digest_add(&c->base, &c->smoothing, sizeof c->smoothing);
  *out = &c->base;
  return FIRN_OK;
}
