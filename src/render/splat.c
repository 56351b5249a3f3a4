// SPDX-License-Identifier: Apache-2.0
#include "render/splat.h"

#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"

enum {
  TILE = 64,   // pixels; depth and index of a tile fit the first-level cache
  CHUNKS = 32, // parts of the particle list that are counted and dealt side by side
};

typedef struct box {
  int x0, y0, x1, y1; // tiles, both ends included; x1 < x0: not in the picture
} box;

typedef struct job {
  const firn_lens *lens;
  size_t count;
  const firn_v3 *center;
  const float *radius;
  float min_pixels;
  int tiles_x, tiles_y;
  size_t *first;   // [CHUNKS][tiles] counts, then where each chunk's share of a tile begins
  size_t *begin;   // [tiles + 1] of entry
  uint32_t *entry; // spheres by tile, in order
} job;

static float pixel_radius(const job *j, size_t i, float scale) {
  float r = j->radius[i] * scale;
  return r > j->min_pixels ? r : j->min_pixels;
}

static box tiles_of(const job *j, size_t i) {
  const box nowhere = {0, 0, -1, -1};
  float x, y, depth, scale;
  if (!firn_lens_project(j->lens, j->center[i], &x, &y, &depth, &scale)) return nowhere;
  float r = pixel_radius(j, i, scale);
  float w = (float)j->lens->width, h = (float)j->lens->height;
  // Written so that nan is nowhere; and a sphere larger than the picture is right at the eye.
  if (!(x + r > 0 && x - r < w && y + r > 0 && y - r < h && r < h)) return nowhere;
  float x0 = x - r > 0 ? x - r : 0, x1 = x + r < w - 1 ? x + r : w - 1;
  float y0 = y - r > 0 ? y - r : 0, y1 = y + r < h - 1 ? y + r : h - 1;
  return (box){(int)x0 / TILE, (int)y0 / TILE, (int)x1 / TILE, (int)y1 / TILE};
}

// Visits the tiles of a chunk's spheres: counts, or deals them out when deal is set.
static void walk_chunk(const job *j, int chunk, bool deal) {
  size_t tiles = (size_t)j->tiles_x * (size_t)j->tiles_y;
  size_t *slot = j->first + (size_t)chunk * tiles;
  size_t from = j->count * (size_t)chunk / CHUNKS, to = j->count * (size_t)(chunk + 1) / CHUNKS;
  for (size_t i = from; i < to; i++) {
    box b = tiles_of(j, i);
    for (int y = b.y0; y <= b.y1; y++) {
      for (int x = b.x0; x <= b.x1; x++) {
        size_t at = slot[y * j->tiles_x + x]++;
        if (deal) j->entry[at] = (uint32_t)i;
      }
    }
  }
}

// Turns counts into places: by tile, and within a tile by chunk. Returns the total.
static size_t place(const job *j) {
  size_t tiles = (size_t)j->tiles_x * (size_t)j->tiles_y, sum = 0;
  for (size_t t = 0; t < tiles; t++) {
    j->begin[t] = sum;
    for (int c = 0; c < CHUNKS; c++) {
      size_t n = j->first[(size_t)c * tiles + t];
      j->first[(size_t)c * tiles + t] = sum;
      sum += n;
    }
  }
  j->begin[tiles] = sum;
  return sum;
}

static void draw_sphere(const job *j, const firn_depths *d, uint32_t i, int x0, int y0, int x1,
                        int y1) {
  float cx, cy, depth, scale;
  if (!firn_lens_project(j->lens, j->center[i], &cx, &cy, &depth, &scale)) return;
  float r = pixel_radius(j, i, scale), metre = 1 / scale;
  int left = (int)floorf(cx - r), right = (int)floorf(cx + r) + 1;
  int top = (int)floorf(cy - r), bottom = (int)floorf(cy + r) + 1;
  if (left < x0) left = x0;
  if (right > x1) right = x1;
  if (top < y0) top = y0;
  if (bottom > y1) bottom = y1;
  for (int y = top; y < bottom; y++) {
    float dy = (float)y + 0.5f - cy, rest = r * r - dy * dy;
    if (rest <= 0) continue;
    float *row = d->depth + (size_t)y * (size_t)d->width;
    uint32_t *index = d->index ? d->index + (size_t)y * (size_t)d->width : NULL;
    for (int x = left; x < right; x++) {
      float dx = (float)x + 0.5f - cx, q = rest - dx * dx;
      if (q <= 0) continue;
      float z = depth - sqrtf(q) * metre;
      if (z < row[x]) {
        row[x] = z;
        if (index) index[x] = i;
      }
    }
  }
}

