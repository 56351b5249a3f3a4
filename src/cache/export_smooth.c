// SPDX-License-Identifier: Apache-2.0
// Smoothing and normals of a closed mesh, and the mesh as a file.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "cache/export_surface.h"

// The corners of triangles at each vertex: corner 3 t + k is the k-th of triangle t.
typedef struct ring {
  uint32_t *start;  // [vertices + 1]
  uint32_t *corner; // [3 triangles]
} ring;

static void drop_ring(const firn_surface *s, ring *r) {
  firn_free(s->context, r->corner, r->corner ? 3 * s->triangle_count * sizeof *r->corner : 0);
  firn_free(s->context, r->start, r->start ? (s->vertex_count + 1) * sizeof *r->start : 0);
}

// False when memory is out.
static bool make_ring(const firn_surface *s, ring *r) {
  size_t corners = 3 * s->triangle_count;
  *r = (ring){0};
  r->start = firn_alloc_zero(s->context, (s->vertex_count + 1) * sizeof *r->start,
                             "neighbours in a surface");
  if (r->start) {
    r->corner = firn_alloc(s->context, corners * sizeof *r->corner, "neighbours in a surface");
  }
  if (!r->corner) {
    drop_ring(s, r);
    return false;
  }
  const uint32_t *vertex = s->triangle[0];
  for (size_t i = 0; i < corners; i++) r->start[vertex[i]]++;
  uint32_t sum = 0;
  for (size_t v = 0; v <= s->vertex_count; v++) {
    uint32_t n = r->start[v];
    r->start[v] = sum;
    sum += n;
  }
  for (size_t i = 0; i < corners; i++) r->corner[r->start[vertex[i]]++] = (uint32_t)i;
  // Each start now stands where the next one belongs.
  memmove(r->start + 1, r->start, s->vertex_count * sizeof *r->start);
  r->start[0] = 0;
  return true;
}

// to = from + factor (mean of the neighbours - from). In a closed mesh the vertices that follow v in
// its triangles are all its neighbours, once each.
static void relax(const firn_surface *s, const ring *r, float factor, const float (*from)[3],
                  float (*to)[3]) {
  FIRN_PARALLEL_FOR(s->context, schedule(static))
  for (size_t v = 0; v < s->vertex_count; v++) {
    float sum[3] = {0};
    for (uint32_t i = r->start[v]; i < r->start[v + 1]; i++) {
      uint32_t t = r->corner[i] / 3, next = s->triangle[t][(r->corner[i] + 1) % 3];
      for (int c = 0; c < 3; c++) sum[c] += from[next][c] - from[v][c];
    }
    float share = factor / (float)(r->start[v + 1] - r->start[v]);
    for (int c = 0; c < 3; c++) to[v][c] = from[v][c] + share * sum[c];
  }
}

