// SPDX-License-Identifier: Apache-2.0
// What of shapes is too fine for the grid: walls, teeth and grooves thinner than a cell, which snow
// meets as nothing or as something blunt.
//
// A part or a gap is measured along the normal, from a point of the surface to where the shape ends or
// begins again. Only signs of the distance and its first estimate of a step are used: many shapes know
// but a bound of their distance, and meshes know it only near their surface.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/scene_advise.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/shape.h"
#include "math/vec3.h"
#include "solver/solver.h"

// Points are thrown into the bounds, and those near the surface are taken to it: so each part of it
// gets its share. Fewer than LEAST tell nothing: the shape is large, and its features are likely so.
enum { THROWS = 1 << 15, LEAST = 100, STEPS = 24 };
// A share of a cell: as near the surface points are taken.
static const double NEAR = 1e-3;
// Less of the surface than this is the toe of a wedge or the tip of a cone.
static const double SHARE_LEAST = 0.08;

// The part of a shape that lies within another; NULL: all of it.
typedef struct region {
  const firn_shape *of, *within;
} region;

static double sample(const region *r, const double x[3], double normal[3]) {
  double d = firn_shape_sample(r->of, x, 0, normal);
  if (!r->within) return d;
  double own[3], there = firn_shape_sample(r->within, x, 0, own);
  if (there <= d) return d;
  if (normal) memcpy(normal, own, sizeof own);
  return there;
}

