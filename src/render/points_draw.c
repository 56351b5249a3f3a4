// SPDX-License-Identifier: Apache-2.0
// Balls into a buffer of depths. Each thread has a buffer of its own; the least key wins wherever it
// came from, so the result does not depend on who drew what.
#include <string.h>

#include "base/memory.h"
#include "render/points.h"

enum { MOST_BUFFERS = 8, MOST_RADIUS = 64 }; // threads that draw; samples

typedef struct ball {
  float x, y, depth, radius; // samples, m
} ball;

static inline bool place(const firn_points_shot *def, const firn_points_view *v, int width,
                         int height, size_t i, ball *out) {
  const double *p = def->position + 3 * i;
  if (def->cut) {
    const double *n = def->cut_plane;
    if (n[0] * p[0] + n[1] * p[1] + n[2] * p[2] > n[3]) return false;
  }
  firn_v3 d = {(float)(p[0] - def->origin[0]) - v->eye.x, (float)(p[1] - def->origin[1]) - v->eye.y,
               (float)(p[2] - def->origin[2]) - v->eye.z};
  float depth = firn_v3_dot(d, v->forward);
  if (!(depth > v->radius && depth < 1e30f)) return false; // nan too
  float scale = v->perspective ? v->scale / depth : v->scale;
  out->x = 0.5f * (float)width + scale * firn_v3_dot(d, v->right);
  out->y = 0.5f * (float)height - scale * firn_v3_dot(d, v->up);
  float r = scale * v->radius;
  out->radius = r < v->min_radius ? v->min_radius : r > MOST_RADIUS ? MOST_RADIUS : r;
  out->depth = depth;
  return out->x + r > 0 && out->x - r < (float)width && out->y + r > 0 &&
         out->y - r < (float)height;
}

static inline uint64_t key_of(float depth, size_t i) {
  union {
    float depth;
    uint32_t bits;
  } u = {.depth = depth}; // positive floats sort as their bits do
  return (uint64_t)u.bits << 32 | (uint32_t)i;
}

static void draw(const firn_points_view *v, int width, int height, const ball *b, size_t i,
                 uint64_t *keys) {
  float r = b->radius, bulge = v->radius / (r * r); // a paraboloid is as good as a ball
  int x0 = (int)(b->x - r), x1 = (int)(b->x + r) + 1;
  int y0 = (int)(b->y - r), y1 = (int)(b->y + r) + 1;
  if (x0 < 0) x0 = 0;
  if (y0 < 0) y0 = 0;
  if (x1 > width) x1 = width;
  if (y1 > height) y1 = height;
  for (int y = y0; y < y1; y++) {
    float dy = (float)y + 0.5f - b->y, rest = r * r - dy * dy;
    uint64_t *row = keys + (size_t)y * (size_t)width;
    for (int x = x0; x < x1; x++) {
      float dx = (float)x + 0.5f - b->x, q = rest - dx * dx;
      if (q <= 0) continue;
      uint64_t key = key_of(b->depth - bulge * q, i);
      if (key < row[x]) row[x] = key;
    }
  }
}

firn_status firn_points_draw(firn_context *context, const firn_points_shot *def,
                             const firn_points_view *view, firn_points_buffer *buffer) {
  int width = buffer->width, height = buffer->height;
  int buffers = context->threads < MOST_BUFFERS ? context->threads : MOST_BUFFERS;
  size_t samples = (size_t)width * (size_t)height;
  size_t bytes = (size_t)(buffers - 1) * samples * sizeof(uint64_t);
  uint64_t *more = firn_alloc(context, bytes, "depths of a picture");
  if (bytes && !more) return FIRN_ERROR_MEMORY;
  memset(buffer->key, 255, samples * sizeof *buffer->key);
  if (more) memset(more, 255, bytes);
#pragma omp parallel for schedule(static, 1) num_threads(buffers)
  for (int t = 0; t < buffers; t++) {
    uint64_t *keys = t ? more + (size_t)(t - 1) * samples : buffer->key;
    size_t from = def->count * (size_t)t / (size_t)buffers,
           to = def->count * (size_t)(t + 1) / (size_t)buffers;
    for (size_t i = from; i < to; i++) {
      ball b;
      if (place(def, view, width, height, i, &b)) draw(view, width, height, &b, i, keys);
    }
  }
#pragma omp parallel for schedule(static) num_threads(context->threads)
  for (size_t i = 0; i < samples; i++)
    for (int t = 1; t < buffers; t++) {
      uint64_t key = more[(size_t)(t - 1) * samples + i];
      if (key < buffer->key[i]) buffer->key[i] = key;
    }
  firn_free(context, more, bytes);
  return FIRN_OK;
}
