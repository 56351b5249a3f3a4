// SPDX-License-Identifier: Apache-2.0
// Rows of nodes against a half space (plane.h): section 8 as in world/contact.h, four nodes at once.
#ifndef FIRN_SOLVER_MPM_KERNELS_PLANE_H
#define FIRN_SOLVER_MPM_KERNELS_PLANE_H

#include "math/row.h"
#include "solver/mpm/plane.h"

typedef struct plane_math {
  mpm_plane plane;
  row16 normal, surface, friction, floor;
  double h;
} plane_math;

static inline plane_math plane_math_of(const mpm_plane *plane, firn_real mass_floor, double h) {
  firn_real n[4] = {0}, v[4] = {0};
  for (int a = 0; a < 3; a++) {
    n[a] = (firn_real)plane->normal[a];
    v[a] = (firn_real)plane->velocity[a];
  }
  return (plane_math){.plane = *plane,
                      .normal = row_splat4(n),
                      .surface = row_splat4(v),
                      .friction = row_set1((firn_real)plane->friction),
                      .floor = row_set1(mass_floor),
                      .h = h};
}

// What a node of this number along an axis adds to the height over the plane; added up along x, y and z, to the
// last bit as contact.c does.
static inline double plane_height(const plane_math *p, int axis, int32_t node) {
  return p->plane.normal[axis] * (node * p->h - p->plane.point[axis]);
}

// v with mass in w; after a collision for the nodes whose bits are set and that have mass.
static inline row16 plane_collide(const plane_math *p, unsigned bits, row16 v) {
  const row16 zero = row_zero(), tiny = row_set1(FIRN_R(1e-30));
  row16 after = p->surface;
  if (!p->plane.sticky) {
    row16 rel = row_blend_w(row_sub(v, p->surface), zero);
    row16 into = row_sum_node(row_mul(rel, p->normal));
    row16 along = row_fnma_row(into, p->normal, rel);
    row16 speed = row_max(row_sqrt(row_sum_node(row_mul(along, along))), tiny);
    row16 slip = row_add(row_set1(1), row_div(row_mul(p->friction, into), speed));
    after = row_fma_row(row_select_gt(slip, zero, slip, zero), along, p->surface);
    after = row_select_gt(zero, into, after, v);
  }
  after = row_select_gt(row_broadcast_w(v), p->floor, after, v);
  return row_select_nodes(bits, row_blend_w(after, v), v);
}

// Impulses on the plane, and the same times numbers of nodes from some corner.
typedef struct plane_sums {
  row16 impulse, x, y, z; // N s
} plane_sums;

static inline plane_sums plane_sums_begin(void) {
  return (plane_sums){row_zero(), row_zero(), row_zero(), row_zero()};
}

// mass: kg, of each node in its four components; at: the first node of the row, from the corner.
static inline void plane_tell(plane_sums *s, row16 mass, row16 before, row16 after,
                              const int at[3]) {
  row16 impulse = row_mul(mass, row_sub(before, after));
  s->impulse = row_add(s->impulse, impulse);
  s->x = row_fma(lane_set1((firn_real)at[0]), impulse, s->x);
  s->y = row_fma(lane_set1((firn_real)at[1]), impulse, s->y);
  s->z = row_fma(lane_set1((firn_real)at[2]), impulse, s->z);
}

// Adds them to what the plane feels; corner: numbers of its node.
static inline void plane_end(const plane_math *p, const plane_sums *s, const int32_t corner[3]) {
  static const firn_real along[4] = {0, 1, 2, 3};
  firn_real sum[16];
  mpm_push *push = p->plane.push;
  row16 z = row_fma_row(row_spread4(along), s->impulse, s->z);
  row_reduce4x4(s->impulse, s->x, s->y, z, sum);
  double j[3], r[3], m[3][3]; // m[a]: sum of r_a impulse
  for (int a = 0; a < 3; a++) {
    j[a] = (double)sum[a];
    r[a] = corner[a] * p->h - p->plane.pivot[a];
    push->impulse[a] += j[a];
    push->work -= j[a] * p->plane.velocity[a];
  }
  for (int a = 0; a < 3; a++) {
    for (int b = 0; b < 3; b++) m[a][b] = r[a] * j[b] + p->h * (double)sum[4 + 4 * a + b];
  }
  push->angular[0] += m[1][2] - m[2][1];
  push->angular[1] += m[2][0] - m[0][2];
  push->angular[2] += m[0][1] - m[1][0];
}

#endif
