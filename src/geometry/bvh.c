// SPDX-License-Identifier: Apache-2.0
#include "geometry/bvh.h"

#include <float.h>
#include <math.h>

// Levels are at most 24 by area and then log4 of 2^29 by halves; each leaves three behind.
enum { STACK = 160 };

typedef struct pending {
  float distance2;
  int32_t node, count;
} pending;

// ---------------------------------------------------------------------------------- nearest points

static double along(firn_vec3 p, firn_vec3 a, firn_vec3 b) {
  firn_vec3 d = firn_vec3_sub(b, a);
  double length2 = firn_vec3_dot(d, d), t = firn_vec3_dot(firn_vec3_sub(p, a), d);
  return t <= 0 ? 0 : t >= length2 ? 1 : t / length2;
}

static double distance2_at(const firn_vec3 c[3], firn_vec3 p, const double w[3]) {
  double x = w[0] * c[0].x + w[1] * c[1].x + w[2] * c[2].x - p.x;
  double y = w[0] * c[0].y + w[1] * c[1].y + w[2] * c[2].y - p.y;
  double z = w[0] * c[0].z + w[1] * c[1].z + w[2] * c[2].z - p.z;
  return x * x + y * y + z * z;
}

// The foot of the perpendicular if it falls into the triangle, otherwise the best of the sides.
static double nearest_of(const firn_vec3 c[3], firn_vec3 p, double w[3]) {
  firn_vec3 u = firn_vec3_sub(c[1], c[0]), v = firn_vec3_sub(c[2], c[0]);
  firn_vec3 r = firn_vec3_sub(p, c[0]);
  double uu = firn_vec3_dot(u, u), uv = firn_vec3_dot(u, v), vv = firn_vec3_dot(v, v);
  double ru = firn_vec3_dot(r, u), rv = firn_vec3_dot(r, v);
  double det = uu * vv - uv * uv, s = vv * ru - uv * rv, t = uu * rv - uv * ru;
  if (s > 0 && t > 0 && s + t < det) {
    w[1] = s / det;
    w[2] = t / det;
    w[0] = 1 - w[1] - w[2];
    return distance2_at(c, p, w);
  }
  double best = INFINITY;
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3;
    double x = along(p, c[k], c[l]), side[3] = {0, 0, 0};
    side[k] = 1 - x;
    side[l] = x;
    double d2 = distance2_at(c, p, side);
    if (d2 < best) {
      best = d2;
      w[0] = side[0], w[1] = side[1], w[2] = side[2];
    }
  }
  return best;
}

static void try_triangle(const firn_bvh *bvh, firn_vec3 p, uint32_t t, firn_bvh_hit *hit) {
  double w[3], d2 = nearest_of(bvh->triangle[t].p, p, w);
  if (d2 < hit->distance2) *hit = (firn_bvh_hit){t, d2, {w[0], w[1], w[2]}};
}

// How far x is outside [lo, hi].
static inline float outside(float lo, float hi, float x) {
  float below = lo - x, above = x - hi, out = below > above ? below : above;
  return out > 0 ? out : 0;
}

static inline void box_distances(const firn_bvh_node *node, const float p[3],
                                 float d2[FIRN_BVH_WIDTH]) {
  for (int k = 0; k < FIRN_BVH_WIDTH; k++) {
    float x = outside(node->lo[0][k], node->hi[0][k], p[0]);
    float y = outside(node->lo[1][k], node->hi[1][k], p[1]);
    float z = outside(node->lo[2][k], node->hi[2][k], p[2]);
    d2[k] = x * x + y * y + z * z;
  }
}

static inline float clamp01(float x) {
  x = x > 0 ? x : 0;
  return x < 1 ? x : 1;
}

