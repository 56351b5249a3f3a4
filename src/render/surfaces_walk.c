// SPDX-License-Identifier: Apache-2.0
#include "render/surfaces_walk.h"

#include <string.h>

enum { MOST_STEPS = 1024 };

typedef struct line {
  double from[3], along[3];
} line;

// Rotation by a vector whose length is the angle (Rodrigues), of v.
static void rotate(const double turn[3], double sign, const double v[3], double out[3]) {
  double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
  memcpy(out, v, 3 * sizeof *out);
  if (!(angle > 0)) return;
  double c = cos(angle), s = sign * sin(angle), k[3], dot = 0;
  for (int i = 0; i < 3; i++) {
    k[i] = turn[i] / angle;
    dot += k[i] * v[i];
  }
  for (int i = 0; i < 3; i++) {
    int a = (i + 1) % 3, b = (i + 2) % 3;
    out[i] = c * v[i] + s * (k[a] * v[b] - k[b] * v[a]) + (1 - c) * dot * k[i];
  }
}

void firn_walker_bounds(const firn_walker *w, double low[3], double high[3]) {
  memcpy(low, w->low, sizeof w->low);
  memcpy(high, w->high, sizeof w->high);
  enum { TIMES = 8 };
  double most = 0; // m, farthest corner from the pivot
  for (int n = 0; w->moves && n <= TIMES; n++) {
    for (int corner = 0; corner < 8; corner++) {
      double turn[3], arm[3], p[3], length = 0;
      for (int k = 0; k < 3; k++) {
        turn[k] = w->turn[k] * n / TIMES;
        arm[k] = (corner >> k & 1 ? w->high[k] : w->low[k]) - w->pivot[k];
        length += arm[k] * arm[k];
      }
      most = fmax(most, sqrt(length));
      rotate(turn, 1, arm, p);
      for (int k = 0; k < 3; k++) {
        double x = w->pivot[k] + w->shift[k] * n / TIMES + p[k];
        low[k] = fmin(low[k], x);
        high[k] = fmax(high[k], x);
      }
    }
  }
  // Between two of those times a corner bulges out of the chord.
  double angle = 0, size = 0;
  for (int k = 0; k < 3; k++) {
    angle += w->turn[k] * w->turn[k];
    size = fmax(size, high[k] - low[k]);
  }
  double pad = 4 * w->near + 1e-6 * size;
  if (w->moves) pad += most * (1 - cos(fmin(sqrt(angle) / (2 * TIMES), 3.14)));
  for (int k = 0; k < 3; k++) {
    low[k] -= pad;
    high[k] += pad;
  }
}

// The part of the line within the box, and the side it enters by (-1: starts within).
static bool in_box(const firn_walker *w, const line *r, double most, double *t0, double *t1,
                   int *side) {
  *t0 = 0;
  *t1 = most;
  *side = -1;
  for (int k = 0; k < 3; k++) {
    double a = (w->low[k] - r->from[k]) / r->along[k], b = (w->high[k] - r->from[k]) / r->along[k];
    if (r->along[k] == 0) {
      if (r->from[k] < w->low[k] || r->from[k] > w->high[k]) return false;
      continue;
    }
    if (fmin(a, b) > *t0) {
      *t0 = fmin(a, b);
      *side = k;
    }
    *t1 = fmin(*t1, fmax(a, b));
  }
  return *t0 < *t1;
}

static bool hit_plane(const firn_walker *w, const line *r, double most, double *t,
                      double normal[3]) {
  double c = 0, d = w->plane[3];
  for (int k = 0; k < 3; k++) {
    c += w->plane[k] * r->along[k];
    d -= w->plane[k] * r->from[k];
  }
  if (!(c < 0) || !(d <= 0)) return false; // away from it, or within
  *t = d / c;
  if (!(*t > 0 && *t < most)) return false;
  for (int k = 0; k < 3; k++) {
    double x = r->from[k] + *t * r->along[k];
    if (x < w->low[k] - w->near || x > w->high[k] + w->near) return false;
  }
  memcpy(normal, w->plane, 3 * sizeof *normal);
  return true;
}

static double distance_at(const firn_walker *w, const line *r, double t, double *normal) {
  double x[3];
  for (int k = 0; k < 3; k++) x[k] = w->origin[k] + r->from[k] + t * r->along[k];
  return w->distance(w->user, w->body, x, normal);
}

// Sphere tracing (Hart 1996).
static bool walk(const firn_walker *w, const line *r, double most, double *hit, double normal[3]) {
  double t, end;
  int side;
  if (!in_box(w, r, most, &t, &end, &side)) return false;
  bool leaving = side < 0; // until it is clear of a surface it may have started from
  double d = 0;
  for (int i = 0; i < MOST_STEPS && t < end; i++) {
    d = distance_at(w, r, t, NULL);
    if (!(d == d)) return false;
    if (leaving) {
      if (d > w->near) leaving = false;
      t += fmax(fabs(d), w->near);
      continue;
    }
    if (i == 0 && d < -w->near) { // the box cuts through it
      *hit = t;
      memset(normal, 0, 3 * sizeof *normal);
      normal[side] = r->along[side] > 0 ? -1 : 1;
      return true;
    }
    if (d <= w->near) {
      // The rest of the way, as if it were flat, until it makes no difference.
      for (int k = 0; k < 3; k++) {
        double c = 0;
        d = distance_at(w, r, t, normal);
        for (int n = 0; n < 3; n++) c -= normal[n] * r->along[n];
        t += d / fmax(c, 0.05);
        if (fabs(d) < 0.05 * w->near) break;
      }
      *hit = fmax(t, 0);
      if (*hit >= most) return false;
      return true;
    }
    t += d;
  }
  return false;
}

bool firn_walker_hit(const firn_walker *w, const firn_ray *ray, double most, double *t,
                     firn_v3 *normal) {
  line r = {{(double)ray->from.x, (double)ray->from.y, (double)ray->from.z},
            {(double)ray->along.x, (double)ray->along.y, (double)ray->along.z}};
  double turn[3] = {0}, n[3];
  const double time = (double)ray->time;
  if (w->moves) { // the body stays, the ray moves
    double arm[3];
    line moved;
    for (int k = 0; k < 3; k++) {
      turn[k] = time * w->turn[k];
      arm[k] = r.from[k] - w->pivot[k] - time * w->shift[k];
    }
    rotate(turn, -1, arm, moved.from);
    rotate(turn, -1, r.along, moved.along);
    for (int k = 0; k < 3; k++) moved.from[k] += w->pivot[k];
    r = moved;
  }
  if (!(w->distance ? walk(w, &r, most, t, n) : hit_plane(w, &r, most, t, n))) return false;
  if (w->moves) {
    double back[3];
    rotate(turn, 1, n, back);
    memcpy(n, back, sizeof back);
  }
  *normal = firn_v3_unit((firn_v3){(float)n[0], (float)n[1], (float)n[2]});
  return true;
}
