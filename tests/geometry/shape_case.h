// SPDX-License-Identifier: Apache-2.0
// What every shape promises, held against a test for "inside" that knows nothing of distances.
#ifndef FIRN_TESTS_GEOMETRY_SHAPE_CASE_H
#define FIRN_TESTS_GEOMETRY_SHAPE_CASE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "geometry/shape.h"
#include "support/checker.h"

typedef bool inside_fn(const double x[3]);

typedef struct shape_case {
  const char *name;
  inside_fn *inside;
  bool exact;          // the distance is that to the surface, not just a bound of it
  bool exact_outside;  // at least there
  double lo[3], hi[3]; // m: where to look; all 0: around the bounds
  double rough;        // m: inside may err this close to the surface
} shape_case;

static const double CASE_PI = 3.14159265358979323846;

static inline double case_uniform(uint32_t stream, uint64_t i, double lo, double hi) {
  firn_philox r = firn_philox4x32(2013, i, stream, 0);
  return lo + (hi - lo) * (r.v[0] + r.v[1] * 0x1p-32) * 0x1p-32;
}

static inline void case_point(const double lo[3], const double hi[3], uint32_t stream, uint64_t i,
                              double x[3]) {
  for (int a = 0; a < 3; a++) x[a] = case_uniform(stream, 3 * i + (uint64_t)a, lo[a], hi[a]);
}

static inline void case_direction(uint32_t stream, uint64_t i, double u[3]) {
  double z = case_uniform(stream, 2 * i, -1, 1);
  double phi = case_uniform(stream, 2 * i + 1, 0, 2 * CASE_PI), s = sqrt(1 - z * z);
  u[0] = s * cos(phi), u[1] = s * sin(phi), u[2] = z;
}

static inline firn_context *case_context(void) {
  firn_context_def def = firn_default_context_def();
  firn_context *context;
  def.threads = 1;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

// Nothing may be left when a test is over.
static inline void case_end(firn_context *context) {
  assert_int_equal(firn_context_bytes(context), 0);
  firn_context_destroy(context);
}

static inline firn_shape *case_make(firn_context *context, firn_shape_def def) {
  firn_shape *shape = NULL;
  firn_status status = firn_shape_create(context, &def, &shape);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
  return shape;
}

#define CASE_FAIL(c, x, ...)                                                                       \
  do {                                                                                             \
    char text_[256];                                                                               \
    snprintf(text_, sizeof text_, __VA_ARGS__);                                                    \
    fail_msg("%s at (%.17g, %.17g, %.17g): %s", (c)->name, (x)[0], (x)[1], (x)[2], text_);         \
  } while (0)

static inline double case_distance(const firn_shape *shape, const double x[3], double n[3]) {
  return firn_shape_distance(shape, x, n);
}

// At one point: sign, length of the normal, and that a ball of the distance's radius is all inside
// or all outside; if the distance is exact, that the surface is where distance and normal point.
static inline void case_check_point(const shape_case *c, const firn_shape *shape, double size,
                                    const double x[3], uint64_t i) {
  double n[3], d = case_distance(shape, x, n), tiny = 1e-9 * size + c->rough;
  if (!isfinite(d)) CASE_FAIL(c, x, "distance %g", d);
  double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(fabs(length - 1) < 1e-12)) CASE_FAIL(c, x, "normal of length %.17g", length);
  if (firn_shape_distance(shape, x, NULL) != d) CASE_FAIL(c, x, "depends on asking for a normal");
  if (fabs(d) <= tiny) return;
  bool inside = c->inside(x);
  if (inside != (d < 0)) CASE_FAIL(c, x, "distance %g, but inside is %d", d, inside);
  for (uint64_t k = 0; k < 6; k++) {
    double u[3], y[3];
    case_direction(77, 6 * i + k, u);
    // Towards the surface is where a distance that is too large would show.
    double to = d > 0 ? -1 : 1;
    for (int a = 0; a < 3; a++) u[a] = k < 3 ? u[a] : to * n[a] + 0.3 * (double)(k - 3) * u[a];
    double l = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int a = 0; a < 3; a++) y[a] = x[a] + u[a] / l * (fabs(d) - tiny);
    if (c->inside(y) != inside) {
      CASE_FAIL(c, x, "distance %.17g is too large: (%.17g, %.17g, %.17g) is on the other side", d,
                y[0], y[1], y[2]);
    }
  }
  if (!c->exact || (c->exact_outside && inside)) return;
  // Straight on, or, since an acute corner may lie to the side, somewhere near there.
  double to[3], step = 1e-6 * size + 2 * c->rough;
  for (uint64_t k = 0; k < 400; k++) {
    double u[3];
    case_direction(78, k, u);
    for (int a = 0; a < 3; a++) {
      to[a] = x[a] - d * n[a] + step * (k ? u[a] : d > 0 ? -n[a] : n[a]);
    }
    if (c->inside(to) != inside) return;
  }
  CASE_FAIL(c, x, "distance %.17g is too small: no surface at (%.17g, %.17g, %.17g)", d,
            x[0] - d * n[0], x[1] - d * n[1], x[2] - d * n[2]);
}