// Squared distances of all triangles of a leaf, to within the slack; far too many instructions were
// it not for four lanes at a time.
static inline void leaf_distances(const firn_bvh_leaf *l, const float p[3],
                                  float d2[FIRN_BVH_LEAF]) {
  for (int k = 0; k < FIRN_BVH_LEAF; k++) {
    float ux = l->u[0][k], uy = l->u[1][k], uz = l->u[2][k];
    float vx = l->v[0][k], vy = l->v[1][k], vz = l->v[2][k];
    float rx = p[0] - l->a[0][k], ry = p[1] - l->a[1][k], rz = p[2] - l->a[2][k];
    float ru = rx * ux + ry * uy + rz * uz, rv = rx * vx + ry * vy + rz * vz;
    // The foot of the perpendicular.
    float s = (l->vv[k] * ru - l->uv[k] * rv) * l->idet[k];
    float t = (l->uu[k] * rv - l->uv[k] * ru) * l->idet[k];
    float x = rx - s * ux - t * vx, y = ry - s * uy - t * vy, z = rz - s * uz - t * vz;
    float face = x * x + y * y + z * z;
    // The sides.
    float c = clamp01(ru * l->iuu[k]);
    x = rx - c * ux, y = ry - c * uy, z = rz - c * uz;
    float side = x * x + y * y + z * z;
    c = clamp01(rv * l->ivv[k]);
    x = rx - c * vx, y = ry - c * vy, z = rz - c * vz;
    float other = x * x + y * y + z * z;
    side = other < side ? other : side;
    float wx = vx - ux, wy = vy - uy, wz = vz - uz, qx = rx - ux, qy = ry - uy, qz = rz - uz;
    c = clamp01((qx * wx + qy * wy + qz * wz) * l->iww[k]);
    x = qx - c * wx, y = qy - c * wy, z = qz - c * wz;
    other = x * x + y * y + z * z;
    side = other < side ? other : side;
    // Inside, the foot is the nearest; s, t and 1 - s - t have the sign of their least.
    float least = s < t ? s : t, rest = 1 - s - t;
    least = least < rest ? least : rest;
    d2[k] = least > 0 ? face : side;
  }
}

// A float a little above x: the rounding of p and of three squares in float is some 8 eps.
static float limit_of(double x) {
  return (float)x * (1 + 16 * FLT_EPSILON) + FLT_MIN;
}

firn_bvh_hit firn_bvh_nearest(const firn_bvh *bvh, firn_vec3 p, uint32_t hint) {
  firn_bvh_hit hit = {.distance2 = INFINITY};
  try_triangle(bvh, p, hint, &hit);
  const float q[3] = {(float)p.x, (float)p.y, (float)p.z};
  float limit = limit_of(hit.distance2);
  pending stack[STACK];
  int depth = 0;
  stack[depth++] = (pending){0, 0, 0};
  while (depth) {
    pending top = stack[--depth];
    if (top.distance2 > limit) continue;
    if (top.count) {
      float d2[FIRN_BVH_LEAF];
      leaf_distances(bvh->leaf + top.node, q, d2);
      for (int32_t i = 0; i < top.count; i++) {
        if (d2[i] > limit * 1.001f + bvh->slack) continue;
        try_triangle(bvh, p, (uint32_t)(FIRN_BVH_LEAF * top.node + i), &hit);
        limit = limit_of(hit.distance2);
      }
      continue;
    }
    const firn_bvh_node *node = bvh->node + top.node;
    float d2[FIRN_BVH_WIDTH];
    box_distances(node, q, d2);
    // The nearest child goes on top.
    int base = depth;
    for (int k = 0; k < FIRN_BVH_WIDTH; k++) {
      if (node->child[k] < 0 || d2[k] > limit) continue;
      int at = depth++;
      for (; at > base && stack[at - 1].distance2 < d2[k]; at--) stack[at] = stack[at - 1];
      stack[at] = (pending){d2[k], node->child[k], node->count[k]};
    }
  }
  return hit;
}

