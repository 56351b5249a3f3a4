// SPDX-License-Identifier: Apache-2.0
#include "render/walls.h"

#include <math.h>

#define STEEP 0.4  // up in the normal of ground, at least; what is steeper is a wall
#define LEAST 0.05 // m, half of the snow's size where it has less, or none

// In halves of the snow's longest edge. A ball near a wall then has room to splash, and a camera that
// shows that sees edges.
#define ASIDE 4.25
#define ABOVE 1.7
#define THICK 0.35

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The snow's box as seen along an axis: from and to, m.
static void span(const firn_wall_site *site, const double axis[3], double ends[2]) {
  ends[0] = ends[1] = 0;
  for (int a = 0; a < 3; a++) {
    double x = axis[a] * site->low[a], y = axis[a] * site->high[a];
    ends[0] += fmin(x, y);
    ends[1] += fmax(x, y);
  }
}

// Down to where ground meets the foot of a wall that spans side along its first axis, so that no gap
// shows on a slope; along the second axis, m. least where there is no ground.
static double foot(const firn_wall_site *site, double axis[3][3], const double side[2],
                   const double out[2], double least) {
  double lowest = (double)INFINITY;
  if (isfinite(site->floor)) {
    double rise = fmax(axis[2][1] * out[0], axis[2][1] * out[1]);
    lowest = (site->floor - rise) / axis[1][1];
  }
  for (int i = 0; i < site->plane_count; i++) {
    const double *n = site->plane[i];
    double rise = dot(n, axis[1]);
    if (!(n[1] > STEEP) || !(rise > 0.1)) continue;
    for (int k = 0; k < 4; k++) {
      double there = dot(n, axis[0]) * side[k & 1] + dot(n, axis[2]) * out[k >> 1];
      lowest = fmin(lowest, (n[3] - there) / rise);
    }
  }
  return isfinite(lowest) ? lowest : least;
}

bool firn_wall_place(const double plane[4], const firn_wall_site *site, const double origin[3],
                     firn_v3 eye, firn_wall *wall) {
  firn_v3 normal = {(float)plane[0], (float)plane[1], (float)plane[2]};
  if ((double)firn_v3_dot(normal, eye) <= plane[3] - dot(plane, origin)) return false;
  bool level = fabs(plane[1]) > 0.999;
  // Along the wall: up x normal; up along it: normal x along.
  double flat = hypot(plane[0], level ? plane[1] : plane[2]), size = LEAST;
  double axis[3][3] = {{plane[2] / flat, 0, -plane[0] / flat}, {0}, {plane[0], plane[1], plane[2]}};
  if (level) { // -z is up
    axis[0][0] = plane[1] / flat;
    axis[0][1] = -plane[0] / flat;
    axis[0][2] = 0;
  }
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    axis[1][a] = plane[b] * axis[0][c] - plane[c] * axis[0][b];
    size = fmax(size, 0.5 * (site->high[a] - site->low[a]));
  }
  double ends[3][2] = {{0}, {0}, {plane[3] - THICK * size, plane[3]}};
  for (int k = 0; k < 2; k++) {
    span(site, axis[k], ends[k]);
    ends[k][0] -= ASIDE * size;
    ends[k][1] += ASIDE * size;
  }
  if (fabs(plane[1]) < 0.5) { // it stands
    ends[1][1] -= (ASIDE - ABOVE) * size;
    ends[1][0] = fmin(foot(site, axis, ends[0], ends[2], ends[1][0]), ends[1][1] - size);
  }
  for (int k = 0; k < 3; k++) {
    wall->axis[k] = (firn_v3){(float)axis[k][0], (float)axis[k][1], (float)axis[k][2]};
    wall->middle[k] = (float)(0.5 * (ends[k][0] + ends[k][1]) - dot(axis[k], origin));
    wall->half[k] = (float)(0.5 * (ends[k][1] - ends[k][0]));
  }
  return true;
}

float firn_wall_distance(const firn_wall *wall, firn_v3 p, firn_v3 *normal) {
  float x[3], over[3], away = 0, inside = -INFINITY;
  int face = 0;
  for (int k = 0; k < 3; k++) {
    x[k] = firn_v3_dot(p, wall->axis[k]) - wall->middle[k];
    float d = fabsf(x[k]) - wall->half[k];
    over[k] = fmaxf(d, 0);
    away += over[k] * over[k];
    if (d > inside) face = k;
    inside = fmaxf(inside, d);
  }
  away = sqrtf(away);
  if (normal) *normal = (firn_v3){0, 0, 0};
  for (int k = 0; normal && k < 3; k++) {
    float part = away > 0 ? over[k] / away : k == face;
    *normal = firn_v3_add(*normal, firn_v3_scale(copysignf(part, x[k]), wall->axis[k]));
  }
  return away > 0 ? away : inside;
}
