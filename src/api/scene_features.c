// SPDX-License-Identifier: Apache-2.0
// What of shapes is too fine for the grid: walls, teeth and grooves thinner than a cell, which snow
// meets as nothing or as something blunt.
//
// A part or a gap is measured along the normal, from a point of the surface to where the shape ends or
// begins again. Only signs of the distance and its first estimate of a step are used: many shapes know
// but a bound of their distance, and meshes know it only near their surface.
#include <math.h>
#include <stdio.h>
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
// What is thinner than this share of a cell counts; a part of a whole cell does not, to rounding.
static const double THIN = 0.95;
// A share of a cell: as near the surface points are taken.
static const double NEAR = 1e-3;
// Less of the surface than this is the toe of a wedge or the tip of a cone.
static const double SHARE_LEAST = 0.08;

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
static bool go_to_surface(const firn_shape *shape, double x[3], double far, double normal[3]) {
  double d = firn_shape_sample(shape, x, 0, normal), way = d > 0 ? -1 : 1, sum = 0;
  double step = fmax(fabs(d), 0.02 * far);
  for (int i = 0; i < STEPS && step > NEAR * far; i++) {
    double y[3] = {x[0], x[1], x[2]};
    move(y, normal, way * step);
    double there = firn_shape_sample(shape, y, 0, NULL);
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
  firn_shape_sample(shape, x, 0, normal);
  return step <= NEAR * far;
}

// m, along the normal from x: until the shape ends (side -1, inwards) or begins again (side 1, outwards);
// most where it does neither before.
static double room(const firn_shape *shape, const double x[3], const double normal[3], double most,
                   double side) {
  for (double t = 0.05 * most; t < most;) {
    double y[3] = {x[0], x[1], x[2]};
    move(y, normal, side * t);
    double d = side * firn_shape_sample(shape, y, 0, NULL);
    if (d <= 0) return t;
    t += fmax(d, most / 32);
  }
  return most;
}

typedef struct features {
  int hits;         // throws that found the surface
  int thin, narrow; // of them: on what is thin, and in gaps
} features;

static void look_at(const firn_shape *shape, double h, bool gaps, int i, double out[2]) {
  double x[3], normal[3], near = 0.5 * h;
  out[0] = out[1] = -1;
  for (int a = 0; a < 3; a++) {
    double lo = shape->lo[a] - near, hi = shape->hi[a] + near;
    x[a] = lo + (hi - lo) * even(i, a);
  }
  if (fabs(firn_shape_sample(shape, x, 0, NULL)) > near) return;
  if (!go_to_surface(shape, x, h, normal)) return;
  out[0] = room(shape, x, normal, h, -1);
  out[1] = gaps ? room(shape, x, normal, h, 1) : h;
}

static features find(const firn_shape *shape, double h, bool gaps) {
  int hits = 0, thin = 0, narrow = 0;
  FIRN_PARALLEL_FOR(shape->context, schedule(dynamic, 256) reduction(+ : hits, thin, narrow))
  for (int i = 0; i < THROWS; i++) {
    double found[2];
    look_at(shape, h, gaps, i, found);
    if (found[0] < 0) continue;
    bool is_thin = found[0] < THIN * h;
    hits++;
    thin += is_thin;
    narrow += !is_thin && found[1] < THIN * h;
  }
  return (features){hits, thin, narrow};
}

static void advise_shape(const firn_advisor *advisor, const firn_value *owner, const char *path,
                         bool solid) {
  const firn_value *v = firn_value_find(owner, "shape");
  double h = advisor->scene->h;
  if (!v || !v->shape || !v->shape->bounded) return;
  const firn_solver_type *solver = firn_solver_find(
      firn_value_text(advisor->scene->root, "solver"));
  if (solid && solver && solver->hollow) return; // surfaces are all it knows
  features f = find(v->shape, h, solid);
  double hits = f.hits > 0 ? f.hits : 1, thin = f.thin / hits, narrow = f.narrow / hits;
  if (f.hits < LEAST || fmax(thin, narrow) < SHARE_LEAST) return;
  char deeper[120];
  snprintf(deeper, sizeof deeper, "%.100s.shape", path);
  bool walls = thin >= narrow;
  firn_advise(advisor, v, deeper,
              "about %.0f %% of its surface belongs to %s thinner than a cell of %.3g m; %s",
              100 * fmax(thin, narrow), walls ? "parts" : "gaps", h,
              solid ? "snow will not feel them; make them larger, or the cells smaller"
                    : "few particles will fill them; make the cells smaller");
}

void firn_advise_features(const firn_advisor *advisor) {
  static const char *const lists[] = {"snow", "colliders"};
  char path[100];
  FIRN_FP_SCOPE;
  for (int l = 0; l < 2; l++) {
    const firn_value *list = firn_value_find(advisor->scene->root, lists[l]);
    int i = 0;
    for (const firn_value *v = list ? list->first : NULL; v; v = v->next, i++) {
      snprintf(path, sizeof path, "%s[%d]", lists[l], i);
      advise_shape(advisor, v, path, l == 1);
      const firn_value *parts = firn_value_find(v, "parts");
      int k = 0;
      for (const firn_value *p = parts ? parts->first : NULL; p; p = p->next, k++) {
        snprintf(path, sizeof path, "%s[%d].parts[%d]", lists[l], i, k);
        advise_shape(advisor, p, path, true);
      }
    }
  }
}