// The normal is the gradient, up to its length, and the gradient is no longer than 1.
static inline void case_check_slope(const shape_case *c, const firn_shape *shape, double size,
                                    const double x[3], uint64_t i, int *smooth) {
  double n[3], d = case_distance(shape, x, n), y[3], u[3], g[3], unused[3], e = 1e-5 * size;
  case_direction(99, i, u);
  for (int k = 0; k < 2; k++) {
    double step = size * (k ? 1e-3 : 0.2) * case_uniform(98, 2 * i + (uint64_t)k, 0, 1);
    for (int a = 0; a < 3; a++) y[a] = x[a] + step * u[a];
    double change = fabs(case_distance(shape, y, unused) - d);
    if (change > step * (1 + 1e-9) + 1e-12 * size) {
      CASE_FAIL(c, x, "changes by %.17g over %.17g m", change, step);
    }
  }
  // Where the distance has no gradient, central and one-sided differences disagree.
  double bend = 0, length = 0;
  for (int a = 0; a < 3; a++) {
    double ends[2];
    for (int k = 0; k < 2; k++) {
      memcpy(y, x, sizeof y);
      y[a] += k ? e : -e;
      ends[k] = case_distance(shape, y, unused);
    }
    g[a] = (ends[1] - ends[0]) / (2 * e);
    bend = fmax(bend, fabs(ends[1] + ends[0] - 2 * d) / e);
    length += g[a] * g[a];
  }
  length = sqrt(length);
  // A surface bent with radius r is off by e / r; this leaves out what is closer than 1/100 of the
  // size to a ridge.
  if (bend > 2e-3) return;
  ++*smooth;
  if (c->exact && !(c->exact_outside && d < 0) && fabs(length - 1) > 1e-4)
    CASE_FAIL(c, x, "gradient of length %.17g", length);
  double dot = (g[0] * n[0] + g[1] * n[1] + g[2] * n[2]) / length;
  if (length > 0.05 && !(dot > 1 - 1e-4)) {
    CASE_FAIL(c, x, "normal (%g %g %g), gradient (%g %g %g)", n[0], n[1], n[2], g[0], g[1], g[2]);
  }
}

// All promises at count points; releases the shape.
static inline void case_check(const shape_case *c, firn_shape *shape, int count) {
  double lo[3], hi[3], from[3], to[3], size = 0, n[3];
  bool bounded = firn_shape_bounds(shape, lo, hi);
  bool given = c->hi[0] > c->lo[0];
  if (is_slow() && count > 500) count /= 6;
  assert_true(bounded || given);
  for (int a = 0; a < 3; a++) {
    from[a] = given ? c->lo[a] : lo[a] - 0.4 * (hi[a] - lo[a]);
    to[a] = given ? c->hi[a] : hi[a] + 0.4 * (hi[a] - lo[a]);
    size = fmax(size, to[a] - from[a]);
  }
  int smooth = 0, in = 0;
  for (int i = 0; i < count; i++) {
    double x[3];
    case_point(from, to, 1, (uint64_t)i, x);
    case_check_point(c, shape, size, x, (uint64_t)i);
    case_check_slope(c, shape, size, x, (uint64_t)i, &smooth);
    bool inside = c->inside(x);
    in += inside;
    // Close to the surface, too, on it as near as rounding allows, and on lines of symmetry.
    double d = case_distance(shape, x, n), y[3];
    for (int a = 0; a < 3; a++) y[a] = x[a] - d * n[a] * (1 - 1e-3);
    case_check_point(c, shape, size, y, (uint64_t)i);
    for (int a = 0; a < 3; a++) y[a] = x[a] - d * n[a];
    case_check_point(c, shape, size, y, (uint64_t)i);
    memcpy(y, x, sizeof y);
    y[i % 3] = shape->center[i % 3];
    if (i % 2) y[(i + 1) % 3] = shape->center[(i + 1) % 3];
    case_check_point(c, shape, size, y, (uint64_t)i);
    for (int a = 0; a < 3 && bounded && inside; a++) {
      if (x[a] < lo[a] || x[a] > hi[a]) CASE_FAIL(c, x, "inside, but out of bounds");
    }
  }
  case_check_point(c, shape, size, shape->center, 0);
  assert_true(in > count / 100); // the points must have seen both sides
  assert_true(in < count - count / 100);
  if (smooth < count / 2) fail_msg("%s: smooth at %d of %d points only", c->name, smooth, count);

  // Far away it goes on.
  for (int a = 0; a < 3; a++) {
    const double far[3] = {a == 0 ? 1e6 : 0, a == 1 ? 1e6 : 0, a == 2 ? -1e6 : 0};
    double d = case_distance(shape, far, n);
    assert_true(isfinite(d) && fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-12);
  }

  // The share of the bounds that is inside: off by 1 / (2 sqrt(N)) at most, 4 times that allowed,
  // and another 1 % where the volume is not in closed form.
  double volume = firn_shape_volume(shape), box = 1;
  if (bounded) {
    const int N = is_slow() ? 4000 : 20000;
    int hit = 0;
    for (int i = 0; i < N; i++) {
      double x[3];
      case_point(lo, hi, 2, (uint64_t)i, x);
      hit += c->inside(x);
    }
    for (int a = 0; a < 3; a++) box *= hi[a] - lo[a];
    double share = (double)hit / N, sigma = sqrt(share * (1 - share) / N);
    double error = fabs(volume / box - share);
    if (error > 4 * sigma + 1e-3 * share + (shape->volume < 0 ? 0.01 * share : 0)) {
      fail_msg("%s: volume %.8g m^3, but about %.8g +- %.2g of it is inside", c->name, volume,
               share * box, sigma * box);
    }
  } else {
    assert_true(isinf(volume));
  }
  firn_shape_release(shape);
}

#endif
