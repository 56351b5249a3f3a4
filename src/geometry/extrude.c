// SPDX-License-Identifier: Apache-2.0
// Outlines in x and y, extruded along z.
#include "geometry/extrude.h"

#include <math.h>
#include <string.h>

#include "geometry/sdf.h"

typedef struct extrusion {
  firn_shape base;
  firn_outline outline;
  double center[3]; // m
  double half;      // m: half the depth
  double thick;     // m: half the thickness; 0 for filled outlines
} extrusion;

static double distance(const firn_shape *shape, const double x[3], double time, double normal[3]) {
  const extrusion *e = (const extrusion *)shape;
  const double p[2] = {x[0] - e->center[0], x[1] - e->center[1]};
  double n2[2];
  (void)time;
  double d2 = firn_outline_distance(&e->outline, p, n2) - e->thick;
  return firn_sdf_extrude(d2, n2, x[2] - e->center[2], e->half, normal);
}

static void release(firn_shape *shape) {
  firn_outline_free(&((extrusion *)shape)->outline);
}

static const firn_shape_ops ops = {.distance = distance, .release = release};

// Area of strokes with a thickness: squares, cut into four wherever the edge may pass.
static double stroke_area(const extrusion *e, const double middle[2], double half, int depth) {
  double n[2], d = firn_outline_distance(&e->outline, middle, n) - e->thick;
  if (fabs(d) >= sqrt(2) * half) return d < 0 ? 4 * half * half : 0;
  // The share behind an edge at d, in the mean over its directions.
  if (depth == 0) return 4 * half * half * fmin(fmax(0.5 - d / (2.1 * half), 0), 1);
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    const double part[2] = {middle[0] + (i & 1 ? half : -half) / 2,
                            middle[1] + (i & 2 ? half : -half) / 2};
    sum += stroke_area(e, part, half / 2, depth - 1);
  }
  return sum;
}

static double area(const extrusion *e) {
  if (e->outline.filled) return firn_outline_area(&e->outline);
  const firn_outline *p = &e->outline;
  // Squares of half the thickness, and what they are cut into.
  double edge = fmax(p->hi[0] - p->lo[0], p->hi[1] - p->lo[1]) / 2 + e->thick;
  const double middle[2] = {(p->lo[0] + p->hi[0]) / 2, (p->lo[1] + p->hi[1]) / 2};
  int depth = (int)fmin(fmax(ceil(log2(edge / e->thick)) + 3, 4), 16);
  return stroke_area(e, middle, edge, depth);
}

// --------------------------------------------------------------------------------------- points

static firn_status check_points(firn_context *context, const firn_shape_def *def, const char *what,
                                int least) {
  if (def->point_count < least || !def->points) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %d points are too few; it takes %d", what,
                     def->points ? def->point_count : 0, least);
  }
  if (def->point_count > 1000000) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: %d points are more than 1000000", what,
                     def->point_count);
  }
  for (int i = 0; i < def->point_count; i++) {
    const double *p = def->points + (size_t)2 * (size_t)i;
    if (!isfinite(p[0]) || !isfinite(p[1])) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: points[%d] = (%g %g) is not finite", what,
                       i, p[0], p[1]);
    }
    if (def->bulge && !(fabs(def->bulge[i]) <= 1000)) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: bulge[%d] = %g must lie between -1000 and 1000", what, i,
                       def->bulge[i]);
    }
  }
  return FIRN_OK;
}

static bool same(const double a[2], const double b[2]) {
  return a[0] == b[0] && a[1] == b[1];
}

// Points [first, first + count) in a row; closed: and back to the first.
static firn_status add_line(const firn_shape_def *def, int first, int count, bool closed,
                            firn_outline *outline) {
  for (int i = 0; i < count; i++) {
    const double *a = def->points + (size_t)2 * (size_t)(first + i);
    const double *b = def->points + (size_t)2 * (size_t)(first + (i + 1) % count);
    double bulge = def->bulge ? def->bulge[first + i] : 0;
    if ((i + 1 == count && !closed) || same(a, b)) continue; // a point given twice is one point
    FIRN_TRY(firn_outline_add(outline, a, b, bulge));
  }
  return FIRN_OK;
}

