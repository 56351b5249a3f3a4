// SPDX-License-Identifier: Apache-2.0
// Meshes of bodies whose inside is known in closed form.
#ifndef FIRN_TESTS_GEOMETRY_SOLIDS_H
#define FIRN_TESTS_GEOMETRY_SOLIDS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <firn/firn.h>

#include "base/random.h"

// Vertices and triangles under construction.
typedef struct solid {
  double *position;
  uint32_t *triangle;
  size_t vertices, triangles;
} solid;

static inline uint32_t solid_vertex(solid *s, double x, double y, double z) {
  s->position = realloc(s->position, (s->vertices + 1) * 3 * sizeof(double));
  assert_non_null(s->position);
  memcpy(s->position + 3 * s->vertices, (double[]){x, y, z}, 3 * sizeof(double));
  return (uint32_t)s->vertices++;
}

static inline void solid_triangle(solid *s, uint32_t a, uint32_t b, uint32_t c) {
  s->triangle = realloc(s->triangle, (s->triangles + 1) * 3 * sizeof(uint32_t));
  assert_non_null(s->triangle);
  memcpy(s->triangle + 3 * s->triangles++, (uint32_t[]){a, b, c}, 3 * sizeof(uint32_t));
}

static inline void solid_free(solid *s) {
  free(s->position);
  free(s->triangle);
  *s = (solid){0};
}

// A sphere of 2 n (n - 1) ... triangles: n rings from pole to pole, 2 n around.
static inline void solid_sphere(solid *s, const double center[3], double radius, int n) {
  uint32_t first = (uint32_t)s->vertices;
  for (int i = 1; i < n; i++) {
    for (int k = 0; k < 2 * n; k++) {
      double a = M_PI * i / n, b = M_PI * k / n;
      solid_vertex(s, center[0] + radius * sin(a) * cos(b), center[1] + radius * cos(a),
                   center[2] + radius * sin(a) * sin(b));
    }
  }
  uint32_t north = solid_vertex(s, center[0], center[1] + radius, center[2]);
  uint32_t south = solid_vertex(s, center[0], center[1] - radius, center[2]);
  uint32_t around = 2 * (uint32_t)n;
  for (uint32_t k = 0; k < around; k++) {
    uint32_t next = (k + 1) % around, last = first + ((uint32_t)n - 2) * around;
    solid_triangle(s, north, first + next, first + k);
    solid_triangle(s, south, last + k, last + next);
    for (uint32_t i = 0; i + 2 < (uint32_t)n; i++) {
      uint32_t a = first + i * around, b = a + around;
      solid_triangle(s, a + k, a + next, b + next);
      solid_triangle(s, a + k, b + next, b + k);
    }
  }
}

static inline void solid_box(solid *s, const double lo[3], const double hi[3]) {
  uint32_t v = (uint32_t)s->vertices;
  for (int k = 0; k < 8; k++) {
    solid_vertex(s, k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]);
  }
  static const uint32_t side[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (int f = 0; f < 6; f++) {
    solid_triangle(s, v + side[f][0], v + side[f][1], v + side[f][2]);
    solid_triangle(s, v + side[f][0], v + side[f][2], v + side[f][3]);
  }
}

// A torus about y whose tube has bumps: radius_at(u, v) of the tube at angle u round the axis and v
// round the tube.
#define TORUS_RADIUS 1.0
static inline double bumpy_tube(double u, double v) {
  return 0.35 + 0.06 * sin(7 * u) * cos(3 * v) + 0.02 * sin(23 * u + 5 * v);
}

static inline void solid_bumpy_torus(solid *s, int nu, int nv) {
  for (int i = 0; i < nu; i++) {
    for (int k = 0; k < nv; k++) {
      double u = 2 * M_PI * i / nu, v = 2 * M_PI * k / nv, r = bumpy_tube(u, v);
      double ring = TORUS_RADIUS + r * cos(v);
      solid_vertex(s, ring * cos(u), r * sin(v), -ring * sin(u));
    }
  }
  for (int i = 0; i < nu; i++) {
    for (int k = 0; k < nv; k++) {
      uint32_t a = (uint32_t)(i * nv + k), b = (uint32_t)((i + 1) % nu * nv + k);
      uint32_t c = (uint32_t)((i + 1) % nu * nv + (k + 1) % nv),
               d = (uint32_t)(i * nv + (k + 1) % nv);
      solid_triangle(s, a, b, c);
      solid_triangle(s, a, c, d);
    }
  }
}

// How far into the tube a point is along the tube's radius, m; negative inside.
static inline double bumpy_torus_depth(const double p[3]) {
  double u = atan2(-p[2], p[0]), ring = hypot(p[0], p[2]) - TORUS_RADIUS, v = atan2(p[1], ring);
  return hypot(ring, p[1]) - bumpy_tube(u, v);
}

static inline firn_context *solid_context(int threads) {
  firn_context_def def = firn_default_context_def();
  def.threads = threads;
  firn_context *context;
  assert_int_equal(firn_context_create(&def, &context), FIRN_OK);
  return context;
}

static inline firn_mesh *solid_mesh(firn_context *context, const solid *s) {
  firn_mesh_def def = firn_default_mesh_def();
  firn_mesh *mesh;
  firn_status status = firn_mesh_create(context, &def, s->vertices, s->position, s->triangles,
                                        s->triangle, &mesh);
  if (status != FIRN_OK) fail_msg("%s", firn_context_message(context));
  return mesh;
}

// Number i of a sequence of points, uniform in a box.
static inline void solid_random(uint32_t i, const double lo[3], const double hi[3], double p[3]) {
  firn_philox r = firn_philox4x32(7, i, 1, 0);
  for (int a = 0; a < 3; a++) p[a] = lo[a] + firn_uniform(r.v[a]) * (hi[a] - lo[a]);
}

#endif