// A number in [0, 1) of a throw; golden-ratio sequences fill a box evenly.
static double even(int i, int axis) {
  static const double step[3] = {0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
  double x = (i + 1) * step[axis];
  return x - floor(x);
}

static void move(double x[3], const double normal[3], double by) {
  for (int a = 0; a < 3; a++) x[a] += by * normal[a];
}

// Moves x to the surface, along the normal by steps as long as the distance is at first until one
// crosses it, then by halves; false where it does not arrive within far, m. x ends NEAR to twice NEAR
// of far short of the surface, and the normal is that there: on an edge itself rounding chooses one
// of two faces, and a way inwards along its normal runs along the other and seems to leave at once.
static bool go_to_surface(const region *shape, double x[3], double far, double normal[3]) {
  double d = sample(shape, x, normal), way = d > 0 ? -1 : 1, sum = 0;
  double step = fmax(fabs(d), 0.02 * far);
  for (int i = 0; i < STEPS && step > NEAR * far; i++) {
    double y[3] = {x[0], x[1], x[2]};
    move(y, normal, way * step);
    double there = sample(shape, y, NULL);
    if ((there > 0) != (d > 0)) {
      step *= 0.5;
      continue;
    }
    memcpy(x, y, sizeof y);
    sum += step;
    if (sum > far) return false;
    d = there;
  }
  move(x, normal, -way * NEAR * far);
  sample(shape, x, normal);
  return step <= NEAR * far;
}

// m, along the normal from x: until the shape ends (side -1, inwards) or begins again (side 1,
// outwards); most where it does neither before. By steps of the distance, never less than a 32nd of
// a cell or a 16th of the way, and by halves in the last of them.
static double room(const region *shape, const double x[3], const double normal[3], double h,
                   double most, double side) {
  double before = 0;
  for (double t = 0.05 * h; t < most;) {
    double y[3] = {x[0], x[1], x[2]};
    move(y, normal, side * t);
    double d = side * sample(shape, y, NULL);
    if (d <= 0) {
      for (int i = 0; i < 6; i++) {
        double middle = 0.5 * (before + t), z[3] = {x[0], x[1], x[2]};
        move(z, normal, side * middle);
        *(side * sample(shape, z, NULL) <= 0 ? &t : &before) = middle;
      }
      return t;
    }
    before = t;
    t += fmax(d, fmax(h / 32, t / 16));
  }
  return most;
}

// What is wanted of a shape, and the room at each throw that found its surface, else a negative
// number.
typedef struct survey {
  region shape;
  double lo[3], hi[3], h, most;
  bool gaps;
  double *part, *gap; // m, [THROWS]
} survey;

static void look_at(const survey *s, int i) {
  double x[3], normal[3], near = 0.5 * s->h;
  s->part[i] = s->gap[i] = -1;
  for (int a = 0; a < 3; a++) {
    double lo = s->lo[a] - near, hi = s->hi[a] + near;
    x[a] = lo + (hi - lo) * even(i, a);
  }
  if (fabs(sample(&s->shape, x, NULL)) > near) return;
  if (!go_to_surface(&s->shape, x, s->h, normal)) return;
  s->part[i] = room(&s->shape, x, normal, s->h, s->most, -1);
  s->gap[i] = s->gaps ? room(&s->shape, x, normal, s->h, s->most, 1) : s->most;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The quantile and the share below limit of the [count] numbers of room, which it sorts.
static double least(double *room_at, int count, double limit, double *share) {
  int below = 0;
  qsort(room_at, (size_t)count, sizeof *room_at, ascending);
  while (below < count && room_at[below] < limit) below++;
  *share = (double)below / count;
  return room_at[(int)(SHARE_LEAST * count)];
}

static bool summarise(survey *s, double limit, firn_thickness *out) {
  int count = 0;
  for (int i = 0; i < THROWS; i++) {
    if (s->part[i] < 0) continue;
    s->part[count] = s->part[i];
    // What is on a thin part is counted there.
    s->gap[count++] = s->part[i] < limit ? s->most : s->gap[i];
  }
  if (count < LEAST) return false;
  out->part = least(s->part, count, limit, &out->part_share);
  out->gap = least(s->gap, count, limit, &out->gap_share);
  return true;
}

static bool bounds_of(const region *shape, double lo[3], double hi[3]) {
  const firn_shape *all[] = {shape->of, shape->within};
  int known = 0;
  for (int k = 0; k < 2; k++) {
    if (!all[k] || !all[k]->bounded) continue;
    for (int a = 0; a < 3; a++) {
      lo[a] = known ? fmax(lo[a], all[k]->lo[a]) : all[k]->lo[a];
      hi[a] = known ? fmin(hi[a], all[k]->hi[a]) : all[k]->hi[a];
    }
    known++;
  }
  return known && lo[0] < hi[0] && lo[1] < hi[1] && lo[2] < hi[2];
}

firn_status firn_shape_thickness(const firn_shape *shape, const firn_shape *within, double h,
                                 double most, double limit, bool gaps, firn_thickness *out,
                                 bool *found) {
  survey s = {.shape = {shape, within}, .h = h, .most = most, .gaps = gaps};
  firn_context *context = shape->context;
  *found = false;
  if (!bounds_of(&s.shape, s.lo, s.hi)) return FIRN_OK;
  const size_t size = 2 * sizeof(double) * THROWS;
  s.part = firn_alloc(context, size, "advice");
  if (!s.part) return FIRN_ERROR_MEMORY;
  s.gap = s.part + THROWS;
  FIRN_PARALLEL_FOR(context, schedule(dynamic, 256))
  for (int i = 0; i < THROWS; i++) look_at(&s, i);
  *found = summarise(&s, limit, out);
  firn_free(context, s.part, size);
  return FIRN_OK;
}

static void add(firn_resolving *r, firn_feature kind, const firn_value *v, const char *path,
                double size, double share) {
  firn_unresolved found = {
      .size = size, .value = v, .share = share, .scales = firn_value_scales(v)};
  snprintf(found.path, sizeof found.path, "%.100s.shape", path);
  // Snow that is so many cells thick at every quality was meant to be.
  if (kind == FIRN_FEATURE_SNOW && found.scales) return;
  if (share >= SHARE_LEAST) firn_resolving_add(r, kind, &found);
}

static firn_status add_shape(firn_resolving *r, const firn_value *owner, const char *path,
                             bool solid) {
  const firn_value *v = firn_value_find(owner, "shape");
  if (!v || !v->shape || !v->shape->bounded) return FIRN_OK;
  const firn_solver_type *solver = firn_solver_find(firn_value_text(r->scene->root, "solver"));
  if (solid && solver && solver->hollow) return FIRN_OK; // surfaces are all it knows
  firn_feature kind = solid ? FIRN_FEATURE_SOLID : FIRN_FEATURE_SNOW;
  double limit = firn_resolved_size(r, kind);
  firn_thickness t;
  bool found;
  FIRN_TRY(firn_shape_thickness(v->shape, NULL, r->scene->h, fmax(limit, r->scene->h), limit, solid,
                                &t, &found));
  if (!found) return FIRN_OK;
  bool gaps = t.gap_share > t.part_share;
  if (gaps)
    add(r, FIRN_FEATURE_GAP, v, path, t.gap, t.gap_share);
  else
    add(r, kind, v, path, t.part, t.part_share);
  return FIRN_OK;
}

firn_status firn_resolving_shapes(firn_resolving *r) {
  static const char *const lists[] = {"snow", "colliders"};
  char path[100];
  for (int l = 0; l < 2; l++) {
    const firn_value *list = firn_value_find(r->scene->root, lists[l]);
    int i = 0;
    for (const firn_value *v = list ? list->first : NULL; v; v = v->next, i++) {
      snprintf(path, sizeof path, "%s[%d]", lists[l], i);
      FIRN_TRY(add_shape(r, v, path, l == 1));
      const firn_value *parts = firn_value_find(v, "parts");
      int k = 0;
      for (const firn_value *p = parts ? parts->first : NULL; p; p = p->next, k++) {
        snprintf(path, sizeof path, "%s[%d].parts[%d]", lists[l], i, k);
        FIRN_TRY(add_shape(r, p, path, true));
      }
    }
  }
  return FIRN_OK;
}