static firn_status add_polygon(firn_context *context, const firn_shape_def *def, const char *what,
                               firn_outline *outline) {
  FIRN_TRY(check_points(context, def, what, 2));
  int contours = def->contours ? def->contour_count : 1, first = 0;
  for (int c = 0; c < contours; c++) {
    int count = def->contours ? def->contours[c] : def->point_count;
    if (count < (def->bulge ? 2 : 3) || count > def->point_count - first) {
      return firn_fail(context, FIRN_ERROR_ARGUMENT,
                       "%s: contour %d has %d points; %d of %d are left, and it takes %d", what, c,
                       count, def->point_count - first, def->point_count, def->bulge ? 2 : 3);
    }
    FIRN_TRY(add_line(def, first, count, true, outline));
    first += count;
  }
  if (first < def->point_count) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: the contours use %d of %d points", what,
                     first, def->point_count);
  }
  if (!outline->count) {
    return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: all points are the same", what);
  }
  bool found;
  int pair[2];
  double at[2];
  FIRN_TRY(firn_outline_crossing(outline, &found, pair, at));
  if (!found) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT,
                   "%s: the polygon crosses itself at (%g %g): edges from (%g %g) and from (%g %g)",
                   what, at[0], at[1], outline->segment[pair[0]].a[0],
                   outline->segment[pair[0]].a[1], outline->segment[pair[1]].a[0],
                   outline->segment[pair[1]].a[1]);
}

static firn_status add_path(firn_context *context, const firn_shape_def *def, const char *what,
                            firn_outline *outline) {
  FIRN_TRY(check_points(context, def, what, 2));
  FIRN_TRY(add_line(def, 0, def->point_count, def->closed, outline));
  if (outline->count) return FIRN_OK;
  return firn_fail(context, FIRN_ERROR_ARGUMENT, "%s: all points are the same", what);
}

static firn_status add_roof(const firn_shape_def *def, firn_outline *outline) {
  const double w = def->half[0], h = def->half[1];
  const double corner[3][2] = {{-w, -h}, {w, -h}, {0, h}};
  for (int i = 0; i < 3; i++) {
    FIRN_TRY(firn_outline_add(outline, corner[i], corner[(i + 1) % 3], 0));
  }
  return FIRN_OK;
}

// --------------------------------------------------------------------------------------- making

static firn_status make(firn_context *context, const firn_shape_def *def, const char *what,
                        extrusion *e) {
  firn_shape *base = &e->base;
  bool roof = def->kind == FIRN_SHAPE_PRISM;
  bool filled = roof || def->kind == FIRN_SHAPE_POLYGON;
  FIRN_TRY(firn_shape_check_finite3(context, what, "center", def->center));
  for (int a = 0; a < 3 && roof; a++) {
    static const char *const field[] = {"half[0]", "half[1]", "half[2]"};
    FIRN_TRY(firn_shape_check_positive(context, what, field[a], def->half[a]));
  }
  if (!roof) FIRN_TRY(firn_shape_check_positive(context, what, "depth", def->depth));
  if (!filled) FIRN_TRY(firn_shape_check_positive(context, what, "thickness", def->thickness));
  memcpy(e->center, def->center, sizeof e->center);
  e->half = roof ? def->half[2] : def->depth / 2;
  e->thick = filled ? 0 : def->thickness / 2;
  e->outline.context = context;
  switch (def->kind) {
  case FIRN_SHAPE_PRISM: FIRN_TRY(add_roof(def, &e->outline)); break;
  case FIRN_SHAPE_POLYGON: FIRN_TRY(add_polygon(context, def, what, &e->outline)); break;
  case FIRN_SHAPE_PATH: FIRN_TRY(add_path(context, def, what, &e->outline)); break;
  default: FIRN_TRY(firn_text_outline(context, def, what, &e->outline)); break;
  }
  FIRN_TRY(firn_outline_finish(&e->outline, filled));
  base->convex = roof;
  base->exact = filled || e->outline.count == 1; // where strokes overlap it is a bound
  base->bounded = true;
  for (int a = 0; a < 3; a++) {
    double lo = a < 2 ? e->outline.lo[a] - e->thick : -e->half;
    double hi = a < 2 ? e->outline.hi[a] + e->thick : e->half;
    base->lo[a] = e->center[a] + lo;
    base->hi[a] = e->center[a] + hi;
  }
  base->volume = area(e) * 2 * e->half;
  if (roof) {
    memcpy(base->center, def->center, sizeof base->center);
  } else {
    firn_shape_put_center(base, base);
  }
  return FIRN_OK;
}

firn_status firn_extrusion_make(firn_context *context, const firn_shape_def *def, const char *what,
                                firn_shape **out) {
  extrusion *e = (extrusion *)firn_shape_new(context, def->kind, &ops, sizeof *e);
  if (!e) return FIRN_ERROR_MEMORY;
  firn_status status = make(context, def, what, e);
  if (status != FIRN_OK) {
    firn_shape_release(&e->base);
    return status;
  }
  const double sizes[] = {e->center[0], e->center[1], e->center[2], e->half, e->thick};
  firn_shape_digest_add(&e->base, sizes, sizeof sizes);
  for (int i = 0; i < e->outline.count; i++) {
    const firn_segment *s = &e->outline.segment[i];
    const double ends[] = {s->a[0], s->a[1], s->b[0], s->b[1], s->radius};
    firn_shape_digest_add(&e->base, ends, sizeof ends);
  }
  *out = &e->base;
  return FIRN_OK;
}
