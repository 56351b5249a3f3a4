// SPDX-License-Identifier: Apache-2.0
// One shape at many places: copies in a lattice, and mirror images. Space is folded, so it costs
// the same whatever their number.
#include <math.h>
#include <string.h>

#include "geometry/kinds.h"
#include "geometry/sdf.h"

typedef struct pattern {
  firn_shape base;
  firn_shape *child;
  int count[3];
  double step[3]; // m
  int reach[3];   // copies to each side of the nearest that must be asked
  int axis;
  double plane; // m
} pattern;

static void release(firn_shape *shape) {
  firn_shape_release(((pattern *)shape)->child);
}

static const firn_shape *child(const firn_shape *shape, int i) {
  return i ? NULL : ((const pattern *)shape)->child;
}

// Let s be the step, e the child's width, p at most s/2 from the middle of copy 0 (or beyond the
// end of the row), and q the nearest point of copy i. The same point of copy 0 is at most (s + e) / 2
// away along the row, q itself at least i s - (s + e) / 2. So copies with i >= 1 + e / s are never
// the nearest: ceil(e / s) to each side will do. That holds for distances; where the child's answer
// is but a bound, the bounds of the copies left out hold, too, which keeps the answer continuous.
static double nearest_copy(const pattern *r, const double x[3], double time, double gradient[3],
                           double place[3]) {
  const firn_shape *child = r->child;
  int lo[3], hi[3];
  double best = INFINITY, rest = INFINITY;
  double n[3];
  for (int a = 0; a < 3; a++) {
    double step = r->step[a], middle = (child->lo[a] + child->hi[a]) / 2;
    double at = step > 0 ? (x[a] - middle) / step : 0;
    int nearest = (int)fmin(fmax(floor(at + 0.5), 0), r->count[a] - 1);
    lo[a] = nearest > r->reach[a] ? nearest - r->reach[a] : 0;
    hi[a] = r->count[a] - nearest > r->reach[a] ? nearest + r->reach[a] : r->count[a] - 1;
    if (lo[a] > 0) rest = fmin(rest, x[a] - child->hi[a] - (lo[a] - 1) * step);
    if (hi[a] < r->count[a] - 1) rest = fmin(rest, child->lo[a] + (hi[a] + 1) * step - x[a]);
  }
  for (int i = lo[0]; i <= hi[0]; i++) {
    for (int j = lo[1]; j <= hi[1]; j++) {
      for (int k = lo[2]; k <= hi[2]; k++) {
        const double p[3] = {x[0] - i * r->step[0], x[1] - j * r->step[1], x[2] - k * r->step[2]};
        double apart = 0;
        for (int a = 0; a < 3; a++) {
          double over = fmax(fmax(child->lo[a] - p[a], p[a] - child->hi[a]), 0);
          apart += over * over;
        }
        if (apart > 0 && (best <= 0 || apart >= best * best * (1 + 1e-12))) continue;
        double d = firn_shape_ask_tight(child, p, time, n);
        if (!(d < best)) continue;
        best = d;
        memcpy(gradient, n, sizeof n);
        memcpy(place, p, sizeof p);
      }
    }
  }
  return child->exact || best < rest ? best : rest;
}

static double repeat(const firn_shape *shape, const double x[3], double time, double gradient[3]) {
  double place[3];
  return nearest_copy((const pattern *)shape, x, time, gradient, place);
}

static void repeat_velocity(const firn_shape *shape, const double x[3], double time,
                            double velocity[3]) {
  const pattern *r = (const pattern *)shape;
  double gradient[3], place[3] = {x[0], x[1], x[2]};
  nearest_copy(r, x, time, gradient, place);
  firn_shape_velocity(r->child, place, time, velocity);
}

// Through the looking glass; true where that is another place.
static bool fold(const pattern *m, const double x[3], double p[3]) {
  bool flipped = x[m->axis] < m->plane;
  memcpy(p, x, 3 * sizeof *p);
  if (flipped) p[m->axis] = 2 * m->plane - x[m->axis];
  return flipped;
}

static double mirror(const firn_shape *shape, const double x[3], double time, double gradient[3]) {
  const pattern *m = (const pattern *)shape;
  double p[3];
  bool flipped = fold(m, x, p);
  double d = firn_shape_ask(m->child, p, time, gradient);
  if (flipped) gradient[m->axis] = -gradient[m->axis];
  return d;
}

static void mirror_velocity(const firn_shape *shape, const double x[3], double time,
                            double velocity[3]) {
  const pattern *m = (const pattern *)shape;
  double p[3];
  bool flipped = fold(m, x, p);
  firn_shape_velocity(m->child, p, time, velocity);
  if (flipped) velocity[m->axis] = -velocity[m->axis];
}

