// SPDX-License-Identifier: Apache-2.0
#include "render/solids.h"

#include <stddef.h>

enum { MOST_STEPS = 256 }; // many where a ray passes close by, as over hills
#define NEAR 2e-4          // of a body's radius: this near is a hit

typedef struct ray {
  double from[3], along[3], length; // m, m per t, |along|
} ray;

// The part of the ray within a sphere; false where it misses.
static bool within(const ray *r, const double bound[4], double most, double *t0, double *t1) {
  double b = 0, c = -bound[3] * bound[3], a = r->length * r->length;
  for (int k = 0; k < 3; k++) {
    double d = r->from[k] - bound[k];
    b += d * r->along[k];
    c += d * d;
  }
  double root = b * b - a * c;
  if (!(root > 0)) return false;
  root = sqrt(root);
  *t0 = fmax((-b - root) / a, 0);
  *t1 = fmin((-b + root) / a, most);
  return *t0 < *t1;
}

static double walk(const firn_solids *s, int body, const ray *r, double t, double end) {
  const double near = NEAR * s->bound[body][3];
  for (int i = 0; i < MOST_STEPS && t < end; i++) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = r->from[k] + t * r->along[k];
    double d = s->distance(s->user, body, x, NULL);
    if (d < near) return i == 0 && t == 0 ? (double)INFINITY : t;
    t += d / r->length;
  }
  return (double)INFINITY;
}

float firn_solids_hit(const firn_solids *solids, const double origin[3], firn_v3 from,
                      firn_v3 along, float most, int *body) {
  ray r = {{origin[0] + (double)from.x, origin[1] + (double)from.y, origin[2] + (double)from.z},
           {(double)along.x, (double)along.y, (double)along.z},
           sqrt((double)firn_v3_dot(along, along))};
  double nearest = (double)most;
  bool any = false;
  for (int i = 0; i < solids->count; i++) {
    double t0 = 0, t1 = 0;
    if (!within(&r, solids->bound[i], nearest, &t0, &t1)) continue;
    double t = walk(solids, i, &r, t0, t1);
    if (!(t < nearest)) continue;
    nearest = t;
    *body = i;
    any = true;
  }
  return any ? (float)nearest : INFINITY;
}