static void add_face(const firn_surface *s, uint32_t triangle, float sum[3]) {
  const uint32_t *t = s->triangle[triangle];
  const float *a = s->position[t[0]], *b = s->position[t[1]], *c = s->position[t[2]];
  float u[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
  float v[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
  sum[0] += u[1] * v[2] - u[2] * v[1];
  sum[1] += u[2] * v[0] - u[0] * v[2];
  sum[2] += u[0] * v[1] - u[1] * v[0];
}

// Means of the faces around, by their areas.
static void set_normals(const firn_surface *s, const ring *r) {
  FIRN_PARALLEL_FOR(s->context, schedule(static))
  for (size_t v = 0; v < s->vertex_count; v++) {
    float sum[3] = {0};
    for (uint32_t i = r->start[v]; i < r->start[v + 1]; i++) add_face(s, r->corner[i] / 3, sum);
    double length = sqrt((double)sum[0] * (double)sum[0] + (double)sum[1] * (double)sum[1] +
                         (double)sum[2] * (double)sum[2]);
    // A vertex folded onto its neighbours has no side; any unit vector will do.
    const float up[3] = {0, 1, 0};
    for (int c = 0; c < 3; c++) {
      s->normal[v][c] = length > 0 ? (float)((double)sum[c] / length) : up[c];
    }
  }
}

// Taubin 1995: a step of shrinking and one of slightly stronger growing, which takes the steps of
// the lattice away and keeps the volume.
firn_status firn_surface_finish(firn_surface *s, int smooth) {
  if (!s->triangle_count) return FIRN_OK;
  ring r;
  if (s->triangle_count >= UINT32_MAX / 3) {
    return firn_fail(s->context, FIRN_ERROR_UNSUPPORTED, "a surface of %zu triangles: too many",
                     s->triangle_count);
  }
  if (!make_ring(s, &r)) return FIRN_ERROR_MEMORY;
  if (smooth) {
    size_t bytes = s->vertex_count * sizeof *s->position;
    float(*other)[3] = firn_alloc(s->context, bytes, "a smoothed surface");
    if (!other) {
      drop_ring(s, &r);
      return FIRN_ERROR_MEMORY;
    }
    for (int i = 0; i < smooth; i++) {
      relax(s, &r, 0.5f, (const float(*)[3])s->position, other);
      relax(s, &r, -0.53f, (const float(*)[3])other, s->position);
    }
    firn_free(s->context, other, bytes);
  }
  set_normals(s, &r);
  drop_ring(s, &r);
  return FIRN_OK;
}

// ---------------------------------------------------------------------------------------- files

void firn_export_surface_ply(const firn_surface *s, firn_sink *sink) {
  static const char *const vectors[3][3] = {
      {"x", "y", "z"}, {"nx", "ny", "nz"}, {"velocity_x", "velocity_y", "velocity_z"}};
  const float(*data[3])[3] = {(const float(*)[3])s->position, (const float(*)[3])s->normal,
                              (const float(*)[3])s->velocity};
  firn_sink_print(sink, "ply\nformat binary_little_endian 1.0\ncomment firn %s\n", firn_version());
  firn_sink_print(sink, "element vertex %zu\n", s->vertex_count);
  for (int i = 0; i < 3; i++) {
    if (i == 2 && !s->velocity) break;
    for (int c = 0; c < 3; c++) firn_sink_print(sink, "property float %s\n", vectors[i][c]);
  }
  firn_sink_print(sink,
                  "element face %zu\nproperty list uchar uint vertex_indices\n"
                  "end_header\n",
                  s->triangle_count);
  for (size_t v = 0; v < s->vertex_count; v++) {
    for (int i = 0; i < (s->velocity ? 3 : 2); i++) {
      firn_sink_write(sink, data[i][v], sizeof data[i][v]);
    }
  }
  for (size_t t = 0; t < s->triangle_count; t++) {
    firn_sink_write(sink, &(uint8_t){3}, 1);
    firn_sink_write(sink, s->triangle[t], sizeof s->triangle[t]);
  }
}

static void print_vector(firn_sink *sink, const char *key, const float v[3]) {
  firn_sink_write(sink, key, strlen(key));
  for (int c = 0; c < 3; c++) {
    char text[FIRN_NUMBER_SIZE];
    size_t length = firn_number_print(text, (double)v[c]);
    firn_sink_write(sink, " ", 1);
    firn_sink_write(sink, text, length);
  }
  firn_sink_write(sink, "\n", 1);
}

void firn_export_surface_obj(const firn_surface *s, firn_sink *sink) {
  firn_sink_print(sink, "# firn %s: %zu vertices, %zu triangles; metres\no snow\ns 1\n",
                  firn_version(), s->vertex_count, s->triangle_count);
  for (size_t v = 0; v < s->vertex_count; v++) print_vector(sink, "v", s->position[v]);
  for (size_t v = 0; v < s->vertex_count; v++) print_vector(sink, "vn", s->normal[v]);
  for (size_t t = 0; t < s->triangle_count; t++) {
    // Counted from 1; position and normal have the same number.
    size_t a = s->triangle[t][0] + (size_t)1, b = s->triangle[t][1] + (size_t)1,
           c = s->triangle[t][2] + (size_t)1;
    firn_sink_print(sink, "f %zu//%zu %zu//%zu %zu//%zu\n", a, a, b, b, c, c);
  }
}