bool firn_bvh_behind(const firn_bvh *bvh, firn_vec3 p, const firn_bvh_hit *hit) {
  const firn_vec3 *c = bvh->triangle[hit->triangle].p;
  const double *w = hit->weight;
  int zeros = (w[0] <= 0) + (w[1] <= 0) + (w[2] <= 0);
  firn_vec3 q = firn_vec3_add(
      firn_vec3_scale(w[0], c[0]),
      firn_vec3_add(firn_vec3_scale(w[1], c[1]), firn_vec3_scale(w[2], c[2])));
  firn_vec3 r = firn_vec3_sub(p, q), n;
  if (zeros == 0) {
    n = firn_vec3_cross(firn_vec3_sub(c[1], c[0]), firn_vec3_sub(c[2], c[0]));
  } else {
    const float *f;
    if (zeros == 1) {
      size_t side = w[2] <= 0 ? 0 : w[0] <= 0 ? 1 : 2; // from corner k to corner k + 1
      f = bvh->edge_normal + 9 * (size_t)hit->triangle + 3 * side;
    } else {
      size_t corner = w[0] > 0 ? 0 : w[1] > 0 ? 1 : 2;
      f = bvh->corner_normal +
          3 * (size_t)bvh->mesh->triangle[3 * (size_t)bvh->number[hit->triangle] + corner];
    }
    n = firn_vec3_make((double)f[0], (double)f[1], (double)f[2]);
  }
  return firn_vec3_dot(r, n) < 0;
}

// ---------------------------------------------------------------------------------- winding numbers

// Solid angle of a triangle seen from p, in units of 4 pi (van Oosterom and Strackee 1983).
static double solid_angle(const firn_vec3 c[3], firn_vec3 p) {
  firn_vec3 a = firn_vec3_sub(c[0], p), b = firn_vec3_sub(c[1], p), d = firn_vec3_sub(c[2], p);
  double la = firn_vec3_norm(a), lb = firn_vec3_norm(b), ld = firn_vec3_norm(d);
  double up = firn_vec3_dot(a, firn_vec3_cross(b, d));
  double down = la * lb * ld + firn_vec3_dot(a, b) * ld + firn_vec3_dot(b, d) * la +
                firn_vec3_dot(d, a) * lb;
  if (up == 0 && down >= 0) return 0;
  return atan2(up, down) * (1 / (2 * M_PI));
}

double firn_bvh_winding(const firn_bvh *bvh, firn_vec3 p, double beta) {
  int32_t stack[STACK];
  int depth = 0;
  double sum = 0;
  stack[depth++] = 0;
  while (depth) {
    int32_t number = stack[--depth];
    const firn_bvh_node *node = bvh->node + number;
    const firn_bvh_dipole *d = bvh->dipole + number;
    for (int k = 0; k < FIRN_BVH_WIDTH; k++) {
      if (node->child[k] < 0) continue;
      double x = (double)d->center[0][k] - p.x, y = (double)d->center[1][k] - p.y;
      double z = (double)d->center[2][k] - p.z, r2 = x * x + y * y + z * z;
      double reach = beta * (double)d->radius[k];
      if (r2 > reach * reach) {
        double flux = x * (double)d->area[0][k] + y * (double)d->area[1][k] +
                      z * (double)d->area[2][k];
        sum += flux / (4 * M_PI * r2 * sqrt(r2));
      } else if (node->count[k]) {
        for (int32_t i = 0; i < node->count[k]; i++) {
          sum += solid_angle(bvh->triangle[FIRN_BVH_LEAF * node->child[k] + i].p, p);
        }
      } else {
        stack[depth++] = node->child[k];
      }
    }
  }
  return sum;
}

bool firn_bvh_inside(const firn_bvh *bvh, firn_vec3 p) {
  // Lumping errs by some hundredths; where that leaves a doubt, nothing is lumped.
  double winding = firn_bvh_winding(bvh, p, 2), whole = nearbyint(winding);
  if (fabs(winding - whole) > 0.2) whole = nearbyint(firn_bvh_winding(bvh, p, INFINITY));
  return whole != 0;
}