static const firn_shape_ops repeat_ops = {.distance = repeat,
                                          .release = release,
                                          .child = child,
                                          .velocity = repeat_velocity},
                            mirror_ops = {.distance = mirror,
                                          .release = release,
                                          .child = child,
                                          .velocity = mirror_velocity};

// --------------------------------------------------------------------------------------- making

static firn_status make_repeat(firn_context *context, const firn_shape_def *def, const char *what,
                               pattern *r) {
  const firn_shape *child = r->child;
  firn_shape *base = &r->base;
  double asked = 1;
  if (!child->bounded) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: a shape without bounds cannot be repeated",
                     what);
  }
  base->ops = &repeat_ops;
  firn_shape_grow_bounds(base, child, 0);
  for (int a = 0; a < 3; a++) {
    int count = def->count[a] ? def->count[a] : 1;
    double width = child->hi[a] - child->lo[a];
    if (count < 0 || count > 1000000) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: count[%d] = %d must lie in [1, 1000000]",
                       what, a, count);
    }
    r->count[a] = count;
    if (count == 1) continue;
    if (!(isfinite(def->step[a]) && def->step[a] > 0)) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: step[%d] = %g m must be positive for %d copies", what, a, def->step[a],
                       count);
    }
    r->step[a] = def->step[a];
    double reach = fmin(fmax(ceil(width / r->step[a] * (1 - 1e-12)), 1), count - 1);
    r->reach[a] = (int)reach;
    asked *= fmin(2 * reach + 1, count);
    base->hi[a] += (count - 1) * r->step[a];
  }
  if (asked > 1000) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: copies (%g %g %g) m apart overlap too much: %g of them at one place",
                     what, r->step[0], r->step[1], r->step[2], asked);
  }
  // Copies that do not touch one another; where they do, all is still right but no longer exact.
  double copies = (double)r->count[0] * r->count[1] * r->count[2];
  bool apart = true;
  for (int a = 0; a < 3; a++) {
    apart &= r->count[a] == 1 || r->step[a] >= child->hi[a] - child->lo[a];
  }
  base->exact = child->exact && apart;
  if (apart && child->volume >= 0) base->volume = copies * child->volume;
  return FIRN_OK;
}

static firn_status make_mirror(firn_context *context, const firn_shape_def *def, const char *what,
                               pattern *m) {
  const firn_shape *child = m->child;
  firn_shape *base = &m->base;
  FIRN_TRY(firn_shape_check_finite3(context, what, "center", def->center));
  if (def->axis < 0 || def->axis > 2) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: axis = %d must be 0, 1 or 2", what,
                     def->axis);
  }
  int a = m->axis = def->axis;
  m->plane = def->center[a];
  base->ops = &mirror_ops;
  firn_shape_grow_bounds(base, child, 0);
  if (!base->bounded) return FIRN_OK;
  if (child->hi[a] <= m->plane) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT,
                     "%s: the shape ends at %c = %g m, all of it behind the mirror at %g m", what,
                     "xyz"[a], child -> hi[a], m -> plane);
  }
  base->lo[a] = 2 * m->plane - child->hi[a];
  bool clear = child->lo[a] >= m->plane;
  base->exact = child->exact && clear;
  if (clear && child->volume >= 0) base->volume = 2 * child->volume;
  return FIRN_OK;
}

firn_status firn_pattern_make(firn_context *context, const firn_shape_def *def, const char *what,
                              firn_shape **out) {
  FIRN_TRY(firn_shape_check_child(context, def->shape, what, "shape"));
  pattern *p = (pattern *)firn_shape_new(context, def->kind, &repeat_ops, sizeof *p);
  if (!p) return FIRN_ERROR_MEMORY;
  p->child = firn_shape_retain(def->shape);
  p->base.varies = p->child->varies;
  firn_status status = def->kind == FIRN_SHAPE_REPEAT ? make_repeat(context, def, what, p)
                                                      : make_mirror(context, def, what, p);
  if (status != FIRN_OK) {
    firn_shape_release(&p->base);
    return status;
  }
  firn_shape_put_center(&p->base, p->child);
  firn_shape_digest_add(&p->base, &p->child->digest, sizeof p->child->digest);
  firn_shape_digest_add(&p->base, p->count, sizeof p->count);
  firn_shape_digest_add(&p->base, p->step, sizeof p->step);
  firn_shape_digest_add(&p->base, &p->axis, sizeof p->axis);
  firn_shape_digest_add(&p->base, &p->plane, sizeof p->plane);
  *out = &p->base;
  return FIRN_OK;
}