static void draw_tile(const job *j, const firn_depths *d, int tile) {
  int x0 = tile % j->tiles_x * TILE, y0 = tile / j->tiles_x * TILE;
  int x1 = x0 + TILE < d->width ? x0 + TILE : d->width;
  int y1 = y0 + TILE < d->height ? y0 + TILE : d->height;
  for (int y = y0; y < y1; y++) {
    for (int x = x0; x < x1; x++) {
      d->depth[(size_t)y * (size_t)d->width + (size_t)x] = INFINITY;
      if (d->index) d->index[(size_t)y * (size_t)d->width + (size_t)x] = FIRN_NO_SPHERE;
    }
  }
  for (size_t k = j->begin[tile]; k < j->begin[tile + 1]; k++) {
    draw_sphere(j, d, j->entry[k], x0, y0, x1, y1);
  }
}

firn_status firn_splat(firn_context *context, const firn_lens *lens, size_t count,
                       const firn_v3 *center, const float *radius, float min_pixels,
                       bool want_index, firn_depths *out) {
  *out = (firn_depths){.width = lens->width, .height = lens->height};
  job j = {.lens = lens, .count = count, .center = center, .radius = radius};
  j.min_pixels = min_pixels;
  j.tiles_x = (lens->width + TILE - 1) / TILE;
  j.tiles_y = (lens->height + TILE - 1) / TILE;
  int tiles = j.tiles_x * j.tiles_y;
  size_t pixels = (size_t)lens->width * (size_t)lens->height, total = 0;
  size_t first_size = (size_t)CHUNKS * (size_t)tiles * sizeof *j.first;
  size_t begin_size = ((size_t)tiles + 1) * sizeof *j.begin;
  out->depth = firn_alloc(context, pixels * sizeof *out->depth, "depths of a picture");
  if (want_index) {
    out->index = firn_alloc(context, pixels * sizeof *out->index, "spheres of a picture");
  }
  j.first = firn_alloc_zero(context, first_size, "tiles of a picture");
  j.begin = firn_alloc_zero(context, begin_size, "tiles of a picture");
  bool good = out->depth && (out->index || !want_index) && j.first && j.begin;
  if (good) {
    FIRN_PARALLEL_FOR(context, schedule(dynamic))
    for (int c = 0; c < CHUNKS; c++) walk_chunk(&j, c, false);
    total = place(&j);
    j.entry = firn_alloc(context, total * sizeof *j.entry, "spheres by tile");
    good = j.entry || !total;
  }
  if (good) {
    FIRN_PARALLEL_FOR(context, schedule(dynamic))
    for (int c = 0; c < CHUNKS; c++) walk_chunk(&j, c, true);
    FIRN_PARALLEL_FOR(context, schedule(dynamic))
    for (int t = 0; t < tiles; t++) draw_tile(&j, out, t);
  }
  firn_free(context, j.entry, total * sizeof *j.entry);
  firn_free(context, j.begin, begin_size);
  firn_free(context, j.first, first_size);
  if (good) return FIRN_OK;
  firn_depths_free(context, out);
  return FIRN_ERROR_MEMORY;
}

void firn_depths_free(firn_context *context, firn_depths *d) {
  size_t pixels = (size_t)d->width * (size_t)d->height;
  firn_free(context, d->depth, pixels * sizeof *d->depth);
  firn_free(context, d->index, pixels * sizeof *d->index);
  *d = (firn_depths){0};
}
